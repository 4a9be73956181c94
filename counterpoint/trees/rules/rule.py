"""Trees as rules for people: one rule a leaf."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._validation import check_flag, check_list
from counterpoint.trees.boxes import leaf_boxes
from counterpoint.trees.structure import Tree, check_tree

_LEAST_DIGITS, _MOST_DIGITS = 4, 17


@dataclass(frozen=True, kw_only=True)
class Condition:
    """What a rule asks of one column: ``lower < x <= upper``, -inf or inf where it has no limit."""

    feature: int
    name: str
    lower: float
    upper: float
    meaning: tuple[str, str] | None = None  # of a column of 0 and 1: what column and value 1 is

    def __str__(self) -> str:
        if self.meaning is not None and (self.lower < 0) != (self.upper >= 1):
            column, value = self.meaning
            return f"{column} is {'not ' if self.lower < 0 else ''}{value}"
        low, high = _written(self.lower, self.upper)
        if np.isneginf(self.lower):
            return f"{self.name} <= {high}"
        return (
            f"{self.name} > {low}" if np.isposinf(self.upper) else f"{low} < {self.name} <= {high}"
        )


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One leaf of a tree: under these conditions, this label.

    Attributes
    ----------
    text : str
        The rule in words. Limits are rounded; ``conditions`` has them as they are.
    conditions : tuple of Condition
        One a column, in the order the tree asks for them. None: the rule always holds.
    label : object
        The heaviest class, or the number that the leaf puts out.
    support : float
        Weight of the training samples in the leaf.
    confidence : float
        The share of the label in that weight; NaN if there is none, and for numbers.
    leaf : int
        Number of the leaf in the tree.
    """

    text: str
    conditions: tuple[Condition, ...]
    label: Any
    support: float
    confidence: float
    leaf: int

    def __str__(self) -> str:
        return self.text

    def covers(self, X: ArrayLike) -> np.ndarray:
        """Say which samples the conditions hold for, (n_samples,); never where one is missing."""
        X = np.asarray(X)
        held = np.ones(len(X), dtype=bool)
        for condition in self.conditions:
            x = X[:, condition.feature]
            held &= (np.float64(condition.lower) < x) & (x <= np.float64(condition.upper))
        return held


class RuleList(list[Rule]):
    """Rules that print one a line."""

    def __str__(self) -> str:
        return "\n".join(str(rule) for rule in self)


def tree_rules(
    tree: Tree,
    classes: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    indicators: Mapping[str, tuple[str, Any]] | None = None,
    *,
    numbers: bool = False,
) -> RuleList:
    """Write a tree as rules, the one with most support first.

    Each leaf is a rule. All that its path asks of a column is put together in one condition.
    Leaves that nothing can reach are left out. Conditions say nothing of missing values.

    Parameters
    ----------
    tree : Tree
        With splits on columns only.
    classes : array-like of shape (n_classes,), default=None
        Labels; None numbers the classes from 0.
    feature_names : sequence of str, default=None
        None is "x0", "x1", ...
    indicators : mapping of str to (str, object), default=None
        Names of columns of 0 and 1, and the column and value each stands for, as
        :meth:`counterpoint.datasets.TabularEncoder.indicators` tells them. Rules then say
        "colour is red", and not "colour_red > 0.5".
    numbers : bool, default=False
        Whether the tree puts out numbers. Rules then end with the number and, after "+-", the root
        of the mean squared deviation in the leaf, which is the tree's ``impurity``.

    Returns
    -------
    RuleList
        A list of :class:`Rule` that prints one a line.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees import from_sklearn, tree_rules
    >>> data = load_iris()
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(data.data, data.target)
    >>> names = ["sepal length", "sepal width", "petal length", "petal width"]
    >>> print(tree_rules(from_sklearn(tree), data.target_names, names))
    if 0.8 < petal width <= 1.75 then versicolor (54 of 150, 91 % sure)
    if petal width <= 0.8 then setosa (50 of 150, 100 % sure)
    if petal width > 1.75 then virginica (46 of 150, 98 % sure)
    """
    n_classes = check_tree(tree).value.shape[1]
    if check_flag(numbers, "numbers") and (n_classes != 1 or classes is not None):
        raise ValueError("A tree of numbers has one column of values and no classes.")
    labels = np.arange(n_classes) if classes is None else np.asarray(classes)
    if labels.shape != (n_classes,):
        raise ValueError(
            f"classes has shape {labels.shape}, but the tree has {n_classes} classes: give one "
            "label for each."
        )
    n_features = int(tree.feature.max()) + 1
    if feature_names is None:
        feature_names = [f"x{k}" for k in range(n_features)]
    feature_names = check_list(feature_names, "feature_names", "names of columns")
    if len(feature_names) < n_features:
        raise ValueError(
            f"{len(feature_names)} feature_names, but the tree asks for column {n_features - 1}: "
            "give one name for each column."
        )
    leaf, lower, upper = leaf_boxes(tree, max(n_features, 1))
    asked = _columns_asked(tree)
    total = float(tree.weighted_n_node_samples[0])
    rules = RuleList()
    for node, low, high in zip(leaf, lower, upper, strict=True):
        if not (low < high).all():
            continue
        conditions = tuple(
            Condition(
                feature=f,
                name=str(feature_names[f]),
                lower=low[f],
                upper=high[f],
                meaning=_meaning(indicators, feature_names[f]),
            )
            for f in asked[node]
        )
        support = float(tree.weighted_n_node_samples[node])
        if numbers:
            spread = float(np.sqrt(tree.impurity[node]))
            rules.append(
                _number_rule(conditions, tree.value[node, 0], spread, support, total, node)
            )
            continue
        label = labels[tree.label[node]]
        rules.append(write_rule(conditions, label, tree.value[node], support, total, int(node)))
    rules.sort(key=lambda rule: -rule.support)
    return rules


def _meaning(indicators, name):
    if indicators is None or name not in indicators:
        return None
    column, value = indicators[name]
    return str(column), "missing" if value is None or value != value else str(value)


def _columns_asked(tree):
    """Columns on the path to each node, in the order they are first asked for."""
    asked: list[tuple[int, ...]] = [()] * tree.node_count
    for node in np.flatnonzero(~tree.is_leaf):  # parents come first
        f = int(tree.feature[node])
        below = asked[node] if f in asked[node] else (*asked[node], f)
        asked[tree.children_left[node]] = asked[tree.children_right[node]] = below
    return asked


def write_rule(
    conditions: tuple[Condition, ...],
    label: Any,
    value: NDArray,
    support: float,
    total: float,
    leaf: int,
) -> Rule:
    """Return a rule with its text; ``value`` are the weights of the classes, ``total`` of all."""
    confidence = float(value.max() / value.sum()) if value.sum() > 0 else float("nan")
    sure = "no samples" if np.isnan(confidence) else f"{100 * confidence:.0f} % sure"
    return Rule(
        text=f"{_start(conditions)} {label} ({support:.6g} of {total:.6g}, {sure})",
        conditions=conditions,
        label=label.item() if isinstance(label, np.generic) else label,
        support=support,
        confidence=confidence,
        leaf=leaf,
    )


def _number_rule(conditions, number, spread, support, total, leaf):
    return Rule(
        text=f"{_start(conditions)} {number:.4g} ({support:.6g} of {total:.6g}, +- {spread:.2g})",
        conditions=conditions,
        label=float(number),
        support=support,
        confidence=float("nan"),
        leaf=int(leaf),
    )


def _start(conditions):
    where = " and ".join(str(condition) for condition in conditions)
    return f"if {where} then" if conditions else "always"


def _written(low, high):
    """Round both limits for people, but not to the same number."""
    for digits in range(_LEAST_DIGITS, _MOST_DIGITS + 1):
        texts = f"{low:.{digits}g}", f"{high:.{digits}g}"
        if texts[0] != texts[1]:
            break
    return texts
