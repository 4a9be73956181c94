"""The one table of all measures, and what can be done with any of them.

``MEASURES`` drives the functions here, the tests, the documentation and the command line. A new
measure is one more row.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from counterpoint._kernels.votes import prefix_histograms
from counterpoint._outputs import PairCounts
from counterpoint.diversity import gain, groupwise, margins, pairwise
from counterpoint.diversity._inputs import as_outputs, growing_summaries, summarise

__all__ = ["MEASURES", "Measure", "matrix", "profile", "trajectory"]


@dataclass(frozen=True)
class Measure:
    """One row of ``MEASURES``.

    Attributes
    ----------
    name : str
    function : callable
        Takes member outputs, returns the value.
    title : str
        For people: tables and axes.
    low, high : float
        Limits of the value.
    more_diverse : {"higher", "lower", ""}
        Which way diversity lies; empty for what is not a measure of diversity.
    kind : {"pair", "group", "vote"}
        Mean over pairs of members, from the number of right members per sample, or from the
        vote itself.
    needs : {"correct", "votes"}
        Whether right/wrong flags are enough.
    source : str
        Where its formula stands.
    part : callable
        The formula itself: of outputs (a matrix), of a histogram, or of a vote summary.
    """

    name: str
    function: Callable
    title: str
    low: float
    high: float
    more_diverse: str
    kind: str
    needs: str
    source: str
    part: Callable

    @property
    def pairwise(self):
        """Whether it is a mean over pairs, and so has a matrix."""
        return self.kind == "pair"


def _row(name, title, limits, more_diverse, kind, source, function, part, needs="correct"):
    low, high = limits
    return Measure(name, function, title, low, high, more_diverse, kind, needs, source, part)


_BNC, _KW, _NC = "Meddouri 2012", "Kuncheva & Whitaker 2003", "Wang & Yao 2010"
_P, _G, _M = pairwise, groupwise, margins

MEASURES = {
    measure.name: measure
    for measure in (
        _row("member_error", "Mean error of a member", (0, 1), "", "vote", "definition",
             _M.member_error, _M.member_error),
        _row("vote_error", "Error of the vote", (0, 1), "", "vote", "definition",
             _M.vote_error, _M.vote_error),
        _row("q", "Q statistic", (-1, 1), "lower", "pair", f"{_BNC}, eq. 11",
             _P.q_statistic, _P.q_matrix),
        _row("rho", "Correlation", (-1, 1), "lower", "pair", f"{_BNC}, eq. 12",
             _P.correlation, _P.correlation_matrix),
        _row("kappa", "Pairwise kappa", (-1, 1), "lower", "pair", f"{_BNC}, eq. 13 corrected",
             _P.kappa, _P.kappa_matrix),
        _row("disagreement", "Disagreement", (0, 1), "higher", "pair", f"{_KW}, 2.1.3",
             _P.disagreement, _P.disagreement_matrix),
        _row("double_fault", "Double fault", (0, 1), "lower", "pair", f"{_KW}, 2.1.4",
             _P.double_fault, _P.double_fault_matrix),
        _row("covariance", "Covariance of being right", (-0.25, 0.25), "lower", "pair",
             f"{_NC}, eq. 4", _P.covariance, _P.covariance_matrix),
        _row("label_kappa", "Kappa of labels", (-1, 1), "lower", "pair",
             "Margineantu & Dietterich 1997", _P.label_kappa, _P.label_kappa_matrix, "votes"),
        _row("label_disagreement", "Disagreement of labels", (0, 1), "higher", "pair",
             "Theisen 2023", _P.label_disagreement, _P.label_disagreement_matrix, "votes"),
        _row("kappa_error", "Kappa times error", (-1, 1), "", "pair", "NCAB-SVM, 3.3",
             _P.kappa_error, _P.kappa_error_matrix, "votes"),
        _row("entropy", "Entropy E", (0, 1), "higher", "group", f"{_KW}, eq. 8",
             _G.entropy, _G.entropy_of),
        _row("kw_variance", "Kohavi-Wolpert variance", (0, 0.25), "higher", "group",
             f"{_KW}, eq. 12", _G.kohavi_wolpert_variance, _G.kohavi_wolpert_of),
        _row("interrater_kappa", "Inter-rater kappa", (-1, 1), "lower", "group",
             f"{_KW}, eq. 13", _G.interrater_kappa, _G.interrater_of),
        _row("difficulty", "Difficulty θ", (0, 0.25), "lower", "group", f"{_KW}, 2.2.4",
             _G.difficulty, _G.difficulty_of),
        _row("generalized_diversity", "Generalized diversity", (0, 1), "higher", "group",
             f"{_KW}, 2.2.5", _G.generalized_diversity, _G.generalized_of),
        _row("coincident_failure", "Coincident failure diversity", (0, 1), "higher", "group",
             f"{_KW}, 2.2.6", _G.coincident_failure_diversity, _G.coincident_of),
        _row("ambiguity", "Ambiguity", (-1, 1), "higher", "vote", f"{_NC}, eq. 1",
             _M.ambiguity, _M.ambiguity),
        _row("ambiguity_size", "Size of ambiguity", (0, 1), "higher", "vote", f"{_NC}, eq. 2",
             _M.ambiguity_size, _M.ambiguity_size),
        _row("good_diversity", "Good diversity", (0, 1), "higher", "vote",
             "Brown & Kuncheva 2010", _M.good_diversity, _M.good_diversity),
        _row("bad_diversity", "Bad diversity", (0, 1), "higher", "vote",
             "Brown & Kuncheva 2010", _M.bad_diversity, _M.bad_diversity),
        _row("margin_min", "Smallest margin", (-1, 1), "", "vote", "Schapire 1998",
             _M.margin_min, _M.margin_min),
        _row("margin_mean", "Mean margin", (-1, 1), "", "vote", "Schapire 1998",
             _M.margin_mean, _M.margin_mean),
        _row("margin_spread", "Spread of margins", (0, 1), "", "vote", "Schapire 1998",
             _M.margin_spread, _M.margin_spread),
        _row("disagreement_error_ratio", "Disagreement over error", (0, 2), "higher", "vote",
             "Theisen 2023, def. 2", gain.disagreement_error_ratio,
             gain.disagreement_error_ratio),
        _row("improvement_rate", "Error taken away by voting", (-1, 1), "", "vote",
             "Theisen 2023, def. 1", gain.improvement_rate, gain.improvement_rate),
    )
}  # fmt: skip


def get_measure(name):
    """Look a measure up by name."""
    if name not in MEASURES:
        raise ValueError(f"No measure is called {name!r}. There are: {', '.join(MEASURES)}.")
    return MEASURES[name]


def _possible(outputs):
    if isinstance(outputs, PairCounts):
        return [m for m in MEASURES.values() if m.needs == "correct" and m.kind != "vote"]
    labels = outputs.votes is not None
    return [m for m in MEASURES.values() if labels or m.needs == "correct"]


def profile(outputs):
    """All measures at once.

    Parameters
    ----------
    outputs : MemberOutputs, PairCounts or array-like of shape (n_members, n_samples)
        An array is taken as right/wrong flags. Measures that need more than is known (labels,
        single samples) are left out.

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
    if not isinstance(outputs, PairCounts):
        outputs = as_outputs(outputs)
    summary = None if isinstance(outputs, PairCounts) else summarise(outputs)
    rows = []
    for m in _possible(outputs):
        # The vote is counted once for all that read it.
        value = m.part(summary) if m.kind == "vote" else m.function(outputs)
        rows.append(
            {
                "measure": m.name,
                "title": m.title,
                "value": value,
                "low": float(m.low),
                "high": float(m.high),
                "more_diverse": m.more_diverse,
                "kind": m.kind,
                "source": m.source,
            }
        )
    return pd.DataFrame(rows).set_index("measure")


def matrix(outputs, measure="q"):
    """Compute a pairwise measure for every pair.

    Parameters
    ----------
    outputs : MemberOutputs, PairCounts or array-like of shape (n_members, n_samples)
        An array is taken as right/wrong flags.
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
    chosen = get_measure(measure)
    if not chosen.pairwise:
        names = ", ".join(m.name for m in MEASURES.values() if m.pairwise)
        raise ValueError(f"{measure!r} is not a measure of pairs. These are: {names}.")
    return chosen.part(outputs)


def trajectory(outputs, measure="q"):
    """Value of a measure after the first 1, 2, ..., T members.

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

    Notes
    -----
    Each pair and each vote is looked at once, so all T values cost about as much as the last.

    Examples
    --------
    >>> from counterpoint.diversity import trajectory
    >>> trajectory([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0]], "disagreement")
    array([       nan, 0.5       , 0.33333333])
    """
    outputs = as_outputs(outputs)
    if isinstance(measure, str):
        return _trajectories(outputs, [measure])[measure]
    frame = pd.DataFrame(_trajectories(outputs, list(measure)))
    frame.index = pd.RangeIndex(1, outputs.n_members + 1, name="members")
    return frame


def _trajectories(outputs, names):
    chosen = [get_measure(name) for name in names]
    done = {}
    for m in chosen:
        if m.kind == "pair":
            done[m.name] = pairwise.growing_pair_means(m.part(outputs))
    if any(m.kind == "group" for m in chosen):
        weight = outputs.sample_weight
        weight = np.ones(outputs.n_samples) if weight is None else weight
        grown = prefix_histograms(outputs.correct, weight)
        for m in chosen:
            if m.kind == "group":
                done[m.name] = np.array([m.part(h[: t + 2]) for t, h in enumerate(grown)])
    voting = [m for m in chosen if m.kind == "vote"]
    if voting:
        values = [[m.part(s) for m in voting] for s in growing_summaries(outputs)]
        done.update(zip((m.name for m in voting), np.array(values).T, strict=True))
    return {name: done[name] for name in names}
