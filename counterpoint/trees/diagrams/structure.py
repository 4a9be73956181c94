"""A decision diagram as plain arrays, and what it says."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._soundness import check_positions, check_shape
from counterpoint.trees.ensemble import rows_for_trees
from counterpoint.trees.structure import MOST_COLUMNS

if TYPE_CHECKING:
    from counterpoint.trees.rules.rule import Rule


@dataclass(frozen=True, kw_only=True)
class DecisionDiagram:
    """Questions that lead to further questions or to a class; many ways may lead to one question.

    Made by :func:`equivalent_diagram`. A tree whose equal parts are there only once: where a tree
    would have to be written out in millions of leaves, a few hundred questions can do [1]_.

    Attributes
    ----------
    feature : ndarray of shape (n_nodes,), int32
        The column that each question is about.
    threshold : ndarray of shape (n_nodes,), float64
        ``low`` is where a sample goes that is not above it.
    low, high : ndarray of shape (n_nodes,), int32
        The next question, after this one; -1 - k is an answer: class k.
    root : int
        The first question: 0, or an answer if there are no questions.
    classes : ndarray of shape (n_classes,)
        Labels.
    n_features : int
        Number of columns.
    feature_names : ndarray of shape (n_features,) or None
    dtype : type
        What samples are rounded to before they meet thresholds, as in the ensemble.

    References
    ----------
    .. [1] R. E. Bryant, "Graph-based algorithms for Boolean function manipulation", IEEE
       Transactions on Computers C-35, 1986.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.trees import equivalent_diagram
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y)
    >>> diagram = equivalent_diagram(forest)
    >>> bool((diagram.predict(X) == forest.predict(X)).all())
    True
    """

    feature: NDArray
    threshold: NDArray
    low: NDArray
    high: NDArray
    root: int
    classes: NDArray
    n_features: int
    feature_names: NDArray | None = None
    dtype: Any = np.float32

    @property
    def n_nodes(self) -> int:
        """Number of questions."""
        return len(self.feature)

    @property
    def depth(self) -> int:
        """Most questions that any way through the diagram asks."""
        deepest = np.zeros(self.n_nodes + 1, dtype=np.int64)  # the last is that of an answer
        for node in range(self.n_nodes - 1, -1, -1):
            after = max(self.low[node], -1), max(self.high[node], -1)
            deepest[node] = 1 + max(deepest[after[0]], deepest[after[1]])
        return int(deepest[0]) if self.n_nodes else 0

    def _walk(self, X, *, count=False):
        """Return the class that each sample comes to, or the questions that it is asked."""
        rows = self._read(X)
        at = np.full(len(rows), self.root, dtype=np.int64)
        asked = np.zeros(len(rows), dtype=np.int64)
        on = np.flatnonzero(at >= 0)
        while len(on):
            node = at[on]
            above = rows[on, self.feature[node]] > self.threshold[node]
            at[on] = np.where(above, self.high[node], self.low[node])
            asked[on] += 1
            on = on[at[on] >= 0]
        return asked if count else -1 - at

    def _read(self, X):
        rows = rows_for_trees(X, self.n_features, self.dtype)
        if np.isnan(rows).any():
            raise ValueError(
                "X holds missing values (NaN), and a diagram says nothing of them: fill them in "
                "first, for example with sklearn.impute.SimpleImputer in a pipeline."
            )
        return rows

    def apply(self, X: ArrayLike) -> NDArray:
        """Return the position in ``classes`` of what each sample comes to, (n_samples,)."""
        return self._walk(check_diagram(self)._read(X))

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the label each sample comes to, (n_samples,); none may be missing."""
        return self.classes[self.apply(X)]

    def n_asked(self, X: ArrayLike) -> NDArray:
        """Count the questions that each sample is asked, (n_samples,)."""
        return self._walk(check_diagram(self)._read(X), count=True)

    def explain(self, x: ArrayLike) -> "Rule":
        """Return the way of one sample, (n_features,), as a rule: all its questions put together.

        All samples that the rule covers get the label. Its support is 1, this sample.
        """
        from counterpoint.trees.diagrams.writing import way_of

        return way_of(check_diagram(self), x)

    def rules(self) -> str:
        """Write the diagram as rules in blocks; a rule says a class, or which block is next."""
        from counterpoint.trees.diagrams.writing import to_rules

        return to_rules(check_diagram(self))

    def sql(self, table: str = "data", column: str = "prediction") -> str:
        """Write the diagram as a query that adds a column with the label to a table.

        Parameters
        ----------
        table, column : str
            Names to use for the table and for the column that comes out.

        Notes
        -----
        Thresholds are written so that numbers of double precision go where they would after the
        diagram's rounding. NULL goes where large numbers go.
        """
        from counterpoint.trees.diagrams.writing import to_sql

        return to_sql(check_diagram(self), table, column)

    def python(self) -> str:
        """Write the diagram as a module without imports: ``predict({"column": number, ...})``."""
        from counterpoint.trees.diagrams.writing import to_python

        return to_python(check_diagram(self))

    @property
    def names(self) -> list[str]:
        """Names of the columns; "x0", "x1", ... where there are none."""
        if self.feature_names is None:
            return [f"x{f}" for f in range(self.n_features)]
        return [str(name) for name in self.feature_names]


def check_diagram(diagram: Any) -> DecisionDiagram:
    """Return a diagram, or say what is wrong with it."""
    if not isinstance(diagram, DecisionDiagram):
        raise TypeError(
            f"diagram is a {type(diagram).__name__}: give a DecisionDiagram, as equivalent_diagram "
            "makes it."
        )
    n, n_classes = len(np.shape(diagram.feature)) and len(diagram.feature), len(diagram.classes)
    if not 0 <= diagram.n_features <= MOST_COLUMNS:
        raise ValueError(f"n_features={diagram.n_features}: give the number of columns.")
    for name in ("feature", "threshold", "low", "high"):
        check_shape(getattr(diagram, name), name, (n,))
    check_positions(diagram.feature, "feature", diagram.n_features)
    if np.isnan(diagram.threshold).any():
        raise ValueError("A threshold of the diagram is NaN: give numbers.")
    for name in ("low", "high"):
        check_positions(getattr(diagram, name), name, n, low=-n_classes)
        after = getattr(diagram, name)
        if ((after >= 0) & (after <= np.arange(n))).any():
            raise ValueError(f"{name} of the diagram goes back: questions come after those before.")
    if not -n_classes <= diagram.root < max(n, 0) or (n and diagram.root != 0):
        raise ValueError(f"root={diagram.root}: give 0, or an answer where nothing is asked.")
    return diagram
