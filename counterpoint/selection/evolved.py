"""A search over combiner, members and the columns of each member at once."""

from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint import _crossfit
from counterpoint._interrupts import keep_partial
from counterpoint._members import Member
from counterpoint._outputs import MemberOutputs
from counterpoint._progress import track
from counterpoint._reading import thin_rows
from counterpoint._tables import select_rows
from counterpoint._typing import Pool, Seed
from counterpoint._validation import check_count, check_list, check_number
from counterpoint.combiners import Combiner
from counterpoint.combiners.pool import BasePoolClassifier
from counterpoint.combiners.registry import as_combiner
from counterpoint.exceptions import MemberError
from counterpoint.selection.criteria import CombinedError


class EvolvedEnsembleClassifier(BasePoolClassifier):
    """Evolve which members to combine, on which columns, and by which rule.

    A candidate is a rule, a bit per member and a bit per member and column. Its fitness is the
    cross-validated error; of equals the one with fewer members and columns is better. Members are
    fitted once for each set of columns that comes up. With C rules, N members and m columns there
    are about C (2^N - 1) (2^m - 1)^N candidates: meant for small N and m. Ctrl-C ends the search
    and keeps the best so far.

    Parameters
    ----------
    pool : list or dict, default=None
        Estimators, not fitted. None is naive Bayes, a tree and nearest neighbours (which take no
        weights and much time: left out where there are weights, or more than 50,000 rows).
    combiners : list of Combiner, default=None
        Rules to choose from. None is vote, mean, median, maximum and product.
    population : int, default=8
        Candidates alive at a time, at least 4.
    n_generations : int, default=4
        Generations.
    mutation : float, default=0.05
        Chance that a bit flips, or the rule is drawn anew.
    loss : {"error", "log-loss", "squared"}, default="error"
        Fitness; see :class:`CombinedError`.
    cv : int, splitter or iterable, default=3
        How to cross-fit.
    max_samples : int or None, default=10_000
        Most rows that candidates are judged on; of more, so many are drawn by lot, every class in
        its share, with a ``ThinnedWarning``. The members chosen are fitted to all. None takes all,
        and so does a ``cv`` that lists rows.
    n_jobs : int, default=None
        Members asked at a time.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal.
    random_state : int, RandomState instance or None, default=None
        Seeds the search.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    pool_ : list of (name, estimator) pairs
        The members chosen, fitted on their columns.
    columns_ : list of ndarray of int
        Their columns.
    combiner_ : Combiner
        The rule chosen.
    history_ : DataFrame
        A row per generation: "generation", and "fitness" of its best: the score that was searched
        for, so too good.
    n_fits_ : int
        Members that had to be cross-fitted.
    stop_reason_ : {"complete", "interrupted"}
        Why the search ended.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] D. Ruta and B. Gabrys, "Application of the evolutionary algorithms for classifier
       selection in multiple classifier systems with majority voting", MCS 2001.
    .. [2] M. Eastwood, "Building well-performing classifier ensembles: model and decision level
       combination", 2010, section 2.4.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.selection import EvolvedEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = EvolvedEnsembleClassifier(random_state=0).fit(X, y)
    >>> bool(model.history_["fitness"].iloc[-1] < 0.06)
    True
    """

    # What the searches on a pool take and this one has no use for.
    columns = None

    def __init__(
        self,
        pool: Pool = None,
        *,
        combiners: list[Any] | None = None,
        population: int = 8,
        n_generations: int = 4,
        mutation: float = 0.05,
        loss: str = "error",
        cv: Any = 3,
        max_samples: int | None = 10_000,
        n_jobs: int | None = None,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        self.pool = pool
        self.combiners = combiners
        self.population = population
        self.n_generations = n_generations
        self.mutation = mutation
        self.loss = loss
        self.cv = cv
        self.max_samples = max_samples
        self.n_jobs = n_jobs
        self.progress = progress
        self.random_state = random_state

    @staticmethod
    def _default_pool():
        return [
            ("naive Bayes", GaussianNB()),
            ("tree", DecisionTreeClassifier(max_depth=6, random_state=0)),
            ("nearest neighbours", KNeighborsClassifier()),
        ]

    def _fit_members(self, X, y, sample_weight, rng):
        rules = self._rules()
        members = self._listed(self._given_pool(sample_weight is not None, len(y)))
        weights = self._member_fit_weights(members, y, sample_weight)
        search = _Search(self, rules, members, *self._judged(X, y, sample_weight, weights))
        rule, chosen, masks = search.run(rng)
        self.history_ = pd.DataFrame(
            {"generation": np.arange(len(search.history)), "fitness": search.history}
        )
        self.n_fits_, self.stop_reason_ = len(search.answers), search.reason
        at = np.flatnonzero(chosen)
        self.columns_ = [np.flatnonzero(masks[m]) for m in at]
        kept = [
            Member(members[m].estimator, own, members[m].name)
            for m, own in zip(at, self.columns_, strict=True)
        ]
        fitted = _crossfit.fit_all(kept, X, y, sample_weight=weights, n_jobs=self.n_jobs)
        self.pool_ = [(m.name, model) for m, model in zip(kept, fitted, strict=True)]
        self.combiner_ = clone(rules[rule])
        if self.combiner_.needs_truth:
            self.combiner_.fit(search.outputs(chosen, masks))

    def _judged(self, X, y, sample_weight, weights):
        """Return data, weights and weights by member of the rows that candidates are judged on."""
        lists_rows = not (isinstance(self.cv, Integral | None) or hasattr(self.cv, "split"))
        rows = None if lists_rows else thin_rows(self, y, "the search")
        if rows is None:
            return X, y, sample_weight, weights
        if weights is not None:
            sample_weight = sample_weight[rows]
            weights = {m: None if own is None else own[rows] for m, own in weights.items()}
        return select_rows(X, rows), y[rows], sample_weight, weights

    def _asked(self):
        return self.pool_, self.columns_, slice(None)

    def _rules(self) -> list[Combiner]:
        check_count(self.population, "population", low=4)
        check_count(self.n_generations, "n_generations")
        check_number(self.mutation, "mutation", low=0, high=1)
        if self.combiners is None:
            return [as_combiner(name) for name in ("vote", "mean", "median", "max", "product")]
        rules = check_list(self.combiners, "combiners", "Combiner objects")
        if not rules or not all(isinstance(rule, Combiner) for rule in rules):
            raise TypeError(f"combiners={self.combiners!r}: give a list of Combiner objects.")
        return rules


class _Search:
    """Candidates are (rule, bits of members, bits of members and columns)."""

    def __init__(self, model, rules, members, X, y, sample_weight, weights):
        self.model, self.rules, self.members, self.X, self.y = model, rules, members, X, y
        self.sample_weight, self.weights = sample_weight, weights
        self.n_columns = X.shape[1]
        self.splits = list(check_cv(model.cv, y, classifier=True).split(X, y))
        self.answers: dict[tuple[int, bytes], MemberOutputs] = {}
        self.values: dict[tuple[Any, ...], float] = {}
        self.history: list[float] = []
        self.reason = "complete"
        self.lost: MemberError | None = None

    def ask(self, m, mask):
        key = (m, mask.tobytes())
        if key not in self.answers:
            one = [(self.members[m].name, self.members[m].estimator)]
            answers = _crossfit.answers(
                one, self.X, self.y, [np.flatnonzero(mask)], self.splits, self.weights, None
            )
            self.answers[key] = MemberOutputs._from_answers(answers, self.y)
        return self.answers[key]

    def outputs(self, chosen, masks):
        parts = [self.ask(m, masks[m]) for m in np.flatnonzero(chosen)]
        sure = all(part.proba is not None for part in parts)
        proba = np.concatenate([part.proba for part in parts]) if sure else None
        classes = parts[0].classes
        votes = np.concatenate([classes[part.votes] for part in parts])
        return MemberOutputs(
            votes, self.y, proba=proba, classes=classes, sample_weight=self.sample_weight
        )

    def value(self, candidate):
        rule, chosen, masks = candidate
        # Columns of members that are out do not matter.
        key = (rule, chosen.tobytes(), masks[chosen].tobytes())
        if key not in self.values:
            try:
                outputs = self.outputs(chosen, masks)
            except MemberError as error:  # such as one on columns that do not vary
                self.lost = error
                outputs = None
            needs = self.rules[rule].needs_proba
            if outputs is None or (needs and outputs.proba is None):
                self.values[key] = np.inf
            else:
                judge = CombinedError(clone(self.rules[rule]), self.model.loss)
                self.values[key] = judge.value(outputs)
        return self.values[key]

    def run(self, rng):
        model, n, m = self.model, len(self.members), self.n_columns
        # All members on all columns first: the one to beat.
        alive = [(0, np.ones(n, dtype=bool), np.ones((n, m), dtype=bool))]
        while len(alive) < model.population:
            alive.append(self.mended(rng.randint(len(self.rules)), rng.random_sample(n) < 0.5,
                                     rng.random_sample((n, m)) < 0.7, rng))  # fmt: skip
        best = alive[0]
        try:
            for _ in track(range(model.n_generations), description="Evolving", show=model.progress):
                values = [self.value(one) for one in alive]
                # Of equals the one that looks at less comes first: what does no harm goes, too.
                sizes = [int(masks[chosen].sum()) for _, chosen, masks in alive]
                alive = [alive[k] for k in np.lexsort((sizes, values))]
                best = alive[0]
                self.history.append(min(values))
                children: list = []
                while len(children) < model.population - 2:
                    a, b = (alive[rng.randint(len(alive), size=2).min()] for _ in range(2))
                    children.append(self.child(a, b, rng))
                alive = [*alive[:2], *children]
        except KeyboardInterrupt:
            if not self.history:
                raise
            self.reason = "interrupted"
            keep_partial(
                f"{type(model).__name__} keeps the best of {len(self.history)} generations.",
                stacklevel=5,
            )
        if not np.isfinite(self.history[-1]):
            if self.lost is not None:
                raise self.lost
            raise ValueError(
                "Every rule that came up needs probabilities, and some member has none: put "
                "VoteCombiner() among the combiners."
            )
        return best

    def child(self, a, b, rng):
        rate = self.model.mutation
        rule = (a, b)[rng.randint(2)][0]
        if rng.random_sample() < rate:
            rule = rng.randint(len(self.rules))
        # A member comes with its columns: half of either parent's would suit neither.
        mine = rng.random_sample(len(a[1])) < 0.5
        chosen = np.where(mine, a[1], b[1]) ^ (rng.random_sample(len(mine)) < rate)
        masks = np.where(mine[:, None], a[2], b[2]) ^ (rng.random_sample(a[2].shape) < rate)
        return self.mended(rule, chosen, masks, rng)

    def mended(self, rule, chosen, masks, rng):
        """Return the candidate with at least one member, and a column for each."""
        if not chosen.any():
            chosen[rng.randint(len(chosen))] = True
        for m in np.flatnonzero(~masks.any(axis=1)):
            masks[m, rng.randint(masks.shape[1])] = True
        return rule, chosen, masks
