"""DECORATE and AdaBoost.M1 against WEKA 3.6, on the same folds: errors, not times.

WEKA's base learner is J48, ours the C4.5 stand-in. Needs a Java development kit and WEKA's jar
(Debian: ``apt-get install weka default-jdk-headless``; elsewhere name it in ``WEKA_JAR``). Left
out with a message where they are missing.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold

from benchmarks.harness import ROOT, Report
from counterpoint.boosting import AdaBoostM1Classifier
from counterpoint.boosting.decorate import DecorateClassifier
from counterpoint.datasets import load

JAR = Path(os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar"))
DATA = ("glass", "ionosphere", "wdbc")
REPEATS, FOLDS = 5, 10
J48 = "-W weka.classifiers.trees.J48 -- -C 0.25 -M 2"
METHODS = {
    "DECORATE": (
        lambda seed: DecorateClassifier(random_state=seed),
        f"weka.classifiers.meta.Decorate -E 15 -I 50 -R 1.0 -S SEED {J48}",
    ),
    "AdaBoost.M1": (
        lambda seed: AdaBoostM1Classifier(n_estimators=10, calibrate=False, random_state=seed),
        f"weka.classifiers.meta.AdaBoostM1 -P 100 -I 10 -S SEED {J48}",
    ),
}


def run() -> Report:
    report = Report("weka")
    if shutil.which("javac") is None or not JAR.exists():
        print("WEKA or a Java compiler is missing: left out", file=sys.stderr)
        return report
    for name in DATA:
        data = load(name)
        X, y = data.data.to_numpy(dtype=float), np.asarray(data.target).astype(str)
        cut = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=REPEATS, random_state=0)
        with warnings.catch_warnings():  # glass: a class with fewer rows than folds
            warnings.simplefilter("ignore", UserWarning)
            folds = list(cut.split(X, y))
        theirs = weka_errors(X, y, folds)
        for (method, (ours, _)), peer in zip(METHODS.items(), theirs, strict=True):
            own = np.array(
                [
                    (ours(seed).fit(X[train], y[train]).predict(X[test]) != y[test]).mean()
                    for seed, (train, test) in enumerate(folds)
                ]
            )
            noise = standard_error(own - peer)
            report.limit(
                f"{method}, {name}: difference of error rates",
                abs((own - peer).mean()) / noise,
                2,
                "standard errors",
                note=f"ours {percent(own)}, WEKA {percent(peer)}, difference "
                f"{100 * (own - peer).mean():+.2f} ± {100 * noise:.2f}",
            )
    return report


def weka_errors(X, y, folds):
    """Error rates of WEKA's methods, (n_methods, n_folds)."""
    with tempfile.TemporaryDirectory() as folder:
        for k, (train, test) in enumerate(folds):
            write_arff(Path(folder) / f"train-{k}.arff", X[train], y[train], np.unique(y))
            write_arff(Path(folder) / f"test-{k}.arff", X[test], y[test], np.unique(y))
        source = ROOT / "benchmarks" / "peers" / "WekaFolds.java"
        schemes = [scheme for _, scheme in METHODS.values()]
        command = ["java", "-cp", JAR, source, folder, *schemes]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    errors = np.full((len(METHODS), len(folds)), np.nan)
    for line in done.stdout.splitlines():
        method, fold, wrong = map(int, line.split())
        errors[method, fold] = wrong / len(folds[fold][1])
    return errors


def write_arff(path, X, y, classes):
    lines = ["@relation data"]
    lines += [f"@attribute x{k} numeric" for k in range(X.shape[1])]
    names = {label: f"c{k}" for k, label in enumerate(classes)}
    lines += [f"@attribute class {{{','.join(names.values())}}}", "@data"]
    for row, label in zip(X, y, strict=True):
        values = ["?" if np.isnan(v) else repr(float(v)) for v in row]
        lines.append(",".join([*values, names[label]]))
    path.write_text("\n".join(lines) + "\n")


def standard_error(differences):
    """Return the standard error of a mean over folds that share rows (Nadeau and Bengio, 2003)."""
    n = len(differences)
    return np.sqrt(differences.var(ddof=1) * (1 / n + 1 / (FOLDS - 1)))


def percent(errors):
    return f"{100 * errors.mean():.2f} ± {100 * standard_error(errors):.2f} %"
