"""AutoGluon on one cut of a table, for ``benchmarks/accuracy.py``.

Knows nothing of counterpoint. Prints probabilities and the processor's seconds of each preset.
"""

import json
import logging
import resource
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from autogluon.tabular import TabularPredictor

PRESETS = {
    "best": ("best_quality", "accuracy"),
    "best, log-loss": ("best_quality", "log_loss"),
    "medium": ("medium_quality", "accuracy"),
}


def cpu_seconds():
    """Return what this process and those it waited for have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


logging.disable(logging.CRITICAL)
folder = Path(sys.argv[1])
A, a, B = (np.load(folder / f"{name}.npy") for name in ("A", "a", "B"))
limit = float(np.load(folder / "limit.npy"))
asked = np.load(folder / "methods.npy").tolist()
train = pd.DataFrame(A).add_prefix("x").assign(y=a)
told = {}
for name in asked:
    preset, metric = PRESETS[name]
    start = cpu_seconds()
    with tempfile.TemporaryDirectory() as path:
        model = TabularPredictor("y", path=path, eval_metric=metric, verbosity=0)
        # Whether stacking would overfit is not tried out first: that takes a quarter of the time,
        # and needs a library to start processes with.
        model.fit(
            train, presets=preset, time_limit=limit, num_cpus=1, num_gpus=0, dynamic_stacking=False
        )
        seconds = cpu_seconds() - start
        proba = model.predict_proba(pd.DataFrame(B).add_prefix("x"), as_multiclass=True)
    told[name] = {"seconds": seconds, "proba": proba[sorted(proba.columns)].to_numpy().tolist()}
print(json.dumps(told))
