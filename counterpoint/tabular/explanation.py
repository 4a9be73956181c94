"""One readable tree in place of a fitted model, and how far it speaks for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from counterpoint import _members, _tables
from counterpoint._arrays import as_labels
from counterpoint._validation import check_count
from counterpoint.tabular.chance import ProbabilityRegressor
from counterpoint.tabular.column import CLOCK, Column
from counterpoint.tabular.expansion import made_of, words_of_texts
from counterpoint.tabular.plain import plain
from counterpoint.tabular.prediction import explaining_rows
from counterpoint.tabular.scorecard import Scorecard, make_scorecard
from counterpoint.tabular.small_tree import (
    best_leaves,
    collapsed,
    cut_back,
    error_of,
    rules_of,
    tree_nodes,
    tree_sizes,
    why_not_monotone,
)
from counterpoint.tabular.stability import Stability, stability
from counterpoint.tabular.table_model import TableModel
from counterpoint.tabular.table_tree import TableTree
from counterpoint.tabular.tree_makers import TreeMaker, as_rows, through
from counterpoint.tabular.words import figure, percent
from counterpoint.trees import from_sklearn
from counterpoint.trees.convert import to_sklearn
from counterpoint.trees.pruning.bottom_up import cut

_MOST_ROWS = 3000
_TEST_SHARE = 0.3
_SHOWN_LEAVES = 16  # one of the sizes whose fidelity is known


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """A tree that stands for a model; made by :func:`explain`.

    Attributes
    ----------
    tree : DecisionTreeClassifier or DecisionTreeRegressor
        The tree, on the columns ``feature_names``: those that reach the ensemble when it is the
        last step of a pipeline, else those of the data, encoded where they are no numbers.
    method : {"merged", "distilled"}
        "merged": of an ensemble of trees, whose trees say which rows are neighbours and which
        artificial ones to ask about, as in :class:`~counterpoint.trees.MergedTreeClassifier` with
        ``max_leaf_nodes``. "distilled": grown on what any model says, as
        :class:`~counterpoint.trees.DistilledTreeClassifier` does.
    fidelity : float
        Share of the held-out rows on which tree and ensemble say the same; for numbers, the share
        of the variance of the model's answers that the tree gives back.
    error, model_error : float
        Of the tree and of the model, on the held-out rows: share of wrong labels, or root of the
        mean squared error of numbers.
    n_leaves : int
        Leaves of the tree.
    rules : list of str
        The tree as text in the units and words of the table, a rule a leaf, the one with most
        support first. Support counts the rows the tree was made from, artificial ones included.
    table_tree : TableTree
        The same tree on the columns of the table: what is asked in every node, in its own words.
    classes : ndarray or None
        Labels that the tree can give; None for numbers.
    feature_names : list of str
        Columns of the tree.
    n_fit, n_test : int
        Rows it was made from, and rows held out.
    sizes : list of dict
        What smaller trees would cost: "n_leaves", "agreement", "fidelity" and "error" of this one
        cut back to 2, 4, 8, ... leaves, itself last. Agreement is that with the model on the rows
        the tree was made from; more leaves never have less of it.
    why_not_monotone : str
        Where more leaves are less faithful on the rows held out: why that is.
    stability : Stability or None
        How much of the tree comes back on resampled rows, if that was asked for.
    constant, constant_fidelity : str and float, or None
        The answer that the model gives most often on the held-out rows, and on which share of them:
        so faithful is always saying it. None for numbers.
    n_trees, n_members : int or None
        For "merged": trees that were asked, which are all there are.
    notes : list of str
        What to know about the rows.
    missing : list of str
        What stood for a missing value in the file of the model's data.
    forms : dict of str to str
        How numbers were written there, if not plainly: "%", a currency, "," for a decimal comma.
    made_columns : dict of str to str
        Columns that the tree asks about and that the table has not: what they are made of.
    """

    tree: DecisionTreeClassifier | DecisionTreeRegressor
    method: str
    fidelity: float
    error: float
    model_error: float
    n_leaves: int
    rules: list[str]
    classes: NDArray | None
    feature_names: list[str]
    n_fit: int
    n_test: int
    sizes: list[dict[str, float]]
    table_tree: TableTree = field(repr=False)
    why_not_monotone: str = ""
    stability: Stability | None = None
    constant: str | None = None
    constant_fidelity: float | None = None
    n_trees: int | None = None
    n_members: int | None = None
    notes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    forms: dict[str, str] = field(default_factory=dict)
    made_columns: dict[str, str] = field(default_factory=dict)
    _steps: list[Any] = field(default_factory=list, repr=False)  # before the tree, if any
    _rows: tuple[Any, ...] = field(default=(), repr=False)

    def predict(self, X: Any) -> NDArray:
        """Return what the tree says about rows as the ensemble takes them, shape (n_samples,)."""
        return self.table_tree.predict(through(self._steps, X))

    @property
    def origin(self) -> str:
        """Where it comes from, in words."""
        # Its rules count all rows that it was made from.
        made_up = round(float(self.table_tree.tree.weighted_n_node_samples[0])) - self.n_fit
        more = f" and {made_up} artificial ones" if made_up > 0 else ""
        said = f"what the model says about {self.n_fit} rows{more}"
        if self.method == "merged":
            return f"Merged from the {self.n_trees} trees of the ensemble by {said}"
        return f"Grown on {said}"

    def sentences(self) -> tuple[str, str]:
        """Return in words where it comes from, and how faithful it is."""
        made = self.origin
        leaves = "1 leaf" if self.n_leaves == 1 else f"{self.n_leaves} leaves"
        if self.classes is None:
            return (
                f"{made}: one tree with {leaves}.",
                f"On {self.n_test} rows held out it gives back {percent(self.fidelity)} of the "
                f"variance of the model's answers; its own are off by {figure(self.error)}, the "
                f"model's by {figure(self.model_error)} (root mean square).",
            )
        return (
            f"{made}: one tree with {leaves}.",
            f"On {self.n_test} rows held out it says what the model says on "
            f"{percent(self.fidelity)}, and errs on {percent(self.error)}; the model errs on "
            f"{percent(self.model_error)}." + self._against_constant(),
        )

    def _against_constant(self) -> str:
        """Say so where always giving one answer is nearly as faithful."""
        if not self.tells_little:
            return ""
        return (
            f" Always saying {self.constant!r} would say it on {percent(self.constant_fidelity)}: "
            "such a tree tells little. One of the probability of a class may tell more: "
            "probability_of=."
        )

    @property
    def tells_little(self) -> bool:
        """Whether it has less than a quarter of what always saying one class misses."""
        base = self.constant_fidelity
        return base is not None and self.fidelity - base <= (1 - base) / 4

    def text(self) -> str:
        """Return all of it in words: where it comes from, how faithful it is, its rules."""
        return "\n".join([*self.sentences(), "", *self.rules])

    def scorecard(self) -> Scorecard:
        """Return the same as points to add up, from what the tree asks; for classes only."""
        if self.classes is None:
            raise ValueError("A scorecard decides between classes, and the model gives numbers.")
        X, answers, X_test, test_answers = self._rows
        return make_scorecard(
            self.table_tree,
            through(self._steps, X),
            answers,
            through(self._steps, X_test),
            test_answers,
        )

    def important_columns(self) -> list[str]:
        """Name the columns it asks for, the one that separates most first."""
        importance = self.tree.feature_importances_
        order = np.argsort(-importance, kind="stable")
        return [self.feature_names[k] for k in order if importance[k]]

    def summary(self) -> dict[str, Any]:
        """Return all of it as plain data; "shown" is the tree cut back to 16 leaves at most."""
        shown = cut_back(self.table_tree, _SHOWN_LEAVES)
        size = shown.tree.n_leaves
        return plain(
            {
                **{name: getattr(self, name) for name in _PLAIN},
                "stability": None if self.stability is None else self.stability.summary(),
                "origin": self.origin,
                "sentences": self.sentences(),
                "shown": {
                    "n_leaves": size,
                    "fidelity": next(r["fidelity"] for r in self.sizes if r["n_leaves"] == size),
                    "rules": rules_of(shown),
                    "nodes": tree_nodes(shown),
                },
            }
        )


_PLAIN = (
    "method", "n_leaves", "fidelity", "error", "model_error", "n_fit", "n_test", "n_trees",
    "n_members", "classes", "constant", "constant_fidelity", "sizes", "why_not_monotone", "rules",
    "notes",
)  # fmt: skip


def explain(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    X_test: Any = None,
    y_test: Any = None,
    max_leaves: int | None = None,
    n_resamples: int = 0,
    random_state: Any = 0,
    separator: str | None = None,
    columns: Sequence[Column] | None = None,
    probability_of: str | None = None,
) -> Explanation:
    """Make one tree that says what a fitted model says, as far as one tree can.

    A tree learns the answers, also those about artificial rows where these can be made; of an
    ensemble of trees, rows that its trees put beside each other are crossed for that, and its
    shares help to choose the splits. Either way the tree learns the labels
    that the model gives, not the true ones: it is there to explain the model. Fidelity is measured
    on rows that it was not made from.

    Parameters
    ----------
    model : classifier, regressor or TableModel
        Fitted; a pipeline is fine, and so is what :func:`~counterpoint.tabular.fit` or ``load``
        returned.
    X : array-like or frame of shape (n_samples, n_features)
        Rows as the model takes them, best those it was trained on. At most 3000 of them, drawn
        at random, are used. For a TableModel: a table with labels, or its file; None takes the
        rows it keeps.
    y : array-like of shape (n_samples,)
        Their true labels, to count errors by; not for a TableModel.
    X_test, y_test : array-like, default=None
        Rows to measure on. None: 30 % of the rows given are held out for that.
    max_leaves : int or None, default=None
        Most leaves; of all prunings with so many, the one that agrees best with the model.
    n_resamples : int, default=0
        How often to make the tree again from resampled rows, to see how much of it comes back.
    random_state : int, RandomState instance or None, default=0
        Seeds the split, and the artificial rows of a distilled tree.
    separator : str, default=None
        What stands between two fields of a file.
    columns : sequence of Column, default=None
        What the columns of the table were taken for, whose units the questions have; a TableModel
        knows them.
    probability_of : str or None, default=None
        A class: the tree gives its probability, a number, instead of a label. For classes that are
        so rare that the model hardly ever says them.

    Returns
    -------
    Explanation

    References
    ----------
    .. [1] M. Eastwood's thesis, chapters 4 and 5 (merged trees), section 2.5.2 (distilling).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.tabular import explain
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(10, random_state=0).fit(X[::2], y[::2])
    >>> tree = explain(forest, X[1::2], y[1::2])
    >>> tree.method, tree.fidelity > 0.8
    ('merged', True)
    """
    notes: list[str] = []
    missing: list[str] = []
    if isinstance(model, TableModel):
        missing, columns = model.missing, model.columns
        rows, notes = explaining_rows(model, X, separator=separator)
        model, X, y = model.model, rows["X"], rows["y"]
        X_test, y_test = rows.get("X_test"), rows.get("y_test")
    columns = list(columns or ())
    forms = {c.name: c.form for c in columns if c.kind == "number" and c.form}
    made_columns: dict[str, str] = {}
    for source, parts in made_of(columns).items():
        made_columns |= {part: source for part in parts if part != source}
    last = _members.strip(model)[1]
    if not is_classifier(last) and not is_regressor(last):
        raise TypeError(
            f"A {type(model).__name__} was given, expected a fitted classifier or regressor: one "
            "tree can speak for these only."
        )
    if probability_of is not None:
        if not is_classifier(last):
            raise ValueError(f"probability_of={probability_of!r}: the model gives numbers.")
        model = last = ProbabilityRegressor(model, probability_of)
        y = last.truth(as_labels(y, "y"))
        y_test = y_test if X_test is None else last.truth(as_labels(y_test, "y_test"))
    if max_leaves is not None:
        check_count(max_leaves, "max_leaves")
    check_count(n_resamples, "n_resamples", low=0)
    read = as_labels if is_classifier(last) else _as_numbers
    labels = read(y, "y")
    rng = check_random_state(random_state)
    X = as_rows(X)
    if X_test is None:
        X, labels, X_test, truth = _hold_out(X, labels, rng, by_class=is_classifier(last))
    else:
        X_test, truth = as_rows(X_test), read(y_test, "y_test")
    kept = np.sort(rng.permutation(len(labels))[:_MOST_ROWS])
    X = _tables.select_rows(X, kept)
    # For so few rows threads only wait for each other.
    with threadpool_limits(1 if len(X) + len(truth) <= _MOST_ROWS else None, user_api="openmp"):
        test_answers = np.asarray(model.predict(X_test))
        answers = np.asarray(model.predict(X))
        maker = TreeMaker(model, X, answers, rng)
        made = maker.make(max_leaves=max_leaves)
    tree = made.tree
    arrays = from_sklearn(tree)
    if max_leaves is not None and arrays.n_leaves > max_leaves:
        arrays = cut(arrays, collapsed(arrays, best_leaves(arrays, max_leaves)(max_leaves)))
        made = replace(made, tree=to_sklearn(arrays, tree))
    units = {name: form.lstrip(",") for name, form in forms.items() if form != CLOCK}
    units = {name: f" {unit}" for name, unit in units.items() if unit}
    one, steps = made.on_table(X, units, words_of_texts(columns))
    test_rows = through(steps, X_test)
    leaves = one.apply(test_rows)
    sizes = tree_sizes(one, leaves, test_answers, truth)
    back = None
    if n_resamples:
        shown = cut_back(one, max_leaves or _SHOWN_LEAVES)
        back = stability(shown, maker, X, test_rows, n_resamples, rng)
    constant, share = _commonest(test_answers) if one.classes is not None else (None, None)
    return Explanation(
        tree=made.tree,
        constant=constant,
        constant_fidelity=share,
        table_tree=one,
        fidelity=sizes[-1]["fidelity"],
        error=sizes[-1]["error"],
        model_error=error_of(test_answers, truth, one.classes),
        n_leaves=arrays.n_leaves,
        rules=rules_of(one),
        sizes=sizes,
        why_not_monotone=why_not_monotone(sizes, len(truth)),
        stability=back,
        classes=one.classes,
        feature_names=made.names,
        n_fit=len(answers),
        n_test=len(truth),
        notes=notes,
        missing=missing,
        forms=forms,
        made_columns={n: made_columns[n] for n in one.asked if n in made_columns},
        _steps=steps,
        _rows=(X, answers, X_test, test_answers),
        **made.facts,
    )


def _commonest(answers: NDArray) -> tuple[str, float]:
    """Return the answer that is given most often, and on which share of the rows."""
    labels, counts = np.unique(answers, return_counts=True)
    most = int(counts.argmax())
    return str(labels[most]), float(counts[most] / len(answers))


def _as_numbers(y: Any, name: str) -> NDArray:
    try:
        return np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} holds labels, and the model gives numbers.") from None


def _hold_out(
    X: Any, labels: NDArray, rng: Any, *, by_class: bool
) -> tuple[Any, NDArray, Any, NDArray]:
    if len(labels) < 4:
        raise ValueError(
            f"{len(labels)} rows were given: at least 4 are needed, some to make a tree from and "
            "some to try it on. Give more, or X_test and y_test."
        )
    # By class where there are enough of each to go on both sides.
    _, counts = np.unique(labels, return_counts=True)
    fair = by_class and counts.min() > 1 and len(counts) <= int(_TEST_SHARE * len(labels))
    fit, test = train_test_split(
        np.arange(len(labels)),
        test_size=_TEST_SHARE,
        random_state=rng,
        stratify=labels if fair else None,
    )
    rows = _tables.select_rows
    return rows(X, fit), labels[fit], rows(X, test), labels[test]
