"""Right probabilities after resampling

Train on balanced samples, and the rare class looks far too likely: asked about in
[imbalanced-learn #1128](https://github.com/scikit-learn-contrib/imbalanced-learn/issues/1128).
`BalancedSubsetsClassifier` puts the true shares back, by weights or by correcting what members
say, and loses nothing of the ranking.

Seen: Precision against the share taken is the same with and without correction.
"""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from counterpoint.plots import LiftDisplay
from counterpoint.views import BalancedSubsetsClassifier

X, y = make_classification(8000, weights=[0.96], flip_y=0.02, random_state=3)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
print(f"share of the rare class: {np.mean(y_test):.3f}")

scores = {}
for correction in (None, "weights", "probabilities"):
    model = BalancedSubsetsClassifier(LogisticRegression(), correction=correction, random_state=0)
    said = model.fit(X_train, y_train).predict_proba(X_test)[:, 1]
    scores[correction or "none"] = said
    print(
        f"{correction or 'none':>13}: mean probability {said.mean():.3f}, "
        f"log-loss {log_loss(y_test, said):.3f}"
    )

display = LiftDisplay.from_predictions(y_test, scores, most=0.2)
