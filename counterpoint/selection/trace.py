"""What a search for members leaves behind: the steps, their values, the choice."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Trace:
    """Steps of a search over members.

    Attributes
    ----------
    steps : list of ndarray
        Members in the ensemble after each step, in the order they joined; a member may come
        more than once where the search allows it.
    values : ndarray of shape (n_steps,)
        The criterion after each step; lower is better.
    errors : ndarray of shape (n_steps,)
        Error of the plain vote after each step.
    best : int
        The step that was chosen.
    method : str
        Name of the search.
    """

    steps: list[NDArray]
    values: NDArray
    errors: NDArray
    best: int
    method: str

    @property
    def selected(self) -> NDArray:
        """Members chosen, each once, in the order they joined."""
        chosen = self.steps[self.best]
        return chosen[np.sort(np.unique(chosen, return_index=True)[1])]

    @property
    def weights(self) -> NDArray:
        """How often each selected member was taken, as shares."""
        chosen = self.steps[self.best]
        count = np.array([(chosen == m).sum() for m in self.selected], dtype=float)
        return count / count.sum()

    def table(self) -> pd.DataFrame:
        """Return a row per step: size, criterion, error, whether it was chosen."""
        return pd.DataFrame(
            {
                "size": [len(step) for step in self.steps],
                "criterion": self.values,
                "error": self.errors,
                "chosen": np.arange(len(self.steps)) == self.best,
            }
        )
