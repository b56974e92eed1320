"""`python -m agentmonbench` is the `agentmonbench` command."""

import sys

from agentmonbench.cli import main

sys.exit(main())
