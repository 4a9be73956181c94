"""Columns of Arrow as arrays and lists."""

from typing import Any

from numpy.typing import NDArray

from counterpoint.large import arrow as pa


def plain(column: Any) -> Any:
    """Return a column without a dictionary."""
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def as_floats(column: Any) -> NDArray:
    """Return a column of numbers, NaN where there is none."""
    column = plain(column)
    if not pa.types.is_float64(column.type):
        column = column.cast(pa.float64())
    return column.to_numpy(zero_copy_only=False)


def as_text(column: Any) -> list[Any]:
    """Return the values of a column, None where there is none."""
    return plain(column).to_pylist()
