"""Training members, each on its own view, and asking them."""

from copy import deepcopy

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

_MAX_SEED = np.iinfo(np.int32).max


def seed_all(model, rng):
    """Give every random_state in a model a seed of its own, as scikit-learn's ensembles do."""
    chosen = {
        name: rng.randint(_MAX_SEED)
        for name in sorted(model.get_params(deep=True))
        if name == "random_state" or name.endswith("__random_state")
    }
    return model.set_params(**chosen) if chosen else model


def fit_members(templates, views, X, y, sample_weight, rng, *, n_jobs=None):
    """Fit a clone of each template on its view; returns (estimators, views).

    Every member has a seed of its own, drawn before the work is shared: the number of jobs
    changes nothing.
    """
    seeds = rng.randint(_MAX_SEED, size=len(views))
    fitted = Parallel(n_jobs=n_jobs)(
        delayed(_fit_member)(template, view, X, y, sample_weight, seed)
        for template, view, seed in zip(templates, views, seeds, strict=True)
    )
    return [model for model, _ in fitted], [view for _, view in fitted]


def _fit_member(template, view, X, y, sample_weight, seed):
    rng = np.random.RandomState(seed)
    view = deepcopy(view)
    seen = view.fit(X, y, sample_weight, rng)
    model = seed_all(clone(template), rng)
    if seen.sample_weight is None:
        return model.fit(seen.X, seen.y), view
    if not has_fit_parameter(model, "sample_weight"):
        raise ValueError(
            f"{type(model).__name__} takes no sample_weight, but its view weighs the samples: "
            "choose another learner, or a view without weights."
        )
    return model.fit(seen.X, seen.y, sample_weight=seen.sample_weight), view


def member_proba(model, view, X, classes):
    """Probabilities of one member, a column for every class, (n_samples, n_classes).

    Classes that the view merged share their group's probability equally; a class that the
    member never saw has probability 0.
    """
    told = np.asarray(model.predict_proba(view.transform(X)), dtype=float)
    targets = view.targets(classes)
    wanted = classes if targets is None else targets
    at = np.minimum(np.searchsorted(model.classes_, wanted), len(model.classes_) - 1)
    known = model.classes_[at] == wanted
    sizes = np.array([(wanted == label).sum() for label in wanted])
    return np.where(known, told[:, at] / sizes, 0.0)


def member_labels(model, view, X, classes):
    """Labels that one member says, (n_samples,); of a merged group its first class."""
    said = np.asarray(model.predict(view.transform(X)))
    targets = view.targets(classes)
    if targets is None:
        return said
    first, where = np.unique(targets, return_index=True)
    return classes[where[np.searchsorted(first, said)]]
