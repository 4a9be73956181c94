"""What if other members were asked, or by another rule: estimates of numbers, judged anew."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import KFold

from counterpoint._conformal import member_spread
from counterpoint._predictions import MemberPredictions
from counterpoint._validation import check_choice
from counterpoint.combiners import Combiner, MeanCombiner, MedianCombiner, WeightedMeanCombiner
from counterpoint.decomposition import ambiguity_decomposition
from counterpoint.selection import select_forward
from counterpoint.tabular.number_assessment import describe_residuals
from counterpoint.tabular.number_members import ambiguity_parts, number_growth
from counterpoint.tabular.number_scores import draw_counts, score_numbers
from counterpoint.tabular.plain import plain
from counterpoint.tabular.recombining import OWN, Recombining

NUMBER_RULES: dict[str, Callable[[], Combiner]] = {
    "mean": MeanCombiner,
    "median": MedianCombiner,
    "weighted-mean": WeightedMeanCombiner,
    "best": partial(WeightedMeanCombiner, "best"),
    "best-third": partial(WeightedMeanCombiner, "best-third"),
}
"""Rules that make one number of many; those that learn are told by their ``needs_truth``."""
_TITLES = {
    OWN: "its own rule", "mean": "mean", "median": "median", "weighted-mean": "least-squares mean",
    "best": "the best alone", "best-third": "mean of the best third",
}  # fmt: skip
# Numbers that are looked at when a rule is asked on the spot, and rows that limits are drawn from.
_MOST_CELLS, _MOST_ROWS, _FEWEST_ROWS = 2_000_000, 20_000, 500
_TO_CHOOSE = 2000
_QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
_TOLD = ("low", "high", "mae", "mae_low", "mae_high", "r2", "r2_low", "r2_high", "bias")
_PARTS = ("member_error", "ambiguity", "error")


class NumberWhatIf(Recombining):
    """Members' numbers on rows nobody was trained on, to be combined in one way after another.

    The same as :class:`WhatIf`, for regressors: errors are roots of mean squared errors.

    Parameters
    ----------
    outputs : MemberPredictions
        With the truth, of rows that the members were not trained on; all rows count the same.
    own : Combiner, default=None
        The rule of the ensemble itself, a weighted mean.
    shift : float, default=0.0
        What the ensemble adds to that mean.

    Attributes
    ----------
    seen : MemberPredictions
        The rows looked at.

    Notes
    -----
    Rules that learn are fitted on one half of the rows and judged on the other, in turn, so that
    all rows are judged. Where there are very many numbers to look at, rows are drawn at random,
    once, so that all that is asked is about the same ones; ``n_rows`` tells how many.

    Examples
    --------
    >>> from counterpoint import MemberPredictions
    >>> from counterpoint.tabular import NumberWhatIf
    >>> what = NumberWhatIf(MemberPredictions([[1.0, 2.0], [3.0, 6.0]], [2.0, 4.0]))
    >>> what.judge("mean")["error"], what.judge("mean", weights=[1, 0])["mae"]
    (0.0, 1.5)
    """

    simplest = "mean"

    def __init__(
        self, outputs: MemberPredictions, own: Combiner | None = None, *, shift: float = 0.0
    ) -> None:
        super().__init__(outputs)
        if outputs.sample_weight is not None:
            raise ValueError(
                "Rows of unequal weight are not judged here: build the MemberPredictions without "
                "sample_weight."
            )
        self.own, self.shift = own, float(shift)
        n, cells = outputs.n_samples, _MOST_CELLS // outputs.n_members
        most = min(_MOST_ROWS, max(_FEWEST_ROWS, cells))
        self._rows = np.arange(n) if n <= most else np.sort(self._drawn[:most])
        self.seen: Any = outputs if n <= most else outputs.take_rows(self._rows)

    @cached_property
    def rules(self) -> list[dict[str, Any]]:
        """What can be asked of these members: "name", "title", "weighable", "learns"."""
        known = [OWN] if self.own is not None else []
        return [
            {
                "name": name,
                "title": _TITLES[name],
                "weighable": name == "mean",
                "learns": name != OWN and bool(NUMBER_RULES[name]().needs_truth),
            }
            for name in [*known, *NUMBER_RULES]
        ]

    def judge(
        self, rule: str = "mean", weights: ArrayLike | Mapping[str, float] | None = None
    ) -> dict[str, Any]:
        """Judge what some members say together.

        Parameters
        ----------
        rule : str, default="mean"
            A name of :attr:`rules`.
        weights : array-like of shape (n_members,), default=None
            0 is a member switched off. Rules that are not ``weighable`` only look at who is on.
            None: all count the same. Or a mapping of names, others being off.

        Returns
        -------
        dict
            "error" (root of the mean squared error) with limits "low" and "high", "mae" and "r2"
            with theirs, "bias", "residuals" (how many rows are how far off), "decompositions"
            where the rule is a mean, and on how many rows of how many.
        """
        say = self._weights(weights)
        answers, parts = self._ask(rule, say)
        score = score_numbers(answers, self.seen.y, self._counts)
        gaps = describe_residuals(answers, self.seen.y)
        return plain(
            {
                "rule": rule,
                "n_members": int((say > 0).sum()),
                "error": score.rmse,
                **{name: getattr(score, name) for name in _TOLD},
                "residuals": {name: gaps[name] for name in ("counts", "edges", "too_high")},
                "decompositions": [] if parts is None else [ambiguity_parts(parts)],
                "n_rows": self.seen.n_samples,
                "n_of": self.outputs.n_samples,
            }
        )

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
            "row" (its position), "dispute" (the standard deviation of what they say), "truth",
            "answer" (their mean) and "split": the least, the quartiles and the greatest.
        """
        values = self.seen.values[self._only(members) > 0]
        apart = member_spread(values, np.ones(len(values)))
        apart[np.ptp(values, axis=0) == 0] = 0.0  # and not what rounding leaves
        listed = np.argsort(-apart, kind="stable")[:n]
        listed = listed[apart[listed] > 0]
        return plain([self._row(values[:, k], int(self._rows[k])) for k in listed])

    def rows(self, rows: ArrayLike) -> list[dict[str, Any]]:
        """Say of some rows what :meth:`disputed` says of those it lists."""
        values = self.outputs.values
        return plain([self._row(values[:, row], int(row)) for row in np.asarray(rows, dtype=int)])

    def _row(self, values: NDArray, row: int) -> dict[str, Any]:
        return {
            "row": row, "dispute": float(values.std()), "truth": float(self.outputs.y[row]),
            "answer": float(values.mean()), "split": np.quantile(values, _QUANTILES),
        }  # fmt: skip

    def best(self, members: Sequence[int] | None = None) -> dict[str, Any]:
        """Choose the members whose mean errs least: by joining one at a time, on half of the rows.

        Members may join twice and then count twice (Caruana et al. 2004).

        Returns
        -------
        dict
            "rule" ("mean"), "weights" (n_members,), "n_chosen_on", and "error" of their mean on
            the rows that the choice has not seen, with limits.
        """
        some = self.seen
        among = np.flatnonzero(self._only(members))
        chosen_on, held = self._halves[0]
        chosen_on = chosen_on[:_TO_CHOOSE]
        trace = select_forward(
            some.take(among).take_rows(np.sort(chosen_on)), "squared", replace=True,
            n_members=min(2 * len(among), 40),
        )  # fmt: skip
        weights = np.zeros(some.n_members, dtype=int)
        np.add.at(weights, among[trace.selected], 1)
        rest = some.take_rows(held)
        score = score_numbers(MeanCombiner(weights).combine(rest), rest.y)
        return {
            "rule": self.simplest, "weights": weights.tolist(), "n_chosen_on": len(chosen_on),
            "error": score.rmse, "low": score.low, "high": score.high, "n_rows": len(held),
        }  # fmt: skip

    def growth(self) -> dict[str, Any]:
        """Say how the error of the ensemble falls as its members join, in their order.

        By its own rule where that is known, else by their mean; the error with limits, that of
        the members, and from how many on more do not help.
        """
        rule = MeanCombiner() if self.own is None else self.own
        told = number_growth(self.seen, rule.shares(self.seen), self._counts)
        told |= {"error": told.pop("rmse"), "member_error": told.pop("member_rmse")}
        return plain({**told, "n_rows": self.seen.n_samples})

    # -- asking a rule ---------------------------------------------------------------------------

    def _ask(self, rule: str, say: NDArray) -> tuple[NDArray, dict[str, float] | None]:
        """Return what a rule answers, and the parts of its squared error if it is a mean."""
        check_choice(rule, "rule", [known["name"] for known in self.rules])
        members = np.flatnonzero(say)
        some = self.seen.take(members)
        if rule == OWN:
            assert self.own is not None
            answers, parts = _mean(self.own.keep(members, self.seen), some)
            return answers + self.shift, None if self.shift else parts
        if rule == "mean":
            return _mean(MeanCombiner(say[members].astype(float)), some)
        made = NUMBER_RULES[rule]()
        if not made.needs_truth:
            return made.fit(some).combine(some), None
        answers, parts = np.empty(some.n_samples), dict.fromkeys(_PARTS, 0.0)
        for fit, held in self._halves:
            learnt = NUMBER_RULES[rule]().fit(some.take_rows(fit))
            answers[held], told = _mean(learnt, some.take_rows(held))
            for name in parts:
                parts[name] += told[name] * len(held) / some.n_samples
        return answers, parts

    @cached_property
    def _halves(self) -> list[tuple[NDArray, NDArray]]:
        folds = KFold(2, shuffle=True, random_state=0)
        return list(folds.split(np.empty((self.seen.n_samples, 0))))

    @cached_property
    def _counts(self) -> NDArray:
        """How often rows are drawn, by the order of what is true and said, as in an assessment."""
        rule = MeanCombiner() if self.own is None else self.own
        order = np.lexsort((rule.combine(self.seen), self.seen.y))
        return draw_counts(self.seen.n_samples)[:, np.argsort(order)]


def _mean(rule: Combiner, some: Any) -> tuple[NDArray, dict[str, float]]:
    """Return a weighted mean of members, and the parts of its squared error."""
    answers = rule.combine(some)
    parts = ambiguity_decomposition(some.y, some.values, weights=rule.shares(some)).averages
    return answers, {name: float(parts[name]) for name in _PARTS}
