"""More rows than fit into memory

LightGBM users ask for training from disk
([#5094](https://github.com/lightgbm-org/LightGBM/issues/5094),
[#6656](https://github.com/lightgbm-org/LightGBM/issues/6656)); XGBoost has, and people ask how
([#11425](https://github.com/dmlc/xgboost/issues/11425)). Here rows go into a store, a byte a
value, and boosters and trees are fitted to it by sums. With `calibrate=False` the model is the one
that memory would give, byte for byte; measures of files of any size are exact.
[More](../docs/large.md).

Seen: Error by round of AdaBoost.NC fitted to a store on disk, and how its members covary.
"""

import numpy as np
import pandas as pd
from sklearn.base import clone

from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.large import BinnedStore
from counterpoint.plots import HistoryDisplay
from counterpoint.trees import HistTreeClassifier

rng = np.random.default_rng(0)
for part in range(3):  # files, as yours may lie; these are small
    frame = pd.DataFrame(rng.normal(size=(10_000, 4)).round(2), columns=list("abcd"))
    noise = rng.normal(size=len(frame))
    frame["sold"] = np.where(frame["a"] + frame["b"] * frame["c"] + noise > 0, "yes", "no")
    frame.to_parquet(f"part-{part}.parquet", index=False)

store = BinnedStore.write("part-*.parquet", "rows.store", target="sold", max_bins=64)
print(f"{store.n_rows} rows on disk")
booster = AdaBoostNCClassifier(
    HistTreeClassifier(max_depth=4, max_bins=64),
    n_estimators=12,
    strength=0.5,
    calibrate=False,
)
model = clone(booster).fit(store)

frame = pd.concat(pd.read_parquet(f"part-{part}.parquet") for part in range(3))
X, y = frame[list("abcd")], frame["sold"]
memory = clone(booster).fit(X, y)
print(f"accuracy {model.score(X, y):.3f}, fitted in memory {memory.score(X, y):.3f}")
print("the same members:", np.array_equal(model.estimator_weights_, memory.estimator_weights_))

display = HistoryDisplay.from_estimator(model)
