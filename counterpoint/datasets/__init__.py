"""Classic data sets, generators with a known best error, and the standard encoding.

Nothing is ever downloaded unless ``fetch=True`` asks for it.

=================== ============================================================
``load``            one data set as a Bunch with pandas frames
``list_datasets``   what there is: rows, columns, classes, missing, licence
``describe``        where a set comes from, its licence and whom to cite
``add_file``        put a CSV of your own into the data folder
``data_folder``     where that folder is (``COUNTERPOINT_DATA``, else the user cache)
``export_csv``      write a set as CSV
``TabularEncoder``  mixed frame to numbers, as a scikit-learn transformer
``make_*``          two Gaussians, Ripley's, cone-torus, waveform
``bayes_error``     the best possible error of each of these four
``bayes_posterior`` and the true class probabilities behind it
``bayes_predict``   and the best possible prediction
=================== ============================================================
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from counterpoint.datasets.bayes import bayes_error, bayes_posterior, bayes_predict
    from counterpoint.datasets.catalogue import describe, list_datasets
    from counterpoint.datasets.encoding import TabularEncoder
    from counterpoint.datasets.folder import add_file, data_folder
    from counterpoint.datasets.loading import export_csv, load
    from counterpoint.datasets.synthetic import (
        make_cone_torus,
        make_ripley,
        make_two_gaussians,
        make_waveform,
    )

# Where each name lives. Imported at first use: pandas and scikit-learn take a second to import.
_HOMES = {
    "TabularEncoder": "encoding",
    "add_file": "folder",
    "bayes_error": "bayes",
    "bayes_posterior": "bayes",
    "bayes_predict": "bayes",
    "data_folder": "folder",
    "describe": "catalogue",
    "export_csv": "loading",
    "list_datasets": "catalogue",
    "load": "loading",
    "make_cone_torus": "synthetic",
    "make_ripley": "synthetic",
    "make_two_gaussians": "synthetic",
    "make_waveform": "synthetic",
}

__all__ = [
    "TabularEncoder",
    "add_file",
    "bayes_error",
    "bayes_posterior",
    "bayes_predict",
    "data_folder",
    "describe",
    "export_csv",
    "list_datasets",
    "load",
    "make_cone_torus",
    "make_ripley",
    "make_two_gaussians",
    "make_waveform",
]


def __getattr__(name):
    if name in _HOMES:
        return getattr(import_module(f"counterpoint.datasets.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'counterpoint.datasets' has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
