"""AdaBoost-SVM and NCAB-SVM, step by step as published; each member an SVC of its own.

Steps are those of Hong et al., section 2. Sums below 1/m, exact halves and machines with all
samples at their limits are as documented by the estimators.
"""

import math

from sklearn.svm import SVC

TINY = 1e-9


def boosted_svm(
    X, y, X_new, *, negative_correlation, rounds, C=1.0, lam=2.0, div=0.8, tol=1e-3, always=False
):
    """Members as (sigma, alpha, error, penalty, votes on X), and labels of X_new; y is 0, 1, ..."""
    m, classes = len(y), sorted(set(y))
    weights = [1.0 / m] * m  # step 1
    sigma, members, new_votes = 20, [], []
    while sigma > -20 and len(members) < rounds:  # step 3
        svm, constant = train(X, y, [w * m for w in weights], sigma, C, tol, classes)  # steps 2, 4
        h = votes(svm, constant, X, classes)
        error = sum(w for w, predicted, truth in zip(weights, h, y) if predicted != truth)  # step 5
        H = [winner([member[4][i] for member in members], members, classes) for i in range(m)]
        p = [4.0 * (h[i] != H[i]) for i in range(m)] if members else [1.0] * m  # step 6
        rejected = error > 0.5 - TINY  # step 7
        if negative_correlation and members:
            rejected = rejected or sum(p) / m < div - TINY
        else:
            p = [1.0] * m
        right = sum(p[i] ** lam * weights[i] for i in range(m) if h[i] == y[i])
        wrong = sum(p[i] ** lam * weights[i] for i in range(m) if h[i] != y[i])
        alpha = 0.5 * math.log(max(right, 1.0 / m) / max(wrong, 1.0 / m))  # step 8
        if rejected or alpha <= TINY:
            sigma -= 2
            continue
        for i in range(m):  # step 9
            weights[i] *= math.exp(-alpha if h[i] == y[i] else alpha)
        total = sum(weights)
        weights = [w / total for w in weights]
        members.append((sigma, alpha, error, sum(p) / m, h))  # steps 10, 11
        new_votes.append(votes(svm, constant, X_new, classes))
        if always:
            sigma -= 2
            continue
        if h == list(y) and not negative_correlation:
            break
    labels = [winner([v[i] for v in new_votes], members, classes) for i in range(len(X_new))]
    return members, labels


def train(X, y, weights, sigma, C, tol, classes):
    """A machine, and the pairs of classes whose function is a constant, with its sign."""
    width = 2.0**sigma
    svm = SVC(C=C, gamma=1.0 / (2.0 * width**2), tol=tol, decision_function_shape="ovo")
    svm.fit(X, y, sample_weight=weights)
    constant = {}
    for i in classes:
        for j in classes:
            if i < j and all_at_limit(svm, y, weights, C, i, j):
                mass_i = sum(w for w, label in zip(weights, y) if label == i)
                mass_j = sum(w for w, label in zip(weights, y) if label == j)
                constant[i, j] = 1.0 if mass_i >= mass_j * (1.0 - TINY) else -1.0
    return svm, constant


def all_at_limit(svm, y, weights, C, i, j):
    at_limit = 0
    for column, row in enumerate(svm.support_):
        if y[row] in (i, j):
            # the row of dual_coef_ for the opponent of a class leaves out the class itself
            opponent = j - 1 if y[row] == i else i
            at_limit += abs(svm.dual_coef_[opponent][column]) >= C * weights[row] * (1.0 - 1e-6)
    return at_limit == sum(label in (i, j) for label in y)


def votes(svm, constant, X, classes):
    functions = svm.decision_function(X)
    predicted = []
    for values in functions.tolist():
        # for two classes scikit-learn's function is positive for the second
        values = [-values] if len(classes) == 2 else list(values)
        won = [0] * len(classes)
        for i in classes:
            for j in classes:
                if i < j:
                    value = values.pop(0)
                    value = constant.get((i, j), value)
                    won[i if value > 0 else j] += 1
        predicted.append(won.index(max(won)))
    return predicted


def winner(predicted, members, classes):
    """The weighted vote about one sample."""
    score = [0.0] * len(classes)
    for vote, member in zip(predicted, members):
        score[vote] += member[1]
    return score.index(max(score))
