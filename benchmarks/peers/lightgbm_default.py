"""LightGBM as it comes, one thread: prints CPU seconds, error and log-loss as JSON."""

import json
import sys
import time
from pathlib import Path

import numpy as np
from lightgbm import LGBMClassifier


def figures(X, y, X_test, y_test):
    """Train and judge it; classes are numbers from 0."""
    LGBMClassifier(n_estimators=3, n_jobs=1, verbose=-1).fit(X[:500], y[:500])
    model = LGBMClassifier(n_jobs=1, verbose=-1)
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    proba = np.clip(model.predict_proba(X_test)[np.arange(len(y_test)), y_test], 1e-15, 1.0)
    error = float(np.mean(model.predict(X_test) != y_test))
    loss = float(-np.mean(np.log(proba)))
    return {"seconds": seconds, "error": error, "log_loss": loss}


def main():
    """Print its figures on the arrays of a folder."""
    folder = Path(sys.argv[1])
    parts = (np.load(folder / f"{part}.npy") for part in ("X", "y", "X_test", "y_test"))
    print(json.dumps(figures(*parts)))


if __name__ == "__main__":
    main()
