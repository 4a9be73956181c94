"""A tree of Forest-RC against a tree of scikit-learn's random forest, at equal depth.

Both on one thread and on rows drawn with replacement. Ours tries log2(d) + 1 sums of
three columns at a node, scikit-learn's the square root of d columns. Accuracy on new rows is
shown beside speed.
"""

from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from benchmarks.harness import Report
from counterpoint.views import ForestRCClassifier

TREES = 4


def run() -> Report:
    report = Report("views")
    X, y = make_classification(
        120_000, 20, n_informative=12, flip_y=0.05, n_clusters_per_class=4, random_state=0
    )
    X, y, X_new, y_new = X[:100_000], y[:100_000], X[100_000:], y[100_000:]
    for depth in (6, 12, None):
        ours = ForestRCClassifier(TREES, max_depth=depth, random_state=0)
        peer = RandomForestClassifier(TREES, max_depth=depth, random_state=0)
        scores = [model.fit(X, y).score(X_new, y_new) for model in (ours, peer)]
        limit = "no limit" if depth is None else f"depth {depth}"
        report.compare(
            f"n=100,000 x 20, {limit}, {TREES} trees",
            lambda ours=ours: ours.fit(X, y),
            lambda peer=peer: peer.fit(X, y),
            peer_name="RandomForestClassifier",
            repeats=3,
            at_least=1 / 3,
            note=f"accuracy on new rows: ours {scores[0]:.3f}, scikit-learn's {scores[1]:.3f}",
        )
    return report
