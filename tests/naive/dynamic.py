"""Competence of members near one query; right[row][member], near is a list of rows."""


def overall(near, pull, right, m):
    return sum(w * right[r][m] for r, w in zip(near, pull)) / sum(pull)


def by_class(near, pull, right, y, vote, m):
    own = [(r, w) for r, w in zip(near, pull) if y[r] == vote]
    total = sum(w for _, w in own)
    return sum(w * right[r][m] for r, w in own) / total if total else 0.0


def unbroken(near, right, m):
    count = 0
    for r in near:
        if not right[r][m]:
            break
        count += 1
    return count


def most_alike(votes, rows, k):
    same = [sum(a == b for a, b in zip(votes, row)) for row in rows]
    return sorted(range(len(rows)), key=lambda r: (-same[r], r))[:k]


def local_error(near, pull, errors, m):
    return sum(w * errors[r][m] for r, w in zip(near, pull)) / sum(pull)


def best(competence, first):
    known = [c for c in competence if c == c]
    if not known:
        return [1.0] * len(competence)
    say = [float(c == max(known)) for c in competence]
    if first:
        at = say.index(1.0)
        say = [float(m == at) for m in range(len(say))]
    return say
