"""The parts of an expected error, stacked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle
from numpy.typing import ArrayLike
from sklearn.base import clone

from counterpoint import decomposition as _decomposition
from counterpoint._typing import DataLike, Estimator, Target
from counterpoint._validation import check_choice
from counterpoint.plots import style
from counterpoint.plots.display import Display

# One colour for what means the same in each decomposition.
_SAME_COLOUR = {
    "blue": ("bias", "bias_effect", "systematic_effect", "member_error"),
    "orange": ("variance", "variance_effect"),
    "purple": ("covariance",),
    "green": ("diversity", "diversity_effect", "ambiguity"),
}
_PART_COLOURS = {part: style.OKABE_ITO[c] for c, parts in _SAME_COLOUR.items() for part in parts}
_PART_COLOURS["noise"] = "0.7"
_OTHER_COLOURS = tuple(style.OKABE_ITO[c] for c in ("sky blue", "vermilion", "yellow", "black"))
_FUNCTIONS = (
    "ambiguity_decomposition",
    "bias_variance",
    "bias_variance_covariance",
    "bias_variance_diversity",
    "breiman",
    "domingos",
    "james",
    "kohavi_wolpert",
    "zero_one_diversity_effect",
)
_MOST_VALUES = 8  # bars up to which each part says its value
_MOST_TICKS = 15


@dataclass(kw_only=True)
class DecompositionDisplay(Display):
    """An expected error in parts: what adds to it above zero, what takes from it below.

    The net of each bar is the error, marked in black. Parts that are zero everywhere, such as
    a noise that nobody knows, are in the table but not drawn.

    Parameters
    ----------
    contributions : DataFrame
        One row per bar, one column per part: signed terms that add up to the error.
    error : Series
        Error of each bar.
    param_name : str or None, default=None
        What the rows are values of; None for rows that are names.
    identity : str or None, default=None
        The identity that the parts obey, for the title.

    See Also
    --------
    counterpoint.decomposition.decompose : Decompose the error of any estimator.

    Examples
    --------
    >>> from counterpoint.decomposition import bias_variance_diversity
    >>> from counterpoint.plots import DecompositionDisplay
    >>> trials = [[[1.0, 2.0], [3.0, 2.0]], [[2.0, 3.0], [2.0, 1.0]]]
    >>> parts = bias_variance_diversity([1.0, 2.0], trials)
    >>> DecompositionDisplay.from_decomposition(parts, name="two members").table()
                 noise  bias  variance  diversity  error
    two members    0.0  0.75      0.25       -0.5    0.5
    """

    contributions: pd.DataFrame
    error: pd.Series
    param_name: str | None = None
    identity: str | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: DataLike,
        y: Target,
        *,
        param_name: str | None = None,
        param_range: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Train an estimator again and again, split its error, then draw.

        Parameters
        ----------
        estimator : scikit-learn classifier or regressor
            Cloned for each training.
        X, y : array-like of shape (n_samples, n_features) and (n_samples,)
        param_name : str, default=None
            A parameter of the estimator to vary.
        param_range : sequence, default=None
            Its values, a bar each.
        name : str, default=None
            What to call the one bar, where no parameter is varied.
        **options
            For ``counterpoint.decomposition.decompose``: ``loss``, ``method``, ``n_trials``, ...
            With an integer ``random_state`` every value meets the same training sets. And as for
            ``plot`` and ``draw``.
        """
        if (param_name is None) != (param_range is None):
            raise ValueError(
                f"param_name={param_name!r} and param_range={param_range!r} go together: pass "
                "both, or neither for a single bar."
            )
        look = cls._take_look(options)
        if param_name is None:
            result = _decomposition.decompose(estimator, X, y, **options)
            called = type(estimator).__name__ if name is None else name
            return cls.from_decomposition(result, name=called, **look)
        by_value = {
            value: _decomposition.decompose(
                clone(estimator).set_params(**{param_name: value}), X, y, **options
            )
            for value in param_range
        }
        return cls.from_decompositions(by_value, param_name=param_name, **look)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        predictions: ArrayLike,
        *,
        method: str = "kohavi_wolpert",
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Split the error of predictions that you have already, then draw.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            The truth.
        predictions : array-like
            Shaped as the method wants it: (n_trials, n_samples) for those of one model,
            (n_trials, n_members, n_samples[, n_classes]) for those of an ensemble.
        method : str, default="kohavi_wolpert"
            Name of a function in ``counterpoint.decomposition``.
        name : str, default=None
            What to call the bar.
        **options
            For that function, and as for ``plot`` and ``draw``.
        """
        check_choice(method, "method", _FUNCTIONS)
        look = cls._take_look(options)
        parts = getattr(_decomposition, method)(y_true, predictions, **options)
        return cls.from_decomposition(parts, name=name, **look)

    @classmethod
    def from_decomposition(
        cls, decomposition: Any, *, name: str | None = None, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw one decomposition.

        Parameters
        ----------
        decomposition : Decomposition, Parts, dict or DataFrame
            What ``counterpoint.decomposition`` returns, its ``table()``, or signed terms by
            name, ``error`` included or not.
        name : str, default=None
            What to call the bar.
        ax, **options
            As for ``plot`` and ``draw``.
        """
        return cls.from_decompositions({name or "": decomposition}, ax=ax, **options)

    @classmethod
    def from_decompositions(
        cls,
        decompositions: dict | pd.DataFrame,
        *,
        param_name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw several decompositions side by side.

        Parameters
        ----------
        decompositions : dict or DataFrame
            Decompositions by name, or by value of a parameter; or a frame with a row for each
            and a column per signed term, as ``table()`` returns it.
        param_name : str, default=None
            What the keys are values of; a line then joins their errors.
        ax, **options
            As for ``plot`` and ``draw``.
        """
        if isinstance(decompositions, pd.DataFrame):
            rows = decompositions.to_dict(orient="index")
        elif isinstance(decompositions, Mapping):
            rows = dict(decompositions)
        else:
            raise TypeError(
                f"decompositions are a {type(decompositions).__name__}, expected a dict by name "
                "or value. For a single one use from_decomposition."
            )
        if not rows:
            raise ValueError("There are no decompositions: nothing to draw.")
        terms, errors = {}, {}
        for key, one in rows.items():
            terms[key], errors[key] = _signed_terms(one, key)
        first_key, first = next(iter(terms.items()))
        for key, parts in terms.items():
            if list(parts) != list(first):
                raise ValueError(
                    f"{key!r} has the parts {', '.join(parts)}, but {first_key!r} has "
                    f"{', '.join(first)}: only decompositions of one kind can stand side by side."
                )
        # As objects: a parameter may be None, which would turn into NaN among numbers.
        index = pd.Index(list(terms), name=param_name, dtype=object)
        return cls(
            contributions=pd.DataFrame(list(terms.values()), index=index),
            error=pd.Series(list(errors.values()), index=index, name="error"),
            param_name=param_name,
            identity=getattr(next(iter(rows.values())), "identity", None),
        ).plot(ax, **options)

    def table(self) -> pd.DataFrame:
        """Return the signed parts and the error: one row per bar."""
        return self.contributions.assign(error=self.error)

    def _size(self) -> tuple[float, float]:
        return float(np.clip(4.9 + 0.5 * len(self.contributions), 5.6, 8.0)), 4.4

    def draw(self, ax: Axes, *, bar_kwargs: style.Look = None) -> None:
        """Draw on these axes; ``bar_kwargs`` are for ``Axes.bar`` of all parts."""
        n = len(self.contributions)
        width = 0.5 if n == 1 else 0.8
        at = np.arange(n)
        span = float(
            self.contributions.clip(lower=0).sum(axis=1).max()
            - self.contributions.clip(upper=0).sum(axis=1).min()
        )
        top, bottom = np.zeros(n), np.zeros(n)
        for part, colour in _colours(self.contributions).items():
            values = self.contributions[part].to_numpy(dtype=float)
            base = np.where(values >= 0, top, bottom)
            look: dict[str, Any] = {
                "width": width,
                "color": colour,
                "label": part.replace("_", " "),
            }
            look |= {"edgecolor": "white", "linewidth": 0.6}
            bars = ax.bar(at, values, bottom=base, **style.merge(look, bar_kwargs, Patch))
            if n <= _MOST_VALUES and self.param_name is None:
                _write_values(ax, bars.patches, self.error, 0.03 * span)
            top, bottom = top + np.maximum(values, 0), bottom + np.minimum(values, 0)
        net: dict[str, Any] = {"color": "black", "label": "error (net)", "zorder": 4}
        if self.param_name is None:
            reach = width / 2 + 0.06
            ax.hlines(self.error, at - reach, at + reach, linewidth=2.5, **net)
        else:
            ax.plot(at, self.error, marker="o", ms=5, mec="white", mew=0.8, linewidth=1.6, **net)
        ax.axhline(0, color="black", linewidth=0.8, zorder=3)
        _name_bars(ax, self.error, self.param_name)
        if n == 1:
            ax.set_xlim(-1, 1)
        title = "Error in parts"
        if self.identity:
            title += "\n" + self.identity.replace("_", " ")
        ax.set_title(title, fontsize="medium")
        ax.set_ylabel("Contribution to the expected error")


def _signed_terms(one, key) -> tuple[dict[str, float], float]:
    """Return the signed terms of one decomposition, and its error."""
    if hasattr(one, "contributions"):
        return dict(one.contributions), float(one.averages["error"])
    if hasattr(one, "averages"):
        one = one.averages
    if isinstance(one, pd.DataFrame):
        if "contribution" not in one:
            raise ValueError(
                f"The frame of {key!r} has the columns {', '.join(map(str, one.columns))}, but no "
                "'contribution': pass what a decomposition's table() returns."
            )
        one = one["contribution"].dropna().to_dict()
    if not isinstance(one, Mapping):
        raise TypeError(
            f"{key!r} is a {type(one).__name__}, expected a decomposition, or a dict of signed "
            "terms by name."
        )
    terms = {str(part): float(value) for part, value in one.items()}
    net = terms.pop("error", None)
    if not terms:
        raise ValueError(f"{key!r} has no parts: expected a dict such as bias=0.1, variance=0.2.")
    bad = [part for part, value in terms.items() if not np.isfinite(value)]
    if bad:
        raise ValueError(f"{bad[0]!r} of {key!r} is {terms[bad[0]]}: every part must be finite.")
    total = sum(terms.values())
    if net is not None and not np.isclose(total, net, rtol=1e-6, atol=1e-9):
        raise ValueError(
            f"The parts of {key!r} add up to {total:.6g}, but its error is {net:.6g}. Pass signed "
            "terms: what takes from the error, as diversity does, is negative."
        )
    return terms, total if net is None else net


def _colours(contributions: pd.DataFrame) -> dict[str, str]:
    """Return colours of the parts that are not zero everywhere."""
    drawn = [str(part) for part in contributions if (contributions[part] != 0).any()]
    spare = iter(_OTHER_COLOURS * (1 + len(drawn) // len(_OTHER_COLOURS)))
    return {p: _PART_COLOURS[p] if p in _PART_COLOURS else next(spare) for p in drawn}


def _write_values(ax: Axes, bars, error: pd.Series, half: float) -> None:
    """Write its value into each part, clear of the line of the error; ``half`` a line of text."""
    bar: Rectangle
    for bar, net in zip(bars, error, strict=True):
        value = bar.get_height()
        low, high = sorted([bar.get_y(), bar.get_y() + value])
        if abs((low + high) / 2 - net) < half:
            low, high = (low, net) if net - low > high - net else (net, high)
        if high - low < 2 * half:  # no room
            continue
        ink = style.ink_on(bar.get_facecolor())
        x = bar.get_x() + bar.get_width() / 2
        text = style.number(value)
        ax.text(x, (low + high) / 2, text, ha="center", va="center", fontsize=8, color=ink)


def _name_bars(ax: Axes, error: pd.Series, param_name: str | None) -> None:
    if param_name is not None:
        shown = [f"{key:g}" if isinstance(key, float) else str(key) for key in error.index]
        ax.set_xlabel(param_name)
    else:
        shown = [f"{key}\nerror {style.number(value)}".strip() for key, value in error.items()]
    at, labels = zip(*style.thinned(shown, _MOST_TICKS), strict=True)
    longest = max(len(line) for label in labels for line in label.split("\n"))
    # A letter is about 6 points wide; names that would run into each other stand upright.
    width = ax.get_window_extent().width * 72 / ax.figure.dpi
    crowded = 6 * (longest + 1) * len(labels) > 0.75 * width
    ax.set_xticks(at, labels, rotation=90 if crowded else 0)
