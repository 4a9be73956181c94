"""The evolution of EPNet, and ways to combine the population it leaves."""

import numpy as np
from numpy.typing import NDArray

from counterpoint._ballot import member_mean, weighted_sum
from counterpoint.combiners.combiner import Combiner, normalise
from counterpoint.networks import mutation
from counterpoint.networks.base import as_proba, check_one_layer
from counterpoint.networks.search import Search
from counterpoint.networks.structure import joined, n_connections, units

COMBINATIONS = ("rls", "average", "vote", "best")


def rls_weights(outputs: NDArray, targets: NDArray, weight: NDArray, delta: float) -> NDArray:
    """Return the weights at which recursive least squares ends, (n_members,), not always positive.

    Started from equal weights and ``P = I / (delta * n)``, one pass of RLS over n rows ends at
    the minimum of the mean squared error of ``sum_i w_i f_i`` plus
    ``delta * |w - 1/N|^2``: solved here in one go. ``weight`` adds up to 1.
    """
    n_members = len(outputs)
    even = np.full(n_members, 1.0 / n_members)
    flat = (outputs * np.sqrt(weight)[:, None]).reshape(n_members, -1)
    wanted = (targets * np.sqrt(weight)[:, None]).ravel()
    square = flat @ flat.T + delta * np.eye(n_members)
    return np.linalg.solve(square, flat @ wanted + delta * even)


def combined(outputs: NDArray, how: str, weights: NDArray, best: int) -> NDArray:
    """Combine outputs (n_members, n_samples, n_classes) into scores (n_samples, n_classes)."""
    if how == "rls":
        return weighted_sum(weights, outputs)
    if how == "average":
        return member_mean(outputs)
    if how == "best":
        return outputs[best]
    return np.eye(outputs.shape[2])[outputs.argmax(axis=2)].mean(axis=0)


class LinearCombiner(Combiner):
    """A linear combination of probabilities, with weights that may be negative."""

    needs_proba = True

    def __init__(self, weights):
        self.weights = weights

    def combine(self, outputs):
        """Return the combination as a distribution; the order of classes stays."""
        self.check(outputs)
        return as_proba(weighted_sum(self.weights, outputs.proba))

    def shares(self, outputs):
        """Return how much each member counts, whichever way, adding up to 1."""
        return normalise(np.abs(self.weights))


class Evolution(Search):
    """The population on its way."""

    def __init__(self, options, rows, valid, rng):
        super().__init__(options, rows, valid, rng)
        most = check_one_layer(options.hidden_layer_sizes, "hidden_layer_sizes")
        n_units = rng.randint(1, most + 1, options.n_estimators)
        start = self.drawn(n_units, density=options.density)
        first = valid.loss(start.outputs(valid.X))
        networks = self.trained(start, 2 * options.max_epochs)
        self.members = [networks.take(k) for k in range(networks.n_members)]
        self.losses = valid.loss(networks.outputs(valid.X))
        self.thrives = self.losses < first
        self._look("start")

    def _loss(self, network):
        return float(self.valid.loss(network.outputs(self.valid.X))[0])

    def _look(self, change):
        """Measure all combinations of the population; keep it if its own is the best."""
        networks, valid = joined(self.members), self.valid
        outputs = networks.outputs(valid.X)
        seen, rows = networks.outputs(self.rows.X), self.rows
        weights = rls_weights(seen, rows.targets, rows.weight, self.options.delta)
        best = int(np.argmin(self.losses))
        scores = {how: combined(outputs, how, weights, best) for how in COMBINATIONS}
        error, loss = valid.judge(scores[self.options.combine])
        self.best.offer(error, loss, (networks, weights, best, len(self.history)))
        self.history.append(
            {
                "generation": len(self.history),
                "change": change,
                "valid_error": error,
                "valid_loss": loss,
                "member_error": float(valid.error(outputs).mean()),
                **{f"{how}_error": float(valid.error(score)) for how, score in scores.items()},
                "n_hidden": float(units(networks).sum(axis=1).mean()),
                "n_connections": float(n_connections(networks).mean()),
            }
        )

    def step(self):
        """Pick a parent by rank, and try the five mutations in their order."""
        n = len(self.members)
        ranked = np.argsort(self.losses, kind="stable")
        chance = np.arange(n, 0, -1, dtype=float)
        k = int(self.rng.choice(ranked, p=chance / chance.sum()))
        self._look(self._trained_on(k) or self._restructured(k))

    def _trained_on(self, k):
        """Train the parent further, or anneal it where training last failed."""
        parent, options = self.members[k], self.options
        if self.thrives[k]:
            child = self.trained(parent, options.max_epochs)
            # What training made worse is not kept, but marks the parent.
            self.thrives[k] = self._replace(k, child)
            return "trained"
        child = mutation.annealed(parent, self.rows, self.rng)
        if self._replace(k, child):
            self.thrives[k] = True
            return "annealed"
        return ""

    def _replace(self, k, child):
        loss = self._loss(child)
        if not loss < self.losses[k]:
            return False
        self.members[k], self.losses[k] = child, loss
        return True

    def _restructured(self, k):
        """Delete before adding; a child takes the place of the worst."""
        parent, options, rng = self.members[k], self.options, self.rng
        rate, few = options.learning_rate, options.max_connections_changed
        named = {
            "units dropped": mutation.units_dropped(parent, options.max_units_changed, rng),
            "connections dropped": mutation.connections_dropped(parent, self.rows, rate, few, rng),
            "connections added": mutation.connections_added(parent, self.rows, rate, few, rng),
            "unit added": mutation.unit_added(parent, rng),
        }
        # All four are trained as one batch, which costs little more than one of them.
        networks = self.trained(joined(list(named.values())), options.max_epochs)
        losses = self.valid.loss(networks.outputs(self.valid.X))
        worst = int(np.argmax(self.losses))
        for at, change in enumerate(named):
            if at == 2:  # the better of the two additions goes in, whatever its loss
                at = 2 + int(losses[3] < losses[2])
                change = list(named)[at]
            elif not losses[at] < self.losses[worst]:
                continue
            self.members[worst], self.losses[worst] = networks.take(at), losses[at]
            self.thrives[worst] = True
            return change
        return ""
