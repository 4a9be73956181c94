"""AutoGluon on one cut of a table, for ``benchmarks/study.py``.

Knows nothing of counterpoint. Prints answers and the processor's seconds of each preset. Its time
limit counts the processor's seconds if ``cpu.npy`` is there and says so.
"""

import json
import logging
import resource
import sys
import tempfile
import time
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
numbers = str(np.load(folder / "task.npy")) == "numbers"
if bool(np.load(folder / "cpu.npy")):
    # Others are at work on the machine: an hour by its clock is what the processor did for us.
    began = time.time()
    time.time = lambda: began + cpu_seconds()
train = pd.DataFrame(A).add_prefix("x").assign(y=a)
told = {}
for name in asked:
    preset, metric = PRESETS[name]
    kind = {"problem_type": "regression", "eval_metric": "rmse"} if numbers else {}
    start = cpu_seconds()
    with tempfile.TemporaryDirectory() as path:
        model = TabularPredictor("y", path=path, verbosity=0, **({"eval_metric": metric} | kind))
        # Whether stacking would overfit is not tried out first: that takes a quarter of the time,
        # and needs a library to start processes with.
        model.fit(
            train, presets=preset, time_limit=limit, num_cpus=1, num_gpus=0, dynamic_stacking=False
        )
        seconds = cpu_seconds() - start
        test = pd.DataFrame(B).add_prefix("x")
        if numbers:
            said = model.predict(test).to_numpy()
        else:
            proba = model.predict_proba(test, as_multiclass=True)
            said = proba[sorted(proba.columns)].to_numpy()
    told[name] = {"seconds": seconds, "said": said.tolist()}
print(json.dumps(told))
