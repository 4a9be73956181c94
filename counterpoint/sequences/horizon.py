"""How many past events matter: a score against the length of the histories."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from counterpoint._interrupts import whole
from counterpoint._progress import track
from counterpoint._typing import Estimator, Seed
from counterpoint._validation import check_choice, check_count
from counterpoint.base import MAX_SEED
from counterpoint.sequences.events import EventLog
from counterpoint.sequences.histories import histories
from counterpoint.sequences.lift import lift_at


def relevance_horizon(
    log: EventLog,
    estimator: Estimator,
    *,
    target: Any,
    lengths: Sequence[int] = (1, 2, 3, 4, 5, 6),
    horizon: int = 1,
    share: float | None = None,
    scorer: Callable | None = None,
    split: str = "entity",
    test_size: float = 0.4,
    n_repeats: int = 5,
    random_state: Seed = None,
    progress: bool | None = None,
) -> NDArray:
    """Score a classifier on histories of one event, of two, and so on.

    All lengths predict the same events of the same entities, so that nothing but the length
    differs; entities with too few events for the longest are left out. The source [1]_ takes
    all there are for each length.

    Parameters
    ----------
    log : EventLog
        Events.
    estimator : classifier, or function of a length that returns one
        It is given :class:`Histories`: an HMM classifier, or a pipeline that begins with
        :class:`RecentEventsTransformer`, whose ``n_events`` is set to the length.
    target : type
        The type to be predicted.
    lengths : sequence of int, default=(1, 2, 3, 4, 5, 6)
        Numbers of past events.
    horizon : int, default=1
        The event to predict is the so-manieth after the history.
    share : float, default=None
        Part of the test histories that is taken, those with the highest scores. None takes the
        share of positives among the training histories, as [1]_.
    scorer : callable, default=None
        ``scorer(estimator, histories, y)`` in place of g at a share; see :func:`lift_scorer`.
    split : {"entity", "time"}, default="entity"
        How to split into training and test, as the methods of :class:`Histories`. By time there
        is one way only, and repeats differ by the seed of the estimator alone.
    test_size : float, default=0.4
        Share of the test.
    n_repeats : int, default=5
        Splits.
    random_state : int, RandomState instance or None, default=None
        Seeds the splits and the estimator.
    progress : bool, default=None
        Draw a bar; None does so on a terminal.

    Returns
    -------
    ndarray of shape (n_lengths, n_repeats)
        For :meth:`counterpoint.plots.RelevanceHorizonDisplay.from_scores`.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, sections
       6.1 and 6.2.2.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from counterpoint import sequences as cs
    >>> events = cs.make_churn_events(1500, random_state=0).events
    >>> log = cs.EventLog.from_frame(events, entity="customer", time="time", type="event")
    >>> model = make_pipeline(cs.RecentEventsTransformer(3), GaussianNB())
    >>> cs.relevance_horizon(
    ...     log, model, target="churn", lengths=[1, 3], n_repeats=2, random_state=0
    ... ).shape
    (2, 2)
    """
    lengths = list(lengths)
    if not lengths:
        raise ValueError("lengths is empty: give whole numbers from 1.")
    for length in lengths:
        check_count(length, "lengths")
    check_choice(split, "split", ("entity", "time"))
    check_count(n_repeats, "n_repeats")
    rng = check_random_state(random_state)
    seeds = rng.randint(MAX_SEED, size=n_repeats)
    data = [
        histories(log, target=target, length=k, horizon=horizon, min_events=max(lengths) + 1)
        for k in lengths
    ]
    scores = np.empty((len(lengths), n_repeats))
    jobs = [(i, r) for i in range(len(lengths)) for r in range(n_repeats)]
    for i, r in track(jobs, description="Lengths of history", show=progress):
        if split == "entity":
            train, test = data[i].split_by_entity(test_size, random_state=seeds[r])
        else:
            train, test = data[i].split_by_time(test_size)
        with whole():
            model = _seeded(estimator, lengths[i], int(seeds[r])).fit(train, train.y)
        if scorer is not None:
            scores[i, r] = scorer(model, test, test.y)
            continue
        part = float(train.y.mean()) if share is None else share
        scores[i, r] = lift_at(test.y, ranking_scores(model, test), part)["g"]
    return scores


def ranking_scores(model, X) -> NDArray:
    """Return scores to rank by, higher first: of a combined ranking, else of the second class."""
    if hasattr(model, "rank"):
        return -model.rank(X).astype(float)
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)[:, 1]
    return model.decision_function(X)


def _seeded(estimator, length, seed):
    if not hasattr(estimator, "fit"):
        return estimator(length)
    model = clone(estimator)
    wanted = {"random_state": seed, "n_events": length}
    names = {name: name.rpartition("__")[2] for name in model.get_params()}
    return model.set_params(**{name: wanted[end] for name, end in names.items() if end in wanted})
