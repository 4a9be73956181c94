"""What is attacked: every public function and estimator, found by itself, with arguments by seed.

A parameter's name says what it is for, and so what a plausible value of it looks like (``ROLES``).
Plausible values are drawn for all parameters; some are then exchanged for hostile ones. A name
without a role gets any value, so that new functions are attacked without being listed.
"""

import inspect
from dataclasses import dataclass
from functools import cache

import numpy as np
from estimators import public_estimators, quick
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

import counterpoint
from attack import hostile, judge
from counterpoint.combiners import Combiner

# Functions that read or write files, start long work, or draw: attacked by tests of their own.
LEFT_OUT = {
    "base", "claims", "large", "plots", "report", "studio", "tabular",
}  # fmt: skip
LONG = {
    "datasets.add_file",
    "datasets.export_csv",
    "datasets.data_folder",
    "datasets.load",
    "decomposition.decompose",
    "sequences.find_at_risk",
    "sequences.relevance_horizon",
}


@dataclass
class Sizes:
    """One draw of sizes that the arguments of a call share."""

    members: int
    samples: int
    classes: int
    columns: int


@cache
def functions():
    """Return every public function, and class that holds members' answers or combines them.

    By name: "package.function".
    """
    found = {
        f"counterpoint.{name}": getattr(counterpoint, name)
        for name in counterpoint.__all__
        if callable(getattr(counterpoint, name))
    }
    for package in counterpoint.__all__:
        if package in LEFT_OUT or package.startswith("_"):
            continue
        module = getattr(counterpoint, package)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if f"{package}.{name}" not in LONG and (inspect.isfunction(value) or _combines(value)):
                found[f"{package}.{name}"] = value
    return found


def _combines(value):
    is_combiner = inspect.isclass(value) and issubclass(value, Combiner)
    return is_combiner and not inspect.isabstract(value)


@cache
def estimators():
    """Return every public estimator class by its name."""
    return {cls.__name__: cls for cls in public_estimators()}


def prepare(name, rng):
    """Return a call of a target, with arguments that are drawn."""
    if "." in name:
        function = functions()[name]
        arguments = draw(function, rng)
        if _combines(function):
            sizes = Sizes(1 + rng.randint(5), 1 + rng.randint(20), 2 + rng.randint(3), 2)
            held, asked = outputs(rng, sizes), outputs(rng, sizes)
            return lambda: judge.check_shares(
                function(**arguments).fit(held).predict_proba(asked), "combined"
            )
        if inspect.isclass(function):
            return lambda: read_all(function(**arguments))
        return lambda: _use_up(function(**arguments))
    model, X, y, weight, new = make_fit(estimators()[name], rng)
    options = {} if weight is None else {"sample_weight": weight}
    further = methods(model, rng)

    def fit_and_ask():
        model.fit(X, y, **options)
        defect = judge.check_answers(model, new)
        for method, takes in further:
            if hasattr(model, method):
                _use_up(getattr(model, method)(*(X if word == "X" else y for word in takes)))
        return defect

    return fit_and_ask


def read_all(thing):
    """Read every public property, and call every public method that needs no argument.

    Return the first defect.
    """
    for name in dir(type(thing)):
        if not name.startswith("_") and not inspect.isclass(getattr(type(thing), name)):
            kind, text = judge.judge(lambda name=name: _read(thing, name))
            if kind not in ("answer", "error"):
                return kind, f"{name}: {text}"
    return None


def _read(thing, name):
    value = getattr(thing, name)
    if inspect.ismethod(value) and not inspect.isclass(value.__self__):
        parameters = inspect.signature(value).parameters.values()
        if all(p.default is not p.empty for p in parameters):
            _use_up(value())


def _use_up(answer):
    if hasattr(answer, "__next__"):
        list(answer)


def methods(model, rng):
    """Return a public method or two that take X, or X and y, and their parameters."""
    found = []
    for name, method in inspect.getmembers(type(model), inspect.isfunction):
        needed = [
            word
            for word, parameter in list(inspect.signature(method).parameters.items())[1:]
            if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
        ]
        if not name.startswith(("_", "fit", "partial_fit", "set_")) and needed in (
            ["X"],
            ["X", "y"],
        ):
            found.append((name, needed))
    return [found[k] for k in rng.permutation(len(found))[: rng.randint(3)]]


# -- plausible values --------------------------------------------------------------------------


@cache
def _fitted(learner, n_columns, **options):
    X, y = make_classification(
        60, n_columns, n_informative=2, n_redundant=0, n_repeated=0, random_state=0
    )
    return learner(max_depth=3, random_state=0, **options).fit(X, y)


def forest(rng, sizes):
    """Return a small fitted forest, made once for each number of columns."""
    kind = RandomForestClassifier if rng.rand() < 0.8 else RandomForestRegressor
    return _fitted(kind, max(sizes.columns, 2), n_estimators=3)


def tree(rng, sizes):
    """Return a tree of ours; now and then one whose arrays were tampered with."""
    from counterpoint.trees import Tree, from_sklearn

    good = from_sklearn(_fitted(DecisionTreeClassifier, max(sizes.columns, 2)))
    if rng.rand() < 0.6:
        return good
    fields = {
        name: np.array(value) for name, value in vars(good).items() if isinstance(value, np.ndarray)
    }
    name = hostile.pick(rng, sorted(fields))
    array = fields[name]
    if array.size:
        at = rng.randint(array.size)
        bad = hostile.pick(rng, (0, -1, -7, 10**7, array.size, array.size + 1, np.nan, np.inf))
        if array.dtype.kind in "iu" and not np.isfinite(bad):
            bad = 10**7
        if array.dtype.kind == "b":
            bad = True
        array.flat[at] = np.array(bad).astype(array.dtype)
    parts = {k: fields.get(k, v) for k, v in vars(good).items() if not k.startswith("_")}
    wanted = inspect.signature(Tree).parameters
    return Tree(**{k: v for k, v in parts.items() if k in wanted})


def outputs(rng, sizes):
    """Return member outputs as an object or as the arrays that functions also take."""
    from counterpoint import MemberOutputs

    kind = rng.randint(5)
    y = rng.randint(max(sizes.classes, 1), size=sizes.samples)
    if kind == 0:
        return hostile.flags(rng, (sizes.members, sizes.samples))
    if kind == 1:
        return hostile.numbers(rng, (sizes.members, sizes.samples))
    if kind == 2:
        return MemberOutputs.from_correct(
            rng.rand(max(sizes.members, 1), max(sizes.samples, 1)) < 0.6,
            weights=hostile.pick(rng, (None, rng.rand(max(sizes.members, 1)) + 0.1)),
        )
    n, t = max(sizes.samples, 1), max(sizes.members, 1)
    y = rng.randint(max(sizes.classes, 2), size=n)
    classes = np.arange(max(sizes.classes, 2))
    weight = hostile.pick(rng, (None, rng.rand(n) + 0.01))
    if kind == 3:
        votes = np.where(rng.rand(t, n) < 0.6, y, rng.randint(len(classes), size=(t, n)))
        return MemberOutputs(votes, y, classes=classes, sample_weight=weight)
    proba = rng.dirichlet(np.ones(len(classes)), size=(t, n))
    return MemberOutputs(y=y, proba=proba, classes=classes, sample_weight=weight)


@cache
def _log(seed):
    from counterpoint.sequences import EventLog, make_churn_events

    events = make_churn_events(5 + 10 * seed, random_state=seed).events
    return EventLog.from_frame(events, entity="customer", time="time", type="event")


def _events(rng, sizes):
    return _log(rng.randint(3))


def _count(rng, sizes):
    return int(hostile.pick(rng, (1, 2, 3, 5)))


def _share(rng, sizes):
    return float(hostile.pick(rng, (0.0, 0.1, 0.5, 0.9, 1.0)))


def _seed(rng, sizes):
    return 0


ROLES = {
    "outputs": outputs,
    "reference": outputs,
    "new": outputs,
    "correct": lambda rng, s: hostile.flags(rng, (s.members, s.samples)),
    "values": lambda rng, s: hostile.numbers(rng, (s.members, s.samples)),
    "votes": lambda rng, s: rng.randint(max(s.classes, 1), size=(s.members, s.samples)),
    "proba": lambda rng, s: hostile.shares(rng, (s.members, s.samples, max(s.classes, 1))),
    "y_proba": lambda rng, s: hostile.shares(rng, (s.samples, max(s.classes, 1))),
    "scores": lambda rng, s: hostile.numbers(rng, s.samples),
    "predictions": lambda rng, s: hostile.numbers(rng, (s.members, s.samples)),
    "labels": lambda rng, s: rng.randint(max(s.classes, 1), size=(s.members, s.samples)),
    "y": lambda rng, s: hostile.labels(rng, s.samples),
    "y_true": lambda rng, s: hostile.labels(rng, s.samples),
    "y_pred": lambda rng, s: hostile.labels(rng, s.samples),
    "X_reference": lambda rng, s: hostile.table(rng, s.samples, s.columns),
    "X_new": lambda rng, s: hostile.table(rng, s.samples, s.columns),
    "X_train": lambda rng, s: hostile.table(rng, s.samples, s.columns),
    "X": lambda rng, s: hostile.table(rng, s.samples, s.columns),
    "Y": lambda rng, s: hostile.table(rng, s.samples, s.columns),
    "weights": lambda rng, s: hostile.weights(rng, s.members),
    "sample_weight": lambda rng, s: hostile.weights(rng, s.samples),
    "classes": lambda rng, s: np.arange(max(s.classes, 1)),
    "densities": lambda rng, s: hostile.weights(rng, s.members),
    "errors": lambda rng, s: rng.rand(max(s.members, 1)),
    "error": _share,
    "estimator": forest,
    "ensemble": forest,
    "fitted": forest,
    "pool": forest,
    "model": forest,
    "tree": tree,
    "tree_a": tree,
    "tree_b": tree,
    "subtree": tree,
    "trees": lambda rng, s: [tree(rng, s) for _ in range(2)],
    "leaf": _count,
    "log": _events,
    "lower": lambda rng, s: hostile.numbers(rng, s.columns),
    "upper": lambda rng, s: hostile.numbers(rng, s.columns),
    "code": lambda rng, s: rng.randint(2, size=(s.classes, s.members)),
    "kernels": lambda rng, s: np.ones((s.members, s.samples, s.samples)),
    "kernel": lambda rng, s: np.eye(s.samples),
    "random_state": _seed,
    "n_members": _count,
    "n_samples": _count,
    "n_features": lambda rng, s: s.columns,
    "n_classes": lambda rng, s: s.classes,
    "n_generations": _count,
    "time_limit": lambda rng, s: 1.0,
}


def draw(function, rng):
    """Return keyword arguments for one call: plausible, some of them hostile."""
    sizes = Sizes(*(hostile.size(rng) for _ in range(3)), max(hostile.size(rng), 1))
    if rng.rand() < 0.5:
        sizes = Sizes(1 + rng.randint(6), 1 + rng.randint(30), 2 + rng.randint(3), 2)
    bad = hostile.pick(rng, (0.0, 0.1, 0.4))
    arguments = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        needed = parameter.default is parameter.empty
        if not needed and rng.rand() < 0.6:
            continue
        if rng.rand() < bad or (needed and name not in ROLES):
            arguments[name] = hostile_option(name, rng)
        elif name in ROLES:
            arguments[name] = ROLES[name](rng, sizes)
    return arguments


def hostile_option(name, rng):
    """Return any value; but a million rounds is a wish that may be granted, and takes its time."""
    value = hostile.scalar(rng)
    counts = name.startswith(("n_", "max_", "hidden_")) or name in ("patience", "population")
    return 50 if counts and isinstance(value, int) and value > 50 else value


def other_option(value, rng):
    """Return another plausible value of an option."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return int(hostile.pick(rng, (1, 2, 3, 5)))
    if isinstance(value, float):
        return float(hostile.pick(rng, (0.0, 0.1, 0.5, 1.0, 2 * value)))
    return value


# Options that say something of each column; most are right for d columns, the first whole numbers.
COLUMN_OPTIONS = {
    "categorical_features": lambda rng, d: hostile.pick(
        rng, ("from_dtype", [0], [-1], [True] + [False] * (d - 1), list(range(d)), [d], [])
    ),
    "monotonic_cst": lambda rng, d: hostile.pick(
        rng, ([0] + [1] * (d - 1), rng.randint(-1, 2, size=d), [-1] * d, [1] * (d + 1), {"a": 1})
    ),
}


def ordinary_data(tags, n, d, rng, *, first_is_whole=False):
    """Return data as they should be, for a classifier of three classes or a regressor."""
    X = rng.normal(size=(n, d))
    if first_is_whole:
        X[:, 0] = rng.randint(5, size=n)
    signal = X[:, 0] + 0.5 * rng.normal(size=n)
    return X, signal if tags.estimator_type == "regressor" else np.digitize(signal, [-0.5, 0.5])


def ordinary_fit(cls, rng):
    """Return an estimator with few members, and few ordinary rows for it."""
    model = quick(cls)
    few = {
        name: 3
        for name in ("n_estimators", "max_epochs", "base_epochs", "n_generations", "n_rounds")
        if isinstance(model.get_params(deep=False).get(name), int)
    }
    return model.set_params(**few), *ordinary_data(get_tags(model), 24, 3, rng)


def make_fit(cls, rng):
    """Return an estimator, perhaps with one hostile option, and data to fit it to and ask it."""
    model = quick(cls)
    tags, options = get_tags(model), model.get_params(deep=False)
    for name in sorted(options):
        draw = rng.rand()
        if draw < 0.3 / len(options):
            model.set_params(**{name: hostile_option(name, rng)})
        elif draw < 1.3 / len(options):
            model.set_params(**{name: other_option(options[name], rng)})
    for name in ("n_estimators", "max_epochs", "base_epochs", "n_generations", "n_rounds"):
        value = model.get_params(deep=False).get(name)
        if isinstance(value, int) and value > 6:
            model.set_params(**{name: 3 + rng.randint(4)})
    for name in ("hidden_layer_sizes", "gate_hidden_layer_sizes"):  # a million units: honest work
        value = model.get_params(deep=False).get(name)
        if isinstance(value, int) and value > 1000:
            model.set_params(**{name: 1000})
    n, d = 4 + rng.randint(40), 1 + rng.randint(4)
    by_column = [name for name in COLUMN_OPTIONS if name in options and rng.rand() < 0.5]
    for name in by_column:
        model.set_params(**{name: COLUMN_OPTIONS[name](rng, d)})
    if tags.input_tags.two_d_array and rng.rand() < 0.1:
        n = hostile.size(rng)
    weighs = has_fit_parameter(model, "sample_weight") and rng.rand() < 0.3
    weight = hostile.weights(rng, n) if weighs else None
    if tags.input_tags.two_d_array and n >= 4 and rng.rand() < 0.6:
        X, y = ordinary_data(tags, n, d, rng, first_is_whole=bool(by_column))
        return model, X, y, weight, hostile.table(rng, 1 + rng.randint(8), d)
    X, y = hostile.table(rng, n, d), hostile.labels(rng, n)
    if tags.estimator_type == "regressor":
        y = hostile.numbers(rng, n)
    return model, X, y, weight, hostile.table(rng, 1 + rng.randint(8), d)
