"""The pool that a user gave, read: names of the default pool, estimators, candidates."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from counterpoint._validation import check_choice
from counterpoint.auto.extras import installed, loaded, need_installed
from counterpoint.auto.pool import Candidate
from counterpoint.auto.portfolio import FIRST

PLUS = "default+"


def check_given(pool: Any, *, owner: str) -> None:
    """Raise unless this is None, "default+", or a list or dict of members to try."""
    if isinstance(pool, str):
        check_choice(pool, "pool", (PLUS,))
    elif pool is not None and not isinstance(pool, list | tuple | dict):
        shown = pool.__name__ if isinstance(pool, type) else repr(pool)[:60]
        raise TypeError(
            f"pool={shown} of {owner} is no pool: give a list of members to try, as "
            f"[('mine', {shown})], a dict of them, {PLUS!r}, or None for the default pool."
        )


def named(pool: Any) -> list[Any]:
    """Return the pool that was given; an estimator without a name has that of its class."""
    if isinstance(pool, str) or pool is None:
        return []
    given = list(pool.items()) if isinstance(pool, dict) else list(pool)
    bare = [_is_model(item) for item in given]
    names = [type(item).__name__ for item in given]
    for k in np.flatnonzero(bare):
        same = [j for j in np.flatnonzero(bare) if names[j] == names[k]]
        given[k] = (names[k] if len(same) == 1 else f"{names[k]} {same.index(k)}", given[k])
    return given


def candidates_of(
    pool: Any, default: list[Candidate], kind: str, size: tuple[int, int, int] = (0, 0, 0)
) -> list[Candidate]:
    """Return what to try, for "classes" or "numbers"; ``default`` is the default pool.

    ``size`` has the rows, columns and classes of the table.
    """
    if pool is None:
        return default
    if isinstance(pool, str):
        # Right after those that come first: made for such tables, as they are.
        return default[:FIRST] + loaded(installed(kind, size)) + default[FIRST:]
    quick = [c.quick for c in default if c.quick is not None]
    known = {c.name: c for c in [*default, *quick, *installed(kind, size)]}
    made = [_candidate(item, known, kind) for item in named(pool)]
    if not made:
        raise ValueError("pool is empty: give at least one member to try.")
    names = [c.name for c in made]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"pool names {twice!r} twice: give each member a name of its own.")
    return made


def _candidate(item, known, kind):
    if isinstance(item, Candidate):
        return item
    if isinstance(item, str):
        if item not in known:
            need_installed(item)
        return known[check_choice(item, "name in pool", known)]
    if not (isinstance(item, tuple) and len(item) == 2 and _is_model(item[1])):
        raise TypeError(
            f"pool holds {item!r}: give estimators, (name, estimator) pairs, Candidate "
            "objects, or names of the default pool."
        )
    name, model = item
    if kind == "classes" and not hasattr(model, "predict_proba"):
        raise ValueError(
            f"{name!r} in pool, {type(model).__name__}, gives no probabilities, by which "
            "members are weighed: put CalibratedClassifierCV of scikit-learn around it."
        )
    return Candidate(name=name, family="given", make=partial(_seeded, model))


def _is_model(item):
    return hasattr(item, "fit") and not isinstance(item, type)


def _seeded(model: Any, seed: int) -> Any:
    model = clone(model)
    names = [n for n in model.get_params() if n == "random_state" or n.endswith("__random_state")]
    return model.set_params(**dict.fromkeys(names, seed)) if names else model
