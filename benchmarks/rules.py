"""Ways to combine the flagship's members, judged on rows that neither members nor rules have seen.

The pool is cross-fitted on the training rows of a shipped set (cut as in ``accuracy.py``), or with
a limit of CPU seconds on a table of ``limits.py``; every rule is learnt from what members
said there and judged on the test rows, where a member is the mean of its folds. Rows go to
``rules.csv`` as they are finished; what is there is not done again::

    python -m benchmarks.rules --sets pima vehicle --splits 20 21
    python -m benchmarks.rules --tables segment --splits 20 --limit 10
    python -m benchmarks.rules --only-summary
"""

import argparse
import csv
import warnings
from pathlib import Path

import numba
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from benchmarks import accuracy, limits
from benchmarks.study import cpu_clock
from counterpoint import MemberOutputs
from counterpoint._members import Member
from counterpoint.auto import OverproduceSelectClassifier
from counterpoint.combiners import StackingCombiner, WeightedMeanCombiner
from counterpoint.combiners.tempered import temper, tempers
from counterpoint.selection import GreedyMeanCombiner

ROWS = Path(__file__).with_suffix(".csv")
FIELDS = ("dataset", "split", "limit", "n_members", "n_asked", "rule", "error", "log_loss")
THREE, TWO = "blend of three, bags of {}", "blend of two, bags of {}"
MOST_TEST = 5_000


class Asked(OverproduceSelectClassifier):
    """The flagship, which tells what it tried."""

    def _choose(self, trying, *rest):
        self.trying_ = trying
        return super()._choose(trying, *rest)


def judged(outputs: MemberOutputs, answers: np.ndarray, b: np.ndarray) -> dict:
    """Return error and log-loss of each rule learnt from outputs, on what members say of others."""
    unseen = MemberOutputs(
        proba=answers, y=outputs.classes[b], classes=outputs.classes, names=outputs.names
    )
    powers = tempers(outputs)
    seen, unseen = temper(outputs, powers), temper(unseen, powers)
    rules = {
        "best alone": WeightedMeanCombiner("best"),
        "greedy, one bag": GreedyMeanCombiner("log-loss", n_bags=1),
        "best third": WeightedMeanCombiner("best-third"),
        "stacking": StackingCombiner(LogisticRegression(C=0.02, max_iter=1000), use="log-odds"),
    }
    for bags in ("members", "rows"):
        rules[f"greedy, bags of {bags}"] = GreedyMeanCombiner(
            "log-loss", bags=bags, random_state=np.random.RandomState(0)
        )
    said = {name: rule.fit(seen).combine(unseen) for name, rule in rules.items()}
    for bags in ("members", "rows"):
        two = [said[f"greedy, bags of {bags}"], said["stacking"]]
        said[TWO.format(bags)] = np.mean(two, axis=0)
        said[THREE.format(bags)] = np.mean([*two, said["best third"]], axis=0)
    return {name: accuracy.judge(proba, b) for name, proba in said.items()}


def measure(name, split, limit):
    """Return a row for each rule."""
    if limit is None:
        A, a, B, b = accuracy.parts(name, split)
    else:
        A, B, a, b = limits.data(name, split)
        A, B, b = np.asarray(A, float), np.asarray(B, float)[:MOST_TEST], b[:MOST_TEST]
    with threadpool_limits(1), cpu_clock(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Asked(time_limit=limit, progress=False, random_state=split).fit(A, a)
        trying = model.trying_
        means = [trying.task.mean_of(trying.done[k].models) for k in sorted(trying.done)]
        answers = np.stack([trying.task.ask(Member(mean, None, ""), B) for mean in means])
        found = judged(model.outputs_, answers, b)
    n_members, n_asked = model.outputs_.n_members, model.outputs_.n_samples
    return [(name, split, limit or "", n_members, n_asked, rule, *own)
            for rule, own in found.items()]  # fmt: skip


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return each rule beside the blend of three with bags of members, by how many rows there are.

    "change" is the median of the log-loss, in parts of the other's; "error" the mean change.
    """
    rows = rows.assign(cut=rows["dataset"] + " " + rows["split"].astype(str))
    found = []
    for many, part in rows.groupby(rows["n_asked"] >= 300):
        loss = part.pivot_table(index="cut", columns="rule", values="log_loss")
        error = part.pivot_table(index="cut", columns="rule", values="error")
        base = THREE.format("members")
        for rule in loss.columns.drop(base):
            gain = (loss[rule] / loss[base] - 1).round(9)
            found.append({
                "rows": "300 and more" if many else "fewer than 300", "rule": rule,
                "cuts": len(gain), "change": gain.median(), "better": int((gain < 0).sum()),
                "worse": int((gain > 0).sum()), "error": (error[rule] - error[base]).mean(),
            })  # fmt: skip
    return pd.DataFrame(found)


def main():
    """Run what is missing, and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=[], choices=accuracy.DATA)
    parser.add_argument("--tables", nargs="+", default=[])
    parser.add_argument("--splits", nargs="+", type=int, default=[20])
    parser.add_argument("--limit", type=float, default=10)
    parser.add_argument("--only-summary", action="store_true")
    asked = parser.parse_args()
    numba.set_num_threads(1)
    kept = pd.read_csv(ROWS) if ROWS.exists() else pd.DataFrame(columns=FIELDS)
    done = set(zip(kept["dataset"], kept["split"], kept["limit"].notna(), strict=True))
    jobs = [(name, s, None) for name in asked.sets for s in asked.splits]
    jobs += [(name, s, asked.limit) for name in asked.tables for s in asked.splits]
    for name, split, limit in [] if asked.only_summary else jobs:
        if (name, split, limit is not None) in done:
            continue
        new = not ROWS.exists()
        rows = measure(name, split, limit)
        with ROWS.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([FIELDS, *rows] if new else rows)
        print(name, split, flush=True)
    print(summary(pd.read_csv(ROWS)).round(4).to_string(index=False))


if __name__ == "__main__":
    main()
