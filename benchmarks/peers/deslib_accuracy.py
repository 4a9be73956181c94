"""DESlib's dynamic selection over a forest, for ``benchmarks/accuracy.py``.

Knows nothing of counterpoint. Prints probabilities and the processor's seconds of each method.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from deslib.des import KNORAE, METADES
from sklearn.ensemble import RandomForestClassifier

folder = Path(sys.argv[1])
A, a, B, seed = (np.load(folder / f"{name}.npy") for name in ("A", "a", "B", "seed"))
told = {}
for name, method in {"KNORA-E": KNORAE, "META-DES": METADES}.items():
    start = time.process_time()
    # A forest, and the training rows once more to choose by: on seven sets of this size better
    # than DESlib's own default (bagged trees, half of the rows to choose by), on all of them.
    pool = RandomForestClassifier(100, random_state=int(seed)).fit(A, a)
    model = method(pool, random_state=int(seed)).fit(A, a)
    seconds = time.process_time() - start
    told[name] = {"seconds": seconds, "said": model.predict_proba(B).tolist()}
print(json.dumps(told))
