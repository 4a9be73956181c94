"""What a result was made with: kept beside every model, page and row."""

import platform
from importlib.metadata import version

from counterpoint import __version__


def versions(*others: str) -> dict[str, str]:
    """Return the versions of counterpoint, scikit-learn, numpy and Python, and of ``others``."""
    return {
        "counterpoint": __version__,
        **{name: version(name) for name in ("scikit-learn", "numpy", *others)},
        "python": platform.python_version(),
    }
