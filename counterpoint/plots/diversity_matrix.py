"""A pairwise measure of every pair of members, as a heat map."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from counterpoint import diversity
from counterpoint._outputs import PairCounts
from counterpoint._validation import check_choice
from counterpoint.diversity.measures import order_alike
from counterpoint.plots import style
from counterpoint.plots.display import EnsembleDisplay, check_outputs, measure_label, need_members

_ORDERS = {"given": "", "cluster": ", those alike side by side", "error": ", lowest error first"}
_MOST_VALUES = 12  # members up to which each cell says its value
_MOST_NAMES = 25  # and up to which each row says whose it is


@dataclass(kw_only=True)
class DiversityMatrixDisplay(EnsembleDisplay):
    """Heat map of a pairwise measure: who is like whom.

    Blue is diverse, red is alike. Measures that can be negative have white at zero; the scale
    reaches as far as the pairs do, whatever a member is with itself. Hatched cells are
    undefined (0/0).

    Parameters
    ----------
    matrix : ndarray of shape (n_members, n_members)
        The measure of every pair, in the order drawn.
    names : list of str
        Members in the order drawn.
    measure : str
        Name of a pairwise measure in ``counterpoint.diversity.MEASURES``.
    order : {"given", "cluster", "error"}, default="given"
        How the members were ordered.

    Attributes
    ----------
    im_ : AxesImage
    colorbar_ : Colorbar

    See Also
    --------
    counterpoint.diversity.matrix : The values themselves.

    Examples
    --------
    >>> from counterpoint.plots import DiversityMatrixDisplay
    >>> votes = [["a", "b", "b", "a"], ["a", "a", "b", "a"], ["b", "b", "b", "a"]]
    >>> display = DiversityMatrixDisplay.from_predictions(
    ...     ["a", "b", "b", "b"], votes, measure="disagreement"
    ... )
    >>> display.table()
              member 0  member 1  member 2
    member 0      0.00      0.25      0.25
    member 1      0.25      0.00      0.50
    member 2      0.25      0.50      0.00
    """

    matrix: NDArray
    names: list[str]
    measure: str
    order: str = "given"

    several: ClassVar[bool] = False
    size: ClassVar = (6.2, 5.2)

    @classmethod
    def compute(cls, outputs: Any, *, measure: str = "q", order: str = "given") -> Self:
        """Measure every pair of members.

        Parameters
        ----------
        outputs : MemberOutputs, OutputCounts or PairCounts
        measure : str, default="q"
            Name of a pairwise measure in ``counterpoint.diversity.MEASURES``.
        order : {"given", "cluster", "error"}, default="given"
            As the ensemble has its members; those alike side by side (average linkage); or the
            best first.
        """
        check_choice(order, "order", _ORDERS)
        if isinstance(outputs, PairCounts):
            names = [f"member {k}" for k in range(outputs.n_members)]
        else:
            names = list(check_outputs(outputs, counted=True).names)
        need_members(outputs, 2, "A heat map of pairs")
        matrix = diversity.matrix(outputs, measure)
        at = np.arange(len(names))
        if order == "cluster":
            at = order_alike(matrix, measure)
        elif order == "error":
            counted = isinstance(outputs, PairCounts)
            errors = 1.0 - outputs.right / outputs.total if counted else outputs.errors
            at = np.argsort(errors, kind="stable")
        return cls(
            matrix=matrix[np.ix_(at, at)],
            names=[names[k] for k in at],
            measure=measure,
            order=order,
        )

    def table(self) -> pd.DataFrame:
        """Return the matrix as a frame, members in the order drawn."""
        return pd.DataFrame(self.matrix, index=self.names, columns=self.names)

    def draw(
        self,
        ax: Axes,
        *,
        show_values: bool | None = None,
        im_kwargs: style.Look = None,
        text_kwargs: style.Look = None,
    ) -> None:
        """Draw on these axes, some of whose room the colour bar takes.

        Parameters
        ----------
        ax : matplotlib Axes
        show_values : bool, default=None
            Write its value into each cell. None: for up to 12 members, where there is room.
        im_kwargs : dict, default=None
            For ``Axes.imshow``: ``vmin`` and ``vmax`` set the scale, ``cmap`` the colours.
        text_kwargs : dict, default=None
            For ``Axes.text`` of the values.
        """
        n = len(self.matrix)
        if self.matrix.shape != (n, n) or len(self.names) != n:
            raise ValueError(
                f"matrix has shape {self.matrix.shape} and there are {len(self.names)} names: "
                "expected (n_members, n_members) and n_members names."
            )
        measure = diversity.MEASURES[self.measure]
        for spine in ax.spines.values():
            spine.set_visible(False)
        # Undefined cells are not painted, so the hatched background shows.
        ax.patch.set(facecolor="0.95", edgecolor="0.7", hatch="////", linewidth=0)
        look = {"cmap": _colours(measure), "interpolation": "nearest", **_scale(self, measure)}
        given = dict(im_kwargs or {})
        if "norm" in given:
            look = {key: look[key] for key in look if key not in ("vmin", "vmax")}
        self.im_ = ax.imshow(np.ma.masked_invalid(self.matrix), **{**look, **given})
        label = measure_label(self.measure)
        self.colorbar_ = ax.figure.colorbar(self.im_, ax=ax, label=label, extend=_extend(self))
        self.colorbar_.outline.set_visible(False)
        title = f"{measure.title} of every pair"
        if np.isnan(self.matrix).any():
            title += "\n(hatched: undefined, 0/0)"
        ax.set_title(title)
        _name_members(ax, self.names, self.order)
        if show_values or (show_values is None and n <= _MOST_VALUES):
            _write_values(ax, self.im_, self.matrix, show_values, text_kwargs)


def _colours(measure: diversity.Measure) -> str:
    if measure.low < 0:
        return "RdBu" if measure.more_diverse == "higher" else "RdBu_r"
    return "Blues" if measure.more_diverse == "higher" else "Reds"


def _scale(display: DiversityMatrixDisplay, measure: diversity.Measure) -> dict[str, float]:
    pairs = np.abs(display.matrix[~np.eye(len(display.matrix), dtype=bool)])
    far = float(np.nanmax(pairs)) if not np.isnan(pairs).all() else 0.0
    far = far or float(measure.high)  # all zero, or all undefined
    return {"vmin": -far if measure.low < 0 else 0.0, "vmax": far}


def _extend(display: DiversityMatrixDisplay) -> str:
    low, high = display.im_.get_clim()
    drawn = display.matrix[~np.isnan(display.matrix)]
    if not len(drawn):
        return "neither"
    hair = 1e-9 * (high - low)
    below, above = drawn.min() < low - hair, drawn.max() > high + hair
    return {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[(below, above)]


def _name_members(ax: Axes, names: list[str], order: str) -> None:
    # "tree 0", "tree 1", ...: the number says enough, once the axis has said the rest.
    stems, numbers = zip(*(name.rpartition(" ")[::2] for name in names), strict=True)
    numbered = len(set(stems)) == 1 and all(number.isdigit() for number in numbers)
    what = f"Member ({stems[0]})" if numbered and stems[0] not in ("", "member") else "Member"
    if len(names) <= _MOST_NAMES:
        shown = list(numbers) if numbered else [style.label(name) for name in names]
        upright = max(map(len, shown)) <= 2
        ticks = range(len(names))
        ax.set_xticks(ticks, shown, rotation=0 if upright else 90, fontsize="small")
        ax.set_yticks(ticks, shown, fontsize="small")
        ax.tick_params(length=0)
    elif order != "given":
        ax.set(xticks=[], yticks=[])  # a position says nothing about who it is
    ax.set(xlabel=f"{what}{_ORDERS.get(order, '')}", ylabel=what)


def _write_values(ax: Axes, im, matrix: NDArray, always: bool | None, text_kwargs) -> None:
    texts = {
        (i, j): f"{value:.2f}".replace("-", "\N{MINUS SIGN}")
        for (i, j), value in np.ndenumerate(matrix)
        if not np.isnan(value)
    }
    if not texts:
        return
    ax.figure.canvas.figure.draw_without_rendering()  # the layout decides how large a cell is
    box = ax.get_window_extent()
    points = min(box.width, box.height) / len(matrix) * 72 / ax.figure.dpi
    # A digit is about 0.6 of the font's size wide.
    size = min(9.0, 0.85 * points / (0.6 * max(map(len, texts.values()))))
    if size < 5 and not always:
        return
    for (i, j), text in texts.items():
        look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size}
        look["color"] = style.ink_on(im.cmap(im.norm(matrix[i, j])))
        ax.text(j, i, text, **{**look, **(text_kwargs or {})})
