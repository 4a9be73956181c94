"""Pictures of trust: estimated errors, answers held back, uncertainty, labels, queries, batches."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, PercentFormatter

from counterpoint._outputs import MemberOutputs
from counterpoint._typing import Estimator
from counterpoint.plots import style
from counterpoint.plots.display import (
    Display,
    EnsembleDisplay,
    fitted_attribute,
    legend_names,
    named_outputs,
)
from counterpoint.trust import (
    ErrorEstimate,
    LabelErrors,
    UncertaintyParts,
    selective_curve,
    split_uncertainty,
)


@dataclass(kw_only=True)
class ErrorEstimateDisplay(Display):
    """The error without labels: each method with its limits, and the known one of the reference.

    Hollow points are of methods whose assumption is not known to hold.

    Parameters
    ----------
    estimates : DataFrame
        As :meth:`counterpoint.trust.ErrorEstimate.table` gives it.
    reference_error : float

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.plots import ErrorEstimateDisplay
    >>> from counterpoint.trust import estimate_error
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=200)
    >>> outputs = MemberOutputs(np.where(rng.random((5, 200)) < 0.8, y, 1 - y), y)
    >>> told = estimate_error(outputs, outputs, random_state=0)
    >>> ErrorEstimateDisplay.from_estimate(told).table()["method"].iloc[0]
    'combined'
    """

    estimates: pd.DataFrame
    reference_error: float

    @classmethod
    def from_estimate(
        cls, estimate: ErrorEstimate, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw what :func:`counterpoint.trust.estimate_error` has found."""
        made = cls(estimates=estimate.table(), reference_error=estimate.reference_error)
        return made.plot(ax=ax, **options)

    def table(self) -> pd.DataFrame:
        """Return a row per method, the combination first."""
        return self.estimates

    def draw(self, ax: Axes, *, true: float | None = None) -> list[Any]:
        """Draw on these axes; ``true`` is the error that came out, if it is known by now."""
        rows = self.estimates[np.isfinite(self.estimates["estimate"].astype(float))]
        at, low, high = (rows[name].to_numpy(float) for name in ("estimate", "low", "high"))
        holds = rows["holds"].astype(str).to_numpy() == "True"
        for k in range(len(rows)):
            colour = style.colour(0 if rows["method"].iloc[k] == "combined" else 5)
            reach = np.maximum([[at[k] - low[k]], [high[k] - at[k]]], 0)
            ax.errorbar([at[k]], [k], xerr=reach, fmt="o", color=colour, capsize=3,
                        mfc=colour if holds[k] else "white")  # fmt: skip
        key = [Line2D([], [], color=style.GREY, linestyle="--", label="reference, known")]
        ax.axvline(self.reference_error, color=style.GREY, linestyle="--", zorder=0.5)
        if true is not None:
            ax.axvline(true, color=style.colour(1), zorder=0.5)
            key.append(Line2D([], [], color=style.colour(1), label="what came out"))
        ax.set_yticks(range(len(rows)), rows["method"])
        ax.invert_yaxis()
        ax.set(xlabel="Error on the new rows, estimated", title="Error without labels")
        return key


@dataclass(kw_only=True)
class SelectiveDisplay(EnsembleDisplay):
    """Error among the samples an ensemble is surest of, against how many are answered.

    Parameters
    ----------
    curves : DataFrame
        Those of :func:`counterpoint.trust.selective_curve`, with an "ensemble" column.

    Examples
    --------
    >>> from counterpoint.plots import SelectiveDisplay
    >>> votes = [["a", "b", "b", "a"], ["a", "a", "b", "a"], ["b", "b", "b", "a"]]
    >>> SelectiveDisplay.from_predictions(["a", "b", "b", "b"], votes).table()["error"].tolist()
    [0.5, 0.25]
    """

    curves: pd.DataFrame

    @classmethod
    def compute(cls, outputs: Any, *, name: str | None = None, doubt: Any = "confidence") -> Self:
        """Follow the error of an ensemble, called ``name``, or of each in a dict."""
        parts = [
            selective_curve(one, doubt=doubt).assign(ensemble=called)
            for called, one in named_outputs(outputs, name).items()
        ]
        return cls(curves=pd.concat([p.reset_index(drop=True) for p in parts], ignore_index=True))

    def table(self) -> pd.DataFrame:
        """Return a row per ensemble and doubt."""
        return self.curves

    def draw(self, ax: Axes, *, name: str | None = None, line_kwargs: style.Look = None) -> None:
        """Draw on these axes, a line per ensemble."""
        for ensemble, label in legend_names(self.curves["ensemble"].unique(), name).items():
            own = self.curves[self.curves["ensemble"] == ensemble]
            style.add_line(ax, own["coverage"], own["error"], line_kwargs, label=label,
                           drawstyle="steps-pre")  # fmt: skip
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        ax.set(xlabel="Answered, the surest first", ylabel="Error among them", xlim=(0, 1.01),
               title="What abstaining would bring")  # fmt: skip
        ax.set_ylim(bottom=0)


@dataclass(kw_only=True)
class UncertaintyDisplay(Display):
    """Noise against disagreement of each sample: right of it more data would help, above it not.

    Parameters
    ----------
    parts : DataFrame
        As :meth:`counterpoint.trust.UncertaintyParts.table` gives it.
    loss : str

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.plots import UncertaintyDisplay
    >>> outputs = MemberOutputs(proba=[[[1, 0], [0.5, 0.5]], [[0, 1], [0.5, 0.5]]])
    >>> UncertaintyDisplay.from_outputs(outputs).table().shape
    (2, 3)
    """

    parts: pd.DataFrame
    loss: str

    @classmethod
    def from_outputs(
        cls,
        outputs: MemberOutputs,
        *,
        loss: Any = "cross-entropy",
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Split the uncertainty of outputs; then draw."""
        return cls.from_parts(split_uncertainty(outputs, loss=loss), ax=ax, **options)

    @classmethod
    def from_parts(cls, parts: UncertaintyParts, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw what :func:`counterpoint.trust.split_uncertainty` has found."""
        return cls(parts=parts.table(), loss=parts.loss).plot(ax=ax, **options)

    def table(self) -> pd.DataFrame:
        """Return a row per sample."""
        return self.parts

    def draw(self, ax: Axes, *, scatter_kwargs: style.Look = None) -> None:
        """Draw on these axes, a point per sample."""
        look = {"s": 14, "alpha": 0.5, "color": style.colour(0), **(scatter_kwargs or {})}
        ax.scatter(self.parts["disagreement"], self.parts["noise"], **look)
        ax.set(xlabel="Members disagree (more data would help)",
               ylabel="Members agree on being unsure",
               title=f"Uncertainty, {self.loss}")  # fmt: skip


@dataclass(kw_only=True)
class LabelErrorDisplay(Display):
    """How far labels are believed: those below zero that are named stand out.

    Parameters
    ----------
    belief : ndarray of shape (n_samples,)
    wrong : ndarray of shape (n_samples,), bool

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.plots import LabelErrorDisplay
    >>> from counterpoint.trust import find_label_errors
    >>> outputs = MemberOutputs(proba=[[[0.9, 0.1], [0.8, 0.2], [0.2, 0.8]]], y=[0, 1, 1])
    >>> len(LabelErrorDisplay.from_errors(find_label_errors(outputs)).table())
    3
    """

    belief: np.ndarray
    wrong: np.ndarray

    @classmethod
    def from_errors(cls, errors: LabelErrors, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw what :func:`counterpoint.trust.find_label_errors` has found."""
        return cls(belief=errors.belief, wrong=errors.wrong).plot(ax=ax, **options)

    def table(self) -> pd.DataFrame:
        """Return a row per label."""
        return pd.DataFrame({"belief": self.belief, "wrong": self.wrong})

    def draw(self, ax: Axes, *, bins: int = 40) -> None:
        """Draw on these axes, as a histogram."""
        edges: Any = np.linspace(-1, 1, bins + 1)
        ax.hist(
            [self.belief[~self.wrong], self.belief[self.wrong]], bins=edges, stacked=True,
            color=[style.colour(5), style.colour(1)], label=["kept", "probably wrong"],
        )  # fmt: skip
        ax.set_yscale("symlog")
        ax.set(xlabel="Probability of the label less that of the best other", ylabel="Labels",
               title="Which labels are wrong?")  # fmt: skip


@dataclass(kw_only=True)
class QueryDisplay(Display):
    """How far a committee disagrees on what it asks for, as it learns.

    Parameters
    ----------
    history : DataFrame
        The ``history_`` of a :class:`counterpoint.trust.QueryByCommittee`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.plots import QueryDisplay
    >>> from counterpoint.trust import QueryByCommittee
    >>> X, y = load_iris(return_X_y=True)
    >>> committee = QueryByCommittee(random_state=0).fit(X[::10], y[::10])
    >>> chosen = committee.query(X, 5)
    >>> QueryDisplay.from_estimator(committee).table().shape
    (1, 3)
    """

    history: pd.DataFrame

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw the queries of a committee that was fitted and asked."""
        hint = "a QueryByCommittee that was fitted and asked for queries"
        history = fitted_attribute(estimator, "history_", hint)
        return cls(history=history.copy()).plot(ax=ax, **options)

    def table(self) -> pd.DataFrame:
        """Return a row per query."""
        return self.history

    def draw(self, ax: Axes, *, line_kwargs: style.Look = None) -> None:
        """Draw on these axes."""
        x = self.history["n_labelled"]
        style.add_line(ax, x, self.history["disagreement"], line_kwargs, label="rows asked for")
        style.add_line(ax, x, self.history["mean"], line_kwargs, label="all rows offered")
        ax.set(xlabel="Rows learnt from", ylabel="Disagreement", title="Queries by committee")
        ax.set_ylim(bottom=0)


@dataclass(kw_only=True)
class WatchDisplay(Display):
    """The error of a model in use, estimated batch after batch; alarms are marked.

    Parameters
    ----------
    batches : DataFrame
        Those of :func:`counterpoint.tabular.watch`.
    reference_error : float

    Examples
    --------
    >>> from counterpoint import tabular
    >>> from counterpoint.datasets import load
    >>> from counterpoint.plots import WatchDisplay
    >>> data = load("iris")
    >>> fitted = tabular.fit(data.X.assign(kind=data.y), "kind", "bagging")
    >>> told = tabular.watch(fitted, [("monday", data.X[::3]), ("tuesday", data.X * 2)])
    >>> WatchDisplay.from_watch(told).table()["alarm"].tolist()
    [False, True]
    """

    batches: pd.DataFrame
    reference_error: float

    size: ClassVar = (7.0, 4.0)

    @classmethod
    def from_watch(cls, watch: Any, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw what :func:`counterpoint.tabular.watch` has found."""
        made = cls(batches=watch.batches, reference_error=watch.reference_error)
        return made.plot(ax=ax, **options)

    def table(self) -> pd.DataFrame:
        """Return a row per batch."""
        return self.batches

    def draw(self, ax: Axes, *, line_kwargs: style.Look = None) -> list[Any]:
        """Draw on these axes, batches in their order."""
        at = np.arange(1, len(self.batches) + 1)
        line = style.add_line(ax, at, self.batches["error"], line_kwargs, marker="o", ms=4,
                              label="estimated")  # fmt: skip
        band: dict[str, Any] = {"color": line.get_color(), "alpha": 0.2, "lw": 0}
        ax.fill_between(at, self.batches["low"], self.batches["high"], **band)
        known = self.batches["known_error"]
        if known.notna().any():
            ax.plot(at, known, "_", ms=10, mew=2, color="black", label="known")
        loud = self.batches["alarm"].to_numpy()
        ax.plot(at[loud], self.batches["error"][loud], "o", ms=10, color=style.colour(1),
                label="alarm")  # fmt: skip
        ax.axhline(self.reference_error, color=style.GREY, linestyle="--", zorder=0.5)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set(xlabel="Batch", ylabel="Error", title="Error in use, without labels")
        ax.set_ylim(bottom=0)
        return [Line2D([], [], color=style.GREY, linestyle="--", label="on the test rows")]
