"""The genetic search of ADDEMUP: crossover, fitness, and the weight of diversity.

Functions first, then the population on its way.
"""

from dataclasses import replace

import numpy as np

from counterpoint.networks.base import check_one_layer
from counterpoint.networks.engine import Networks
from counterpoint.networks.search import Search
from counterpoint.networks.structure import (
    joined,
    masked,
    roomy,
    trimmed,
    units,
    without_units,
)

_SETTLED = 1e-12  # changes below are rounding


def crossed(first: Networks, second: Networks, from_first, from_second) -> Networks:
    """Make two children of two networks by exchanging hidden units.

    ``from_first`` and ``from_second`` say which units go to the first child, the others go to
    the second. Children have the mean of their parents' output biases.
    """
    first, second = masked(first), masked(second)
    children = []
    for sign in (True, False):
        halves = [
            _only(parent, taken == sign)
            for parent, taken in ((first, from_first), (second, from_second))
        ]
        coefs, masks = (
            [np.concatenate([a[0], b[0]], axis=2), np.concatenate([a[1], b[1]], axis=1)]
            for a, b in zip(*((h.coefs, h.masks) for h in halves), strict=True)
        )
        hidden = np.concatenate([h.intercepts[0] for h in halves], axis=1)
        output = (first.intercepts[1] + second.intercepts[1]) / 2
        children.append(replace(first, coefs=coefs, intercepts=[hidden, output], masks=masks))
    return joined(children)


def _only(network, kept):
    masks = [network.masks[0] * kept, network.masks[1] * kept[:, None]]
    return masked(replace(network, masks=masks))


def next_lambda(lam, now, before, step=0.1):
    """Adapt the weight of diversity by the paper's rule.

    ``now`` and ``before`` are the error of the ensemble, the mean error of its members and their
    mean diversity. Lambda stays while the ensemble gets better. Otherwise it is higher if members
    get no worse but less diverse, lower if they get worse but no less diverse.
    """
    ensemble, members, diversity = (a - b for a, b in zip(now, before, strict=True))
    if ensemble < -_SETTLED:
        return lam
    if members <= _SETTLED and diversity < -_SETTLED:
        return lam * (1 + step)
    if members > _SETTLED and diversity >= -_SETTLED:
        return lam * (1 - step)
    return lam


def member_weights(errors):
    """Return the members' weights, (1 - error) / sum of (1 - error)."""
    right = 1.0 - errors
    return right / right.sum() if right.sum() > 0 else np.full(len(errors), 1.0 / len(errors))


def fitness(accuracy, diversity, lam):
    """Return accuracy plus lambda times diversity, both scaled to [0, 1] over the population."""

    def scaled(values):
        span = np.ptp(values)
        return (values - values.min()) / span if span > _SETTLED else np.zeros_like(values)

    return scaled(accuracy) + lam * scaled(diversity)


class Breeding(Search):
    """The population on its way."""

    def __init__(self, options, rows, valid, rng):
        super().__init__(options, rows, valid, rng)
        self.lam = float(options.lam)
        n_hidden = check_one_layer(options.hidden_layer_sizes, "hidden_layer_sizes")
        self.room = options.max_hidden or 4 * n_hidden
        most = min(2 * n_hidden - 1, self.room)
        start = self.drawn(rng.randint(1, most + 1, options.n_estimators))
        self.networks = self.trained(start, options.max_epochs)
        self.now: tuple = ()
        self._look(n_new=0)

    def _look(self, n_new):
        """Weigh the members, measure the ensemble, keep it if it is the best."""
        outputs = self.networks.outputs(self.valid.X)
        errors = self.valid.error(outputs)
        self.weights = member_weights(errors)
        mean = np.tensordot(self.weights, outputs, axes=1)
        error, loss = self.valid.judge(mean)
        diversity = ((outputs - mean) ** 2).sum(axis=2) @ self.valid.weight
        self.fitness = fitness(1 - errors, diversity, self.lam)
        before, self.now = self.now, (error, float(errors.mean()), float(diversity.mean()))
        if before:
            self.lam = next_lambda(self.lam, self.now, before)
        self.best.offer(error, loss, (self.networks, self.weights, len(self.history)))
        self.history.append(
            {
                "generation": len(self.history),
                "lam": self.lam,
                "valid_error": error,
                "valid_loss": loss,
                "member_error": self.now[1],
                "diversity": self.now[2],
                "n_new": n_new,
                "n_hidden": float(units(self.networks).sum(axis=1).mean()),
            }
        )

    def step(self):
        """Make a generation of children, train them as one batch, let the fittest stay."""
        children = self.trained(
            self._children(), self.options.max_epochs, sample_weight=self._emphasis()
        )
        pool = joined([self.networks, children])
        outputs = pool.outputs(self.valid.X)
        errors = self.valid.error(outputs)
        mean = np.tensordot(member_weights(errors), outputs, axes=1)
        diversity = ((outputs - mean) ** 2).sum(axis=2) @ self.valid.weight
        order = np.argsort(-fitness(1 - errors, diversity, self.lam), kind="stable")
        stay = np.sort(order[: self.options.n_estimators])
        self.networks = trimmed(pool.take(stay))
        self._look(n_new=int((stay >= self.options.n_estimators).sum()))

    def _emphasis(self):
        """Weigh rows by how wrong the ensemble is about them."""
        mean = np.tensordot(self.weights, self.networks.outputs(self.rows.X), axes=1)
        off = np.abs(self.rows.targets - mean).sum(axis=1)
        average = off @ self.rows.weight
        if average < _SETTLED:
            return self.rows.weight
        weight = self.rows.weight * (off / average) ** (self.lam / (1 + self.lam))
        # Rows that the ensemble gets exactly right have weight 0; all of them must not.
        return weight if weight.sum() > 0 else self.rows.weight

    def _children(self):
        made: list = []
        chance = self.fitness + 1e-3  # the least fit is rarely, not never, a parent
        chance = chance / chance.sum()
        n_members = self.networks.n_members
        while sum(part.n_members for part in made) < self.options.n_children:
            # Two different parents, if there are two.
            pair = self.rng.choice(n_members, 2, replace=n_members == 1, p=chance)
            first, second = (self.networks.take(k) for k in pair)
            cuts = [self._cut(units(parent)[0]) for parent in (first, second)]
            children = crossed(first, second, *cuts)
            made.extend(self._mutated(children.take(k)) for k in range(2))
        return joined(made).take(np.arange(self.options.n_children))

    def _cut(self, there):
        """Divide units at random; each side gets one if there are two."""
        taken = self.rng.random_sample(len(there)) < 0.5
        alive = self.rng.permutation(np.flatnonzero(there))
        taken[alive[0]] = True
        if len(alive) > 1:
            taken[alive[1]] = False
        return taken

    def _mutated(self, child):
        alive = np.flatnonzero(units(child)[0])
        n_drop = max(0, len(alive) - self.room)
        grow = len(alive) == 0
        if self.rng.random_sample() < self.options.mutation_rate:
            if self.rng.random_sample() < 0.5 and len(alive) - n_drop > 1:
                n_drop += 1
            elif len(alive) < self.room:
                grow = True
        if n_drop:
            child = without_units(child, self.rng.choice(alive, n_drop, replace=False))
        return self._with_new_unit(child) if grow else child

    def _with_new_unit(self, child):
        new, n = self.drawn([1]), int(units(child).sum())
        child = roomy(child, n + 1)
        for old, fresh in (
            *zip(child.coefs, new.coefs, strict=True),
            *zip(child.masks, new.masks, strict=True),  # type: ignore[arg-type]
        ):
            if old.shape[1] == n + 1:
                old[0, n] = fresh[0, 0]
            else:
                old[0, :, n] = fresh[0, :, 0]
        child.intercepts[0][0, n] = new.intercepts[0][0, 0]
        return child
