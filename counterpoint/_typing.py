"""Names for what public functions and methods are handed, said once.

Tables, targets and estimators come from many libraries and have no common type: for a type checker
they are anything, and the name tells the reader what is meant. What they may hold is checked when
they are read (``_reading.py``), with words that help.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

# Rows and columns: array-like, sparse matrix, or a frame of pandas or polars.
DataLike: TypeAlias = Any
# One label or number for each row: array-like or a column of a frame.
Target: TypeAlias = Any
# Anything with fit and predict.
Estimator: TypeAlias = Any
# Members given, fitted or not: a list, a dict, or one ensemble.
Pool: TypeAlias = Any
# How much each sample counts; None is the same for all.
Weights: TypeAlias = ArrayLike | None
# A dict from label to weight, "balanced", or None.
ClassWeight: TypeAlias = dict[Any, float] | str | None
# The source of randomness: a seed, a generator, or None for another one each time.
Seed: TypeAlias = int | np.random.RandomState | None
