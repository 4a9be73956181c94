"""The one table of all measures, and what can be done with any of them.

``MEASURES`` drives the functions here, the tests, the documentation and the command line. A new
measure is one function and one more row here.
"""

from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import squareform

from counterpoint._kernels.votes import prefix_histograms
from counterpoint._outputs import MemberOutputs, OutputCounts, PairCounts
from counterpoint._validation import check_choice, check_list
from counterpoint.diversity import gain, groupwise, margins, pairwise
from counterpoint.diversity.inputs import (
    Outputs,
    as_outputs,
    growing_summaries,
    shares_of,
    vote_summary,
)


@dataclass(frozen=True)
class Measure:
    """One row of ``MEASURES``.

    Attributes
    ----------
    name : str
        That of the function, but for "q".
    function : callable
        Takes member outputs, returns the value.
    title : str
        For people: tables and axes.
    limits : (float, float)
        Lowest and highest value.
    more_diverse : {"higher", "lower", ""}
        Which way diversity lies; empty for what is not a measure of diversity.
    kind : {"pair", "group", "vote"}
        A mean over pairs of members (:func:`mean_over_pairs`), a function of how many members
        are right (:func:`right_votes`), or one of the vote (:func:`vote_summary`).
    source : str
        Where its formula stands.
    needs : {"correct", "votes"}, default="correct"
        Whether right/wrong flags are enough.
    """

    name: str
    function: Any
    title: str
    limits: tuple[float, float]
    more_diverse: str
    kind: str
    source: str
    needs: str = "correct"

    @property
    def low(self) -> float:
        """Lowest value."""
        return self.limits[0]

    @property
    def high(self) -> float:
        """Highest value."""
        return self.limits[1]

    @property
    def pairwise(self) -> bool:
        """Whether it is a mean over pairs, and so has a matrix."""
        return self.kind == "pair"


_KUNCHEVA, _MEDDOURI = "Kuncheva & Whitaker 2003", "Meddouri et al. 2012"
_WANG, _BROWN, _SCHAPIRE = "Wang & Yao 2010", "Brown & Kuncheva 2010", "Schapire et al. 1998"
_THEISEN = "Theisen et al. 2023"

MEASURES = {
    measure.name: measure
    for measure in (
        Measure("member_error", margins.member_error, "Mean error of a member",
                (0, 1), "", "vote", "definition"),
        Measure("vote_error", margins.vote_error, "Error of the vote",
                (0, 1), "", "vote", "definition"),
        Measure("q", pairwise.q_statistic, "Q statistic",
                (-1, 1), "lower", "pair", f"{_MEDDOURI}, eq. 11"),
        Measure("correlation", pairwise.correlation, "Correlation",
                (-1, 1), "lower", "pair", f"{_MEDDOURI}, eq. 12"),
        Measure("kappa", pairwise.kappa, "Pairwise kappa",
                (-1, 1), "lower", "pair", f"{_MEDDOURI}, eq. 13 corrected"),
        Measure("disagreement", pairwise.disagreement, "Disagreement",
                (0, 1), "higher", "pair", f"{_KUNCHEVA}, 2.1.3"),
        Measure("double_fault", pairwise.double_fault, "Double fault",
                (0, 1), "lower", "pair", f"{_KUNCHEVA}, 2.1.4"),
        Measure("covariance", pairwise.covariance, "Covariance of being right",
                (-0.25, 0.25), "lower", "pair", f"{_WANG}, eq. 4"),
        Measure("label_kappa", pairwise.label_kappa, "Kappa of labels",
                (-1, 1), "lower", "pair", "Margineantu & Dietterich 1997", "votes"),
        Measure("label_disagreement", pairwise.label_disagreement, "Disagreement of labels",
                (0, 1), "higher", "pair", _THEISEN, "votes"),
        Measure("kappa_error", pairwise.kappa_error, "Kappa times error",
                (-1, 1), "", "pair", "Hong et al. 2018, 3.3", "votes"),
        Measure("entropy", groupwise.entropy, "Entropy E",
                (0, 1), "higher", "group", f"{_KUNCHEVA}, eq. 8"),
        Measure("kohavi_wolpert_variance", groupwise.kohavi_wolpert_variance,
                "Kohavi-Wolpert variance", (0, 0.25), "higher", "group", f"{_KUNCHEVA}, eq. 12"),
        Measure("interrater_kappa", groupwise.interrater_kappa, "Inter-rater kappa",
                (-1, 1), "lower", "group", f"{_KUNCHEVA}, eq. 13"),
        Measure("difficulty", groupwise.difficulty, "Difficulty θ",
                (0, 0.25), "lower", "group", f"{_KUNCHEVA}, 2.2.4"),
        Measure("generalized_diversity", groupwise.generalized_diversity, "Generalized diversity",
                (0, 1), "higher", "group", f"{_KUNCHEVA}, 2.2.5"),
        Measure("coincident_failure_diversity", groupwise.coincident_failure_diversity,
                "Coincident failure diversity", (0, 1), "higher", "group", f"{_KUNCHEVA}, 2.2.6"),
        Measure("ambiguity", margins.ambiguity, "Ambiguity",
                (-1, 1), "higher", "vote", f"{_WANG}, eq. 1"),
        Measure("ambiguity_size", margins.ambiguity_size, "Size of ambiguity",
                (0, 1), "higher", "vote", f"{_WANG}, eq. 2"),
        Measure("good_diversity", margins.good_diversity, "Good diversity",
                (0, 1), "higher", "vote", _BROWN),
        Measure("bad_diversity", margins.bad_diversity, "Bad diversity",
                (0, 1), "higher", "vote", _BROWN),
        Measure("margin_min", margins.margin_min, "Smallest margin",
                (-1, 1), "", "vote", _SCHAPIRE),
        Measure("margin_mean", margins.margin_mean, "Mean margin",
                (-1, 1), "", "vote", _SCHAPIRE),
        Measure("margin_spread", margins.margin_spread, "Spread of margins",
                (0, 1), "", "vote", _SCHAPIRE),
        Measure("disagreement_error_ratio", gain.disagreement_error_ratio,
                "Disagreement over error", (0, 2), "higher", "vote", f"{_THEISEN}, def. 2"),
        Measure("improvement_rate", gain.improvement_rate, "Error taken away by voting",
                (-1, 1), "", "vote", f"{_THEISEN}, def. 1"),
    )
}  # fmt: skip
"""All measures by name: each a :class:`Measure`."""


def get_measure(name):
    """Look a measure up by name."""
    return MEASURES[check_choice(name, "measure", MEASURES)]


def _possible(outputs):
    if isinstance(outputs, PairCounts):
        return [m for m in MEASURES.values() if m.needs == "correct" and m.kind != "vote"]
    counted = isinstance(outputs, OutputCounts)
    labels = outputs.same is not None if counted else outputs.votes is not None
    return [m for m in MEASURES.values() if labels or m.needs == "correct"]


def profile(
    outputs: MemberOutputs | OutputCounts | PairCounts | ArrayLike, answers: ArrayLike | None = None
) -> pd.DataFrame:
    """All measures at once.

    Parameters
    ----------
    outputs : MemberOutputs, OutputCounts, PairCounts or array-like of shape (n_members, n_samples)
        An array is taken as right/wrong flags. Measures that need more than is known (labels,
        single samples) are left out.
    answers : array-like of shape (n_samples,), default=None
        Labels that the ensemble itself gives; "vote_error", good and bad diversity and
        "improvement_rate" are then of these. None: of the members' vote.

    Returns
    -------
    DataFrame
        One row per measure: value, limits, which way diversity lies, kind and source.

    Examples
    --------
    >>> from counterpoint.diversity import profile
    >>> frame = profile([[1, 1, 0, 0, 1], [1, 0, 1, 0, 1], [1, 1, 1, 0, 0]])
    >>> frame.loc[["vote_error", "q", "entropy"], ["value", "more_diverse"]].round(3)
                value more_diverse
    measure
    vote_error  0.200
    q           0.333        lower
    entropy     0.600       higher
    """
    if not isinstance(outputs, (PairCounts, OutputCounts)):
        outputs = as_outputs(outputs)
    summary = None if isinstance(outputs, PairCounts) else vote_summary(outputs, answers)
    rows = []
    for m in _possible(outputs):
        # The vote is counted once for all that read it.
        value = m.function(summary if m.kind == "vote" else outputs)
        low, high = map(float, m.limits)
        rows.append((m.name, m.title, value, low, high, m.more_diverse, m.kind, m.source))
    names = ["measure", "title", "value", "low", "high", "more_diverse", "kind", "source"]
    return pd.DataFrame(rows, columns=names).set_index("measure")


def matrix(outputs: Outputs, measure: str = "q") -> NDArray:
    """Compute a pairwise measure for every pair.

    Parameters
    ----------
    outputs : MemberOutputs, PairCounts or right/wrong flags (n_members, n_samples)
    measure : str, default="q"
        Name of a pairwise measure in ``MEASURES``.

    Returns
    -------
    ndarray of shape (n_members, n_members)
        Symmetric; NaN where the measure is 0/0. The diagonal is a member with itself.

    Examples
    --------
    >>> from counterpoint.diversity import matrix
    >>> matrix([[1, 1, 0, 0, 1], [1, 0, 1, 0, 1]], "disagreement")
    array([[0. , 0.4],
           [0.4, 0. ]])
    """
    check_choice(measure, "measure", [m.name for m in MEASURES.values() if m.pairwise])
    return MEASURES[measure].function.matrix(outputs)


def order_alike(matrix, measure):
    """Order members so that those alike are neighbours, by a :func:`matrix` of the measure.

    Leaves of average linkage; (n_members,) positions.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage  # few need it, and it is slow to come

    chosen = get_measure(measure)
    distance = matrix if chosen.more_diverse == "higher" else chosen.high - matrix
    # An undefined pair is as far apart as any.
    distance = np.nan_to_num(distance, nan=chosen.high - min(chosen.low, 0))
    distance = np.maximum((distance + distance.T) / 2, 0.0)
    np.fill_diagonal(distance, 0.0)
    # Best order of the leaves takes cubic time: worth it as long as rows can be told apart.
    tree = linkage(squareform(distance), method="average", optimal_ordering=len(matrix) <= 200)
    return leaves_list(tree)


@overload
def trajectory(outputs: MemberOutputs | ArrayLike, measure: str = "q") -> NDArray: ...


@overload
def trajectory(outputs: MemberOutputs | ArrayLike, measure: list[str]) -> pd.DataFrame: ...


def trajectory(
    outputs: MemberOutputs | ArrayLike, measure: str | list[str] = "q"
) -> NDArray | pd.DataFrame:
    """Value of a measure after the first 1, 2, ..., T members.

    Each pair and each vote is looked at once, so all T values cost about as much as the last.

    Parameters
    ----------
    outputs : MemberOutputs or array-like of shape (n_members, n_samples)
        Members in the order in which they join. An array is taken as right/wrong flags.
    measure : str or list of str, default="q"
        Names in ``MEASURES``.

    Returns
    -------
    ndarray of shape (n_members,) or DataFrame
        One measure gives an array, a list of them a frame with a column each. Pairwise
        measures start with NaN: one member makes no pair.

    Examples
    --------
    >>> from counterpoint.diversity import trajectory
    >>> trajectory([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0]], "disagreement")
    array([       nan, 0.5       , 0.33333333])
    """
    outputs = as_outputs(outputs)
    if isinstance(measure, str):
        return _trajectories(outputs, [measure])[measure]
    names = check_list(measure, "measure", "names, or one name")
    frame = pd.DataFrame(_trajectories(outputs, names))
    frame.index = pd.RangeIndex(1, outputs.n_members + 1, name="members")
    return frame


def _trajectories(outputs, names):
    chosen = [get_measure(name) for name in names]
    done = {}
    for m in chosen:
        if m.kind == "pair":
            done[m.name] = pairwise.growing_pair_means(m.function.matrix(outputs))
    if any(m.kind == "group" for m in chosen):
        weight = outputs.sample_weight
        weight = np.ones(outputs.n_samples) if weight is None else weight
        histograms = prefix_histograms(outputs.correct, weight)
        grown = [shares_of(h[: t + 2]) for t, h in enumerate(histograms)]
        for m in chosen:
            if m.kind == "group":
                done[m.name] = np.array([m.function(one) for one in grown])
    voting = [m for m in chosen if m.kind == "vote"]
    if voting:
        values = [[m.function(s) for m in voting] for s in growing_summaries(outputs)]
        done.update(zip((m.name for m in voting), np.array(values).T, strict=True))
    return {name: done[name] for name in names}
