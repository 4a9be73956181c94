"""hmmlearn's GMMHMM, timed inside its own process. Knows nothing of counterpoint."""

import json
import logging
import sys
import time
from pathlib import Path

import numpy as np
from hmmlearn.hmm import GMMHMM

logging.disable(logging.CRITICAL)  # it reports a falling likelihood at every step
folder = Path(sys.argv[1])
X, lengths, sizes = (np.load(folder / f"{name}.npy") for name in ("X", "lengths", "sizes"))
n_states, n_mixtures, n_iter = (int(size) for size in sizes)
model = GMMHMM(
    n_states, n_mixtures, covariance_type="full", n_iter=n_iter, tol=-np.inf, random_state=0
)
start = time.perf_counter()
model.fit(X, lengths)
seconds = time.perf_counter() - start
each = np.split(X, np.cumsum(lengths)[:-1])
print(json.dumps({"seconds": seconds, "score": float(np.mean([model.score(x) for x in each]))}))
