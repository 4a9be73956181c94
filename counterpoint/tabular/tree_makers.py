"""Ways to one tree that says what a fitted model says: by its own trees, or by answers alone."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from counterpoint import _members, _tables
from counterpoint.base import draw_seed
from counterpoint.datasets import TabularEncoder
from counterpoint.tabular.small_tree import best_leaves, collapsed, fidelity_of
from counterpoint.tabular.table_tree import TableTree, table_tree
from counterpoint.trees import (
    DistilledTreeClassifier,
    PrunedTreeClassifier,
    from_sklearn,
    take_trees,
)
from counterpoint.trees.convert import as_sklearn, to_sklearn
from counterpoint.trees.merging.answers import answer_tree
from counterpoint.trees.pruning.bottom_up import cut

_CROSSED_ROWS = 3000  # artificial rows for a tree on words and gaps, so many at most
_CROSSED_SHARE = 0.3  # of their values come from another row
_MOST_LEAVES = 64  # of a tree of numbers, which nothing prunes, and of one by an ensemble's trees
_LARGER = 4  # the latter is grown so many times larger, and pruned
_APART_SHARE, _FEWEST_APART, _MOST_TRIED = 0.3, 10, 128  # to choose the number of leaves


@dataclass(frozen=True, kw_only=True)
class MadeTree:
    """A tree, the steps before it, the names of its columns, and what is to be said of it."""

    tree: DecisionTreeClassifier | DecisionTreeRegressor
    steps: list[Any]
    names: list[str]
    facts: dict[str, Any] = field(default_factory=dict)

    def on_table(
        self,
        X: Any,
        units: Mapping[str, str] | None = None,
        words: Mapping[str, tuple[str, str]] | None = None,
    ) -> tuple[TableTree, list[Any]]:
        """Return the tree on the columns of the rows X, and steps that still come before it."""
        classes = getattr(self.tree, "classes_", None)
        one, as_given = table_tree(
            from_sklearn(self.tree), classes, self.steps, X, self.names, units=units, words=words
        )
        return one, [] if as_given else [*self.steps, Dense()]


class TreeMaker:
    """Makes trees in place of one fitted model, from rows and what the model says about them.

    Parameters
    ----------
    model : classifier or regressor
        Fitted; a pipeline is fine.
    X : rows as the model takes them
    answers : ndarray of shape (n_samples,)
        What the model says about them.
    rng : RandomState
    """

    def __init__(self, model: Any, X: Any, answers: NDArray, rng: Any) -> None:
        self.model, self.X, self.answers = model, X, answers
        self.before, self.ensemble = _members.strip(model)
        self.seed = draw_seed(rng)
        self.numbers = is_regressor(self.ensemble)
        trees: Any = None if self.numbers else trees_of(self.ensemble)
        if trees is not None and trees.kind == "scores" and not self._in_words():
            trees = None  # another tree can ask about the columns as they are given
        self.trees = trees
        self.drawn = self.trees is None and _all_numbers(X) and not self.numbers
        # Real rows that each row was made from, (2, n_rows).
        self.parents = np.tile(np.arange(len(answers)), (2, 1))
        self.apart = rng.random_sample(len(answers)) < _APART_SHARE
        if self.trees is None and not self.drawn and isinstance(X, pd.DataFrame):
            # Words and gaps among the values: artificial rows are put together from rows there are.
            parents = rng.randint(len(X), size=(2, min(_CROSSED_ROWS, 4 * len(X))))
            crossed = _crossed(X, parents, rng)
            self.answers = np.concatenate([answers, np.asarray(model.predict(crossed))])
            self.X = pd.concat([X, crossed], ignore_index=True)
            self.parents = np.hstack([self.parents, parents])

    def _in_words(self) -> bool:
        """Whether questions about what the ensemble takes can be put in terms of the table."""
        return all(isinstance(step, TabularEncoder) for step in self.before)

    def make(self, rows: NDArray | None = None, *, max_leaves: int | None = None) -> MadeTree:
        """Make a tree from all rows, or from some by their numbers.

        A tree of numbers has ``max_leaves`` at most; others are cut back afterwards.
        """
        X, answers = self.X, self.answers
        if rows is not None:
            X, answers = _tables.select_rows(X, rows), answers[rows]
        with _nameless():
            if self.trees is not None:
                return self._merged(X, answers, rows is None)
            if self.drawn:
                return self._drawn(X, answers)
            return self._grown(X, answers, max_leaves)

    def _merged(self, X: Any, answers: NDArray, whole: bool) -> MadeTree:
        rows = dense(through(self.before, X))
        names = _names_after(self.before, X, rows, self.ensemble)
        tree = self._learned(rows, answers)
        if whole:
            tree = self._cut(tree, rows, answers, self._learned)
        trees: Any = self.trees
        facts = {"method": "merged", "n_trees": trees.n_trees, "n_members": trees.n_trees}
        return MadeTree(tree=tree, steps=self.before, names=names, facts=facts)

    def _learned(self, rows: NDArray, answers: NDArray) -> DecisionTreeClassifier:
        trees: Any = self.trees
        rng = np.random.RandomState(self.seed)
        ask = _without_steps(self.model).predict
        tree = answer_tree(trees, rows, answers, _LARGER * _MOST_LEAVES, rng, ask)
        if tree.n_leaves > _MOST_LEAVES:
            tree = cut(tree, collapsed(tree, best_leaves(tree, _MOST_LEAVES)(_MOST_LEAVES)))
        return as_sklearn(tree, trees.classes, rows.shape[1])

    def _drawn(self, X: Any, answers: NDArray) -> MadeTree:
        # On the columns as they were given, so that limits are in units people know.
        rows = dense(X)
        made = DistilledTreeClassifier(self.model, originals="pool", random_state=self.seed)
        tree = made.fit(rows, answers).as_sklearn()
        names = _names_after([], X, rows, self.model)
        return MadeTree(tree=tree, steps=[], names=names, facts={"method": "distilled"})

    def _grown(self, X: Any, answers: NDArray, max_leaves: int | None) -> MadeTree:
        if len(getattr(X, "shape", ())) == 2 and not hasattr(X, "toarray"):
            steps: list[Any] = [TabularEncoder().fit(X)]
        else:  # texts, say: only the pipeline knows what to do with them
            steps = self.before
        rows = dense(through(steps, X))
        tree = self._grow(rows, answers, max_leaves)
        if max_leaves is None and len(X) == len(self.answers):
            tree = self._cut(tree, rows, answers, self._grow)
        names = _names_after(steps, X, rows, None)
        return MadeTree(tree=tree, steps=steps, names=names, facts={"method": "distilled"})

    def _grow(self, rows: NDArray, answers: NDArray, max_leaves: int | None = None) -> Any:
        if not self.numbers:
            return PrunedTreeClassifier(random_state=self.seed).fit(rows, answers).as_sklearn()
        return DecisionTreeRegressor(
            max_leaf_nodes=max(2, max_leaves or _MOST_LEAVES),
            min_samples_leaf=max(1, min(5, len(rows) // 20)),
            random_state=self.seed,
        ).fit(rows, answers)

    def _cut(self, tree: Any, rows: NDArray, answers: NDArray, grow: Callable[..., Any]) -> Any:
        """Cut a tree back to as many leaves as carry over to rows that it is not grown on.

        A model's answers have no noise to prune against: a tree would follow every one of them.
        """
        apart = self.apart[self.parents]
        trial, judge = ~apart.any(axis=0), np.flatnonzero(self.apart)
        if len(judge) < _FEWEST_APART or len(np.unique(answers[trial])) < 2:
            return tree
        grown = grow(rows[trial], answers[trial])
        arrays = from_sklearn(grown)
        at = grown.apply(rows[judge])
        sizes = np.arange(2, min(arrays.n_leaves, _MOST_TRIED) + 1)
        leaves_of = best_leaves(arrays, int(sizes[-1])) if len(sizes) else None
        if leaves_of is None:
            return tree
        agrees = []
        for size in sizes:
            pruning = collapsed(arrays, leaves_of(int(size)))
            node = pruning.kept[pruning.new_node[at]]
            said = arrays.value[node, 0] if self.numbers else grown.classes_[arrays.label[node]]
            agrees.append(fidelity_of(said, answers[judge], getattr(grown, "classes_", None)))
        best = int(sizes[int(np.argmax(agrees))])
        if self.numbers:
            return self._grow(rows, answers, best)
        whole = from_sklearn(tree)
        if whole.n_leaves <= best:
            return tree
        return to_sklearn(cut(whole, collapsed(whole, best_leaves(whole, best)(best))), tree)


@contextmanager
def _nameless() -> Iterator[None]:
    """Ask ensembles that were fitted on frames about arrays."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*valid feature names")
        yield


def trees_of(ensemble: Any) -> Any:
    """Return the trees of an ensemble that can be asked, or None."""
    try:
        with _nameless():
            trees = take_trees(ensemble)
    except (TypeError, ValueError):
        return None  # no trees, or not all on the same columns
    oblique = any(tree.is_oblique for tree in trees.trees)
    return None if oblique else trees


def _without_steps(model: Any) -> Any:
    """Return what answers as a model does, to rows that went through its steps already.

    It takes off what :func:`counterpoint._members.strip` takes off, but for thresholds and costs.
    """
    if isinstance(model, Pipeline):
        return _without_steps(model.steps[-1][1])
    if hasattr(model, "best_estimator_"):
        return _without_steps(model.best_estimator_)
    if isinstance(model, FrozenEstimator):
        return _without_steps(model.estimator)
    tuned = isinstance(model, FixedThresholdClassifier | TunedThresholdClassifierCV)
    if tuned or hasattr(model, "_decided_model"):
        own, other = "estimator_" if hasattr(model, "estimator_") else "estimator", copy(model)
        setattr(other, own, _without_steps(getattr(model, own)))
        return other
    return model


def _crossed(X: pd.DataFrame, parents: NDArray, rng: Any) -> pd.DataFrame:
    """Put rows together that have most values from one row and the others from a second."""
    one, other = parents
    columns = {}
    for k in range(X.shape[1]):
        at = np.where(rng.random_sample(len(one)) < _CROSSED_SHARE, other, one)
        columns[k] = X.iloc[at, k].reset_index(drop=True)
    crossed = pd.DataFrame(columns)
    crossed.columns = X.columns
    return crossed


def as_rows(X: Any) -> Any:
    """Return rows that can be picked by number: lists become arrays, texts stay texts."""
    if not isinstance(X, list | tuple):
        return X
    return np.array(X, dtype=object) if len(X) and isinstance(X[0], str) else np.asarray(X)


# -- columns ---------------------------------------------------------------------------------


def through(steps: list[Any], X: Any) -> Any:
    """Return rows as they come out of steps."""
    for step in steps:
        X = step.transform(X)
    return X


class Dense:
    """The last step: an array of floats, whatever came before."""

    def transform(self, X: Any) -> NDArray:
        """Return the rows as floats."""
        return dense(X)


def dense(rows: Any) -> NDArray:
    """Return rows as an array of floats; sparse ones are filled in."""
    rows = rows.toarray() if hasattr(rows, "toarray") else rows
    return np.asarray(rows, dtype=np.float64)


def _all_numbers(rows: Any) -> bool:
    try:
        return bool(np.isfinite(dense(rows)).all())
    except (TypeError, ValueError):
        return False


def _names_after(steps: list[Any], X: Any, rows: NDArray, ensemble: Any) -> list[str]:
    """Names of the columns that come out of the steps; numbered where nobody knows them."""
    names: Any = getattr(X, "columns", None)
    if steps:
        pipe = steps[0] if len(steps) == 1 else make_pipeline(*steps)
        try:
            names = pipe.get_feature_names_out()
        except (AttributeError, ValueError):
            names = None
    if names is None:
        names = getattr(ensemble, "feature_names_in_", None)
    if names is None or len(names) != rows.shape[1]:
        return [f"x{k}" for k in range(rows.shape[1])]
    return [str(name) for name in names]
