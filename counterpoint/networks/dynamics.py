"""What members did while they were trained: their outputs, their spread, their errors."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoint.networks.engine import Networks
from counterpoint.networks.samples import Samples


@dataclass(frozen=True, kw_only=True)
class Trace:
    """What was recorded on one set of data, an entry per recorded epoch."""

    # Of every output unit over the samples of every class, (n_records, n_members, n_classes,
    # n_outputs); one "class" of all samples for a regressor, NaN for a class without samples.
    mean_output: NDArray
    spread: NDArray  # mean of |f_i - f|, (n_records, n_members), as all that is about members
    ambiguity: NDArray  # mean of (f_i - f)^2 over all, (n_records,), as all about the ensemble
    # What is trained for: mean squared error over outputs, or cross-entropy. For the squared one
    # the ensemble's is the mean of the members' less the ambiguity.
    member_loss: NDArray
    ensemble_loss: NDArray
    member_error: NDArray  # share misclassified; for a regressor the root mean squared error
    ensemble_error: NDArray


@dataclass(frozen=True, kw_only=True)
class Dynamics:
    """A recorded training, as in figure 4.4 of Eastwood's thesis."""

    epochs: NDArray  # done at each record; 0 is the start
    classes: NDArray | None  # labels; None for a regressor
    traces: dict[str, Trace]  # by set: "train", "validation" if held out, and each ``eval_set``

    def __getitem__(self, name: str) -> Trace:
        """Return what was recorded on the set of this name."""
        return self.traces[name]

    @property
    def n_members(self) -> int:
        """Number of members."""
        return self.traces["train"].spread.shape[1]

    def frame(self) -> pd.DataFrame:
        """Return spread, losses and errors: a row per epoch, set of data and member.

        Columns that are about the ensemble are the same for all members of one epoch and set.
        """
        n = self.n_members
        parts = []
        for name, trace in self.traces.items():
            columns = {"epoch": np.repeat(self.epochs, n), "data": name}
            columns["member"] = np.tile(np.arange(n), len(self.epochs))
            for key in ("spread", "member_loss", "member_error"):
                columns[key] = getattr(trace, key).ravel()
            for key in ("ambiguity", "ensemble_loss", "ensemble_error"):
                columns[key] = np.repeat(getattr(trace, key), n)
            parts.append(pd.DataFrame(columns))
        return pd.concat(parts, ignore_index=True)

    def output_frame(self) -> pd.DataFrame:
        """Return mean outputs: a row per epoch, set, member, class of the samples, output."""
        parts = []
        for name, trace in self.traces.items():
            shape = trace.mean_output.shape
            at = [part.ravel() for part in np.indices(shape)]
            labels = self.classes if self.classes is not None else np.array(["all"])
            parts.append(
                pd.DataFrame(
                    {
                        "epoch": self.epochs[at[0]],
                        "data": name,
                        "member": at[1],
                        "class": labels[at[2]],
                        "output": at[3] if self.classes is None else labels[at[3]],
                        "mean": trace.mean_output.ravel(),
                    }
                )
            )
        return pd.concat(parts, ignore_index=True)

    def then(self, later: "Dynamics") -> "Dynamics":
        """Return this and what was recorded when training went on."""
        new = later.epochs > self.epochs[-1]  # the first record is our last one again
        traces = {}
        for name in [name for name in self.traces if name in later.traces]:
            old, more = vars(self.traces[name]), vars(later.traces[name])
            traces[name] = Trace(**{k: np.concatenate([old[k], more[k][new]]) for k in old})
        epochs = np.concatenate([self.epochs, later.epochs[new]])
        return Dynamics(epochs=epochs, classes=self.classes, traces=traces)


class Recorder:
    """Looks at networks and keeps what it sees, by set of data.

    ``loss(outputs, targets)`` is taken at every sample, for outputs (..., n_samples, n_outputs);
    ``finish`` turns either into the units of y. ``classes`` is None for a regressor.
    """

    def __init__(
        self,
        sets: Mapping[str, Samples],
        loss: Callable[[NDArray, NDArray], NDArray],
        classes: NDArray | None,
        finish: Callable[[NDArray], NDArray] | None = None,
    ):
        self.sets = dict(sets)
        self.loss = loss
        self.classes = classes
        self.finish = finish or (lambda values: values)
        self.epochs: list[int] = []
        self.seen: dict[str, list[tuple]] = {name: [] for name in self.sets}

    def __call__(self, epoch: int, networks: Networks) -> None:
        """Record networks after this many epochs."""
        self.epochs.append(epoch)
        for name, data in self.sets.items():
            self.seen[name].append(self._look(networks, data))

    def _look(self, networks, data):
        outputs = self.finish(networks.outputs(data.X))
        targets = self.finish(data.targets)
        mean = outputs.mean(axis=0)
        away = np.abs(outputs - mean)
        everyone = np.concatenate([outputs, mean[None]])
        losses = np.average(self.loss(everyone, targets), axis=1, weights=data.weight)
        if data.codes is None:
            errors = np.sqrt(losses)
            means = np.average(outputs, axis=1, weights=data.weight)[:, None]
        else:
            wrong = everyone.argmax(axis=2) != data.codes
            errors = np.average(wrong, axis=1, weights=data.weight)
            means = _class_means(outputs, data, outputs.shape[2])
        return (
            means,
            np.average(away.mean(axis=2), axis=1, weights=data.weight),
            np.average((away**2).mean(axis=(0, 2)), weights=data.weight),
            losses[:-1],
            losses[-1],
            errors[:-1],
            errors[-1],
        )

    def result(self) -> Dynamics:
        """Return all that was recorded."""
        names = [f.name for f in fields(Trace)]
        traces = {}
        for name, rows in self.seen.items():
            columns = (
                np.stack([np.asarray(v) for v in column]) for column in zip(*rows, strict=True)
            )
            traces[name] = Trace(**dict(zip(names, columns, strict=True)))
        return Dynamics(epochs=np.array(self.epochs), classes=self.classes, traces=traces)


def _class_means(outputs, data, n_classes):
    weight = np.ones(len(data.codes)) if data.weight is None else data.weight
    share = np.zeros((n_classes, len(weight)))
    share[data.codes, np.arange(len(weight))] = weight
    total = share.sum(axis=1, keepdims=True)
    share = np.divide(share, total, out=np.full_like(share, np.nan), where=total > 0)
    return np.matmul(share, outputs)
