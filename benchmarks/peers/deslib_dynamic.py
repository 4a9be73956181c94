"""DESlib's dynamic selection on bagged trees, timed inside its own process.

Knows nothing of counterpoint. Fits the pool itself: trees cannot be handed from one version of
scikit-learn to another, so their structure is handed back.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from deslib.dcs import OLA
from deslib.des import KNORAE, METADES
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

folder = Path(sys.argv[1])
X, y, V, v, Q = (np.load(folder / f"{name}.npy") for name in ("X", "y", "V", "v", "Q"))
n_meta = int(np.load(folder / "n_meta.npy"))
pool = BaggingClassifier(DecisionTreeClassifier(), 100, random_state=0).fit(X, y)
# The same trees again elsewhere: which rows each was given is all that is random.
told = {"rows": [s.tolist() for s in pool.estimators_samples_], "seconds": {}, "decided": {}}
told["seeds"] = [int(tree.random_state) for tree in pool.estimators_]
for name, method in {"KNORA-E": KNORAE, "OLA": OLA, "META-DES": METADES}.items():
    queries = Q[:n_meta] if name == "META-DES" else Q
    for threads in ("one thread", "all threads"):
        alone = threads == "one thread"
        model = method(pool, k=7, n_jobs=1 if alone else -1).fit(V, v)
        with threadpool_limits(1 if alone else None):
            model.predict(queries[:1000])
            clock = time.process_time if alone else time.perf_counter
            start = clock()
            decided = model.predict(queries)
            told["seconds"][f"{name}, {threads}"] = clock() - start
    told["decided"][name] = decided.tolist()
print(json.dumps(told))
