"""One decision tree, drawn so that it can be read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_regressor

from counterpoint._typing import Estimator
from counterpoint.plots import style
from counterpoint.plots.display import Display
from counterpoint.trees import Tree, take_trees
from counterpoint.trees.structure import OBLIQUE, class_shares, refuse_categories
from counterpoint.trees.take_numbers import take_number_trees

# Inches: a row for each leaf, a letter, the column of bars.
_ROW, _LETTER, _BARS = 0.25, 0.065, 1.3
_FONT = 8.5
_LONGEST_NAME, _LONGEST_QUESTION = 26, 44


@dataclass(kw_only=True)
class TreeDisplay(Display):
    """A tree from left to right: a question a fork, a line a leaf.

    Where the answer to a question is yes, the upper branch is taken. Lines are the thicker the
    more samples go along them. On the right stand the class of each leaf, the weight of its
    samples with the share of that class, and a bar: as long as the leaf is heavy, in the
    colours of the classes. The figure grows with the tree; up to about 60 leaves fit a page.

    Parameters
    ----------
    tree : Tree
    classes : ndarray of shape (n_classes,) or None
        Labels; None for a tree that gives numbers.
    feature_names : list of str
        Names of the columns.
    questions : list of str or None, default=None
        What each node asks, "" in leaves; None: by name and threshold.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.plots.tree import TreeDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    >>> TreeDisplay.from_tree(tree).table()["question"].tolist()
    ['petal width (cm) ≤ 0.800', '', 'petal width (cm) ≤ 1.75', '', '']
    """

    tree: Tree
    classes: NDArray | None
    feature_names: list[str]
    questions: list[str] | None = None

    @classmethod
    def from_estimator(cls, estimator: Estimator, **options: Any) -> Self:
        """Draw the one tree of a fitted estimator; options as in :meth:`from_tree`."""
        return cls.from_tree(estimator, **options)

    @classmethod
    def from_tree(
        cls,
        tree: Any,
        *,
        classes: ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        questions: Sequence[str] | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Take a tree out of an estimator, then draw it.

        Parameters
        ----------
        tree : Tree or fitted estimator
            An estimator that is one tree: ``DecisionTreeClassifier``, ``DecisionTreeRegressor``,
            ``HistTreeClassifier``, or whatever has ``as_sklearn()``.
        classes : array-like of shape (n_classes,), default=None
            Names to write for the classes; None: those the estimator knows.
        feature_names : sequence of str, default=None
            Names to write for the columns; None: those the estimator knows, or "x0", "x1", ...
        questions : sequence of str, default=None
            What to write for each node, such as "colour is red" where a column of 0 and 1 stands
            for that; None: by name and threshold.
        ax, **options
            As for ``plot`` and ``draw``.
        """
        model = tree.as_sklearn() if hasattr(tree, "as_sklearn") else tree
        numbers = hasattr(model, "fit") and is_regressor(model)
        taken: Any = take_number_trees(model) if numbers else take_trees(model)
        if len(taken.trees) != 1:
            raise ValueError(
                f"{len(taken.trees)} trees were given, and one can be drawn at a time: pass one of "
                "them, such as estimators_[0]."
            )
        own: Any = getattr(taken, "classes", None)  # none where the tree gives numbers
        labels: Any = own if classes is None else np.asarray(classes)
        if np.shape(labels) != np.shape(own):
            raise ValueError(
                f"classes has shape {np.shape(labels)}, but the tree has {np.size(own)} classes: "
                "give one name for each, and none for a tree that gives numbers."
            )
        names: Any = taken.feature_names if feature_names is None else feature_names
        if names is None:
            names = [f"x{k}" for k in range(taken.n_features)]
        if len(names) < taken.n_features:
            raise ValueError(
                f"{len(names)} feature_names for {taken.n_features} columns: give one each."
            )
        names = [str(name) for name in names]
        asked = None if questions is None else [str(question) for question in questions]
        if asked is not None and len(asked) != taken.trees[0].node_count:
            raise ValueError(
                f"{len(asked)} questions for {taken.trees[0].node_count} nodes: give one each."
            )
        display = cls(
            tree=taken.trees[0], classes=labels, feature_names=names, questions=asked
        )  # fmt: skip
        return display.plot(ax, **options)

    def table(self) -> pd.DataFrame:
        """Return one row per node: where it hangs, what it asks, what it says of its samples."""
        tree = self.tree
        parent, depth = _parents(tree)
        frame = pd.DataFrame(
            {
                "parent": parent,
                "depth": depth,
                "leaf": tree.is_leaf,
                "question": [self._question(node) for node in range(tree.node_count)],
                "label": self._labels(),
                "support": np.asarray(tree.weighted_n_node_samples, dtype=float),
                "share": np.nan if self.classes is None else class_shares(tree.value).max(axis=1),
            }
        )
        return frame.rename_axis("node")

    def _labels(self):
        if self.classes is None:
            return [style.number(value) for value in self.tree.value[:, 0]]
        return self.classes[self.tree.label]

    def _size(self) -> tuple[float, float]:
        nodes = self.table()
        return self._layout(nodes)[2] + _BARS + 1.6, _ROW * int(nodes["leaf"].sum()) + 0.7

    def _layout(self, nodes):
        """Where nodes begin, leaves are written and their bars begin, in inches."""
        widths = nodes["question"].str.len().groupby(nodes["depth"]).max() * _LETTER + 0.32
        starts = np.concatenate([[0.0], np.cumsum(widths[widths > 0.32])])
        x, written = starts[np.minimum(nodes["depth"], len(starts) - 1)], float(starts[-1])
        longest = max(len(_leaf_text(leaf)) for _, leaf in nodes[nodes["leaf"]].iterrows())
        return x, written, written + _LETTER * longest + 0.15

    def draw(
        self, ax: Axes, *, text_kwargs: style.Look = None, line_kwargs: style.Look = None
    ) -> list[Any]:
        """Draw on these axes; a figure of its own is large enough for the tree.

        Parameters
        ----------
        ax : matplotlib Axes
            On axes of yours the texts may need another ``fontsize``.
        text_kwargs : dict, default=None
            For all texts in the tree, such as ``{"fontsize": 6}``.
        line_kwargs : dict, default=None
            For the branches. A ``linewidth`` makes all of them the same.
        """
        nodes = self.table()
        x, bars, right = self._layout(nodes)
        y = _rows(self.tree)
        leaves = nodes.index[nodes["leaf"]]
        whole = max(nodes["support"].iloc[0], nodes["support"].max())
        text = style.merge({"fontsize": _FONT, "va": "center"}, text_kwargs, Text)

        self._draw_branches(ax, nodes, x, y, bars, whole, line_kwargs)
        for node in nodes.index[~nodes["leaf"]]:
            box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": style.GREY}
            words = nodes.loc[node, "question"]
            ax.text(x[node], y[node], words, bbox={**box, "linewidth": 0.6}, ha="left", **text)
        heaviest = max(nodes.loc[leaves, "support"].max(), 1e-300)
        for leaf in leaves:
            ax.text(bars + 0.05, y[leaf], _leaf_text(nodes.loc[leaf]), ha="left", **text)
            start = right
            numbers = self.classes is None
            weights = nodes.loc[[leaf], "support"] if numbers else self.tree.value[leaf]
            for k, weight in enumerate(weights):
                wide = _BARS * weight / heaviest
                ax.barh(y[leaf], wide, left=start, height=0.7, color=style.colour(k))
                start += wide
        ax.set(xlim=(-0.1, right + _BARS), ylim=(len(leaves) - 0.4, -0.9), xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
        ax.text(0.0, -0.75, "yes: up, no: down", color=style.GREY, ha="left", **text)
        classes: Any = [] if self.classes is None else self.classes
        return [Patch(color=style.colour(k), label=str(label)) for k, label in enumerate(classes)]

    def _draw_branches(self, ax, nodes, x, y, bars, whole, line_kwargs):
        for node in nodes.index[1:]:
            above = nodes.loc[node, "parent"]
            share = nodes.loc[node, "support"] / whole if whole > 0 else 0.0
            leaf = nodes.loc[node, "leaf"]
            look = {"color": "0.6", "linewidth": 0.6 + 3.4 * share, "solid_capstyle": "butt"}
            if leaf:
                look["color"] = style.tint(style.colour(self.tree.label[node]), 0.6)
            look = style.merge({**look, "zorder": 0}, line_kwargs, Line2D)
            fork = x[above] + 0.08
            end = bars if leaf else x[node]
            ax.plot([fork, fork, end], [y[above], y[node], y[node]], **look)

    def _question(self, node):
        tree = self.tree
        if tree.is_leaf[node]:
            return ""
        if self.questions is not None:
            return _short(self.questions[node], _LONGEST_QUESTION)
        refuse_categories(tree, "The picture")
        cut = style.number(tree.threshold[node])
        if tree.feature[node] != OBLIQUE or tree.normals is None:
            name = _short(self.feature_names[tree.feature[node]])
            return f"{name} \N{LESS-THAN OR EQUAL TO} {cut}"
        normal = tree.normals[node]
        main = np.argsort(-np.abs(normal), kind="stable")[:2]
        terms = [
            f"{style.number(normal[f])} {_short(self.feature_names[f])}" for f in main if normal[f]
        ]
        more = " + …" if np.count_nonzero(normal) > len(main) else ""
        return f"{' + '.join(terms)}{more} \N{LESS-THAN OR EQUAL TO} {cut}"


def _short(name, longest=_LONGEST_NAME):
    return name if len(name) <= longest else name[: longest - 1] + "…"


def _leaf_text(leaf):
    if np.isnan(leaf["share"]):
        return f"{leaf['label']}: {leaf['support']:.6g}"
    percent = f"{100 * leaf['share']:.0f} %" if leaf["support"] > 0 else "no samples"
    return f"{leaf['label']}: {leaf['support']:.6g} ({percent})"


def _parents(tree):
    parent = np.full(tree.node_count, -1)
    depth = np.zeros(tree.node_count, dtype=int)
    for node in np.flatnonzero(~tree.is_leaf):  # parents come first
        for child in (tree.children_left[node], tree.children_right[node]):
            parent[child], depth[child] = node, depth[node] + 1
    return parent, depth


def _rows(tree):
    """Give leaves whole numbers from above, and splits the middle of their children."""
    row = np.zeros(tree.node_count)
    stack, count = [0], 0
    while stack:
        node = stack.pop()
        if tree.is_leaf[node]:
            row[node] = count
            count += 1
        else:
            stack += [tree.children_right[node], tree.children_left[node]]
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:
        row[node] = (row[tree.children_left[node]] + row[tree.children_right[node]]) / 2
    return row
