"""What a tree costs when it is cut back, and what it says, for people and as plain data."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoint.tabular.table_tree import Question, TableTree, number_text
from counterpoint.trees import Tree
from counterpoint.trees.pruning.bottom_up import Pruning, collapse, cut
from counterpoint.trees.structure import class_shares

_SIZES = [2**k for k in range(1, 11)]
# Impurity decides between prunings that agree on as many rows, and on nothing else.
_TIE = 1e-6


def cut_back(tree: TableTree, max_leaves: int) -> TableTree:
    """Return a tree cut back to so many leaves, and of all such trees the one that agrees best."""
    pruning = collapsed(tree.tree, best_leaves(tree.tree, max_leaves)(max_leaves))
    return tree.cut(cut(tree.tree, pruning), pruning.kept)


def collapsed(tree: Tree, is_leaf: list[bool]) -> Pruning:
    """Return what is left of a tree when splits in these nodes are dropped."""
    return collapse(tree.children_left.tolist(), tree.children_right.tolist(), is_leaf, 0.0)


def tree_sizes(
    tree: TableTree, leaves: NDArray, answers: NDArray, truth: NDArray
) -> list[dict[str, float]]:
    """Say what this tree cut back to 2, 4, 8, ... leaves would cost, itself last.

    ``leaves`` are those of the rows to judge by, ``answers`` those of the model it stands for,
    ``truth`` the labels of the rows. "agreement" is the share of the rows that the tree was made
    from on which it says what the model says: it never falls as leaves are added.
    """
    table = []
    n_leaves = tree.tree.n_leaves
    sizes = [*takewhile(lambda size: size < n_leaves, _SIZES), n_leaves]
    leaves_of = best_leaves(tree.tree, max(sizes[:-1], default=1))
    for size in sizes:
        if size == n_leaves:
            small, at = tree, leaves
        else:
            pruning = collapsed(tree.tree, leaves_of(size))
            small = tree.cut(cut(tree.tree, pruning), pruning.kept)
            at = pruning.new_node[leaves]
        said = small.says()[at]
        table.append(
            {
                "n_leaves": size,
                "agreement": _agreement(small.tree),
                "fidelity": fidelity_of(said, answers, tree.classes),
                "error": error_of(said, truth, tree.classes),
            }
        )
    return table


def fidelity_of(said: NDArray, answers: NDArray, classes: NDArray | None) -> float:
    """Return how far a tree says what a model says: a share of the rows, or of the variance."""
    if classes is not None:
        return float(np.mean(said == answers))
    spread = float(np.mean((answers - answers.mean()) ** 2))
    return 1.0 - float(np.mean((said - answers) ** 2)) / spread if spread > 0 else float("nan")


def error_of(said: NDArray, truth: NDArray, classes: NDArray | None) -> float:
    """Return the share of wrong labels, or the root of the mean squared error of numbers."""
    if classes is not None:
        return float(np.mean(said != truth))
    return float(np.sqrt(np.mean((said - truth) ** 2)))


def _agreement(tree: Tree) -> float:
    """Return the same as fidelity, on the rows a tree was made from."""
    leaf = tree.is_leaf
    if tree.value.shape[1] > 1:
        return float(tree.value[leaf].max(axis=1).sum() / tree.value[leaf].sum())
    inertia = tree.impurity * tree.weighted_n_node_samples
    return float(1.0 - inertia[leaf].sum() / inertia[0]) if inertia[0] > 0 else float("nan")


def why_not_monotone(sizes: list[dict[str, float]], n_test: int) -> str:
    """Say why a larger tree is less faithful than a smaller one, if one is; else nothing."""
    best, worst = None, 0.0
    for k, row in enumerate(sizes):
        for larger in sizes[k + 1 :]:
            if row["fidelity"] - larger["fidelity"] > worst:
                worst = row["fidelity"] - larger["fidelity"]
                best = (row["n_leaves"], larger["n_leaves"])
    if best is None:
        return ""
    return (
        f"Of {n_test} held-out rows {best[0]:.0f} leaves give back {100 * worst:.1f} % more than "
        f"{best[1]:.0f} leaves do. On the rows it was made from more leaves are never "
        "less faithful: the last ones follow single rows there, and do not carry over."
    )


def best_leaves(tree: Tree, most: int) -> Callable[[int], list[bool]]:
    """Return a function from a number of leaves to which nodes are leaves in the best such pruning.

    Bottom up, for every node and number of leaves: the split of that number between its children
    that leaves least weight in other classes than those of the leaves.
    """
    left, right = tree.children_left, tree.children_right
    cost = _costs(tree)
    best: list[NDArray] = [np.empty(0)] * tree.node_count
    chosen: list[NDArray] = [np.empty(0)] * tree.node_count  # leaves of the left child
    for node in range(tree.node_count - 1, -1, -1):
        if left[node] < 0:
            best[node] = cost[node : node + 1]
            continue
        a, b = best[left[node]], best[right[node]]
        n = min(len(a) + len(b), most)
        lowest, of_left = np.full(n, np.inf), np.zeros(n, dtype=np.int64)
        lowest[0] = cost[node]
        for i, own in enumerate(a[: n - 1]):
            place = slice(i + 1, min(i + 1 + len(b), n))
            sums = own + b[: place.stop - place.start]
            better = sums < lowest[place]
            lowest[place] = np.where(better, sums, lowest[place])
            of_left[place] = np.where(better, i + 1, of_left[place])
        best[node], chosen[node] = lowest, of_left

    def leaves_of(n_leaves: int) -> list[bool]:
        is_leaf = [True] * tree.node_count
        todo = [(0, min(n_leaves, len(best[0])))]
        while todo:
            node, k = todo.pop()
            if k == 1 or left[node] < 0:
                continue
            is_leaf[node] = False
            own = int(chosen[node][k - 1])
            todo += [(int(left[node]), own), (int(right[node]), k - own)]
        return is_leaf

    return leaves_of


def _costs(tree: Tree) -> NDArray:
    impurity = np.asarray(tree.impurity * tree.weighted_n_node_samples)
    if tree.value.shape[1] == 1:
        return impurity
    return tree.value.sum(axis=1) - tree.value.max(axis=1) + _TIE * impurity


# -- in words --------------------------------------------------------------------------------


@dataclass
class _Asked:
    """All that a path asks of one column."""

    sign: str = "<="
    lower: float = float("-inf")
    upper: float = float("inf")
    values: tuple[Any, ...] | None = None
    excluded: tuple[Any, ...] = ()
    missing: bool | None = None
    unit: str = ""
    words: tuple[str, ...] = ()

    def add(self, question: Question, yes: bool) -> None:
        if question.kind == "missing":
            self.missing = yes
            return
        if question.kind == "number":
            self.unit, self.words = question.unit, question.words
            if yes:
                self.upper = min(self.upper, question.cut)
            else:
                self.lower = max(self.lower, question.cut)
        elif yes:
            known = question.values if self.values is None else self.values
            self.values = tuple(value for value in known if value in question.values)
        else:
            self.excluded += question.values
        if self.missing is not True and yes != question.gap:
            self.missing = False

    def text(self, name: str, gaps: bool) -> str:
        if self.missing is True:
            return f"{name} is missing"
        open_ = gaps and self.missing is None
        words = self._words(name)
        if not words:
            return f"{name} is not missing"
        return f"({words} or missing)" if open_ else words

    def _words(self, name: str) -> str:
        if self.values is not None:
            values = [str(v) for v in self.values if v not in self.excluded]
            return f"{name} is {' or '.join(values)}"
        if self.excluded:
            return f"{name} is not {' or '.join(map(str, dict.fromkeys(self.excluded)))}"
        if self.words:
            return self.words[not np.isfinite(self.upper)]
        low, high = number_text(self.lower) + self.unit, number_text(self.upper) + self.unit
        if np.isfinite(self.lower) and np.isfinite(self.upper):
            return f"{low} < {name} {self.sign} {high}"
        if np.isfinite(self.lower):
            return f"{name} > {low}"
        return f"{name} {self.sign} {high}" if np.isfinite(self.upper) else ""


def _by_column(path: list[tuple[Question, bool]], sign: str = "<=") -> dict[str, _Asked]:
    asked: dict[str, _Asked] = {}
    for one, yes in path:
        asked.setdefault(one.column, _Asked(sign)).add(one, yes)
    return asked


def short_paths(tree: TableTree, X: pd.DataFrame) -> list[str]:
    """Return why each row comes to its leaf: each column that is asked about once, in words."""
    alike = [(int(leaf), gaps.tobytes())
             for leaf, gaps in zip(tree.apply(X), X.isna().to_numpy(), strict=True)]  # fmt: skip
    first = {key: k for k, key in reversed([*enumerate(alike)])}
    texts = {key: _short_path(tree, X.iloc[[k]]) for key, k in first.items()}
    return [texts[key] for key in alike]


def _short_path(tree: TableTree, row: pd.DataFrame) -> str:
    asked = _by_column(tree.way(row), "\N{LESS-THAN OR EQUAL TO}")
    gone = {name for name in asked if name in row.columns and row[name].isna().iloc[0]}
    return " and ".join(
        f"{name} is missing" if name in gone else one.text(name, gaps=False)
        for name, one in asked.items()
    )


def rules_of(tree: TableTree) -> list[str]:
    """Return the rules of a tree as text, a rule a leaf, the one with most support first.

    Leaves that nothing can reach are left out.
    """
    arrays, total = tree.tree, float(tree.tree.weighted_n_node_samples[0])
    share, says = class_shares(arrays.value), tree.says()
    rules: list[tuple[float, str]] = []
    todo: list[tuple[int, list[tuple[Question, bool]]]] = [(0, [])]
    while todo:
        node, path = todo.pop()
        question = tree.questions[node]
        if question is not None:
            todo.append((int(arrays.children_right[node]), [*path, (question, False)]))
            todo.append((int(arrays.children_left[node]), [*path, (question, True)]))
            continue
        asked = _by_column(path)
        where = " and ".join(a.text(name, name in tree.gaps) for name, a in asked.items())
        support = float(arrays.weighted_n_node_samples[node])
        sure = f", {100 * share[node].max():.0f} % sure" if tree.classes is not None else ""
        if support <= 0:
            sure = ", no samples"
        label = says[node] if tree.classes is not None else f"{says[node]:.6g}"
        start = f"if {where} then" if path else "always"
        rules.append((support, f"{start} {label} ({support:.6g} of {total:.6g}{sure})"))
    return [text for _, text in sorted(rules, key=lambda rule: -rule[0])]


def tree_nodes(tree: TableTree) -> list[dict[str, Any]]:
    """List nodes for drawing: parents first, the branch for yes before that for no."""
    arrays = tree.tree
    share, says = class_shares(arrays.value), tree.says()
    weight = arrays.weighted_n_node_samples / arrays.weighted_n_node_samples[0]
    nodes = []
    for k, question in enumerate(tree.questions):
        leaf = question is None
        top = int(share[k].argmax())
        nodes.append(
            {
                "yes": None if leaf else int(arrays.children_left[k]),
                "no": None if leaf else int(arrays.children_right[k]),
                "question": None if question is None else question.text(),
                "label": str(says[k]) if tree.classes is not None else f"{says[k]:.6g}",
                "class": top,
                "share": float(share[k, top]) if tree.classes is not None else None,
                "weight": float(weight[k]),
            }
        )
    return nodes
