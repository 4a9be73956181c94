"""What our own measurements say at every branch of docs/choosing.md, read from benchmarks/*.csv."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from counterpoint.selection import compare_ranks

sys.path.insert(0, str(Path(__file__).parent.parent))
from benchmarks import history

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@dataclass(frozen=True)
class Branch:
    """A question, what to take if the answer is yes, the evidence, and where it is from."""

    question: str
    take: str
    page: str
    evidence: str
    file: str


class Methods:
    """Means over folds of ``choosing.csv``: a row per table, a column per method."""

    def __init__(self):
        rows = pd.read_csv(BENCHMARKS / "choosing.csv")
        means = rows.groupby(["table", "method"])[["error", "log_loss"]].mean()
        self.error, self.log_loss = (means[name].unstack() for name in ("error", "log_loss"))
        self.n = len(self.error)

    def lower(self, what, ours, other):
        """Return on how many tables ours is lower, in words."""
        table = getattr(self, what)
        return f"{(table[ours] < table[other]).sum()} of {self.n}"

    def mean(self, name):
        """Return the mean log-loss of a method, in words."""
        return f"{self.log_loss[name].mean():.2f}"

    def points(self, ours, other):
        """Return by how many points of error ours is higher, on average."""
        return f"{100 * (self.error[ours] - self.error[other]).mean():+.1f}"


def branches() -> list[Branch]:
    """Return the ladder of questions, the first that is answered yes decides."""
    m = Methods()
    merged, single = "merged tree, 8 leaves", "one tree, 8 leaves"
    labels = pd.read_csv(BENCHMARKS / "trust_error.csv")
    same = labels[labels["shift"] == "none"]
    held = ((labels["low"] <= labels["true"]) & (labels["true"] <= labels["high"])).mean()
    queries = pd.read_csv(BENCHMARKS / "trust_queries.csv")
    sizes = pd.read_csv(BENCHMARKS / "sizes.csv").set_index(["estimator", "rows"])
    large = sizes.loc[("HistBoostClassifier", 1_000_000)]
    return [
        Branch(
            "No labels for the rows you ask about?",
            "trust.estimate_error",
            "trust_error.md",
            f"misses the true error by {100 * (same['combined'] - same['true']).abs().mean():.1f} "
            f"points where nothing changed; limits hold it in {held:.0%} of {len(labels)} runs",
            "trust_error.csv",
        ),
        Branch(
            "Labels cost money?",
            "trust.QueryByCommittee",
            "trust_labels.md",
            f"better than drawing by lot in {(queries['margin'] > queries['by lot']).sum()} of "
            f"{len(queries)} runs, by "
            f"{100 * (queries['margin'] - queries['by lot']).mean():.1f} points",
            "trust_queries.csv",
        ),
        Branch(
            "More than some 100,000 rows?",
            "boosting.HistBoostClassifier",
            "sizes.md",
            f"a million rows in {large['fit']:g} s and {large['megabytes']:g} MB",
            "sizes.csv",
        ),
        Branch(
            "Must people read it?",
            "trees.MergedTreeClassifier",
            "merged_tree.md",
            f"8 leaves: error below one grown tree's on {m.lower('error', merged, single)} tables, "
            f"log-loss on {m.lower('log_loss', merged, single)}; the price is "
            f"{m.points(merged, 'forest')} points to a forest",
            "choosing.csv",
        ),
        Branch(
            "Models of several kinds, or time for them?",
            "selection.EnsembleSelectionClassifier",
            "selecting.md",
            "a pool of five: error below a forest's on "
            f"{m.lower('error', 'pool: greedy selection', 'forest')} tables, log-loss on "
            f"{m.lower('log_loss', 'pool: greedy selection', 'forest')}; below the plain mean's on "
            f"{m.lower('log_loss', 'pool: greedy selection', 'pool: mean')}",
            "choosing.csv",
        ),
        Branch(
            "Are probabilities needed?",
            "boosting.HistBoostClassifier",
            "hist_boost.md",
            "log-loss below a forest's on "
            f"{m.lower('log_loss', 'histogram boosting', 'forest')} tables, below networks' on "
            f"{m.lower('log_loss', 'histogram boosting', 'networks together')}; on average "
            f"{m.mean('histogram boosting')} against {m.mean('forest')} and "
            f"{m.mean('networks together')}",
            "choosing.csv",
        ),
        Branch(
            "Else",
            "networks.NegativeCorrelationClassifier",
            "negative_correlation.md",
            "or a forest, or boosting: error below a forest's on "
            f"{m.lower('error', 'networks together', 'forest')} tables, below boosting's on "
            f"{m.lower('error', 'networks together', 'histogram boosting')}: nobody wins always",
            "choosing.csv",
        ),
    ]


def branches_table() -> str:
    """Render the ladder as a Markdown table."""
    lines = ["| question | if so | evidence | from |", "|---|---|---|---|"]
    for b in branches():
        lines.append(f"| {b.question} | [`{b.take}`]({b.page}) | {b.evidence} | `{b.file}` |")
    return "\n".join(lines)


def methods_table() -> str:
    """Render mean ranks and means of all methods, the best first."""
    m = Methods()
    ranks = {what: getattr(m, what).rank(axis=1).mean() for what in ("error", "log_loss")}
    lines = [
        f"| over {m.n} tables | error, % | mean rank | log-loss | mean rank |",
        "|---|---|---|---|---|",
    ]
    for name in ranks["error"].sort_values().index:
        lines.append(
            f"| {name} | {100 * m.error[name].mean():.1f} | {ranks['error'][name]:.1f} "
            f"| {m.log_loss[name].mean():.2f} | {ranks['log_loss'][name]:.1f} |"
        )
    told = {what: compare_ranks(getattr(m, what)) for what in ("error", "log_loss")}
    tied = {what: "; ".join(one.groups()[0]) for what, one in told.items()}
    lines += [
        "",
        f"Mean ranks nearer than {told['error'].critical_difference:.1f} may be chance (Nemenyi, "
        f"5 %). By error the test cannot tell the best from these: {tied['error']}. By log-loss: "
        f"{tied['log_loss']}.",
    ]
    return "\n".join(lines)


# What the front page says of speed: words for a case, words for a peer, and whose rows these are.
FAST = [
    (
        "all pairs (Q, kappa, disagreement, double fault), 100 members, 100,000 samples",
        "one float32 matrix product",
        ("pairs", "T=100, n=100,000", "float32 matmul"),
    ),
    ("the same, 1000 members", "the same", ("pairs", "T=1000, n=100,000", "float32 matmul")),
    (
        "all pairs, 100 members, 100,000 samples",
        "DESlib's functions",
        ("pairs", "T=100, n=100,000", "DESlib 0.3.7"),
    ),
    (
        "a round of AdaBoost.NC, 100,000 x 20, depth 8",
        "scikit-learn's AdaBoost",
        ("boosting", "n=100,000, depth 8", "scikit-learn"),
    ),
    (
        "the same, reweighing included",
        "a bare round of LightGBM",
        ("boosting", "n=100,000, depth 8", "LightGBM"),
    ),
    ("the same", "a bare round of XGBoost", ("boosting", "n=100,000, depth 8", "XGBoost")),
    (
        "a round at a million rows, depth 4",
        "a bare round of LightGBM",
        ("boosting", "n=1,000,000, depth 4", "LightGBM"),
    ),
    (
        "a round with 10 classes, depth 6",
        "LightGBM",
        ("boosting", "n=100,000, 10 classes, depth 6", "LightGBM"),
    ),
    (
        "NCAB-SVM, 1000 x 10, 20 members",
        "a loop of SVC fits",
        ("svm", "NCAB-SVM, 1000 x 10, 20 members", "loop of SVC fits"),
    ),
    (
        "10 networks of 10 units trained together, 569 x 30",
        "a torch loop",
        ("networks", "569 x 30, 10 hidden, N=10, float64", "torch 2.13.0+cpu loop"),
    ),
    (
        "the same",
        "10 fits of scikit-learn's MLP",
        ("networks", "569 x 30, 10 hidden, N=10, sgd", "scikit-learn MLPClassifier, N fits"),
    ),
    (
        "kernel of a 500-tree forest, 10,000 x 10,000",
        "numpy, tree by tree",
        ("subsets", "kernel of 500 trees, depth None, 10,000 x 10,000", "numpy loop over trees"),
    ),
    (
        "KNORA-E, 100 trees, 100,000 queries, one thread",
        "DESlib",
        ("dynamic", "KNORA-E, one thread, 100,000 queries", "DESlib 0.3.7"),
    ),
]


def _times(ratio):
    if ratio < 20:
        return f"{ratio:.1f}"
    return f"{float(f'{ratio:.2g}') if ratio >= 1000 else ratio:,.0f}"


def fast_table() -> str:
    """Render the newest ratios of the cases of the front page."""
    kept = history.newest(history.rows())
    lines = ["| what | against | ours is faster by | measured at |", "|---|---|---|---|"]
    for what, against, key in FAST:
        row = kept.loc[key]
        ratio, low, high = (_times(row[name]) for name in ("ratio", "low", "high"))
        spread = f" ({low} to {high})" if pd.notna(row["low"]) else ""
        lines.append(f"| {what} | {against} | {ratio} x{spread} | `{row['commit']}` |")
    return "\n".join(lines)


def first_use_table() -> str:
    """Render what the first use of each family took when it was last measured, slowest first."""
    kept = history.newest(history.rows()).reset_index()
    rows = kept[(kept["benchmark"] == "startup") & kept["case"].str.startswith("first use: ")]
    rows = rows.groupby("case").tail(1)  # what was measured is in the place of a peer's name
    rows = rows.assign(seconds=rows["peer"].str.removesuffix(" s").astype(float))
    rows = rows.sort_values("seconds", ascending=False)
    lines = ["| first use of | processor seconds | compiled |", "|---|---|---|"]
    for row in rows.itertuples():
        name = row.case.removeprefix("first use: ")
        note = "" if pd.isna(row.note) else row.note
        lines.append(f"| {name} | {row.seconds:.1f} | {note} |")
    return "\n".join(lines)
