"""`python -m ebg`: the `ebg` command."""

import sys

from ebg.cli import main

if __name__ == "__main__":
    sys.exit(main())
