"""Write the bundled samples: `python tests/samples/build_samples.py [--record [PACKAGE ...]]`."""

from __future__ import annotations

import argparse
import shutil
import sys

from construction import _feedbacktrace, _silentswap
from construction._layout import to_json
from construction._samples import SAMPLES, build_all
from construction._sources import all_sources


def main() -> None:
    """Record what the sources execute if asked to, then replace the samples on disk."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", nargs="*", metavar="PACKAGE", help="execute first; without names, all packages")
    wanted = parser.parse_args().record
    for source in all_sources():
        if wanted is not None and (not wanted or source.name in wanted):
            source.recordings.mkdir(exist_ok=True)
            for maker in (_silentswap, _feedbacktrace):
                (source.recordings / maker.RECORDING).write_bytes(to_json(maker.record(source)))
    files = build_all()
    for subset in ("specgap", "silentswap", "feedbacktrace"):
        shutil.rmtree(SAMPLES / subset, ignore_errors=True)
    for path, content in files.items():
        target = SAMPLES / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    sys.stdout.write(f"{len(files)} files written below {SAMPLES}\n")


if __name__ == "__main__":
    main()
