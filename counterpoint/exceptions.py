"""All errors and warnings of counterpoint.

::

    ValueError
    └── MemberError            members cannot be taken out, cannot be trained, or answer nothing
    ArithmeticError
    └── DivergenceError        training ran away and was stopped
    LookupError
    └── DatasetNotFoundError   no such data set, or one that may not be shipped
    RuntimeError
    └── ExperimentError        cells of an experiment failed; the others are kept
    ConnectionError
    └── ClusterLostError       the scheduler of a Dask cluster is gone, and its workers with it
    UserWarning
    ├── CollapseWarning        trained members all give one and the same answer
    ├── CollusionWarning       members differ on training data only
    ├── InterruptedFitWarning  Ctrl-C, or a cluster that was lost; the part that is done is kept
    ├── RedundancyWarning      the members say nearly the same thing
    ├── ThinnedWarning         more rows than max_samples: a sample of them stands for all
    └── UndefinedMeasureWarning  a number asked for does not exist for this input

Wrong values, shapes and types are plain ``ValueError`` and ``TypeError``, as in scikit-learn.
"""

__all__ = [
    "ClusterLostError",
    "CollapseWarning",
    "CollusionWarning",
    "DatasetNotFoundError",
    "DivergenceError",
    "ExperimentError",
    "InterruptedFitWarning",
    "MemberError",
    "RedundancyWarning",
    "ThinnedWarning",
    "UndefinedMeasureWarning",
]


class MemberError(ValueError):
    """Members cannot be taken apart, or one cannot be trained or answers nothing."""


class DivergenceError(ArithmeticError):
    """Outputs or weights grew beyond all bounds while training."""


class DatasetNotFoundError(LookupError):
    """No data set of this name is shipped, in the data folder, or fetched."""


class ExperimentError(RuntimeError):
    """Some cells of an experiment could not be run; the finished ones are in its store.

    Attributes
    ----------
    failures : dict of str to str
        The traceback of each failed cell, by the cell's key.
    """

    def __init__(self, message: str, failures: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.failures = failures or {}


class ClusterLostError(ConnectionError):
    """The scheduler of a Dask cluster no longer answers."""


class CollapseWarning(UserWarning):
    """An ensemble gives the same answer to every sample it was trained on."""


class CollusionWarning(UserWarning):
    """The diversity of members trained together does not carry over to new data."""


class InterruptedFitWarning(UserWarning):
    """Ctrl-C, or a cluster that was lost, ended the work early; the part that is done is kept.

    An estimator then says "interrupted" or "cluster lost" in ``stop_reason_``.
    """


class RedundancyWarning(UserWarning):
    """The members of an ensemble say nearly the same thing."""


class ThinnedWarning(UserWarning):
    """There are more rows than ``max_samples``, and a sample of them stands for all."""


class UndefinedMeasureWarning(UserWarning):
    """A quantity does not exist for this input; NaN stands for it."""
