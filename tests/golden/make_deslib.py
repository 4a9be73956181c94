"""Make deslib.npz: decisions of DESlib 0.3.7 on a small pool, for tests/dynamic/test_deslib.py.

DESlib does not run beside a current scikit-learn. Run this in an environment of its own:
``pip install deslib==0.3.7 scikit-learn==1.5.2 "numpy<2"``, then ``python make_deslib.py``.
"""

from pathlib import Path

import numpy as np
from deslib.dcs import LCA, OLA
from deslib.des import DESP, KNORAE, KNORAU, METADES, RRC


class LinearMember:
    """A member: probabilities from a linear score."""

    def __init__(self, weights, classes):
        self.weights, self.classes_ = weights, classes

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        score = np.exp(np.column_stack([X, np.ones(len(X))]) @ self.weights)
        return score / score.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def score(self, X, y):
        return np.mean(self.predict(X) == y)


def main():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 4))
    truth = rng.normal(size=(5, 3))
    bent = np.column_stack([X**2 - 1, np.ones(len(X))])
    score = np.column_stack([X, np.ones(len(X))]) @ truth + 0.8 * bent @ rng.normal(size=(5, 3))
    y = (score + rng.gumbel(size=score.shape)).argmax(axis=1)
    weights = truth + rng.normal(scale=1.0, size=(12, 5, 3))
    pool = [LinearMember(w, np.arange(3)) for w in weights]
    made = {}
    methods = {
        "knora_e": KNORAE, "knora_u": KNORAU, "ola": OLA, "lca": LCA, "des_p": DESP,
        "meta_des": METADES, "rrc": RRC,
    }  # fmt: skip
    for name, method in methods.items():
        options = {} if name == "rrc" else {"k": 7}
        model = method(pool, **options).fit(X[:300], y[:300])
        made[name] = model.predict(X[300:]).astype(np.int8)
        if name == "meta_des":
            near = model.get_competence_region(X[300:])[1]
            shares = model._predict_proba_base(X[300:])
            made["meta_des_competence"] = model.estimate_competence_from_proba(near, shares)
        if name == "rrc":
            made["rrc_source"] = model.C_src_
    made.update(X=X, y=y, weights=weights)
    np.savez_compressed(Path(__file__).parent / "deslib.npz", **made)


if __name__ == "__main__":
    main()
