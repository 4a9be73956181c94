"""All errors and warnings of counterpoint.

::

    ValueError
    └── MemberError            members cannot be taken out of this estimator
    LookupError
    └── DatasetNotFoundError   no such data set, or one that may not be shipped
    UserWarning
    ├── RedundancyWarning      the members say nearly the same thing
    └── UndefinedMeasureWarning  a number asked for does not exist for this input

Wrong values, shapes and types are plain ``ValueError`` and ``TypeError``, as in scikit-learn.
"""

__all__ = [
    "DatasetNotFoundError",
    "MemberError",
    "RedundancyWarning",
    "UndefinedMeasureWarning",
]


class MemberError(ValueError):
    """The members of this estimator cannot be taken apart."""


class DatasetNotFoundError(LookupError):
    """No data set of this name is shipped, in the data folder, or fetched."""


class RedundancyWarning(UserWarning):
    """The members of an ensemble say nearly the same thing."""


class UndefinedMeasureWarning(UserWarning):
    """A quantity does not exist for this input; NaN stands for it."""
