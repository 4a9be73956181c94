"""Trust without labels: how far estimates miss, what label errors and queries bring, speed.

``python -m benchmarks trust`` goes on from ``benchmarks/trust_*.csv``, in which every cell that is
done is a row; remove a file to run its part again. Peers (crowd-kit, cleanlab) are asked where they
are installed.
"""

import csv
import importlib
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from benchmarks.harness import Report
from counterpoint import MemberOutputs
from counterpoint.datasets import TabularEncoder, load, make_votes
from counterpoint.trust import (
    METHODS,
    QueryByCommittee,
    SelfTraining,
    VoteLog,
    estimate_error,
    estimate_truth,
    find_label_errors,
)
from counterpoint.trust.dawid_skene import fit_voters
from counterpoint.trust.error_methods import Seen

HERE = Path(__file__).parent
# The shipped sets with 500 rows or more.
SETS = (
    "anneal", "australian", "balance-scale", "blood-transfusion", "breast-w", "car", "churn",
    "contraceptive", "crx", "german-credit", "hypothyroid", "letter", "monks-1", "monks-2",
    "monks-3", "pima", "satimage", "segment", "soybean-large", "spambase", "splice", "tic-tac-toe",
    "vehicle", "vowel", "wdbc",
)  # fmt: skip
# Those with fewer, whose reference has 25 to 110 rows; labor and zoo have less.
SMALL_SETS = (
    "breast-cancer", "bupa", "ecoli", "glass", "haberman", "heart-cleveland", "heart-statlog",
    "hepatitis", "house-votes-84", "ionosphere", "iris", "lymphography", "new-thyroid",
    "primary-tumor", "promoters", "sonar", "wine",
)  # fmt: skip
SHIFTS = ("none", "tilted columns", "other classes", "missing column", "noise")
MOST_ROWS = 2400
LABEL_SETS = ("australian", "breast-w", "car", "german-credit", "segment", "vehicle", "vowel",
              "wdbc", "balance-scale", "blood-transfusion", "breast-cancer", "contraceptive",
              "ecoli", "glass", "pima", "sonar", "tic-tac-toe")  # fmt: skip
QUERY_SETS = ("australian", "breast-w", "car", "segment", "tic-tac-toe", "vehicle", "vowel", "wdbc")


def pool(seed):
    """Return learners of different kinds."""
    return [
        ("forest", RandomForestClassifier(40, random_state=seed)),
        ("linear", make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))),
        ("bayes", GaussianNB(var_smoothing=1e-3)),
        ("tree", DecisionTreeClassifier(max_depth=6, random_state=seed)),
        ("neighbours", make_pipeline(StandardScaler(), KNeighborsClassifier(10))),
    ]


def encoded(name, seed):
    """Return a set as numbers, at most 2400 rows, and which columns came from which."""
    X, y = load(name, return_X_y=True)
    if len(X) > MOST_ROWS:
        X, _, y, _ = train_test_split(X, y, train_size=MOST_ROWS, stratify=y, random_state=seed)
    counts = y.value_counts() if hasattr(y, "value_counts") else pd.Series(y).value_counts()
    keep = np.isin(y, counts.index[counts >= 10])
    X, y = X[keep].reset_index(drop=True), np.asarray(y)[keep]
    encoder = TabularEncoder().fit(X, y)
    names = [str(n) for n in encoder.get_feature_names_out()]
    origin = [next((str(c) for c in X if n == str(c) or n.startswith(f"{c}")), n) for n in names]
    return encoder.transform(X), np.unique(y, return_inverse=True)[1], np.array(origin)


# -- how wrong am I ----------------------------------------------------------------------------


def shifted(kind, X, y, X_train, model, origin, rng):
    """Return rows and labels after a shift of this kind."""
    n = len(X)
    if kind == "tilted columns":
        scale = StandardScaler().fit(X_train)
        along = PCA(1, random_state=0).fit(scale.transform(X_train)).transform(scale.transform(X))
        along = along[:, 0] / along[:, 0].std() * rng.choice([-1, 1])
        chance = np.exp(1.5 * along)
        rows = rng.choice(n, n, p=chance / chance.sum())
        return X[rows], y[rows]
    if kind == "other classes":
        odds = np.exp(rng.normal(0, 1.2, size=y.max() + 1))[y]
        rows = rng.choice(n, n, p=odds / odds.sum())
        return X[rows], y[rows]
    if kind == "missing column":
        X = X.copy()
        worth = pd.Series(model.feature_importances_).groupby(origin).sum()
        columns = np.flatnonzero(origin == worth.idxmax())
        X[:, columns] = X_train[:, columns].mean(axis=0)
        return X, y
    if kind == "noise":
        return X + rng.normal(0, 0.7, size=X.shape) * X_train.std(axis=0), y
    return X, y


def estimate_cells(name, seed):
    """Yield a row per ensemble and shift of a set."""
    X, y, origin = encoded(name, seed)
    X_train, rest, y_train, y_rest = train_test_split(X, y, train_size=0.5, stratify=y,
                                                      random_state=seed)  # fmt: skip
    X_ref, X_new, y_ref, y_new = train_test_split(rest, y_rest, train_size=0.5, stratify=y_rest,
                                                  random_state=seed)  # fmt: skip
    forest = RandomForestClassifier(60, random_state=seed).fit(X_train, y_train)
    mixed = [(n, model.fit(X_train, y_train)) for n, model in pool(seed)]
    for ensemble, model in (("forest", forest), ("mixed", mixed)):
        reference = MemberOutputs.from_estimator(model, X_ref, y_ref)
        for k, kind in enumerate(SHIFTS):
            rng = np.random.default_rng([seed, k])
            X_here, y_here = shifted(kind, X_new, y_new, X_train, forest, origin, rng)
            new = MemberOutputs.from_estimator(model, X_here)
            check = SelfTraining(X_train, y_train, X_here, n_estimators=3, n_rounds=2,
                                 random_state=seed)  # fmt: skip
            told = estimate_error(
                reference, new, X_reference=X_ref, X_new=X_here, n_draws=25, random_state=seed
            )
            own = check.estimate(None, Seen(new), np.ones(len(y_here)))
            answer = (new.proba.mean(axis=0)).argmax(axis=1)
            true = float(np.mean(new.classes[answer] != y_here))
            row = {"set": name, "seed": seed, "ensemble": ensemble, "shift": kind, "n": len(y_here),
                   "true": true, "reference": told.reference_error, "combined": told.error,
                   "low": told.low, "high": told.high, "combined_holds": told.trusted,
                   "self-training": own}  # fmt: skip
            for method, told_of in told.methods.iterrows():
                row[str(method)] = told_of["estimate"]
                for what in ("holds", "passes", "weight"):
                    row[f"{method}_{what}"] = told_of[what]
            yield row


def judge_estimates(frame):
    """Return the mean absolute miss by method and shift, warnings before failures, coverage."""
    names = ["combined", "reference", *(m.name for m in METHODS), "self-training"]
    miss = frame[names].sub(frame["true"], axis=0).abs()
    table = miss.groupby(frame["shift"]).mean().reindex(SHIFTS).T
    table["all"] = miss.mean()
    # A failure is a miss beyond five points and beyond twice what the new rows' number explains.
    chance = 2 * np.sqrt(frame["true"] * (1 - frame["true"]) / frame["n"])
    rows = []
    for name in [n for n in names if n not in ("reference", "self-training")]:
        failed = miss[name] > np.maximum(0.05, chance)
        warned = frame[f"{name}_holds"].astype(str) != "True"
        rows.append({"method": name, "failed": failed.mean(), "warned if failed":
                     warned[failed].mean(), "warned if fine": warned[~failed].mean()})  # fmt: skip
    inside = (frame["low"] <= frame["true"]) & (frame["true"] <= frame["high"])
    return table, pd.DataFrame(rows).set_index("method"), inside.groupby(frame["shift"]).mean()


# -- labels ------------------------------------------------------------------------------------


def label_cells(name, seed):
    """Yield precision and recall of planted label errors, beside cleanlab on the mean."""
    X, y, _ = encoded(name, seed)
    n_classes = y.max() + 1
    cleanlab = peer("cleanlab.filter")
    for share in (0.05, 0.1, 0.2):
        rng = np.random.default_rng([seed, int(100 * share)])
        flipped = rng.random(len(y)) < share
        given = np.where(flipped, (y + rng.integers(1, n_classes, size=len(y))) % n_classes, y)
        # Some sets are sorted: whole kinds of rows would be in no other fold.
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)
        outputs = MemberOutputs.from_estimator(pool(seed), X, given, cv=folds)
        found = find_label_errors(outputs)
        row = {"set": name, "seed": seed, "share": share, "expected": found.expected_share}
        row |= scores(found.wrong, flipped, "ours")
        if cleanlab is not None:
            theirs = cleanlab.find_label_issues(given, outputs.proba.mean(axis=0))
            row |= scores(theirs, flipped, "cleanlab")
        yield row


def scores(found, planted, who):
    """Return precision, recall and their harmonic mean."""
    precision = planted[found].mean() if found.any() else 0.0
    recall = found[planted].mean()
    both = 2 * precision * recall / max(precision + recall, 1e-12)
    return {f"{who}_precision": precision, f"{who}_recall": recall, f"{who}_f1": both}


def query_cells(name, seed):
    """Yield the area under the learning curve of ways to choose 100 labels, ten at a time."""
    X, y, _ = encoded(name, seed)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.4, stratify=y, random_state=seed)
    ways = {"by lot": None, "margin": ("margin", "top"), "vote-entropy": ("vote-entropy", "top"),
            "divergence": ("divergence", "top"), "divergence, diverse":
            ("divergence", "diverse")}  # fmt: skip
    row = {"set": name, "seed": seed}
    for way, options in ways.items():
        rng = np.random.default_rng(seed)
        known = np.zeros(len(y), dtype=bool)
        known[rng.permutation(len(y))[:10]] = True
        for k in np.unique(y):  # a committee needs one of each
            known[np.flatnonzero(y == k)[0]] = True
        accuracy = []
        measure, batch = options or ("margin", "top")
        committee = QueryByCommittee(measure=measure, batch=batch, random_state=seed)
        judge = RandomForestClassifier(50, random_state=seed)
        for _ in range(10):
            committee.fit(X[known], y[known])
            accuracy.append(judge.fit(X[known], y[known]).score(X_test, y_test))
            rest = np.flatnonzero(~known)
            at = rng.permutation(len(rest))[:10]
            known[rest[at if options is None else committee.query(X[rest], 10)]] = True
        row[way] = float(np.mean(accuracy))
    yield row


# -- votes -------------------------------------------------------------------------------------


def compare_speed(report):
    """Hold Dawid and Skene's EM against crowd-kit's, with the same number of steps."""
    made = make_votes(10_000, n_members=50, n_classes=4, missing=0.8, random_state=0)
    who, at = np.nonzero(~pd.isna(made.votes))
    label = made.votes[who, at].astype(int)
    log = VoteLog(who, at, label)
    crowdkit = peer("crowdkit.aggregation")

    def ours():
        return fit_voters(log, one_coin=False, say=np.ones(50), smoothing=0.0, max_iter=20, tol=-1)

    if crowdkit is not None:
        frame = pd.DataFrame({"worker": who, "task": at, "label": label})
        report.compare(
            f"Dawid-Skene, {log.n_votes} votes, 20 steps", ours,
            lambda: crowdkit.DawidSkene(n_iter=20, tol=-1).fit(frame),
            peer_name="crowd-kit", repeats=3, at_least=10,
        )  # fmt: skip
    many = make_votes(100_000, n_members=100, n_classes=3, missing=0.9, random_state=0)
    who, at = np.nonzero(~pd.isna(many.votes))
    log = VoteLog(who, at, many.votes[who, at].astype(int))
    start = time.process_time()
    estimate_truth(log, discount=False, random_state=0)
    spent = time.process_time() - start
    report.limit(f"{log.n_votes} votes with limits of accuracies", spent, 60, "s (CPU)")
    return report


def peer(name):
    """Return a module that may be there, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except ImportError:
            return None


# -- running -----------------------------------------------------------------------------------


def resume(path, cells, names, seeds):
    """Run what a file does not hold yet, a set and seed at a time; return all rows."""
    done = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=["set", "seed"])
    have = {(str(a), int(b)) for a, b in zip(done["set"], done["seed"], strict=True)}
    for seed in range(seeds):
        for name in names:
            if (name, seed) in have:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows = list(cells(name, seed))
            fresh = not path.exists()
            with path.open("a", newline="") as file:
                writer = csv.DictWriter(file, fieldnames=list(rows[0]))
                if fresh:
                    writer.writeheader()
                writer.writerows(
                    {k: round(v, 5) if isinstance(v, float) else v for k, v in row.items()}
                    for row in rows
                )
    return pd.read_csv(path)


def run():
    report = Report("trust")
    compare_speed(report)
    frame = resume(HERE / "trust_error.csv", estimate_cells, (*SETS, *SMALL_SETS), 1)
    for names in (SETS, SMALL_SETS):
        part = frame[frame["set"].isin(names)]
        table, warned, inside = judge_estimates(part)
        print(
            f"\nMean absolute miss of the error, {part['set'].nunique()} sets, {len(part)} cells:"
        )
        print(table.round(4).to_string())
        print(f"\nDoes the check warn before an estimate fails?\n{warned.round(3).to_string()}")
        print(f"\n95 % limits of the combination hold the truth:\n{inside.round(3).to_string()}")
    labels = resume(HERE / "trust_labels.csv", label_cells, LABEL_SETS, 1)
    print(f"\nPlanted label errors:\n{labels.groupby('share').mean(numeric_only=True).round(3)}")
    queries = resume(HERE / "trust_queries.csv", query_cells, QUERY_SETS, 2)
    by_set = queries.drop(columns="seed").groupby("set").mean()
    print(f"\nArea under the learning curve:\n{by_set.round(4)}")
    print(queries.drop(columns=["set", "seed"]).mean().round(4))
    return report


if __name__ == "__main__":
    run()
