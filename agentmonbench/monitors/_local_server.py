"""The embedded model's process: llama.cpp's own server on loopback, until its parent goes away.

Run by `agentmonbench.monitors._local` as a script of its own, because threads of the runtime read the environment when
they are loaded, and because a model must not hold the memory of a run. It takes its key from the first line of stdin,
prints its address, and ends when stdin is closed: also when the parent was killed.
"""

from __future__ import annotations

import sys
from importlib import import_module


def main() -> int:
    """Serve the model file given as first argument, with the context size given as second."""
    xllamacpp = import_module("xllamacpp")  # without types, and only there with the extra

    key = sys.stdin.readline().strip()
    parameters = xllamacpp.CommonParams()
    parameters.model.path = sys.argv[1]
    parameters.n_ctx = int(sys.argv[2])
    parameters.n_parallel = 1  # the context is shared out among parallel slots
    parameters.port = 0
    parameters.api_keys = [key]
    parameters.cors_origins = "http://127.0.0.1"
    parameters.ui = False
    parameters.offline = True
    parameters.verbosity = -1
    # One thread that generates and two that read: more of them collapse beside other work.
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 2
    parameters.use_jinja = True
    parameters.cache_ram_mib = 512
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)  # noqa: T201  # the answer to the parent
    sys.stdin.read()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
