"""Gaussian components: densities as quadratic forms, and their weighted estimates."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint._kernels import sequences as kernels

COVARIANCES = ("full", "diag", "tied")


@dataclass(kw_only=True)
class Gaussians:
    """Components; ``kind`` says which covariances may differ from zero or from the others."""

    mean: NDArray  # (n_components, n_features)
    covariance: NDArray  # (n_components, n_features, n_features), of any kind
    kind: str = "full"

    def log_density(self, X: NDArray) -> NDArray:
        """Return log densities, (n_events, n_components); of the columns that are not missing."""
        missing = np.isnan(X)
        density = np.empty((len(X), len(self.mean)))
        for pattern, rows in patterns(missing):
            observed = ~pattern
            if not observed.any():
                density[rows] = 0.0  # nothing seen says nothing
                continue
            part = Gaussians(
                mean=self.mean[:, observed], covariance=self.covariance[:, observed][:, :, observed]
            )
            density[rows] = kernels.densities(X[rows][:, observed], part.parameters())
        return density

    def parameters(self) -> NDArray:
        """Return what multiplies the quadratic features, (n_quadratic, n_components)."""
        d = self.mean.shape[1]
        precision = np.linalg.inv(self.covariance)
        log_det = np.linalg.slogdet(self.covariance)[1]
        linear = np.einsum("kij,kj->ki", precision, self.mean)
        constant = -0.5 * (
            d * np.log(2 * np.pi) + log_det + np.einsum("ki,ki->k", linear, self.mean)
        )
        i, j = np.triu_indices(d)
        # Products off the diagonal come once in the features, twice in the form.
        square = precision[:, i, j] * np.where(i == j, -0.5, -1.0)
        return np.ascontiguousarray(np.concatenate([constant[:, None], linear, square], axis=1).T)


def patterns(missing: NDArray):
    """Yield every pattern of missing columns and the rows that have it."""
    kinds, which = np.unique(missing, axis=0, return_inverse=True)
    for k, pattern in enumerate(kinds):
        yield pattern, np.flatnonzero(which.ravel() == k)


class Statistics:
    """Weighted sums from which components are estimated; they add up over chunks of events."""

    def __init__(self, n_components: int, n_features: int):
        self.n_features = n_features
        self.sums = np.zeros((n_components, 1 + n_features + n_features * (n_features + 1) // 2))

    def add(self, X: NDArray, weight: NDArray, at: Gaussians) -> None:
        """Add events with their weight for each component, (n_events, n_components).

        Missing columns count with what the component expects of them, given the others.
        """
        missing = np.isnan(X)
        if not missing.any():
            self.sums += kernels.moments(X, weight)
            return
        i, j = np.triu_indices(self.n_features)
        for pattern, rows in patterns(missing):
            if not pattern.any():
                self.sums += kernels.moments(X[rows], weight[rows])
                continue
            observed = ~pattern
            for k in range(len(self.sums)):
                mean, cov = at.mean[k], at.covariance[k]
                gain = np.linalg.solve(
                    cov[np.ix_(observed, observed)], cov[np.ix_(observed, pattern)]
                )
                filled = X[rows].copy()
                filled[:, pattern] = mean[pattern] + (X[rows][:, observed] - mean[observed]) @ gain
                rest = np.zeros_like(cov)
                rest[np.ix_(pattern, pattern)] = (
                    cov[np.ix_(pattern, pattern)] - cov[np.ix_(pattern, observed)] @ gain
                )
                w = weight[rows, k]
                self.sums[k] += kernels.moments(filled, w[:, None])[0]
                self.sums[k, 1 + self.n_features :] += w.sum() * rest[i, j]

    def estimate(self, before: Gaussians, floor: NDArray) -> Gaussians:
        """Return the components that fit best; those without weight stay as they were.

        No direction has less variance than ``floor`` (n_features,): eigenvalues of the
        covariance, in units of the floor, are cut off at 1, which is the best fit under that
        limit, so that EM never goes down.
        """
        d = self.n_features
        mass = self.sums[:, 0]
        owns = mass > _NO_WEIGHT
        safe = np.where(owns, mass, 1.0)[:, None]
        mean = np.where(owns[:, None], self.sums[:, 1 : 1 + d] / safe, before.mean)
        i, j = np.triu_indices(d)
        moment = np.empty((len(mass), d, d))
        moment[:, i, j] = moment[:, j, i] = self.sums[:, 1 + d :] / safe
        cov = moment - mean[:, :, None] * mean[:, None, :]
        if before.kind == "tied":
            cov[~owns] = 0.0
            cov[:] = np.einsum("k,kij->ij", np.where(owns, mass, 0.0), cov) / mass[owns].sum()
        if before.kind == "diag":
            cov = cov * np.eye(d)
        root = np.sqrt(floor)
        scaled = cov / (root[:, None] * root)
        values, vectors = np.linalg.eigh((scaled + scaled.transpose(0, 2, 1)) / 2)
        clipped = np.maximum(values, 1.0)
        cov = (vectors * clipped[:, None, :]) @ vectors.transpose(0, 2, 1) * (root[:, None] * root)
        if before.kind != "tied":
            cov = np.where(owns[:, None, None], cov, before.covariance)
        return Gaussians(mean=mean, covariance=cov, kind=before.kind)


# Components that own less than this of an event are not estimated.
_NO_WEIGHT = 1e-8
