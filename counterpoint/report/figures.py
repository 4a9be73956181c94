"""The pictures of a page or a plot file, put together from displays."""

import base64
import io
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from counterpoint._files import new_file
from counterpoint._outputs import MemberOutputs
from counterpoint.diversity import label_kappa
from counterpoint.plots import (
    DiversityMatrixDisplay,
    KappaErrorDisplay,
    MarginDisplay,
    TrajectoryDisplay,
    TreeDisplay,
    style,
)

if TYPE_CHECKING:
    from counterpoint.tabular.demo import DemoResult
    from counterpoint.tabular.explanation import Explanation

DPI = 160  # twice what a page shows, for sharp screens
_BESIDE: dict[str, Any] = {
    "loc": "upper left",
    "bbox_to_anchor": (1.02, 1.0),
    "borderaxespad": 0.0,
    "frameon": False,
}


@dataclass(frozen=True)
class PageFigure:
    """A picture for a page."""

    title: str  # heading above it
    caption: str  # how to read it
    alt: str  # what it shows, for those who cannot see it
    source: str  # the picture itself, as a ``data:`` address


def overview(outputs: MemberOutputs) -> Figure:
    """Draw one ensemble four ways: kappa-error, matrix, trajectory, margins.

    A panel that cannot be filled (pairs of one member, labels of right/wrong flags) says so.
    """
    figure = Figure(figsize=(13, 10), layout="constrained")
    axes = figure.subplots(2, 2)
    pairs = outputs.n_members > 1
    few = "This needs two members or more."
    if outputs.votes is None:
        _instead(axes[0, 0], "Kappa-error diagram", "This needs the members' labels.")
    elif not pairs:
        _instead(axes[0, 0], "Kappa-error diagram", few)
    else:
        KappaErrorDisplay.from_outputs(outputs, ax=axes[0, 0], name="this ensemble")
    if pairs:
        DiversityMatrixDisplay.from_outputs(outputs, ax=axes[0, 1])
        TrajectoryDisplay.from_outputs(outputs, ax=axes[1, 0], name="this ensemble")
    else:
        _instead(axes[0, 1], "Q statistic of every pair", few)
        _instead(axes[1, 0], "As the ensemble grows", few)
    MarginDisplay.from_outputs(outputs, ax=axes[1, 1], name="this ensemble")
    return figure


def save_figure(figure: Figure, path: str | PathLike[str]) -> Path:
    """Write a figure in the format its name ends in; the same figure gives the same bytes."""
    path = Path(path)
    with new_file(path) as part:
        save_to(figure, part, path.suffix.lower().lstrip("."))
    return path


def save_tree(explanation: "Explanation", path: str | PathLike[str]) -> Path:
    """Draw the tree that stands for a model, and write it as :func:`save_figure` does."""
    from matplotlib import pyplot as plt

    one = explanation.table_tree
    display = TreeDisplay(
        tree=one.tree,
        classes=explanation.classes,
        feature_names=explanation.feature_names,
        questions=["" if asked is None else asked.text() for asked in one.questions],
    ).plot()
    figure = cast(Figure, display.figure_)
    try:
        return save_figure(figure, path)
    finally:
        plt.close(figure)


def demo_figures(result: "DemoResult") -> list[PageFigure]:
    """Draw the demo's pictures: kappa-error diagram, trajectories, margins, matrices."""
    outputs = {method.name: method.outputs for method in result.methods}
    # AdaBoost can stop at its first member, which makes no pair and goes nowhere.
    several = {name: one for name, one in outputs.items() if one.n_members > 1}
    shown: list[PageFigure] = []
    if several:
        shown += [_kappa_error(several), _trajectories(several)]
    shown.append(_margins(outputs))
    if several:
        shown.append(_matrices(several))
    return shown


def _kappa_error(outputs: dict[str, MemberOutputs]) -> PageFigure:
    figure, ax = new_figure(4.6)
    display = KappaErrorDisplay.from_outputs(outputs, ax=ax, legend_kwargs=_BESIDE)
    ax.set_title("")
    centres = "; ".join(
        f"{name}: mean kappa {row['kappa']:.2f}, mean error {row['error']:.2f}, error of the vote "
        f"{row['vote_error']:.2f}"
        for name, row in display.summary.iterrows()
    )
    return PageFigure(
        title="Agreement against error",
        caption="A point is a pair of members: how far they agree, how often they err. Left is "
        "diverse, low is accurate. The bar below each cloud is the error of the vote: the drop is "
        "what voting gains.",
        alt=f"Kappa-error diagram, a cloud of points per ensemble. {centres}.",
        source=png_address(figure),
    )


def _trajectories(outputs: dict[str, MemberOutputs]) -> PageFigure:
    figure = Figure(figsize=(7.6, 6.2), layout="constrained")
    axes = figure.subplots(3, 1, sharex=True, height_ratios=(2, 1, 1))
    for ax in axes:
        _tidy(ax)
    display = TrajectoryDisplay.from_outputs(
        outputs, measures=("q", "disagreement"), ax=axes, legend_kwargs=_BESIDE
    )
    axes[0].set_title("")  # the page has a heading
    last = display.table().groupby("ensemble", sort=False).last()
    ends = "; ".join(
        f"{name}: the vote of {int(row['members'])} members errs {row['vote_error']:.2f}, Q is "
        f"{row['q']:.2f}"
        for name, row in last.iterrows()
    )
    return PageFigure(
        title="As the ensembles grow",
        caption="Solid, the error of the vote of the first members; dashed, their own mean error. "
        "The vote improves while its members do not. Below, how alike they are.",
        alt=f"Error and diversity against the number of members. At the end: {ends}.",
        source=png_address(figure),
    )


def _margins(outputs: dict[str, MemberOutputs]) -> PageFigure:
    figure, ax = new_figure(4.2)
    display = MarginDisplay.from_outputs(outputs, ax=ax, legend_kwargs=_BESIDE)
    ax.set_title("")
    shares = "; ".join(
        f"{name}: {row['below_zero']:.1%} of samples below zero"
        for name, row in display.summary.iterrows()
    )
    return PageFigure(
        title="How sure the votes are",
        caption="The margin of a sample is the share of votes for its class less that for the best "
        "other class. Where a curve meets zero, its height is the error of the vote, but for ties.",
        alt=f"Cumulative distribution of margins, a curve per ensemble. {shares}.",
        source=png_address(figure),
    )


def _matrices(outputs: dict[str, MemberOutputs]) -> PageFigure:
    figure = Figure(figsize=(2.9 * len(outputs) + 0.9, 3.1), layout="constrained")
    row = figure.subplots(1, len(outputs), squeeze=False)[0]
    displays = {}
    for (name, one), ax in zip(outputs.items(), row, strict=True):
        displays[name] = DiversityMatrixDisplay.from_outputs(
            one, measure="label_kappa", ax=ax, show_values=False
        )
        ax.set(title=name, xlabel="Member", ylabel="Member" if ax is row[0] else "")
    # One scale for all, or the colours could not be compared; one bar says it.
    far = max(display.im_.get_clim()[1] for display in displays.values())
    for k, display in enumerate(displays.values()):
        display.im_.set_clim(-far, far)
        if k < len(displays) - 1:
            display.colorbar_.remove()
    means = "; ".join(f"{name}: mean {label_kappa(one):.2f}" for name, one in outputs.items())
    return PageFigure(
        title="Who agrees with whom",
        caption="Kappa of the labels of every pair, members in the order they joined. Red is "
        "alike, white no more alike than chance, blue less.",
        alt=f"Heat maps of the kappa of every pair of members, one per ensemble. {means}.",
        source=png_address(figure),
    )


def new_figure(height: float) -> tuple[Figure, Axes]:
    """Return a figure as wide as a page."""
    figure = Figure(figsize=(7.6, height), layout="constrained")
    ax = figure.subplots()
    _tidy(ax)
    return figure, ax


def _tidy(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)


def _instead(ax: Axes, title: str, words: str) -> None:
    ax.set_title(title)
    ax.set_axis_off()
    ax.text(0.5, 0.5, words, ha="center", va="center", transform=ax.transAxes, color="0.35")


def png_address(figure: Figure) -> str:
    """Return a figure as a ``data:`` address."""
    buffer = io.BytesIO()
    save_to(figure, buffer, "png")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def save_to(figure: Figure, target: Any, kind: str, *, math: bool = False) -> None:
    """Write a figure to a file or a buffer; the same figure gives the same bytes.

    Text on it is taken as it is; ``math=True`` says that dollar signs enclose formulas.
    """
    style.show_hidden(figure.axes, math=math)
    # No date and no random ids.
    unsigned: dict[str, Any] = {
        "png": {"Software": None},
        "svg": {"Date": None},
        "pdf": {"CreationDate": None},
    }
    with mpl.rc_context({"svg.hashsalt": "counterpoint"}):
        figure.savefig(target, format=kind, dpi=DPI, metadata=unsigned[kind])
