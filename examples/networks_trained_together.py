"""Networks trained together

In negative correlation learning (Liu and Yao 1999) every network is paid for differing from the
ensemble while it learns. Why should that help, if all are to give the right answer? So asks [RIDE
#31](https://github.com/frank-xwang/RIDE-LongTailRecognition/issues/31); the errors of the networks
and of their vote, below, are the answer on one data set. One `strength` means the same for any
number of networks, and a warning comes when diversity in training does not carry over.
[More](../docs/negative_correlation.md).

Seen: Outputs, distances and errors of three networks by epoch, trained together on one problem.
"""

from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from counterpoint.datasets import load, make_ripley
from counterpoint.networks import NegativeCorrelationClassifier
from counterpoint.plots import NCLDynamicsDisplay

X, y = load("sonar", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
scaler = StandardScaler().fit(X_train)

for strength in (0.0, 0.5, 0.9):
    model = NegativeCorrelationClassifier(
        8, hidden_layer_sizes=(6,), strength=strength, max_epochs=150, random_state=0
    )
    model.fit(scaler.transform(X_train), y_train)
    outputs = model.member_outputs(scaler.transform(X_test), y_test)
    print(
        f"strength {strength}: error {1 - model.score(scaler.transform(X_test), y_test):.3f}, "
        f"of its networks {1 - outputs.correct.mean():.3f}"
    )

X, y = make_ripley(random_state=0)
together = NegativeCorrelationClassifier(
    3,
    hidden_layer_sizes=5,
    strength=0.9,
    max_epochs=200,
    patience=None,
    record=True,
    random_state=0,
)
display = NCLDynamicsDisplay.from_estimator(together.fit(X, y))
