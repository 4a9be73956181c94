"""Who is right when nobody knows: the truth, and how good each voter is, from votes alone."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, ndtri
from sklearn.utils import check_random_state

from counterpoint._statistics import wilson_interval
from counterpoint._typing import Seed
from counterpoint._validation import check_choice, check_count, check_flag, check_number
from counterpoint.trust.copying import MOST_MEMBERS, copying_pairs, discounts, no_pairs
from counterpoint.trust.dawid_skene import fit_voters
from counterpoint.trust.glad import fit_abilities
from counterpoint.trust.spectral import spectral_shares
from counterpoint.trust.votes import VoteLog, as_votes, check_say

_VOTES_REDRAWN = 20_000_000  # in all draws of the bootstrap together
_STEPS_REDRAWN = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class TruthEstimate:
    """What the truth may be, and how good voters are; made by :func:`estimate_truth`.

    Attributes
    ----------
    method : str
    classes : ndarray of shape (n_classes,)
    samples : ndarray of shape (n_samples,)
        Names of the samples.
    names : list of str
        Names of the members.
    proba : ndarray of shape (n_samples, n_classes)
        How likely each class is the true one.
    accuracy, low, high : ndarray of shape (n_members,)
        Expected share of right votes, and limits of it.
    n_votes : ndarray of shape (n_members,)
    say : ndarray of shape (n_members,)
        How much a vote of each member counted: below 1 for one that copies.
    confusion : ndarray of shape (n_members, n_classes, n_classes) or None
        What each member says (last axis) of each class; by Dawid and Skene's models.
    difficulty : ndarray of shape (n_samples,) or None
        GLAD's, from 0; 1 is difficult, ``1 / ease``.
    copies : DataFrame
        Pairs that copy each other, as :func:`copying_pairs` gives them.
    objective : list of float
        Mean log-likelihood of a sample after each step of EM; empty for other methods.
    converged : bool
    notes : list of str
        What a reader should know.
    """

    method: str
    classes: NDArray
    samples: NDArray
    names: list[str]
    proba: NDArray
    accuracy: NDArray
    low: NDArray
    high: NDArray
    n_votes: NDArray
    say: NDArray
    confusion: NDArray | None = None
    difficulty: NDArray | None = None
    copies: pd.DataFrame = field(default_factory=pd.DataFrame)
    objective: list[float] = field(default_factory=list)
    converged: bool = True
    notes: list[str] = field(default_factory=list)

    @property
    def labels(self) -> NDArray:
        """The likeliest class of each sample, the first of equals."""
        return self.classes[self.proba.argmax(axis=1)]

    def table(self) -> pd.DataFrame:
        """Return a row per member: votes, accuracy with its limits, and say."""
        return pd.DataFrame(
            {
                "member": self.names,
                "votes": self.n_votes,
                "accuracy": self.accuracy,
                "low": self.low,
                "high": self.high,
                "say": self.say,
            }
        )

    def sample_table(self) -> pd.DataFrame:
        """Return a row per sample: the likeliest label and how likely it is, and difficulty."""
        frame = pd.DataFrame(
            {"sample": self.samples, "label": self.labels, "probability": self.proba.max(axis=1)}
        )
        if self.difficulty is not None:
            frame["difficulty"] = self.difficulty
        return frame


@dataclass
class _Found:
    """What a method makes of votes: probabilities, and whatever else it knows."""

    proba: NDArray
    confusion: NDArray | None = None
    difficulty: NDArray | None = None
    objective: list[float] = field(default_factory=list)
    converged: bool = True
    again: Callable[[NDArray], NDArray] | None = None  # proba with other weights of samples


def _by_vote(log, say, options):
    return _Found(log.tally(say))


def _by_spectrum(log, say, options):
    return _Found(spectral_shares(log)[0])


def _by_confusion(log, say, options):
    return _by_em(log, say, {**options, "one_coin": False})


def _by_coin(log, say, options):
    return _by_em(log, say, {**options, "one_coin": True})


def _by_em(log, say, options):
    model = fit_voters(log, say=say, **options)
    short = {**options, "max_iter": _STEPS_REDRAWN, "tol": 1e-5}

    def again(weight):
        return fit_voters(log, say=say, start=model.proba, sample_weight=weight, **short).proba

    return _Found(
        model.proba, model.confusion, None, model.objective, model.converged, again
    )  # fmt: skip


def _by_ability(log, say, options):
    model = fit_abilities(log, say=say, max_iter=options["max_iter"], tol=options["tol"])
    return _Found(
        model.proba, None, np.exp(-model.log_ease), model.objective, model.converged
    )  # fmt: skip


#: Ways to the truth by name: a function of the votes, the members' say and the options.
TRUTH_METHODS: dict[str, Callable[[VoteLog, NDArray, dict[str, Any]], _Found]] = {
    "dawid-skene": _by_confusion,
    "one-coin": _by_coin,
    "spectral": _by_spectrum,
    "glad": _by_ability,
    "vote": _by_vote,
}


def estimate_truth(
    votes: Any,
    *,
    method: str = "dawid-skene",
    discount: bool = True,
    weights: ArrayLike | None = None,
    smoothing: float = 0.1,
    max_iter: int = 200,
    tol: float = 1e-7,
    confidence: float = 0.95,
    random_state: Seed = None,
) -> TruthEstimate:
    """Estimate the truth, and the accuracy of every voter, from votes alone.

    Parameters
    ----------
    votes : VoteLog, MemberOutputs or array-like of shape (n_members, n_samples)
        Of people or models; in an array None stands for a gap. A known truth is not looked at.
    method : {"dawid-skene", "one-coin", "spectral", "glad", "vote"}, default="dawid-skene"
        A confusion matrix of each member [1]_; one accuracy of each member; weights from the
        covariance of votes [2]_; abilities of members and difficulties of samples [3]_; the vote.
    discount : bool, default=True
        Find members that copy each other, and let each count for its share of them; of more than
        300 members nobody is looked for, and a note says so.
    weights : array-like of shape (n_members,), default=None
        Say of each member, besides. None: equal.
    smoothing : float, default=0.1
        Votes added to every cell of a confusion matrix (and to right and wrong of one coin), so
        that few votes prove nothing. 0 is maximum likelihood, as in [1]_.
    max_iter : int, default=200
        Most steps of expectation-maximisation.
    tol : float, default=1e-7
        A step that adds less to the mean log-likelihood of a sample is the last.
    confidence : float, default=0.95
        Of the limits of accuracies.
    random_state : int, RandomState instance or None, default=None
        Draws the samples of the bootstrap, which limits come from.

    Returns
    -------
    TruthEstimate

    Notes
    -----
    Of "spectral" and "vote", ``proba`` are shares of a vote, and accuracies those against its
    winner, which flatter where voters are few.

    Without any truth no method can tell members that are mostly right from members that are mostly
    wrong in the same way: all assume that the better part of the voters beats chance. Limits are
    the wider of Wilson's, for the votes a member cast, and of a bootstrap over samples, for not
    knowing the truth; they hold if the model does.

    References
    ----------
    .. [1] A. P. Dawid and A. M. Skene, Journal of the Royal Statistical Society C 28, 1979.
    .. [2] F. Parisi et al., PNAS 111, 2014.
    .. [3] J. Whitehill et al., NIPS 2009.

    Examples
    --------
    >>> from counterpoint.datasets import make_votes
    >>> from counterpoint.trust import estimate_truth
    >>> made = make_votes(500, n_members=7, random_state=0)
    >>> found = estimate_truth(made.votes, random_state=0)
    >>> bool((found.labels == made.truth).mean() > 0.95)
    True
    >>> found.table().columns.tolist()
    ['member', 'votes', 'accuracy', 'low', 'high', 'say']
    """
    log = as_votes(votes)
    check_choice(method, "method", TRUTH_METHODS)
    check_number(smoothing, "smoothing", low=0, high=1e6)
    check_count(max_iter, "max_iter")
    check_number(tol, "tol", low=0)
    check_number(confidence, "confidence", low=0, high=1, open_low=True, open_high=True)
    rng = check_random_state(random_state)
    say = check_say(weights, log)
    look = check_flag(discount, "discount") and log.n_members <= MOST_MEMBERS
    copies = copying_pairs(log) if look else None
    if copies is not None and len(copies):
        at = {name: k for k, name in enumerate(log.names)}
        pairs = zip(copies["first"], copies["second"], copies["share"], strict=True)
        say = say * discounts(log.n_members, {(at[a], at[b]): s for a, b, s in pairs})
    options = {"smoothing": smoothing, "max_iter": max_iter, "tol": tol}
    found = TRUTH_METHODS[method](log, say, options)
    belief = found.proba
    if method in ("spectral", "vote"):  # shares of a vote are no probabilities
        belief = np.eye(log.n_classes)[belief.argmax(axis=1)]
    accuracy, n_votes = _accuracies(log, belief)
    low, high = _limits(log, found, accuracy, n_votes, confidence, rng)
    return TruthEstimate(
        method=method, classes=log.classes, samples=log.samples, names=list(log.names),
        proba=found.proba, accuracy=accuracy, low=low, high=high, n_votes=n_votes, say=say,
        confusion=found.confusion, difficulty=found.difficulty,
        copies=no_pairs() if copies is None else copies, objective=found.objective,
        converged=found.converged, notes=_notes(log, copies, found),
    )  # fmt: skip


def _accuracies(log: VoteLog, proba: NDArray) -> tuple[NDArray, NDArray]:
    """Return the expected share of right votes of each member, and how many it cast."""
    weight = log.weight()[log.sample]
    right = weight * proba[log.sample, log.label]
    n = log.n_members
    total = np.bincount(log.member, weights=weight, minlength=n)
    share = np.bincount(log.member, weights=right, minlength=n)
    cast = np.bincount(log.member, minlength=n)
    return np.where(total > 0, share / np.where(total > 0, total, 1), np.nan), cast


def _limits(log, found, accuracy, n_votes, confidence, rng):
    """Return the wider of Wilson's limits and those of a bootstrap over samples."""
    ends = [
        wilson_interval(a * n, int(n), confidence) if n else (np.nan, np.nan)
        for a, n in zip(accuracy, n_votes, strict=True)
    ]
    low, high = np.array(ends).T
    if found.again is None or log.n_samples < 2:
        return low, high
    draws = int(np.clip(_VOTES_REDRAWN // (_STEPS_REDRAWN * log.n_votes), 20, 100))
    weight = log.weight()
    share = weight / weight.sum()
    drawn = np.empty((draws, log.n_members))
    for d in range(draws):
        # How often each sample comes when as many are drawn again, each by its weight.
        times = rng.multinomial(log.n_samples, share).astype(float)
        proba = found.again(times)
        again = times[log.sample]
        right = np.bincount(log.member, again * proba[log.sample, log.label], log.n_members)
        whole = np.bincount(log.member, again, log.n_members)
        drawn[d] = np.where(whole > 0, right / np.where(whole > 0, whole, 1), np.nan)
    spread = np.nanstd(logit(np.clip(drawn, 1e-6, 1 - 1e-6)), axis=0, ddof=1)
    middle = logit(np.clip(accuracy, 1e-6, 1 - 1e-6))
    half = float(ndtri((1 + confidence) / 2)) * spread
    return np.fmin(low, expit(middle - half)), np.fmax(high, expit(middle + half))


def _notes(log, copies, found):
    notes = []
    if log.n_members == 1:
        notes.append("one voter: there is nobody to hold its votes against.")
    elif log.n_members == 2:
        notes.append("two voters: where they differ nothing says who is right.")
    agree = log.tally().max(axis=1)
    if log.n_members > 1 and (agree > 1 - 1e-12).all():
        notes.append("the voters never disagree: their accuracy cannot be told from their votes.")
    per_sample = np.diff(log.starts)
    alone = int((per_sample == 1).sum())
    if alone and log.n_members > 1:
        notes.append(f"{alone} of {log.n_samples} samples have one vote only.")
    silent = int((per_sample == 0).sum())
    if silent:
        notes.append(f"{silent} samples have no vote: their probabilities are the shares of all.")
    if log.n_members > 1:
        lonely = [
            str(log.classes[k])
            for k in range(log.n_classes)
            if len(np.unique(log.member[log.label == k])) == 1
        ]
        if lonely:
            notes.append(f"one voter only ever says {', '.join(lonely[:5])}.")
    if copies is not None and len(copies):
        many = len(copies)
        notes.append(f"{many} pair{'s' * (many > 1)} of voters copy: they count less.")
    if log.n_members > MOST_MEMBERS:
        notes.append(f"more than {MOST_MEMBERS} voters: nobody looked for copies among them.")
    if not found.converged:
        notes.append("the steps ended before they converged: raise max_iter.")
    return notes
