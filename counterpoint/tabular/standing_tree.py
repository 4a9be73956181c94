"""One tree that stands for an assessed model, of classes or of numbers."""

from functools import cached_property
from typing import Any

from counterpoint.tabular.explanation import Explanation, explain


class HasTree:
    """What makes the tree when it is first asked for; the rows are those of the assessment."""

    model: Any
    X: Any
    y: Any
    X_train: Any
    y_train: Any
    seed: int

    @cached_property
    def _tree_or_reason(self) -> tuple[Explanation | None, str]:
        options: dict[str, Any] = {"random_state": self.seed}
        rows: tuple[Any, Any] = self.X, self.y
        if self.X_train is not None:
            options |= {"X_test": self.X, "y_test": self.y}
            rows = self.X_train, self.y_train
        try:
            return explain(self.model, *rows, **options), ""
        except (ValueError, TypeError) as error:
            return None, str(error)

    @property
    def tree(self) -> Explanation | None:
        """One tree that stands for the model, made when first asked for; None if none can be."""
        return self._tree_or_reason[0]
