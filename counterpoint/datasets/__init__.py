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
    "bayes": ("bayes_error", "bayes_posterior", "bayes_predict"),
    "catalogue": ("describe", "list_datasets"),
    "encoding": ("TabularEncoder",),
    "folder": ("add_file", "data_folder"),
    "loading": ("export_csv", "load"),
    "synthetic": ("make_cone_torus", "make_ripley", "make_two_gaussians", "make_waveform"),
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
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"counterpoint.datasets.{home}"), name)
    raise AttributeError(f"module 'counterpoint.datasets' has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
