"""Weights of classes for any method: in its own option, or as weights of the rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils import compute_sample_weight
from sklearn.utils.validation import has_fit_parameter


def check_class_weight(class_weight: Any) -> None:
    """Raise unless weights of classes are of a known kind."""
    if class_weight is not None and class_weight != "balanced":
        raise ValueError(
            f"class_weight={class_weight!r}: give 'balanced', which lets every class count the "
            "same, or None."
        )


def weigh_classes(model: Pipeline, class_weight: str | None, y: NDArray, method: str) -> dict:
    """Set the weights of a pipeline's classifier; return what its fit is to be given besides."""
    if class_weight is None:
        return {}
    name, last = model.steps[-1]
    if "class_weight" in last.get_params(deep=False):
        last.set_params(class_weight=class_weight)
        return {}
    if has_fit_parameter(last, "sample_weight"):
        return {f"{name}__sample_weight": np.asarray(compute_sample_weight(class_weight, y))}
    raise ValueError(
        f"class_weight={class_weight!r}: {method!r} learns without weights. Choose another "
        "method, or metric='balanced-error', which sets the threshold instead."
    )
