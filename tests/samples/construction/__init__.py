"""Makes the bundled samples from their sources.

`sources/<package>/` holds what a person writes: a package with its tests, its document, and three short descriptions
(`specgap.toml`, `silentswap.toml`, `session.toml`) that name places by symbol and text. This package turns them into
the release layout below `subsets/samples/`: line numbers, offsets, hashes and manifests are computed, never typed.

`python tests/samples/build_samples.py` writes the samples, with `--record` it first executes the semantic tests and the
commands of the sessions.
"""
