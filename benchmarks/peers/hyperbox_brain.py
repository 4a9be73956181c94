"""hyperbox-brain's GFMM, timed inside its own process. Knows nothing of counterpoint."""

import json
import sys
import time
from pathlib import Path

import numpy as np
from hbbrain.numerical_data.batch_learner.accel_agglo_gfmm import AccelAgglomerativeLearningGFMM
from hbbrain.numerical_data.batch_learner.agglo_gfmm import AgglomerativeLearningGFMM
from hbbrain.numerical_data.incremental_learner.onln_gfmm import OnlineGFMM

MANHATTAN = 2  # of two boxes with equal membership, the one with the nearer centre

folder = Path(sys.argv[1])
X, y, X_new = (np.load(folder / f"{name}.npy") for name in ("X", "y", "X_new"))
theta, min_similarity, repeats = np.load(folder / "options.npy").tolist()


def timed(make, **options):
    times = []
    for _ in range(int(repeats)):
        model = make()  # a fitted OnlineGFMM would go on from its boxes
        start = time.perf_counter()
        model.fit(X, y)
        times.append(time.perf_counter() - start)
    return {
        "seconds": times,
        "lower": model.V.tolist(),
        "upper": model.W.tolist(),
        "classes": model.C.tolist(),
        "predicted": model.predict(X_new, **options).tolist(),
    }


told = {
    "agglomerative": timed(
        lambda: AccelAgglomerativeLearningGFMM(
            theta=theta, min_simil=min_similarity, simil_measure="mid"
        ),
        type_boundary_handling=MANHATTAN,
    )
}
if (folder / "online.npy").exists():
    told["online"] = timed(lambda: OnlineGFMM(theta=theta, theta_min=theta))
if (folder / "best_first.npy").exists():
    told["best-first"] = timed(
        lambda: AgglomerativeLearningGFMM(
            theta=theta, min_simil=min_similarity, simil_measure="mid"
        ),
        type_boundary_handling=MANHATTAN,
    )
print(json.dumps(told))
