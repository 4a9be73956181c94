"""Classify sequences of any length

One model per class, and the class most likely to have made the sequence: asked for in [hmmlearn
#109](https://github.com/hmmlearn/hmmlearn/issues/109) and
[#123](https://github.com/hmmlearn/hmmlearn/issues/123). It is a classifier of scikit-learn's kind,
so it can be cross-validated, searched over and combined with others. What order tells, a bag of
values cannot. [More](../docs/hmm.md).

Seen: Two and three states agree; one state, which knows no order, sides with the bag of values.
"""

import numpy as np
from sklearn.naive_bayes import GaussianNB

from counterpoint import MemberOutputs
from counterpoint.plots import DiversityMatrixDisplay
from counterpoint.sequences import HMMClassifier

rng = np.random.default_rng(0)


def walk(up):
    """Return a noisy climb or fall of four to nine steps."""
    steps = np.sort(rng.normal(size=rng.integers(4, 10)))
    return ((steps if up else steps[::-1]) + rng.normal(0, 0.7, len(steps)))[:, None]


y = rng.integers(0, 2, 240)
X = [walk(up) for up in y]
train, test = slice(120), slice(120, None)

votes = {}
for n_states in (1, 2, 3):
    model = HMMClassifier(n_states, n_starts=2, random_state=0).fit(X[train], y[train])
    votes[f"{n_states} state{'s'[: n_states > 1]}"] = model.predict(X[test])
bag = np.array([[x.mean(), x.std(), len(x)] for x in X])
votes["mean, spread, length"] = GaussianNB().fit(bag[train], y[train]).predict(bag[test])
for name, said in votes.items():
    print(f"{name}: accuracy {np.mean(said == y[test]):.3f}")

outputs = MemberOutputs(list(votes.values()), y[test], names=list(votes))
display = DiversityMatrixDisplay.from_outputs(outputs, measure="label_disagreement")
