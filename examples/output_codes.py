"""Output codes without collisions, with probabilities

scikit-learn's `OutputCodeClassifier` draws its code by lot: classes may share a codeword, and
there are no probabilities ([#25217](https://github.com/scikit-learn/scikit-learn/pull/25217),
[#25148](https://github.com/scikit-learn/scikit-learn/issues/25148)). Here the code is
[designed](../docs/output_codes.md): how far codewords are apart says how many wrong bits are
mended.

Seen: How often two bits are wrong on the same digit: most pairs in two cases of a hundred.
"""

from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from counterpoint.plots import DiversityMatrixDisplay
from counterpoint.views import OutputCodeClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X / 16, y, train_size=500, stratify=y, random_state=0
)
coded = OutputCodeClassifier(LogisticRegression(), n_bits=12, random_state=0).fit(X_train, y_train)
print(
    f"codewords differ in at least {coded.row_distance_} bits: {coded.n_correctable_} may be wrong"
)
print(
    f"accuracy {coded.score(X_test, y_test):.3f}, "
    f"log-loss {log_loss(y_test, coded.predict_proba(X_test)):.3f}"
)
bits = coded.member_outputs(X_test, y_test)
print(f"a bit alone is right on {bits.correct.mean():.1%}")

display = DiversityMatrixDisplay.from_outputs(bits, measure="double_fault")
