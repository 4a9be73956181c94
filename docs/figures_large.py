"""Draw the picture of docs/large.md: ``python docs/figures_large.py``. Takes a minute."""

import tempfile

import numpy as np
import pandas as pd
from figures import plt, save
from sklearn.ensemble import BaggingClassifier

from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.large import BinnedStore, count_outputs, write_outputs
from counterpoint.plots import HistoryDisplay, KappaErrorDisplay
from counterpoint.trees import HistTreeClassifier


def write_rows(folder):
    """Write the rows of the page."""
    rng = np.random.default_rng(0)
    for part in range(3):
        frame = pd.DataFrame(rng.normal(size=(20_000, 4)).round(2), columns=list("abcd"))
        noise = rng.normal(size=len(frame))
        frame["sold"] = np.where(frame["a"] + frame["b"] * frame["c"] + noise > 0, "yes", "no")
        frame.to_parquet(f"{folder}/part-{part}.parquet", index=False)


def main():
    with tempfile.TemporaryDirectory() as folder:
        write_rows(folder)
        store = BinnedStore.write(f"{folder}/part-[01].parquet", f"{folder}/store", target="sold")
        last = pd.read_parquet(f"{folder}/part-2.parquet")
        rows = last[list("abcd")], last["sold"]
        tree = HistTreeClassifier(max_depth=4)
        boosted = AdaBoostNCClassifier(tree, n_estimators=30)
        boosted.fit(store, eval_set={"unseen": rows})
        first = pd.read_parquet(f"{folder}/part-0.parquet")
        bagged = BaggingClassifier(HistTreeClassifier(max_depth=8), 20, random_state=0)
        bagged.fit(first[list("abcd")], first["sold"])
        counts = {}
        for name, model in (("AdaBoost.NC on the store", boosted), ("bagging", bagged)):
            said = f"{folder}/{name}.parquet"
            write_outputs(model, f"{folder}/part-2.parquet", said, truth="sold")
            counts[name] = count_outputs(said, truth="sold")
    figure, axes = plt.subplots(1, 2, figsize=(12, 4.8), layout="constrained")
    KappaErrorDisplay.from_outputs(counts, ax=axes[0])
    HistoryDisplay.from_estimator(boosted, ax=axes[1])
    save(figure, "large.png")


if __name__ == "__main__":
    main()
