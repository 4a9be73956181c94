"""ADDEMUP, a genetic search for networks that are right and disagree."""

from dataclasses import replace
from typing import Any

import numpy as np

from counterpoint._ballot import weighted_sum
from counterpoint._typing import Seed
from counterpoint._validation import check_count, check_number
from counterpoint.combiners import MeanCombiner
from counterpoint.combiners.combiner import Combiner
from counterpoint.networks.base import BaseNetworkClassifier, check_one_layer
from counterpoint.networks.engine import Networks
from counterpoint.networks.search import Search
from counterpoint.networks.structure import joined, masked, roomy, trimmed, units, without_units

_SETTLED = 1e-12  # changes below are rounding


class AddemupClassifier(BaseNetworkClassifier):
    """ADDEMUP: breed networks that are accurate and differ from the ensemble they form.

    A population of networks is trained. In each generation children are made by exchanging
    hidden units of two parents, and by mutation; they are trained with more weight on rows the
    ensemble gets wrong, and join. The fittest stay, by

        fitness = accuracy + lambda * diversity,

    where the diversity of a network is its mean squared distance to the ensemble, and both are
    scaled to [0, 1] over the population. Lambda adapts: it stays while the ensemble gets better,
    rises by a tenth if members get no worse but less diverse, falls by a tenth if they get worse
    but no less diverse. Members speak with weights ``(1 - error) / sum of (1 - error)``.

    Parameters
    ----------
    n_estimators : int, default=10
        Size of the population, which is the ensemble.
    hidden_layer_sizes : int or tuple of one int, default=(8,)
        Mean number of hidden units in the first population: H makes networks of 1 to ``2 H - 1``.
        There is one hidden layer.
    max_hidden : int or None, default=None
        Most hidden units of a child; None is four times those of ``hidden_layer_sizes``.
    n_generations : int, default=6
    n_children : int, default=10
        New networks per generation.
    lam : float, default=1.0
        Lambda, the weight of diversity in the fitness, to start from. As elsewhere it is what
        members are paid for differing; here it decides who stays, not how they are trained.
    mutation_rate : float in [0, 1], default=0.5
        Chance that a child loses a hidden unit or gets a new one.
    max_epochs : int, default=40
        Epochs a new network is trained for.
    learning_rate : float, default=0.05
        Of Adam.
    batch_size : int or None, default=256
        Rows in a step; None takes all.
    validation_fraction : float in [0, 1) or None, default=0.2
        Rows held out, the same fraction of each class: fitness, weights of members and the
        best generation are found on them. None or 0: training rows stand in.
    max_samples : int or None, default=20_000
        Most rows that networks are trained on and judged by, those held out among them; of more,
        so many are drawn by lot, every class in its share, with a ``ThinnedWarning``. None takes
        all, in time by their number.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal.
    random_state : int, RandomState instance or None, default=None
        Seeds everything.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    networks_ : Networks
        The population of least loss on held-out rows that errs there no more than the first.
    estimator_weights_ : ndarray of shape (n_estimators,)
        Add up to 1.
    combiner_ : Combiner
        The mean with these weights.
    n_hidden_ : ndarray of shape (n_estimators,)
        Hidden units of each.
    history_ : DataFrame
        Per generation, the first population included: ``lam``, ``valid_error``, ``valid_loss``,
        ``member_error`` and ``diversity`` (means over the population, held-out rows),
        ``n_new`` (children that stayed), ``n_hidden`` (mean).
    best_epoch_ : int
        The generation kept.
    held_out_ : ndarray of bool of shape (n_samples,)
    stop_reason_ : {"complete", "interrupted"}

    Notes
    -----
    Follows [1]_. A row's weight in training children is ``(|t - o| / E) ** (lambda / (1 +
    lambda))``, o being the ensemble's output and E its mean absolute error. Departures: this
    weight is taken over all outputs of a row rather than for each; networks have softmax
    outputs and learn cross-entropy by Adam; mutation adds or drops single units and knows no
    domain theory; and the best generation is returned instead of the last.

    References
    ----------
    .. [1] D. Opitz and J. Shavlik, "Actively searching for an effective neural-network
       ensemble", Connection Science 8, 1996.
    .. [2] M. Eastwood, PhD thesis, Bournemouth University, 2010, section 2.4.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.networks.genetic import AddemupClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = AddemupClassifier(n_generations=2, random_state=0).fit(X, y)
    >>> bool(ensemble.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        n_estimators: int = 10,
        *,
        hidden_layer_sizes: int | tuple[Any, ...] = (8,),
        max_hidden: int | None = None,
        n_generations: int = 6,
        n_children: int = 10,
        lam: float = 1.0,
        mutation_rate: float = 0.5,
        max_epochs: int = 40,
        learning_rate: float = 0.05,
        batch_size: int | None = 256,
        validation_fraction: float | None = 0.2,
        max_samples: int | None = 20_000,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.hidden_layer_sizes = hidden_layer_sizes
        self.max_hidden = max_hidden
        self.n_generations = n_generations
        self.n_children = n_children
        self.lam = lam
        self.mutation_rate = mutation_rate
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.validation_fraction = validation_fraction
        self.max_samples = max_samples
        self.progress = progress
        self.random_state = random_state

    def _fit(self, rows, valid, rng):
        breeding = Breeding(self, rows, valid, rng)
        state = self._search(breeding, self.n_generations, "Breeding networks")
        self.networks_, self.estimator_weights_, self.best_epoch_ = state
        self.n_hidden_ = units(self.networks_).sum(axis=1)

    @property
    def combiner_(self) -> Combiner:
        """The weighted mean of all networks."""
        return MeanCombiner(self.estimator_weights_)

    def _combine(self, outputs):
        return weighted_sum(self.estimator_weights_, outputs)

    def _check_options(self):
        for name in ("n_estimators", "n_children", "max_epochs"):
            check_count(getattr(self, name), name)
        check_one_layer(self.hidden_layer_sizes, "hidden_layer_sizes")
        check_count(self.n_generations, "n_generations", low=0)
        if self.max_hidden is not None:
            check_count(self.max_hidden, "max_hidden", hint=", or None")
        check_number(self.lam, "lam", low=0)
        check_number(self.mutation_rate, "mutation_rate", low=0, high=1)
        self._check_training()


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
        errors, self.weights, mean, diversity = self._measured(self.networks)
        error, loss = self.valid.judge(mean)
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

    def _measured(self, networks):
        """Return errors, weights, mean output and diversity on held-out rows."""
        outputs = networks.outputs(self.valid.X)
        errors = self.valid.error(outputs)
        weights = member_weights(errors)
        mean = weighted_sum(weights, outputs)
        return errors, weights, mean, ((outputs - mean) ** 2).sum(axis=2) @ self.valid.weight

    def step(self):
        """Make a generation of children, train them as one batch, let the fittest stay."""
        children = self.trained(
            self._children(), self.options.max_epochs, sample_weight=self._emphasis()
        )
        pool = joined([self.networks, children])
        errors, _, _, diversity = self._measured(pool)
        order = np.argsort(-fitness(1 - errors, diversity, self.lam), kind="stable")
        stay = np.sort(order[: self.options.n_estimators])
        self.networks = trimmed(pool.take(stay))
        self._look(n_new=int((stay >= self.options.n_estimators).sum()))

    def _emphasis(self):
        """Weigh rows by how wrong the ensemble is about them."""
        mean = weighted_sum(self.weights, self.networks.outputs(self.rows.X))
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
