"""What a fitted model is, in words: shared by models of classes and of numbers."""

from collections import Counter
from typing import Any

import numpy as np

from counterpoint import _members
from counterpoint.exceptions import MemberError

SCHEMA = 1
"""Version of the summaries that --json writes; raised when a name in them goes or changes."""

_LONGEST = 400


def describe_model(
    model: Any, outputs: Any, combined: tuple[str | None, str | None], X_train: Any
) -> dict[str, Any]:
    """Describe a fitted model; ``combined`` is a word for how it combines, and for readers."""
    before, ensemble = _members.strip(model)
    written = " ".join(repr(model).split())
    return {
        "name": type(ensemble).__name__,
        "steps": [type(step).__name__ for step in before],
        "written": written if len(written) <= _LONGEST else written[: _LONGEST - 1] + "…",
        "n_members": None if outputs is None else outputs.n_members,
        "kinds": [] if outputs is None else _kinds(ensemble),
        "combined_by": combined[1],
        "combination": combined[0],
        "n_train": None if X_train is None else int(np.shape(X_train)[0]),
    }


def model_title(model: Any, outputs: Any) -> str:
    """Return what to call a model that has no name: its class, and how many members it has."""
    name = type(_members.strip(model)[1]).__name__
    if outputs is None:
        return name
    return f"{name} with {outputs.n_members} member{'s' * (outputs.n_members != 1)}"


def _kinds(ensemble: Any) -> list[dict[str, Any]]:
    """Count what the members are, where they can be looked at."""
    try:
        models = [member.estimator for member in _members.members_of(ensemble)]
    except (MemberError, AttributeError, ValueError, TypeError):
        pool = getattr(ensemble, "pool_", [])
        models = [item[1] for item in pool if isinstance(item, tuple)]
    # Rounds of gradient boosting are arrays of trees, one a class.
    models = [one.flat[0] if isinstance(one, np.ndarray) else one for one in models]
    counts = Counter(type(_members.strip(one)[1]).__name__ for one in models)
    return [{"name": name, "count": count} for name, count in counts.most_common()]
