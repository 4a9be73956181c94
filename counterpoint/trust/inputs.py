"""What the questions have in common: outputs with and without truth, and the ensemble's answer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint._ballot import member_mean
from counterpoint._conformal import member_spread
from counterpoint._outputs import MemberOutputs
from counterpoint._predictions import MemberPredictions


def need_outputs(outputs: Any, name: str, *, truth: bool = False, members: int = 1) -> None:
    """Raise unless these are ``MemberOutputs`` with votes, enough members, and truth if asked."""
    if isinstance(outputs, MemberPredictions):
        outputs.need_votes(f"{name}=")
    if not isinstance(outputs, MemberOutputs):
        raise TypeError(
            f"{name}={outputs!r}: pass MemberOutputs, which MemberOutputs.from_estimator(model, X"
            f"{', y' if truth else ''}) makes of a fitted ensemble."
        )
    outputs.need_votes(f"{name}=")
    if truth and outputs.y is None:
        raise ValueError(
            f"{name}= has no truth: build its MemberOutputs with y, on samples that the members "
            "were not trained on."
        )
    if outputs.n_members < members:
        raise ValueError(
            f"{name}= has {outputs.n_members} member: disagreement needs {members} at least."
        )


def need_predictions(outputs: Any, name: str, *, truth: bool = False) -> None:
    """Raise unless these are ``MemberPredictions``, with truth if asked."""
    if not isinstance(outputs, MemberPredictions):
        raise TypeError(f"{name}={outputs!r}: pass MemberPredictions, the numbers of regressors.")
    if truth and outputs.y is None:
        raise ValueError(f"{name}= has no truth: build its MemberPredictions with y.")


def need_either(reference: Any, new: Any) -> None:
    """Raise unless both are outputs of the same members, of classifiers or of regressors."""
    for name, outputs in (("reference", reference), ("new", new)):
        if isinstance(reference, MemberPredictions):
            need_predictions(outputs, name)
        else:
            need_outputs(outputs, name)
    check_same(reference, new)


def check_same(reference: Any, new: Any) -> None:
    """Raise unless both are of the same members and classes."""
    if list(reference.names) != list(new.names):
        odd = [n for n in new.names if n not in reference.names] or list(new.names)
        raise ValueError(
            f"reference= has {reference.n_members} members and new= {new.n_members}, or they are "
            f"others or in another order (such as {odd[0]!r}): ask the same ensemble both times."
        )
    if isinstance(reference, MemberOutputs) and not np.array_equal(reference.classes, new.classes):
        raise ValueError(
            f"reference= knows the classes {reference.classes.tolist()}, new= "
            f"{new.classes.tolist()}: pass classes= with all labels to both MemberOutputs."
        )
    if (getattr(reference, "proba", None) is None) != (getattr(new, "proba", None) is None):
        raise ValueError(
            "One of reference= and new= has probabilities, the other only votes: ask for the same."
        )


def ensemble_proba(outputs: MemberOutputs) -> NDArray:
    """Return what the ensemble says: by its combiner, the members' mean, or their vote."""
    if outputs.combiner is not None:
        return outputs.combiner.combine(outputs)
    if outputs.proba is not None:
        return member_mean(np.asarray(outputs.proba, dtype=float), outputs.weights)
    return outputs.tally


def ensemble_number(outputs: MemberPredictions) -> NDArray:
    """Return the members' mean by their weights."""
    return member_mean(outputs.values, outputs.weights)


def row_weight(outputs: Any) -> NDArray:
    """Return how much each sample counts, ones where nothing was said."""
    given = outputs.sample_weight
    return np.ones(outputs.n_samples) if given is None else given


def votes_against(outputs: MemberOutputs, answer: NDArray | None = None) -> NDArray:
    """Return the share of the vote against the ensemble's answer on each sample."""
    answer = ensemble_proba(outputs).argmax(axis=1) if answer is None else answer
    tally = outputs.tally
    return np.round(1.0 - tally[np.arange(len(answer)), answer], 12)


def disagreement(outputs: Any) -> NDArray:
    """Return how far members disagree on each sample.

    Of classes, the chance that two different members say different things, by their weights; with
    probabilities, that two draws from them do. Of numbers, their standard deviation.
    """
    if isinstance(outputs, MemberPredictions):
        return member_spread(outputs.values, outputs.say)
    say = outputs.say / outputs.say.sum()
    tally = outputs.tally
    same = (say**2).sum()
    return np.maximum(1.0 - (tally**2).sum(axis=1), 0.0) / max(1.0 - same, 1e-12)
