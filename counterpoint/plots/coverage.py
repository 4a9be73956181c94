"""How evenly subsets cover the samples of a class, as more of them are added."""

from dataclasses import dataclass
from typing import Any, Self

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter, PercentFormatter
from numpy.typing import ArrayLike

from counterpoint._typing import DataLike, Estimator
from counterpoint._validation import check_choice
from counterpoint.plots import style
from counterpoint.plots.display import Display
from counterpoint.subsets import ensemble_to_features
from counterpoint.subsets.coverage import coverage_path


@dataclass(kw_only=True)
class CoverageDisplay(Display):
    """Coverage evening out: the share of a class's subsets that hold a sample, over the samples.

    In a uniform cover all samples of a class are held by the same share, so the band around
    the line closes as subsets are added.

    Parameters
    ----------
    path : DataFrame
        As :func:`counterpoint.subsets.coverage_path` returns it.

    Attributes
    ----------
    lines_ : list of Line2D
        One a class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.plots import CoverageDisplay
    >>> from counterpoint.subsets import StochasticDiscriminationClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = StochasticDiscriminationClassifier(50, random_state=0).fit(X, y)
    >>> display = CoverageDisplay.from_estimator(model, X, y)
    >>> display.table().columns.tolist()
    ['label', 'n_subsets', 'mean', 'spread', 'low', 'high']
    """

    path: pd.DataFrame

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: DataLike,
        y: ArrayLike,
        *,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Ask a fitted ensemble which of its subsets hold which samples; then draw.

        Parameters
        ----------
        estimator : fitted ensemble
            Stochastic discrimination, or trees, whose leaves are the subsets: whatever
            :func:`counterpoint.subsets.ensemble_to_features` takes.
        X : array-like of shape (n_samples, n_features)
        y, ax, **options
            As for :meth:`from_subsets`.
        """
        subsets = ensemble_to_features(estimator, X).T.toarray().astype(bool)
        return cls.from_subsets(subsets, y, ax=ax, **options)

    @classmethod
    def from_subsets(
        cls, subsets: ArrayLike, y: ArrayLike, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Follow the coverage of any subsets; then draw.

        Parameters
        ----------
        subsets : array-like of shape (n_subsets, n_samples)
            Whether each subset holds each sample, in the order in which they were made.
        y : array-like of shape (n_samples,)
            Classes.
        ax, **options
            As for ``plot`` and ``draw``.
        """
        return cls(path=coverage_path(subsets, y)).plot(ax=ax, **options)

    def table(self) -> pd.DataFrame:
        """Return what is plotted: a row per class and number of subsets."""
        return self.path

    def draw(self, ax: Axes, *, what: str = "coverage", line_kwargs: style.Look = None) -> None:
        """Draw on these axes.

        Parameters
        ----------
        ax : matplotlib Axes
        what : {"coverage", "spread"}, default="coverage"
            Mean and band of coverage, or its standard deviation on log scales, where independent
            subsets follow a straight line that falls by half as their number grows fourfold.
        line_kwargs : dict, default=None
            For matplotlib's ``plot``.
        """
        check_choice(what, "what", ("coverage", "spread"))
        self.lines_ = []
        for label, part in self.path.groupby("label", sort=True):
            values = part["mean" if what == "coverage" else "spread"]
            if what == "spread":
                values = values.where(values > 0)  # a log scale has no place for 0
            line = style.add_line(ax, part["n_subsets"], values, line_kwargs, label=str(label))
            self.lines_.append(line)
            if what == "coverage":
                band: dict[str, Any] = {"color": line.get_color(), "alpha": 0.2, "lw": 0}
                ax.fill_between(part["n_subsets"], part["low"], part["high"], **band)
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_xlabel("Subsets that favour the class")
        if what == "coverage":
            ax.yaxis.set_major_formatter(PercentFormatter(1.0))
            ax.set(ylabel="Share of them that hold a sample", ylim=(0.0, 1.0))
            ax.set_title("Mean and middle 90 % of the samples of each class", fontsize="medium")
        else:
            ax.set_yscale("log")
            ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            ax.yaxis.set_major_formatter("{x:g}")
            ax.yaxis.set_minor_formatter(NullFormatter())
            ax.set_ylabel("Standard deviation of coverage")
