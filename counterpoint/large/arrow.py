"""pyarrow, an extra: imported when something of it is first asked for."""

from importlib import import_module
from typing import Any

_PARTS = ("compute", "csv", "dataset", "parquet", "types")


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        arrow = import_module("pyarrow")
        for part in _PARTS:
            import_module(f"pyarrow.{part}")
    except ImportError as error:
        raise ImportError(
            "counterpoint.large reads Parquet and Arrow by pyarrow, which is not installed: "
            "pip install 'counterpoint[large]'."
        ) from error
    return getattr(arrow, name)
