"""What if other members decided, or by another rule: the same rows, judged anew."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from counterpoint._ballot import vote_shares
from counterpoint._outputs import MemberOutputs
from counterpoint._statistics import wilson_interval
from counterpoint._validation import check_choice
from counterpoint.combiners import COMBINERS, Combiner, Poll
from counterpoint.combiners.combiner import as_shares, winner
from counterpoint.diversity import VoteSummary, bad_diversity, good_diversity, member_error
from counterpoint.dynamic import COMPETENCES, decide_dynamically
from counterpoint.selection import select_forward
from counterpoint.tabular.calibration import calibration_curve
from counterpoint.tabular.members import brier_parts, describe_growth, error_parts
from counterpoint.tabular.plain import plain
from counterpoint.tabular.recombining import OWN, Recombining

TITLES = {
    OWN: "its own rule", "vote": "vote", "mean": "mean", "median": "median", "min": "minimum",
    "max": "maximum", "product": "product", "geometric-mean": "geometric mean",
    "generalized-mean": "power mean", "weighted-vote": "vote by log-odds",
    "weighted-mean": "least-squares mean", "class-weighted-mean": "mean weighted by class",
    "sugeno": "Sugeno integral",
    "choquet": "Choquet integral", "templates": "decision templates", "stacking": "stacking",
    "tempered": "tempered mean", "ola": "most accurate nearby",
    "knora-e": "right about all nearby", "knora-u": "by how many right nearby",
    "des-p": "better than chance nearby",
}  # fmt: skip
DYNAMIC = ("ola", "knora-e", "knora-u", "des-p")
"""Rules that choose members anew for every row; they need the rows themselves."""

WEIGHABLE = ("vote", "mean", "geometric-mean")
# Numbers that a rule looks at when it is asked on the spot: more rows are drawn from.
_MOST_CELLS = 2_000_000
_FEWEST_ROWS = 500
# Rows that a choice of members looks at.
_TO_CHOOSE = 2000
# The least probability in a logarithm, as scikit-learn's log_loss has it.
_LEAST = float(np.finfo(float).eps)


@dataclass(frozen=True, kw_only=True)
class _Answers:
    """What a rule says: shares of the classes, the truth, and how many rows each row stands for."""

    shares: NDArray
    y: NDArray
    counts: NDArray
    right: NDArray  # share of the say of members who are right
    n_rows: int
    wins: NDArray  # class codes
    averaged: tuple[MemberOutputs, NDArray] | None = None  # outputs and weights of a mean


class WhatIf(Recombining):
    """Members' answers on rows nobody was trained on, to be combined in one way after another.

    Parameters
    ----------
    outputs : MemberOutputs
        With votes and the truth, of rows that the members were not trained on.
    points : array-like of shape (n_samples, n_features), default=None
        The rows as numbers, for rules that look at what is near.
    own : Combiner, default=None
        The rule of the ensemble itself.

    Notes
    -----
    Rules that learn are fitted on one half of the rows and judged on the other, in turn, so that
    all rows are judged. A vote counts all rows; other rules, where there are very many numbers to
    look at, a part of them drawn at random, and ``n_rows`` tells how many.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.tabular import WhatIf
    >>> what = WhatIf(MemberOutputs([[0, 1, 1], [0, 0, 1], [1, 1, 0]], [0, 1, 1]))
    >>> what.judge("vote")["error"], what.judge("vote", weights=[0, 1, 0])["error"]
    (0.0, 0.3333333333333333)
    """

    simplest = "vote"

    def __init__(
        self, outputs: MemberOutputs, points: ArrayLike | None = None, own: Combiner | None = None
    ) -> None:
        outputs.need_votes("What if")
        super().__init__(outputs)
        self.own = own
        self.points = None if points is None else np.asarray(points, dtype=float)
        self.poll = Poll(outputs)

    @cached_property
    def rules(self) -> list[dict[str, Any]]:
        """What can be asked of these outputs: "name", "title", "weighable", "learns"."""
        known = [OWN] if self.own is not None else []
        for name, rule in COMBINERS.items():
            if self.outputs.proba is not None or not rule.needs_proba:
                known.append(name)
        if self.points is not None:
            known += DYNAMIC
        return [
            {
                "name": name,
                "title": TITLES.get(name, name),
                "weighable": name in WEIGHABLE,
                "learns": name in DYNAMIC or (name != OWN and _learns(name)),
            }
            for name in known
        ]

    def judge(
        self, rule: str = "vote", weights: ArrayLike | Mapping[str, int] | None = None
    ) -> dict[str, Any]:
        """Judge what some members say together.

        Parameters
        ----------
        rule : str, default="vote"
            A name of :attr:`rules`.
        weights : array-like of int of shape (n_members,), default=None
            Whole numbers: 0 is a member switched off. Rules that are not ``weighable`` only look
            at who is on. None: all count the same. Or a mapping of names, others being off.

        Returns
        -------
        dict
            "error" with Wilson's limits "low" and "high", "log_loss", "classes" (recall of each,
            with limits), "calibration" (gap and curve), "decompositions", and on how many rows of
            how many.
        """
        say = self._weights(weights)
        said = self._ask(rule, say)
        return plain({"rule": rule, "n_members": int((say > 0).sum()), **self._told(said, rule)})

    def disputed(self, members: Sequence[int] | None = None, n: int = 20) -> list[dict[str, Any]]:
        """List the rows that some members disagree about most.

        Parameters
        ----------
        members : sequence of int, default=None
            Positions; None: all.
        n : int, default=20

        Returns
        -------
        list of dict
            "row" (its position), "dispute" (the chance that two of them, drawn with return, say
            different things), "truth", and "split": the share of each class.
        """
        say = self._only(members)
        cast = self.poll.count(say)
        rows, dispute = self.poll.disputed(cast, n)
        return self._listed(rows, dispute, cast[rows] / int(say.sum()))

    def rows(self, rows: ArrayLike) -> list[dict[str, Any]]:
        """Say of some rows what :meth:`disputed` says of those it lists."""
        at = np.asarray(rows, dtype=int)
        split = self.outputs.take_rows(at).tally
        return self._listed(at, 1 - (split**2).sum(axis=1), split)

    def _listed(self, rows: NDArray, dispute: NDArray, split: NDArray) -> list[dict[str, Any]]:
        return [
            {"row": int(row), "dispute": float(d), "truth": int(self.outputs.y[row]), "split": s}
            for row, d, s in zip(rows, dispute, split.tolist(), strict=True)
        ]

    def best(self, members: Sequence[int] | None = None) -> dict[str, Any]:
        """Choose the members whose vote errs least: by joining one at a time, on half of the rows.

        Members may join twice and then count twice (Caruana et al. 2004).

        Returns
        -------
        dict
            "rule" ("vote"), "weights" (n_members,), "n_chosen_on", and "error" of their vote on the
            rows that the choice has not seen, with limits.
        """
        outputs = self.outputs
        among = np.arange(outputs.n_members) if members is None else np.asarray(members, dtype=int)
        chosen_on, held = self._halves(outputs.y)[0]
        chosen_on = chosen_on[:_TO_CHOOSE] if len(chosen_on) > _TO_CHOOSE else chosen_on
        some = outputs.take(among).take_rows(np.sort(chosen_on))
        trace = select_forward(some, replace=True, n_members=min(2 * len(among), 40))
        weights = np.zeros(outputs.n_members, dtype=int)
        np.add.at(weights, among[trace.selected], 1)
        cast = self.poll.count(weights)[held]
        wrong = int((cast.argmax(axis=1) != outputs.y[held]).sum())
        low, high = wilson_interval(wrong, len(held))
        return {
            "rule": self.simplest, "weights": weights.tolist(), "n_chosen_on": len(chosen_on),
            "error": wrong / len(held), "low": low, "high": high, "n_rows": len(held),
        }  # fmt: skip

    def growth(self) -> dict[str, Any]:
        """Say how the error of the ensemble falls as its members join, in their order.

        By its own rule where that is known, else by vote; the error with limits, that of the
        members, and from how many on more do not help.
        """
        some = self.outputs.take_rows(self._rows(self.outputs.n_members))
        rule = COMBINERS["vote"]() if self.own is None else self.own
        return plain({**describe_growth(some, rule), "n_rows": some.n_samples})

    def thresholds(
        self, rule: str = "vote", weights: Any = None, *, fn: float = 1.0, fp: float = 1.0
    ) -> dict[str, Any]:
        """Say what other thresholds than a half would bring, for two classes.

        Parameters
        ----------
        rule, weights
            As for :meth:`judge`.
        fn, fp : float, default=1.0
            What it costs to miss a row of the rarer class, and to take another for one.

        Returns
        -------
        dict
            "positive" (the rarer class) and, for each "threshold" from 0 to 1, the "error",
            "recall" and "precision" of that class, the share "said" to be of it and the "cost" a
            row. "best": the place of the least cost, on these very rows and so a little too good.
        """
        if self.outputs.n_classes != 2:
            raise ValueError("A threshold is for two classes, and here are more.")
        said = self._ask(rule, self._weights(weights))
        of_class = np.bincount(said.y, weights=said.counts, minlength=2)
        k = int(of_class[1] <= of_class[0])
        share, n = np.round(said.shares[:, k], 12), said.counts.sum()
        at = np.arange(101) / 100
        table: dict[str, list[float]] = {
            name: [] for name in ("error", "recall", "precision", "said", "cost")
        }
        for threshold in at:
            yes = share >= max(threshold, 1e-9)
            hits, called = said.counts @ (yes & (said.y == k)), said.counts @ yes
            missed, false = of_class[k] - hits, called - hits
            table["error"].append((missed + false) / n)
            table["recall"].append(hits / of_class[k] if of_class[k] else np.nan)
            table["precision"].append(hits / called if called else np.nan)
            table["said"].append(called / n)
            table["cost"].append((fn * missed + fp * false) / n)
        return plain(
            {
                "positive": str(self.outputs.classes[k]), "threshold": at, **table,
                "best": int(np.argmin(np.round(table["cost"], 12))), "n_rows": said.n_rows,
            }
        )  # fmt: skip

    # -- asking a rule ---------------------------------------------------------------------------

    def _ask(self, rule: str, say: NDArray) -> _Answers:
        check_choice(rule, "rule", [known["name"] for known in self.rules])
        outputs = self.outputs
        if rule == "vote" and outputs.sample_weight is None:
            cast = self.poll.count(say)
            cells = self.poll.cells(cast)
            shares = cells.cast / int(np.sum(say))
            at = np.arange(len(cells.y))
            return _Answers(
                shares=shares, y=cells.y, counts=cells.n_samples, right=shares[at, cells.y],
                n_rows=outputs.n_samples, wins=cells.cast.argmax(axis=1),
            )  # fmt: skip
        members = np.flatnonzero(say)
        rows = self._rows(len(members))
        some = outputs.take(members).take_rows(rows)
        weights = say[members].astype(float)
        support = self._support(rule, some, weights, members, rows)
        by = weights if rule in WEIGHABLE else None
        tally = vote_shares(some.votes, some.n_classes, by)
        counts = some.sample_weight
        return _Answers(
            shares=as_shares(support), y=some.y,
            counts=np.ones(len(rows), dtype=np.int64) if counts is None else counts,
            right=tally[np.arange(len(rows)), some.y], n_rows=len(rows), wins=winner(support),
            averaged=(some, weights / weights.sum()) if rule == "mean" else None,
        )  # fmt: skip

    def _rows(self, n_members: int) -> NDArray:
        n, cells = self.outputs.n_samples, n_members * self.outputs.n_classes
        most = max(_FEWEST_ROWS, _MOST_CELLS // cells)
        return np.arange(n) if n <= most else np.sort(self._drawn[:most])

    def _support(
        self, rule: str, some: MemberOutputs, weights: NDArray, members: NDArray, rows: NDArray
    ) -> NDArray:
        if rule == OWN:
            assert self.own is not None
            if len(members) == self.outputs.n_members:
                return self.own.combine(some)
            return self.own.keep(members, self.outputs).combine(some)
        if rule in WEIGHABLE:
            return COMBINERS[rule](weights=weights).combine(some)
        if not (rule in DYNAMIC or _learns(rule)):
            return COMBINERS[rule]().fit(some).combine(some)
        support = np.empty((some.n_samples, some.n_classes))
        for fit, held in self._halves(some.y):
            known, asked = some.take_rows(fit), some.take_rows(held)
            if rule in COMPETENCES:
                assert self.points is not None
                points = self.points[rows]
                support[held] = decide_dynamically(rule, known, points[fit], asked, points[held])
            else:
                support[held] = as_shares(COMBINERS[rule]().fit(known).combine(asked))
        return support

    @staticmethod
    def _halves(y: NDArray) -> list[tuple[NDArray, NDArray]]:
        fair = np.bincount(y)[np.unique(y)].min() >= 2 and len(y) <= _MOST_CELLS
        folds = (StratifiedKFold if fair else KFold)(2, shuffle=True, random_state=0)
        return list(folds.split(y, y))

    # -- telling what it said --------------------------------------------------------------------

    def _told(self, said: _Answers, rule: str) -> dict[str, Any]:
        wrong = said.wins != said.y
        n = said.counts.sum()
        # Rows of unequal weight tell less than as many equal ones (Kish 1965).
        size = float(n**2 / (said.counts**2).sum()) if self.outputs.sample_weight is not None else n
        error = float(said.counts @ wrong / n)
        low, high = wilson_interval(error * size, size)
        truth = said.shares[np.arange(len(said.y)), said.y]
        loss = -np.log(np.clip(truth, _LEAST, 1.0))
        vote = VoteSummary(
            right=said.right, other=1.0 - said.right, wins=~wrong, disagree=said.right,
            sample_weight=said.counts.astype(float), n_classes=self.outputs.n_classes,
        )  # fmt: skip
        parts = [error_parts(member_error(vote), good_diversity(vote), bad_diversity(vote), error)]
        if rule == "mean" and said.averaged is not None:
            parts.append(brier_parts(*said.averaged))
        return {
            "error": error,
            "low": low,
            "high": high,
            "log_loss": float(said.counts @ loss / n),
            "classes": [self._recall(said, k) for k in range(self.outputs.n_classes)],
            "calibration": calibration_curve(
                said.shares, said.y, self.outputs.classes, said.counts
            ),
            "decompositions": parts,
            "n_rows": said.n_rows,
            "n_of": self.outputs.n_samples,
        }

    def _recall(self, said: _Answers, k: int) -> dict[str, Any]:
        here = said.y == k
        n, hits = said.counts[here].sum(), said.counts[here] @ (said.wins[here] == k)
        low, high = wilson_interval(hits, n)
        return {
            "label": str(self.outputs.classes[k]), "rows": float(n),
            "recall": float(hits / n) if n else None, "low": low, "high": high,
        }  # fmt: skip


def _learns(name: str) -> bool:
    made = COMBINERS[name]()
    return bool(made.needs_truth)
