"""Any estimator takes tables as they are, once the encoder stands before it."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tables import mixed_table

from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.networks import NegativeCorrelationClassifier
from counterpoint.tabular import TabularEncoder, with_encoder
from counterpoint.trees import PrunedTreeClassifier

TABLE = mixed_table(80)
X, Y = TABLE[["size", "colour", "code"]], TABLE["class"].to_numpy(str)


@pytest.mark.parametrize(
    "estimator",
    [
        AdaBoostNCClassifier(n_estimators=5, random_state=0),
        NegativeCorrelationClassifier(n_estimators=2, max_epochs=5, random_state=0),
        PrunedTreeClassifier(random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_words_and_gaps(estimator):
    with pytest.raises(ValueError, match=r"'colour'.*with_encoder"):
        estimator.fit(X, Y)
    model = with_encoder(estimator).fit(X, Y)
    assert np.mean(model.predict(X) == Y) > 0.5
    assert isinstance(model.named_steps["encode"], TabularEncoder)


def test_numbers_are_scaled_if_asked():
    model = with_encoder(LogisticRegression(), scale="standard").fit(X, Y)
    scaled = np.asarray(model.named_steps["encode"].transform(X))[:, 0]
    assert (scaled.mean(), scaled.std()) == pytest.approx((0, 1), abs=0.1)
