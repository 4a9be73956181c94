"""DESlib's pairwise measures, timed inside its own process. Knows nothing of counterpoint."""

import json
import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np
from deslib.util.diversity import (
    Q_statistic,
    correlation_coefficient,
    disagreement_measure,
    double_fault,
)

folder = Path(sys.argv[1])
y, votes = np.load(folder / "y.npy"), np.load(folder / "votes.npy")
measures = {
    "q": Q_statistic,
    "correlation": correlation_coefficient,
    "disagreement": disagreement_measure,
    "double_fault": double_fault,
}
pairs = list(combinations(range(len(votes)), 2))
times, values = [], {name: [] for name in measures}
for i, j in pairs:
    start = time.process_time()
    for name, measure in measures.items():
        values[name].append(float(measure(y, votes[i], votes[j])))
    times.append(time.process_time() - start)
print(json.dumps({"seconds_per_pair": times, "pairs": pairs, "values": values}))
