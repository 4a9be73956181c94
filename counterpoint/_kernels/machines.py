"""Support vector machines on a kernel matrix that is there. Twin in ``tests/naive/machines.py``.

The steps are those of libsvm's solver for C-classification (Fan, Chen and Lin 2005, JMLR 6;
shrinking as in Chang and Lin 2011), in its order and with its ties: kernel values in single
precision, all else in double, so that both take the same steps and find the same numbers. Unlike it
we keep the signed gradient y_i G_i, whose products have no sign to look up, leave who may not move
out by an offset instead of a branch, and read kernel values where they are.
"""

import numpy as np

from counterpoint._kernels.compiling import inner, kernel, lean

# What libsvm takes for the curvature where there is none, and how often it shrinks.
_TAU = 1e-12
_SHRINK = 1000
_LANES = 8


@kernel()
def take_kernel(values, rows, taken):
    """Put the kernel values among ``rows`` into ``taken`` (float32), in their order."""
    for a in range(len(rows)):
        row = values[rows[a]]
        for b in range(len(rows)):
            taken[a, b] = row[rows[b]]


@kernel()
def solve_pairs(taken, first, limit, tol, most, coef, offset):
    """Train a machine for each pair of classes; return whether any was stopped by ``most`` steps.

    taken (n_samples, n_samples) float32 holds the kernel, samples class by class; ``first``
    (n_classes + 1) says where each class begins; limit (n_samples,) is the most that a sample may
    count. Written are coef (n_samples, n_pairs), zeros before, and offset (n_pairs,): a function
    above 0 says the first class of its pair. A pair with a class without samples is left as it is.
    """
    n_classes, pair, stopped = len(first) - 1, 0, False
    for a in range(n_classes):
        for b in range(a + 1, n_classes):
            n_a, n_b = first[a + 1] - first[a], first[b + 1] - first[b]
            n = n_a + n_b
            if n_a > 0 and n_b > 0:
                side, most_of = np.empty(n), np.empty(n)
                side[:n_a], side[n_a:] = 1.0, -1.0
                most_of[:n_a] = limit[first[a] : first[a + 1]]
                most_of[n_a:] = limit[first[b] : first[b + 1]]
                own = taken if n_classes == 2 else _of_pair(taken, first, a, b)
                alpha = np.zeros(n)
                offset[pair], in_time = _solve(own, side, most_of, tol, most, alpha)
                stopped |= not in_time
                for k in range(n_a):
                    coef[first[a] + k, pair] = alpha[k]
                for k in range(n_b):
                    coef[first[b] + k, pair] = -alpha[n_a + k]
            pair += 1
    return stopped


@inner
def _of_pair(taken, first, a, b):
    n_a, n = first[a + 1] - first[a], first[a + 1] - first[a] + first[b + 1] - first[b]
    own = np.empty((n, n), dtype=np.float32)
    for i in range(n):
        row = taken[first[a] + i if i < n_a else first[b] + i - n_a]
        own[i, :n_a] = row[first[a] : first[a + 1]]
        own[i, n_a:] = row[first[b] : first[b + 1]]
    return own


@inner
def _solve(values, side, limit, tol, most, alpha):
    """Find the dual coefficients ``alpha``, zeros before; return the offset, and if in time.

    Samples change places as libsvm shrinks, and with them their numbers: ``at`` says where a
    sample was. Those from ``n_active`` on do not take part until all are looked at again.
    """
    n = len(side)
    at, moved = np.arange(n), False
    gradient = -side  # times side
    # The same from samples at their limits alone, by where they were.
    of_limits = np.zeros(n)
    # Infinite where a sample may not go up, or down.
    up, down = np.empty(n), np.empty(n)
    curvature = np.empty(n)
    for i in range(n):
        curvature[i] = values[i, i]
        _bound(i, side, limit, alpha, up, down)
    room, row_i, row_j = np.empty(n), np.empty(n, np.float32), np.empty(n, np.float32)
    n_active, unshrunk, in_time = n, False, False
    until_shrunk, steps = min(n, _SHRINK) + 1, 0
    while steps < most:
        until_shrunk -= 1
        if until_shrunk == 0:
            until_shrunk = min(n, _SHRINK)
            above, below = _most_violating(gradient, up, down, n_active)
            if not unshrunk and above + below <= 10 * tol:
                unshrunk = True
                _rebuild(values, side, alpha, limit, at, gradient, of_limits, n_active)
                n_active = n
            n_active, swapped = _shrink(
                above, below, side, limit, alpha, at, gradient, up, down, curvature, n_active
            )
            moved |= swapped
        i, j = _working_pair(
            values, at, moved, gradient, up, down, curvature, tol, room, row_i, n_active
        )
        if j < 0:
            _rebuild(values, side, alpha, limit, at, gradient, of_limits, n_active)
            n_active = n
            i, j = _working_pair(
                values, at, moved, gradient, up, down, curvature, tol, room, row_i, n_active
            )
            if j < 0:
                in_time = True
                break
            until_shrunk = 1
        steps += 1
        before_i, before_j = alpha[i], alpha[j]
        was_i, was_j = before_i >= limit[i], before_j >= limit[j]
        both = np.float64(values[at[i], at[j]])
        _move(i, j, both, side, limit, alpha, gradient, curvature)
        by_i, by_j = side[i] * (alpha[i] - before_i), side[j] * (alpha[j] - before_j)
        here = values[at[i]] if not moved else row_i
        there = values[at[j]]
        if moved:
            for k in range(n_active):
                row_j[k] = there[at[k]]
            there = row_j
        for k in range(n_active):
            gradient[k] += np.float64(here[k]) * by_i + np.float64(there[k]) * by_j
        for m, was in ((i, was_i), (j, was_j)):
            _bound(m, side, limit, alpha, up, down)
            if was != (alpha[m] >= limit[m]):
                sign = -side[m] if was else side[m]
                _add(of_limits, values[at[m]], sign * limit[m])
    offset = -_middle(gradient, up, down, n_active)
    settled = alpha.copy()
    for k in range(n):
        alpha[at[k]] = settled[k]
    return offset, in_time


@lean
def _add(total, values, times):
    for k in range(len(total)):
        total[k] += times * np.float64(values[k])


@lean
def _bound(i, side, limit, alpha, up, down):
    """Note which way the signed coefficient of a sample may go."""
    full = alpha[i] >= limit[i]
    empty = not full and alpha[i] <= 0.0
    rises = not full if side[i] > 0 else not empty
    falls = not empty if side[i] > 0 else not full
    up[i] = 0.0 if rises else np.inf
    down[i] = 0.0 if falls else np.inf


@lean
def _largest(values, n):
    """Return the largest of the first ``n`` numbers and the last place where it is."""
    best, block = -np.inf, 0
    # Eight at a time: one by one each would have to wait for the one before it.
    n_whole = n // 128 * 128
    for start in range(0, n_whole, 128):
        a, b, c, d = values[start], values[start + 1], values[start + 2], values[start + 3]
        e, f, g, h = values[start + 4], values[start + 5], values[start + 6], values[start + 7]
        for k in range(start + _LANES, start + 128, _LANES):
            a = values[k] if values[k] > a else a
            b = values[k + 1] if values[k + 1] > b else b
            c = values[k + 2] if values[k + 2] > c else c
            d = values[k + 3] if values[k + 3] > d else d
            e = values[k + 4] if values[k + 4] > e else e
            f = values[k + 5] if values[k + 5] > f else f
            g = values[k + 6] if values[k + 6] > g else g
            h = values[k + 7] if values[k + 7] > h else h
        a, b = a if a > b else b, c if c > d else d
        c, d = e if e > f else f, g if g > h else h
        a, b = a if a > b else b, c if c > d else d
        a = a if a > b else b
        if a >= best:
            best, block = a, start
    rest = -np.inf
    for k in range(n_whole, n):
        rest = values[k] if values[k] > rest else rest
    if n_whole < n and rest >= best:
        best, block = rest, n_whole
    place = min(n, block + 128) - 1
    while place > block and values[place] != best:
        place -= 1
    return best, place


@lean
def _working_pair(
    values, at, moved, gradient, up, down, curvature, tol, room, row_i, n_active
):  # fmt: skip
    """Return the two samples to move; the second is -1 if nothing is to be gained any more.

    The first has the steepest way up; with it, the second promises most. Of equals, the last.
    """
    for k in range(n_active):
        room[k] = -gradient[k] - up[k]
    steepest, i = _largest(room, n_active)
    if steepest == -np.inf:
        return -1, -1
    row = values[at[i]]
    if moved:
        for k in range(n_active):
            row_i[k] = row[at[k]]
        row = row_i
    own = curvature[i]
    for k in range(n_active):
        gap = steepest + (gradient[k] - down[k])
        curve = own + curvature[k] - 2.0 * np.float64(row[k])
        curve = curve if curve > 0.0 else _TAU
        gain = gap * gap / curve
        room[k] = gain if gap > 0.0 else -np.inf
    most, j = _largest(room, n_active)
    if most == -np.inf:
        return i, -1
    # The pair that gains most is seldom so close that the widest gap has to be looked for.
    if steepest + gradient[j] >= tol:
        return i, j
    for k in range(n_active):
        room[k] = gradient[k] - down[k]
    widest, _ = _largest(room, n_active)
    return i, (j if steepest + widest >= tol else -1)


@lean
def _move(i, j, both, side, limit, alpha, gradient, curvature):
    """Change the coefficients of two samples, within their limits."""
    curve = curvature[i] + curvature[j] - 2.0 * both
    if curve <= 0.0:
        curve = _TAU
    limit_i, limit_j = limit[i], limit[j]
    if side[i] != side[j]:
        delta = (-side[i] * gradient[i] - side[j] * gradient[j]) / curve
        apart = alpha[i] - alpha[j]
        alpha[i] += delta
        alpha[j] += delta
        if apart > 0.0:
            if alpha[j] < 0.0:
                alpha[j], alpha[i] = 0.0, apart
        elif alpha[i] < 0.0:
            alpha[i], alpha[j] = 0.0, -apart
        if apart > limit_i - limit_j:
            if alpha[i] > limit_i:
                alpha[i], alpha[j] = limit_i, limit_i - apart
        elif alpha[j] > limit_j:
            alpha[j], alpha[i] = limit_j, limit_j + apart
        return
    delta = (side[i] * gradient[i] - side[j] * gradient[j]) / curve
    total = alpha[i] + alpha[j]
    alpha[i] -= delta
    alpha[j] += delta
    if total > limit_i:
        if alpha[i] > limit_i:
            alpha[i], alpha[j] = limit_i, total - limit_i
    elif alpha[j] < 0.0:
        alpha[j], alpha[i] = 0.0, total
    if total > limit_j:
        if alpha[j] > limit_j:
            alpha[j], alpha[i] = limit_j, total - limit_j
    elif alpha[i] < 0.0:
        alpha[i], alpha[j] = 0.0, total


@lean
def _most_violating(gradient, up, down, n_active):
    above, below = -np.inf, -np.inf
    for k in range(n_active):
        above = max(above, -gradient[k] - up[k])
        below = max(below, gradient[k] - down[k])
    return above, below


@lean
def _is_settled(k, above, below, gradient, up, down):
    """Whether a sample is at a limit that it will hardly leave."""
    if up[k] > 0.0:
        return -gradient[k] > above
    return down[k] > 0.0 and gradient[k] > below


@lean
def _shrink(above, below, side, limit, alpha, at, gradient, up, down, curvature, n_active):
    """Move settled samples to the end; return how many are left, and if any changed places."""
    i, swapped = 0, False
    while i < n_active:
        if _is_settled(i, above, below, gradient, up, down):
            n_active -= 1
            while n_active > i:
                j = n_active
                if not _is_settled(j, above, below, gradient, up, down):
                    for numbers in (side, limit, alpha, gradient, up, down, curvature):
                        numbers[i], numbers[j] = numbers[j], numbers[i]
                    at[i], at[j] = at[j], at[i]
                    swapped = True
                    break
                n_active -= 1
        i += 1
    return n_active, swapped


@lean
def _rebuild(values, side, alpha, limit, at, gradient, of_limits, n_active):
    """Work out the gradient of those that did not take part."""
    n = len(side)
    if n_active == n:
        return
    for k in range(n_active, n):
        gradient[k] = of_limits[at[k]] - side[k]
    for i in range(n_active):
        if 0.0 < alpha[i] < limit[i]:
            row, times = values[at[i]], side[i] * alpha[i]
            for k in range(n_active, n):
                gradient[k] += times * np.float64(row[at[k]])


@lean
def _middle(gradient, up, down, n_active):
    """Return the signed gradient of free samples, on average; without them, what is between."""
    n_free, total, lowest, highest = 0, 0.0, np.inf, -np.inf
    for k in range(n_active):
        if up[k] == 0.0 and down[k] == 0.0:
            n_free += 1
            total += gradient[k]
        elif up[k] == 0.0:
            lowest = min(lowest, gradient[k])
        else:
            highest = max(highest, gradient[k])
    return total / n_free if n_free > 0 else (lowest + highest) / 2.0
