"""Random boxes: where they may lie, drawing them, and what they hold."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from counterpoint._kernels import stochastic as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._soundness import check_positions, check_shape
from counterpoint.trees.binning import Binner
from counterpoint.trees.structure import MOST_COLUMNS


@dataclass(frozen=True)
class BoxModels:
    """Models, each a union of boxes, in bins of columns; arrays (n_models, n_boxes, n_sides)."""

    # The columns that limit each box; -1 in the first place marks an empty box.
    features: NDArray
    # A row is in a box if its bin is from low to low + span in all these columns.
    low: NDArray
    span: NDArray

    def _check_sound(self):
        check_positions(self.features, "features", MOST_COLUMNS, low=-1)
        if (
            self.features.ndim != 3
            or (self.features[:, :, 1:] < 0)[self.features[:, :, 0] >= 0].any()
        ):
            raise ValueError("features of boxes must be (n_models, n_boxes, n_sides), from 0.")
        check_shape(self.low, "low", self.features.shape)
        check_shape(self.span, "span", self.features.shape)

    def __len__(self) -> int:
        return len(self.features)

    def take(self, which) -> "BoxModels":
        """Return some of the models."""
        return BoxModels(self.features[which], self.low[which], self.span[which])

    @classmethod
    def joined(cls, parts: "list[BoxModels]") -> "BoxModels":
        """Return the models of all parts as one collection."""
        each = zip(*((p.features, p.low, p.span) for p in parts), strict=True)
        return cls(*map(np.concatenate, each))

    def count(self, columns, first, last) -> tuple[NDArray, NDArray]:
        """Count the rows in each model: among rows first..last, and of all."""
        with threads_for(self.features.size * columns.shape[1]):
            return kernels.count(columns, self.features, self.low, self.span, first, last)

    def hold(self, columns) -> NDArray:
        """Return which rows each model holds, (n_models, n_samples) uint8."""
        with threads_for(self.features.size * columns.shape[1]):
            return kernels.hold(columns, self.features, self.low, self.span)

    def add_up(self, columns, weights, group, n_groups) -> NDArray:
        """Return the weight of the models that hold each row, (n_groups, n_samples)."""
        with threads_for(self.features.size * columns.shape[1]):
            return kernels.add_up(
                columns, self.features, self.low, self.span, weights, group, n_groups
            )


class BoxSpace:
    """The columns of a training set as ranks, in which boxes are drawn.

    A side of a box is an interval of ranks, so that boxes follow the density of the rows and
    nothing depends on the scale of a column. Constant columns limit nothing and are not used.
    """

    def fit(self, X) -> Self:
        """Cut the columns into bins and find the rank of each bin."""
        self.binner_ = Binner().fit(X)
        columns = self.columns(X)
        d, n = columns.shape
        n_bins = self.binner_.n_bins_
        self.usable_ = np.flatnonzero(n_bins > 1).astype(np.int32)
        self.middles_ = np.full((d, 256), np.inf)
        for f in range(d):
            share = np.bincount(columns[f], minlength=n_bins[f]) / n
            self.middles_[f, : len(share)] = np.cumsum(share) - share / 2
        return self

    def columns(self, X) -> NDArray:
        """Return the bins of X by column, (n_features, n_samples) uint8."""
        return np.ascontiguousarray(self.binner_.transform(X).codes.T)

    def draw(self, rng, n_models, n_boxes, n_sides, share) -> BoxModels:
        """Draw models at random.

        ``share`` (low, high) is how much of the space a model takes, drawn evenly on a log
        scale. Given its size, each box takes in any point whatever with the same probability:
        intervals start anywhere from their own width below the first rank to the last rank.
        So the collection is a uniform cover until it is filtered.
        """
        d = len(self.usable_)
        shape = (n_models, n_boxes, n_sides)
        if n_sides < d:
            keys = rng.random_sample((n_models * n_boxes, d))
            chosen = np.argpartition(keys, n_sides - 1, axis=1)[:, :n_sides]
        else:
            chosen = np.tile(np.arange(d), (n_models * n_boxes, 1))
        features = self.usable_[chosen].reshape(shape)
        size = np.exp(rng.uniform(*np.log(share), size=(n_models, n_boxes, 1))) / n_boxes
        inside = size ** (1.0 / n_sides)  # the probability that one side takes a point in
        width = np.broadcast_to(inside / (1.0 - inside), shape)
        start = rng.random_sample(shape) * (1.0 + width) - width
        width = np.ascontiguousarray(width)
        return BoxModels(*kernels.boxes_in_bins(self.middles_, features, start, width))
