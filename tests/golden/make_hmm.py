"""Write hmm.npz: what hmmlearn's GMMHMM says of given models. Knows nothing of counterpoint.

Run in an environment of its own: ``pip install hmmlearn==0.3.3``, then
``python tests/golden/make_hmm.py``. The test reads the file, not hmmlearn.
"""

from pathlib import Path

import numpy as np
from hmmlearn.hmm import GMMHMM

rng = np.random.RandomState(0)
saved = {}
for kind, n_states, n_mixtures, d in (("full", 4, 3, 5), ("diag", 3, 2, 2), ("full", 12, 4, 5)):
    roots = rng.randn(n_states, n_mixtures, d, d)
    cov = roots @ roots.transpose(0, 1, 3, 2) + 0.5 * np.eye(d)
    if kind == "diag":
        cov = np.diagonal(cov, axis1=2, axis2=3).copy()
    model = GMMHMM(n_states, n_mixtures, covariance_type=kind)
    model.startprob_ = rng.dirichlet(np.ones(n_states))
    model.transmat_ = rng.dirichlet(np.ones(n_states), size=n_states)
    model.weights_ = rng.dirichlet(np.ones(n_mixtures), size=n_states)
    model.means_ = 3 * rng.randn(n_states, n_mixtures, d)
    model.covars_ = cov
    model.n_features = d
    lengths = rng.randint(1, 9, size=15)
    X = 4 * rng.randn(lengths.sum(), d)
    parts = np.split(X, np.cumsum(lengths)[:-1])
    full = cov if kind == "full" else cov[..., None] * np.eye(d)
    case = {
        "start": model.startprob_,
        "transitions": model.transmat_,
        "mixture": model.weights_,
        "means": model.means_,
        "covariances": full,
        "X": X,
        "lengths": lengths,
        "log_likelihood": np.array([model.score(part) for part in parts]),
        "states": np.concatenate([model.predict_proba(part) for part in parts]),
        "paths": np.concatenate([model.predict(part) for part in parts]),
    }
    saved.update({f"{kind}-{n_states}/{name}": array for name, array in case.items()})
np.savez_compressed(Path(__file__).with_name("hmm.npz"), **saved)
