"""``python -m counterpoint``: the command, where its name is not on the path."""

import sys

from counterpoint.cli import main

if __name__ == "__main__":
    sys.exit(main())
