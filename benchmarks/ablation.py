"""What disagreement and each family of members bring to the flagship.

On every shipped set of ``accuracy.py`` (first cut) the default pool, and families of ours that are
not in it, are cross-fitted and fitted on all training rows; what they say is kept in
``.benchmarks/ablation`` and not computed again. Pools with and without a family, and selection that
pays more or less for disagreement, are then chosen from and judged on the test rows::

    python -m benchmarks.ablation
    python -m benchmarks.ablation --only-summary
"""

import argparse
import time
import warnings

import numba
import numpy as np
import pandas as pd
from scipy.stats import wilcoxon
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.accuracy import DATA, LEAST, parts
from benchmarks.harness import RESULTS, Report
from counterpoint import MemberOutputs
from counterpoint.auto import Candidate, default_pool
from counterpoint.auto.choice import choose_rule
from counterpoint.auto.metric import class_metric
from counterpoint.auto.scored import ScoredClassifier
from counterpoint.dynamic import KnoraUnion, NeighbourRegion, Queries
from counterpoint.subsets import StochasticDiscriminationClassifier

KEPT = RESULTS / "ablation"
CUT = 0
OUTSIDE = [
    Candidate(
        name="stochastic discrimination",
        family="subsets",
        make=lambda seed: ScoredClassifier(StochasticDiscriminationClassifier(random_state=seed)),
    )
]
OURS = {
    "boosted trees": ("boosted trees",),
    "AdaBoost and AdaBoost.NC": ("AdaBoost",),
    "networks trained together": ("networks",),
    "views": ("rotated",),
    "stochastic discrimination": ("stochastic",),
}
WEIGHTS = (-1.0, -0.5, 0.5, 1.0, 2.0)


def answers(name):
    """Return names, cross-fitted and test probabilities of all members, and both truths."""
    path = KEPT / f"{name}.npz"
    A, a, B, b = parts(name, CUT)
    pool = [*default_pool(*A.shape, int(a.max()) + 1), *OUTSIDE]
    kept = dict(np.load(path)) if path.exists() else {}
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(A, a))
    for member in pool:
        if f"{member.name}: test" in kept:
            continue
        unseen = np.zeros((len(a), int(a.max()) + 1))
        for train, test in folds:
            model = member.make(0).fit(A[train], a[train])
            unseen[np.ix_(test, model.classes_)] = model.predict_proba(A[test])
        kept[member.name] = unseen
        kept[f"{member.name}: test"] = member.make(0).fit(A, a).predict_proba(B)
    KEPT.mkdir(parents=True, exist_ok=True)
    np.savez(path, **kept)
    names = [member.name for member in pool]
    simple = [member.simple for member in pool]
    unseen, test = (np.stack([kept[n + end] for n in names]) for end in ("", ": test"))
    return names, np.array(simple), unseen, test, A, a, B, b


def judged(said, b):
    """Return error and log-loss on the test rows."""
    truth = np.clip(said[np.arange(len(b)), b], LEAST, 1.0)
    return float(np.mean(said.argmax(axis=1) != b)), float(-np.log(truth).mean())


def choose(unseen, test, a, simple, **options):
    """Return what the flagship would say about the test rows, from these members."""
    outputs = MemberOutputs(proba=unseen, y=a)
    metric = class_metric("log-loss", outputs.classes)
    choice = choose_rule(outputs, metric, simple=np.flatnonzero(simple), random_state=0, **options)
    return choice.rule.combine(MemberOutputs(proba=test, classes=outputs.classes))


def nearby(unseen, test, A, a, B):
    """Return the mean of members with a say by how often they are right nearby (KNORA-U)."""
    scaler = StandardScaler().fit(A)
    region = NeighbourRegion().fit(scaler.transform(A), a)
    competence = KnoraUnion().fit(MemberOutputs(proba=unseen, y=a), region=region)
    queries = Queries(near=region.near(scaler.transform(B)), votes=test.argmax(axis=2), proba=None)
    say = competence.weigh(competence.estimate(queries))
    return np.einsum("mn,mnk->nk", say / say.sum(axis=0), test)


def variants(name):
    """Return a row for each pool and each weight on one set."""
    names, simple, unseen, test, A, a, B, b = answers(name)
    outside = [c.name for c in OUTSIDE]
    inside = np.array([n not in outside for n in names])

    def by(mask, **options):
        return judged(choose(unseen[mask], test[mask], a, simple[mask], **options), b)

    rows = {"as it is": by(inside)}
    for weight in WEIGHTS:
        rows[f"diversity {weight:+g}"] = by(inside, diversity=weight)
    for family, starts in OURS.items():
        of = np.array([n.startswith(starts) for n in names])
        if (of & inside).any():
            rows[f"without {family}"] = by(inside & ~of)
        else:
            rows[f"with {family}"] = by(inside | of)
    rows["dynamic selection as the rule"] = judged(nearby(unseen[inside], test[inside], A, a, B), b)
    return [(name, variant, *values) for variant, values in rows.items()]


def summary(rows):
    """Return, for each variant, mean changes against the flagship as it is."""
    table = rows.pivot(index="dataset", columns="variant", values=["error", "log_loss"])
    found = []
    for variant in dict.fromkeys(rows["variant"]):
        error, loss = (table[k, variant] - table[k, "as it is"] for k in ("error", "log_loss"))
        per_cent = 100 * (loss / table["log_loss", "as it is"])
        p = 1.0 if (loss == 0).all() else wilcoxon(loss).pvalue
        found.append((variant, 100 * error.mean(), loss.mean(), per_cent.median(),
                      int((loss < 0).sum()), int((loss > 0).sum()), p))  # fmt: skip
    columns = ["variant", "error, points", "log-loss", "median, per cent", "better", "worse", "p"]
    return pd.DataFrame(found, columns=columns)


def run(data=DATA) -> Report:
    """Run all sets and print the table."""
    numba.set_num_threads(1)
    rows = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in data:
            began = time.process_time()
            rows += variants(name)
            print(f"{name}: {time.process_time() - began:.0f} CPU s", flush=True)
    frame = pd.DataFrame(rows, columns=["dataset", "variant", "error", "log_loss"])
    frame.to_csv(RESULTS / "ablation.csv", index=False)
    print(summary(frame).round(4).to_string(index=False))
    return Report("ablation")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=DATA, default=DATA)
    parser.add_argument("--only-summary", action="store_true")
    given = parser.parse_args()
    if given.only_summary:
        print(summary(pd.read_csv(RESULTS / "ablation.csv")).round(4).to_string(index=False))
    else:
        run(given.sets)
