"""Parts of a model that a file holds in another form: plain arrays in place of their objects."""

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from counterpoint.tabular.alike import Columns, KeptColumn, Reading, is_ours
from counterpoint.tabular.soundness import WITHOUT_PARTS

if TYPE_CHECKING:  # imported where there is one: few models have splines
    from scipy.interpolate import BSpline


class KeptFrame:
    """A data frame as plain arrays: what a model file holds in its place."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.names = [str(name) for name in frame.columns]
        self.values = [_plain_array(frame.iloc[:, k]) for k in range(frame.shape[1])]
        self.n_rows = len(frame)

    def whole(self) -> pd.DataFrame:
        """Return the data frame, its rows numbered anew."""
        columns = {
            k: values if isinstance(values, np.ndarray) else pd.Series(values, dtype=object)
            for k, values in enumerate(self.values)
        }
        frame = pd.DataFrame(columns, index=range(self.n_rows))
        frame.columns = pd.Index(self.names)
        return frame


class KeptSpline:
    """A spline as its numbers: the object itself also holds a function."""

    def __init__(self, spline: "BSpline") -> None:
        self.t, self.c, self.k = np.asarray(spline.t), np.asarray(spline.c), int(spline.k)
        self.extrapolate, self.axis = spline.extrapolate, int(spline.axis)

    def whole(self) -> "BSpline":
        """Return the spline; SciPy looks at the numbers."""
        from scipy.interpolate import BSpline

        return BSpline(self.t, self.c, self.k, extrapolate=self.extrapolate, axis=self.axis)


def kept(model: Any) -> Any:
    """Return a model as a file holds it."""
    from scipy.interpolate import BSpline

    forms: dict[type, Any] = {pd.DataFrame: KeptFrame, BSpline: KeptSpline}
    model = _each(model, _is(*forms), lambda part: forms[type(part)](part))
    columns = Columns(model)
    return _each(model, columns.takes, columns.column)


def unkept(model: Any) -> Any:
    """Return a model of a file as it was."""
    model = _each(model, _is(KeptColumn), Reading().values)
    return _each(model, _is(KeptFrame, KeptSpline), lambda part: part.whole())


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def _each(
    value: Any,
    wanted: Callable[[Any], bool],
    change: Callable[[Any], Any],
    seen: dict[int, tuple[Any, Any]] | None = None,
) -> Any:
    """Return a model with all that is wanted in it changed; what has none stays as it is."""
    if type(value) in WITHOUT_PARTS:
        return value
    seen = {} if seen is None else seen
    if id(value) in seen:
        return seen[id(value)][1]
    if wanted(value):
        seen[id(value)] = (value, change(value))
        return seen[id(value)][1]
    parts: dict[Any, Any]
    if isinstance(value, dict):
        parts = value
    elif isinstance(value, list) or type(value) is tuple:
        parts = dict(enumerate(value))
    elif is_ours(type(value)):
        parts = getattr(value, "__dict__", {})
    else:
        return value
    seen[id(value)] = (value, value)  # the first keeps it alive, hence its id its own
    changed = {}
    for key, part in parts.items():
        if type(part) not in WITHOUT_PARTS:
            other = _each(part, wanted, change, seen)
            if other is not part:
                changed[key] = other
    if not changed:
        return value
    changed = {**parts, **changed}
    if isinstance(value, list | tuple):
        result: Any = type(value)(changed.values())
    elif isinstance(value, dict):
        result = type(value)(changed) if type(value) is dict else value
    else:
        result = copy.copy(value)
        result.__dict__.update(changed)
    seen[id(value)] = (value, result)
    return result


def _plain_array(values: pd.Series) -> np.ndarray | list:
    if pd.api.types.is_numeric_dtype(values.dtype):
        if isinstance(values.dtype, np.dtype):
            return values.to_numpy()
        return values.to_numpy(dtype=float, na_value=np.nan)
    return [None if pd.isna(cell) else str(cell) for cell in values]
