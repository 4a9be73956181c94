"""What displays share: made by ``from_...``, drawn by ``plot``, their numbers in ``table``.

A display is a dataclass of what is shown. It supplies ``draw`` and ``table``, and a way in: one
that shows what members said supplies ``compute`` (see ``EnsembleDisplay``), others a ``from_...``
of their own that ends in ``plot``.
"""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from counterpoint._outputs import MemberOutputs, OutputCounts
from counterpoint._typing import DataLike, Estimator
from counterpoint.diversity import MEASURES
from counterpoint.exceptions import MemberError
from counterpoint.plots import style

UNNAMED = "ensemble"


class Display:
    """A picture of a result, that can be drawn again and gives its numbers.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        Where it was drawn last.
    """

    # Width and height in inches of a figure of its own.
    size: ClassVar[tuple[float, float]] = (6.4, 4.0)
    # Where its legend goes, if not where legends go.
    legend: ClassVar[dict[str, Any]] = {}

    def plot(
        self, ax: Axes | None = None, *, legend_kwargs: style.Look = None, **options: Any
    ) -> Self:
        """Draw on ``ax`` or a new figure; never call ``show``.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None makes a new figure.
        legend_kwargs : dict, default=None
            For ``Axes.legend``.
        **options
            As for ``draw``.
        """
        ax = style.get_axes(ax, self._size())
        key = self.draw(ax, **options)
        style.draw_legend(ax, key or [], {**self.legend, **(legend_kwargs or {})})
        style.show_hidden([ax])
        self.ax_ = ax
        self.figure_: Any = ax.figure  # a figure, or a part of one
        return self

    def draw(self, *axes: Any, **options: Any) -> Any:
        """Draw on the axes given; may return what the legend is to explain besides."""
        raise NotImplementedError

    def table(self) -> pd.DataFrame:
        """Return what is shown as a frame."""
        raise NotImplementedError

    def _size(self) -> tuple[float, float]:
        return self.size

    @classmethod
    def _take_look(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Take out of the options what ``plot`` and ``draw`` are to get."""
        names = {*inspect.signature(cls.plot).parameters, *inspect.signature(cls.draw).parameters}
        return {name: options.pop(name) for name in list(options) if name in names}


class PanelDisplay(Display):
    """Panels one above the other that share their x axis; ``draw`` takes the list of them.

    Attributes
    ----------
    axes_ : list of Axes
        The panels, as they were drawn last.
    """

    @property
    def n_panels(self) -> int:
        """How many panels there are."""
        raise NotImplementedError

    def plot(
        self, ax: Axes | None = None, *, legend_kwargs: style.Look = None, **options: Any
    ) -> Self:
        """Draw on ``ax`` or a new figure; never call ``show``.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, default=None
            A single one is split into panels, for which it must be part of a grid
            (``plt.subplots``). None makes a new figure.
        legend_kwargs, **options
            As for :meth:`Display.plot`.
        """
        panels = stacked_panels(ax, self.n_panels)
        key = self.draw(panels, **options) or []
        for panel in panels:
            panel.grid(axis="y", color="0.9", linewidth=0.8)
            panel.set_axisbelow(True)
            style.draw_legend(panel, key if panel is panels[0] else [], legend_kwargs)
        style.show_hidden(panels)
        self.axes_ = panels
        self.ax_, self.figure_ = panels[0], panels[0].figure
        return self


class EnsembleDisplay(Display):
    """A picture of what members said: from an estimator, from votes, or from outputs.

    A subclass supplies ``compute``, which makes a display of outputs.
    """

    # Whether it shows several ensembles: a dict then means them, not the members of one, and
    # ``compute`` takes the ``name`` of a single one.
    several: ClassVar[bool] = True

    @classmethod
    def compute(cls, *outputs: Any, **options: Any) -> Self:
        """Measure what members said."""
        raise NotImplementedError

    @classmethod
    def from_outputs(
        cls, outputs: MemberOutputs | dict[Any, Any], *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Measure what members said, then draw it.

        Parameters
        ----------
        outputs : MemberOutputs, or dict of them by name
            A dict where a display shows several ensembles. Pictures of pairs also take
            ``OutputCounts``, as ``counterpoint.large.count_outputs`` makes them of files.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **options
            As for ``compute``, ``plot`` and ``draw``.
        """
        measured = inspect.signature(cls.compute).parameters
        drawn = {name: options.pop(name) for name in list(options) if name not in measured}
        return cls.compute(outputs, **options).plot(ax, **drawn)

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: DataLike,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Ask the members of a fitted ensemble, measure what they say, then draw it.

        Parameters
        ----------
        estimator : fitted ensemble, or dict of them
            Whatever ``MemberOutputs.from_estimator`` takes. Where a display shows several
            ensembles, a dict names them; the named members of one ensemble are then a list of
            (name, estimator) pairs.
        X : array-like or frame of shape (n_samples, n_features)
            What to ask about; best data that the ensemble never saw.
        y : array-like of shape (n_samples,)
            The truth.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts.
        ax, **options
            As for :meth:`from_outputs`.
        """

        def read(one):
            return MemberOutputs.from_estimator(one, X, y, sample_weight=sample_weight)

        if not cls.several:
            return cls.from_outputs(read(estimator), ax=ax, **options)
        if not isinstance(estimator, Mapping) and options.get("name") is None:
            listed = isinstance(estimator, list | tuple)
            options["name"] = UNNAMED if listed else type(estimator).__name__
        try:
            outputs = _each(estimator, read)
        except MemberError as error:
            if isinstance(estimator, Mapping):
                error.add_note(
                    "A dict names several ensembles here. For the members of one ensemble "
                    "pass a list of (name, estimator) pairs."
                )
            raise
        return cls.from_outputs(outputs, ax=ax, **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        votes: ArrayLike | dict[Any, Any],
        *,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Measure labels that the members gave, then draw it.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
        votes : array-like of shape (n_members, n_samples), or dict of them
            The label each member gives each sample. Where a display shows several ensembles, a
            dict names them.
        classes : array-like of shape (n_classes,), default=None
            All labels, sorted, if some do not occur in ``y_true``.
        sample_weight, ax, **options
            As for :meth:`from_estimator`.
        """

        def read(one):
            if isinstance(one, MemberOutputs):
                raise TypeError("votes are MemberOutputs already: pass them to from_outputs.")
            return MemberOutputs(one, y_true, classes=classes, sample_weight=sample_weight)

        outputs = _each(votes, read) if cls.several else read(votes)
        return cls.from_outputs(outputs, ax=ax, **options)


def _each(given, read):
    if isinstance(given, Mapping):
        return {name: read(one) for name, one in given.items()}
    return read(given)


def named_outputs(
    outputs, name: str | None = None, *, counted: bool = False
) -> dict[str, MemberOutputs]:
    """Return ensembles by name, of one ensemble or a dict of them; ``counted``: counts too."""
    if isinstance(outputs, Mapping):
        if not outputs:
            raise ValueError("The dict of ensembles is empty: there is nothing to draw.")
        if name is not None:
            raise ValueError(
                f"name={name!r} is for one ensemble, but the dict names {len(outputs)} of them "
                "already: leave name out, or change the keys."
            )
        return {str(key): check_outputs(one, counted=counted) for key, one in outputs.items()}
    return {UNNAMED if name is None else str(name): check_outputs(outputs, counted=counted)}


def check_outputs(outputs, *, counted: bool = False) -> Any:
    """Return ``outputs`` if they are MemberOutputs, or their counts where these will do."""
    if isinstance(outputs, MemberOutputs) or (counted and isinstance(outputs, OutputCounts)):
        return outputs
    hint = (
        "Use from_predictions(y_true, votes) for labels, from_estimator(estimator, X, y) for a "
        "fitted ensemble, MemberOutputs.from_correct for right/wrong flags."
    )
    if isinstance(outputs, OutputCounts):
        hint = "This picture shows single samples: take some with large.sample_outputs."
    raise TypeError(
        f"from_outputs takes MemberOutputs{' or OutputCounts' if counted else ''}, got "
        f"{type(outputs).__name__}. {hint}"
    )


def need_members(outputs, least: int, what: str, name: str | None = None) -> None:
    """Raise unless there are enough members for this picture."""
    if outputs.n_members < least:
        who = "the ensemble" if name in (None, UNNAMED) else repr(name)
        raise ValueError(
            f"{what} needs at least {least} members, but {who} has {outputs.n_members}: pass an "
            "ensemble of more, votes of shape (n_members, n_samples)."
        )


def legend_names(names: Iterable[Any], name: str | None) -> dict[Any, str]:
    """Return the name in the legend of each ensemble; ``name`` is for a single one only."""
    names = list(dict.fromkeys(names))
    if name is None:
        return dict(zip(names, names, strict=True))
    if len(names) != 1:
        raise ValueError(
            f"name={name!r} is for one ensemble, but this display holds {len(names)}: "
            f"{', '.join(names)}."
        )
    return {names[0]: str(name)}


def measure_label(name: str) -> str:
    """Return the title of a measure and which way it says diverse; other names as they are."""
    measure = MEASURES.get(name)
    if measure is None or not measure.more_diverse:
        return name if measure is None else measure.title
    return f"{measure.title} ({measure.more_diverse}: more diverse)"


def fitted_attribute(estimator, name: str, hint: str):
    """Return what a fitted estimator recorded under this name."""
    if not hasattr(estimator, name):
        raise TypeError(f"{type(estimator).__name__} has no {name}: pass {hint}.")
    return getattr(estimator, name)


def whole_numbers(ax: Axes) -> None:
    """Put ticks of the x axis, which counts something, at whole numbers."""
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10], min_n_ticks=1))


def stacked_panels(ax, n: int) -> list[Axes]:
    """Return n panels one above the other, the first twice as high, on ``ax`` or a new figure.

    ``ax`` may be that many axes, or one that is part of a grid and is split.
    """
    ratios = [2.0] + [1.0] * (n - 1)
    if ax is None:
        new = plt.figure(figsize=(7.2, 2.3 + 1.5 * n), layout="constrained")
        grid = new.subplots(n, 1, sharex=True, squeeze=False, height_ratios=ratios)
        panels = list(grid[:, 0])
        for panel in panels:
            style.claim(panel)
        return panels
    if not isinstance(ax, Axes):
        panels = [style.check_axes(one) for one in (ax if hasattr(ax, "__len__") else [ax])]
        if len(panels) != n:
            raise ValueError(
                f"ax has {len(panels)} axes, but {n} are needed: one for the errors and one for "
                "each measure. Pass that many, or a single one to be split."
            )
        return panels
    if n == 1:
        return [ax]
    place = ax.get_subplotspec()
    if place is None:
        raise ValueError(
            f"ax is not part of a grid, so it cannot be split into {n} panels: make it with "
            f"plt.subplots, or pass {n} axes."
        )
    figure = ax.figure
    # Without a layout engine nobody else makes room for the titles.
    room = 0.6 if figure.canvas.figure.get_layout_engine() is None else None
    rows = place.subgridspec(n, 1, height_ratios=ratios, hspace=room)
    ax.set_axis_off()
    top = figure.add_subplot(rows[0])
    below = [figure.add_subplot(rows[k], sharex=top) for k in range(1, n)]
    for panel in [top, *below][:-1]:
        panel.tick_params(labelbottom=False)
    return [top, *below]
