"""AdaBoost.NC from its table I and equations 2 and 3, one sample after the other."""

from math import exp, log


def vote(votes, n_classes):
    """Winner of a plain vote; a tie goes to the lowest class."""
    cast = [votes.count(c) for c in range(n_classes)]
    return cast.index(max(cast))


def penalty(votes, truth, n_classes):
    """1 - |amb|, amb = mean over members of [H = y] - [h = y], with H their plain vote."""
    right = int(vote(votes, n_classes) == truth)
    amb = sum(right - int(v == truth) for v in votes) / len(votes)
    return 1 - abs(amb), amb


def adaboost_nc(members, y, n_classes, lam, weight=None):
    """Run over members' votes given in advance; return a dict per round.

    ``members`` is a list of lists of class codes. Weights and alphas are on SAMME's scale: for
    two classes alpha is twice that of equation 3, and samples get exp(-+alpha / 2).
    """
    n = len(y)
    D = [1 / n] * n if weight is None else list(weight)
    rounds = []
    for t in range(len(members)):
        so_far = members[: t + 1]
        h = members[t]
        p, amb = zip(*[penalty([m[i] for m in so_far], y[i], n_classes) for i in range(n)])
        right = sum(D[i] * p[i] ** lam for i in range(n) if h[i] == y[i])
        wrong = sum(D[i] * p[i] ** lam for i in range(n) if h[i] != y[i])
        error = sum(D[i] for i in range(n) if h[i] != y[i])
        alpha = log(right / wrong) + log(n_classes - 1)
        before = [t > 0 and vote([m[i] for m in members[:t]], n_classes) == y[i] for i in range(n)]
        hits = [h[i] == y[i] for i in range(n)]
        covariance = sum(a and b for a, b in zip(hits, before)) / n - sum(hits) * sum(before) / n**2
        D = [D[i] * p[i] ** lam * exp(-alpha / 2 if hits[i] else alpha / 2) for i in range(n)]
        Z = sum(D)
        D = [d / Z for d in D]
        rounds.append(
            {
                "alpha": alpha,
                "error": error,
                "p": p,
                "penalty": sum(p) / n,
                "ambiguity": sum(amb) / n,
                "covariance": covariance,
                "z": Z,
                "weight": D,
            }
        )
    return rounds


def other_penalty(votes, says, truth, n_classes, kind):
    """p of equation 1 with members' says, or of equation 2 with amb itself in place of |amb|."""
    if kind == "signed":
        return 1 - penalty(votes, truth, n_classes)[1]
    cast = [sum(s for v, s in zip(votes, says) if v == c) for c in range(n_classes)]
    right = int(cast.index(max(cast)) == truth)
    amb = sum(s * (right - int(v == truth)) for v, s in zip(votes, says)) / sum(says)
    return 1 - abs(amb)


def adaboost_nc_with(members, y, n_classes, lam, kind):
    """AdaBoost.NC with another ambiguity; return alphas and mean penalties."""
    n, D, alphas, means = len(y), [1 / len(y)] * len(y), [], []
    for t, h in enumerate(members):
        error = sum(D[i] for i in range(n) if h[i] != y[i])
        says = [*alphas, log((1 - error) / error) + log(n_classes - 1)]
        p = [
            other_penalty([m[i] for m in members[: t + 1]], says, y[i], n_classes, kind)
            for i in range(n)
        ]
        right = sum(D[i] * p[i] ** lam for i in range(n) if h[i] == y[i])
        wrong = sum(D[i] * p[i] ** lam for i in range(n) if h[i] != y[i])
        alphas.append(log(right / wrong) + log(n_classes - 1))
        means.append(sum(p) / n)
        D = [
            D[i] * p[i] ** lam * exp(-alphas[-1] / 2 if h[i] == y[i] else alphas[-1] / 2)
            for i in range(n)
        ]
        D = [d / sum(D) for d in D]
    return alphas, means


def brownboost(right, c, steps=4000):
    """Freund 2001: follow dt/d alpha = the member's edge, in small steps, to where it has none.

    ``right`` is a list of lists of whether each member is right. Returns (alpha, time) of each.
    """

    margin, left, found = [0.0] * len(right[0]), c, []
    for member in right:
        sign = [1.0 if r else -1.0 for r in member]
        alpha = time = 0.0

        def edge(alpha, time, margin=margin, left=left, sign=sign):
            place = [m + alpha * s + left - time for m, s in zip(margin, sign)]
            weight = [exp(-p * p / c) for p in place]
            return sum(w * s for w, s in zip(weight, sign)) / sum(weight)

        step = 0.002
        while time < left:
            slope = edge(alpha, time)
            if slope <= 1e-6:
                break
            # Heun's method.
            after = edge(alpha + step, time + step * slope)
            alpha, time = alpha + step, time + step * max(slope + after, 0.0) / 2
            if after < 0.01:
                step = 2e-4
        found.append((alpha, min(time, left)))
        margin = [m + alpha * s for m, s in zip(margin, sign)]
        left -= min(time, left)
    return found
