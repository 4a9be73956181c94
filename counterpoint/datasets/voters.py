"""Voters made up: their accuracies, habits and copies are known, so that methods can be judged.

``make_votes`` draws plain voters; ``make_judges`` a log of ten language models that judge answers.
Nothing here is data of anybody: every number below is a choice, made to have each kind of trouble
once.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from counterpoint._typing import Seed
from counterpoint._validation import check_count, check_number

# Judge, accuracy on answers of middling difficulty, leaning towards "good", whom it copies and how
# often, share of questions it was not asked.
JUDGES = (
    ("atlas-large", 0.93, 0.0, None, 0.0, 0.00),
    ("atlas-small", 0.82, 0.0, "atlas-large", 0.6, 0.00),  # distilled from its big sister
    ("borealis", 0.90, 0.0, None, 0.0, 0.05),
    ("cumulus", 0.86, 0.0, None, 0.0, 0.10),
    ("delta-1", 0.80, 0.0, None, 0.0, 0.00),
    ("delta-2", 0.80, 0.0, "delta-1", 0.9, 0.00),  # the same model behind another name
    ("echo", 0.85, 0.5, None, 0.0, 0.20),  # lenient: half of what it would call bad is good
    ("fjord", 0.84, -0.4, None, 0.0, 0.00),  # harsh
    ("gale", 0.70, 0.0, None, 0.0, 0.00),
    ("haze", 0.52, 0.0, None, 0.0, 0.30),  # hardly better than a coin
)


@dataclass(frozen=True)
class SimulatedVotes:
    """Votes whose truth is known.

    Attributes
    ----------
    votes : ndarray of shape (n_members, n_samples)
        Classes from 0, or None for a gap (then of type object).
    truth : ndarray of shape (n_samples,)
    confusion : ndarray of shape (n_members, n_classes, n_classes)
        What each member says of each class, before copying; rows add up to 1.
    """

    votes: np.ndarray
    truth: np.ndarray
    confusion: np.ndarray


def make_votes(
    n_samples: int = 500,
    *,
    n_members: int = 7,
    n_classes: int = 2,
    low: float = 0.6,
    high: float = 0.95,
    missing: float = 0.0,
    copies: Mapping[int, int] | None = None,
    copied: float = 0.8,
    random_state: Seed = None,
) -> SimulatedVotes:
    """Draw votes of members that err independently, but for those that copy.

    Parameters
    ----------
    n_samples, n_members, n_classes : int
        Classes are drawn with even chances.
    low, high : float
        The share of right votes of each member on each class is drawn between these; wrong votes
        fall unevenly on the other classes.
    missing : float, default=0.0
        Share of votes that are gaps, drawn by lot; every sample keeps one vote at least.
    copies : dict of int to int, default=None
        Member to the member it copies: one that does not copy itself.
    copied : float, default=0.8
        Share of its votes that a copying member takes from the other.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    SimulatedVotes

    Examples
    --------
    >>> from counterpoint.datasets import make_votes
    >>> made = make_votes(100, n_members=5, random_state=0)
    >>> made.votes.shape, made.confusion.shape
    ((5, 100), (5, 2, 2))
    """
    n_samples = check_count(n_samples, "n_samples", high=10**8)
    n_members = check_count(n_members, "n_members", high=10**6)
    n_classes = check_count(n_classes, "n_classes", low=2, high=1000)
    check_number(low, "low", low=0, high=1)
    check_number(high, "high", low=low, high=1)
    check_number(missing, "missing", low=0, high=1, open_high=True)
    check_number(copied, "copied", low=0, high=1)
    copies = _check_copies(copies, n_members)
    rng = check_random_state(random_state)
    truth = rng.randint(n_classes, size=n_samples)
    right = rng.uniform(low, high, size=(n_members, n_classes))
    wrong = rng.dirichlet(np.ones(n_classes - 1), size=(n_members, n_classes))
    confusion = np.empty((n_members, n_classes, n_classes))
    for k in range(n_classes):
        confusion[:, k, k] = right[:, k]
        others = [c for c in range(n_classes) if c != k]
        confusion[:, k, others] = (1 - right[:, k])[:, None] * wrong[:, k]
    edges = confusion.cumsum(axis=2)
    draw = rng.random_sample((n_members, n_samples))
    votes = (draw[:, :, None] > edges[:, truth]).sum(axis=2).clip(max=n_classes - 1)
    for member, other in copies.items():
        takes = rng.random_sample(n_samples) < copied
        votes[member, takes] = votes[other, takes]
    if missing > 0:
        gaps = rng.random_sample(votes.shape) < missing
        gaps[rng.randint(n_members, size=n_samples), np.arange(n_samples)] = False
        votes = np.asarray(np.where(gaps, None, votes))
    return SimulatedVotes(votes, truth, confusion)


def make_judges(
    n_samples: int = 600, *, random_state: Seed = None
) -> tuple[pd.DataFrame, pd.Series]:  # fmt: skip
    """Draw a log of ten language models that judge answers "good" or "bad". All made up.

    A question is good with chance 0.6 and has a difficulty from 0 (plain) to 1 (a coin's throw),
    drawn from a beta distribution (1, 3). A judge is right with a chance that falls from above its
    accuracy to a half as difficulty grows; a lenient or harsh one then turns some of its votes one
    way; one that copies takes over the other's vote at times; some were not asked everything. The
    table ``JUDGES`` in this file has the numbers.

    Parameters
    ----------
    n_samples : int, default=600
        Questions.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    log : DataFrame
        A row per vote: "judge", "question" and "label".
    truth : Series
        "good" or "bad" of each question, by its name.

    Examples
    --------
    >>> from counterpoint.datasets import make_judges
    >>> log, truth = make_judges(50, random_state=0)
    >>> log.columns.tolist(), len(truth), log["judge"].nunique()
    (['judge', 'question', 'label'], 50, 10)
    """
    n_samples = check_count(n_samples, "n_samples", high=10**7)
    rng = check_random_state(random_state)
    good = rng.random_sample(n_samples) < 0.6
    hard = rng.beta(1, 3, size=n_samples)
    questions = np.array([f"q{k:0{len(str(n_samples))}d}" for k in range(1, n_samples + 1)])
    said: dict[str, np.ndarray] = {}
    parts = []
    for name, accuracy, leaning, other, share, gaps in JUDGES:
        # Mean difficulty is 1/4: there the chance of being right is the accuracy.
        chance = 0.5 + (accuracy - 0.5) * (1 - hard) / 0.75
        right = rng.random_sample(n_samples) < np.clip(chance, 0, 1)
        vote = np.where(right, good, ~good)
        turned = rng.random_sample(n_samples) < abs(leaning)
        vote = np.where(turned & (vote != (leaning > 0)), leaning > 0, vote)
        if other is not None:
            takes = rng.random_sample(n_samples) < share
            vote = np.where(takes, said[other], vote)
        said[name] = vote
        asked = rng.random_sample(n_samples) >= gaps
        parts.append(
            pd.DataFrame(
                {
                    "judge": name,
                    "question": questions[asked],
                    "label": np.where(vote[asked], "good", "bad"),
                }
            )
        )
    truth = pd.Series(np.where(good, "good", "bad"), index=questions, name="truth")
    return pd.concat(parts, ignore_index=True), truth


def _check_copies(copies, n_members):
    if copies is None:
        return {}
    if not isinstance(copies, Mapping):
        raise TypeError(f"copies={copies!r}: give a dict of members to the members they copy.")
    for member, other in copies.items():
        check_count(member, "a member in copies", low=0, high=n_members - 1)
        check_count(other, "a member in copies", low=0, high=n_members - 1)
        if other in copies:
            raise ValueError(
                f"copies={dict(copies)!r}: member {other} copies itself: name who is copied."
            )
    return dict(copies)
