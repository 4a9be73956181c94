"""Hidden Markov models with weights and gaps

Weights for sequences ([hmmlearn #206](https://github.com/hmmlearn/hmmlearn/issues/206)), values
that are missing ([#327](https://github.com/hmmlearn/hmmlearn/issues/327)) and transitions that
cannot happen ([#525](https://github.com/hmmlearn/hmmlearn/issues/525)) are arguments here, and the
likelihood never falls but where a dead state is set anew
([#410](https://github.com/hmmlearn/hmmlearn/issues/410)). [More](../docs/hmm.md).

Seen: Part of those picked that are faulty, against the share picked: with gaps as such, and
filled.
"""

import numpy as np
from sklearn.base import clone

from counterpoint.plots import LiftDisplay
from counterpoint.sequences import MixtureHMM

rng = np.random.default_rng(0)


def machine(faulty=False):
    """Return temperatures of a machine that warms up; a faulty one falls back. Some are lost."""
    levels = [20.0, 50.0, 35.0, 80.0] if faulty else [20.0, 50.0, 80.0]
    at = np.repeat(levels, rng.integers(2, 6, len(levels)))
    read = at + rng.normal(0, 6, len(at))
    return np.where(rng.random(len(at)) < 0.3, np.nan, read)[:, None]


train = [machine() for _ in range(60)]
faulty = rng.random(300) < 0.1
test = [machine(one) for one in faulty]

only_on = np.triu(np.ones((3, 3)))  # no way back
ladder = MixtureHMM(3, transitions=only_on, first_states=[1, 0, 0])


def best_of(starts, sequences):
    """Return the likeliest of several models: EM ends where it started near."""
    tries = [clone(ladder).set_params(random_state=k).fit(sequences) for k in range(starts)]
    return max(tries, key=lambda one: one.log_likelihood_[-1])


model = best_of(8, train)
print("means of the states:", np.sort(model.means_.ravel()).round(0))
print(model.transitions_.round(2))
falls = np.flatnonzero(np.diff(model.log_likelihood_) < -1e-9)
print("likelihood falls only where a dead state is set anew:", set(falls) <= set(model.restarts_))
twice = clone(model).fit(train, sample_weight=np.full(60, 2.0))
print("weight two for all changes nothing:", np.allclose(twice.means_, model.means_))

mean = np.nanmean(np.concatenate(train))
filled = [[np.where(np.isnan(s), mean, s) for s in part] for part in (train, test)]
naive = best_of(8, filled[0])


def strangeness(model, sequences):
    """Return how unlikely each sequence is, per reading that is there."""
    there = [np.isfinite(s).sum() for s in sequences]
    return -model.score_samples(sequences) / there


scores = {
    "gaps as gaps": strangeness(model, test),
    "filled with the mean": strangeness(naive, filled[1]),
}
display = LiftDisplay.from_predictions(faulty.astype(int), scores, most=0.3)
