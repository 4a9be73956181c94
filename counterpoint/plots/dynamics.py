"""How networks that are trained together drift apart or draw together."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from counterpoint._typing import Estimator
from counterpoint.plots import style
from counterpoint.plots.display import PanelDisplay, fitted_attribute

# Beyond so many members colours no longer help: they are drawn in grey.
_COLOURED = len(style.COLOURS) - 1
_NAMES = {"train": "training data", "validation": "held-out data", "eval": "evaluation data"}


@dataclass(kw_only=True)
class NCLDynamicsDisplay(PanelDisplay):
    """Mean outputs of members, their spread and errors, epoch by epoch.

    The upper panel has for every member the mean of one output over the samples of one class,
    with the ensemble in black and the target dotted. Members below lambda* draw together, at
    lambda* keep their distance, beyond it fly apart. Below are the distances of members from the
    ensemble, and errors of ensemble and members on every set of data that was recorded.

    Parameters
    ----------
    epochs : ndarray of shape (n_records,)
    outputs : ndarray of shape (n_members, n_records)
        Mean output of each member.
    spread : ndarray of shape (n_members, n_records)
        Mean distance from the ensemble's output.
    errors : dict of str to (ndarray of shape (n_records,), ndarray of shape (n_records,))
        For each set of data, the error of the ensemble and the mean error of members.
    target : float
        Where outputs should go; NaN if unknown.
    labels : dict
        Text for the axes: "output" and "error".

    References
    ----------
    .. [1] M. Eastwood, "Building well-performing classifier ensembles", PhD thesis, Bournemouth
       University, 2010, section 4.5 and figure 4.4.

    Examples
    --------
    >>> from counterpoint.datasets import make_ripley
    >>> from counterpoint.networks import NegativeCorrelationClassifier
    >>> from counterpoint.plots import NCLDynamicsDisplay
    >>> X, y = make_ripley(random_state=0)
    >>> model = NegativeCorrelationClassifier(3, record=20, random_state=0).fit(X, y)
    >>> NCLDynamicsDisplay.from_estimator(model).table().columns.tolist()
    ['member 0', 'member 1', 'member 2', 'spread 0', 'spread 1', 'spread 2',
     'train ensemble error', 'train member error']
    """

    epochs: NDArray
    outputs: NDArray
    spread: NDArray
    errors: dict[str, tuple[NDArray, NDArray]]
    target: float = float("nan")
    labels: dict[str, str] = field(default_factory=dict)

    @classmethod
    def from_estimator(cls, estimator: Estimator, **options: Any) -> Self:
        """Draw ``dynamics_`` of a network fitted with ``record=True``.

        Options are as for :meth:`from_dynamics`.
        """
        hint = "an estimator of counterpoint.networks that was fitted with record=True"
        return cls.from_dynamics(fitted_attribute(estimator, "dynamics_", hint), **options)

    @classmethod
    def from_dynamics(
        cls,
        dynamics: Any,
        *,
        data: str = "train",
        of_class: Any = None,
        output: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw what was recorded.

        Parameters
        ----------
        dynamics : Dynamics
            ``dynamics_`` of a fitted estimator.
        data : str, default="train"
            Set of data for outputs and spread.
        of_class : label, default=None
            Class whose samples are averaged. None: the first. Not for regressors.
        output : label or int, default=None
            Output unit to show: a label for classifiers, None for that of the class itself,
            whose target is 1; a number for regressors, None for the first.
        ax, **options
            As for ``plot`` and ``draw``.
        """
        if data not in dynamics.traces:
            raise ValueError(
                f"data={data!r} was not recorded. There are: {', '.join(dynamics.traces)}."
            )
        trace = dynamics[data]
        if dynamics.classes is None:
            if of_class is not None:
                raise ValueError(f"of_class={of_class!r}: a regressor has no classes.")
            row, column, target = 0, 0 if output is None else int(output), float("nan")
            if not 0 <= column < trace.mean_output.shape[3]:
                raise ValueError(
                    f"output={output!r}: there are {trace.mean_output.shape[3]}, from 0."
                )
            labels = {"output": "Mean output", "error": "Root mean squared error"}
        else:
            row = 0 if of_class is None else _place(of_class, "of_class", dynamics.classes)
            column = row if output is None else _place(output, "output", dynamics.classes)
            target = float(row == column)
            named = dynamics.classes[row], dynamics.classes[column]
            text = f"Mean output for {named[1]}\non samples of {named[0]}"
            labels = {"output": text, "error": "Error"}
        return cls(
            epochs=dynamics.epochs,
            outputs=trace.mean_output[:, :, row, column].T,
            spread=trace.spread.T,
            errors={
                name: (one.ensemble_error, one.member_error.mean(axis=1))
                for name, one in dynamics.traces.items()
            },
            target=target,
            labels=labels,
        ).plot(ax, **options)

    @property
    def n_panels(self) -> int:
        """Three: outputs, spread, errors."""
        return 3

    def table(self) -> pd.DataFrame:
        """Return what is shown: a row per recorded epoch."""
        columns = {f"member {k}": values for k, values in enumerate(self.outputs)}
        columns |= {f"spread {k}": values for k, values in enumerate(self.spread)}
        for name, (ensemble, members) in self.errors.items():
            columns[f"{name} ensemble error"] = ensemble
            columns[f"{name} member error"] = members
        return pd.DataFrame(columns, index=pd.Index(self.epochs, name="epoch"))

    def draw(self, panels: list[Axes], *, line_kwargs: style.Look = None) -> None:
        """Draw on these panels: outputs, spread, errors; ``line_kwargs`` for all lines."""
        outputs, spread, errors = panels
        for k, values in enumerate(self.outputs):
            self._line(outputs, values, line_kwargs, **self._look(k))
        mean = self.outputs.mean(axis=0)
        self._line(outputs, mean, line_kwargs, label="ensemble", color="black", linewidth=2.0)
        if np.isfinite(self.target):
            outputs.axhline(self.target, color=style.GREY, linestyle=":", label="target")
        for k, values in enumerate(self.spread):
            self._line(spread, values, line_kwargs, **{**self._look(k), "label": None})
        for k, (name, (ensemble, members)) in enumerate(self.errors.items()):
            label = _NAMES.get(name, name)
            # From the far end of the palette: these colours are sets of data, not members.
            tone = {"color": style.colour(len(style.COLOURS) - 1 - k)}
            self._line(errors, ensemble, line_kwargs, label=f"ensemble, {label}", **tone)
            tone["linestyle"] = "--"
            self._line(errors, members, line_kwargs, label=f"members, {label}", **tone)
        outputs.set(title="While members are trained together")
        outputs.set_ylabel(self.labels.get("output", "Mean output"))
        spread.set_ylabel("Distance from\nthe ensemble")
        errors.set_ylabel(self.labels.get("error", "Error"))
        spread.set_ylim(bottom=0)
        errors.set_xlabel("Epochs")

    def _look(self, k):
        if len(self.outputs) > _COLOURED:
            label = "members" if k == 0 else None
            return {"color": "0.65", "linewidth": 0.8, "label": label}
        return {"color": style.colour(k), "linewidth": 1.2, "label": f"member {k}"}

    def _line(self, panel, values, line_kwargs, label=None, **look):
        look = style.merge({"linewidth": 1.6, **look}, line_kwargs, Line2D)
        panel.plot(self.epochs, values, **{"label": label, **look})


def _place(label, name, classes):
    at = np.flatnonzero(classes == label)
    if len(at) == 0:
        raise ValueError(f"{name}={label!r} is not among the classes {classes.tolist()}.")
    return int(at[0])
