"""Run the command as ``python -m counterpoint.cli``."""

import sys

from counterpoint.cli import main

if __name__ == "__main__":
    sys.exit(main())
