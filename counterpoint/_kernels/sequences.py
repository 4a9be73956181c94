"""Forward and backward through many short chains; twins in ``tests/naive/sequences.py``.

Events of all sequences lie one below the other; sequence s owns rows ``start[s]`` up to
``start[s + 1]``. Components are numbered state by state: state q owns columns ``q * n_mixtures``
up to ``(q + 1) * n_mixtures``. Kernels let go of Python's lock: callers run them on chunks of
sequences in threads of their own.
"""

import numpy as np

from counterpoint._kernels.compiling import kernel
from counterpoint._kernels.parts import part


@part()
def _log_sum(values):
    most = values[0]
    for v in values[1:]:
        if v > most:
            most = v
    if most == -np.inf:
        return -np.inf
    total = 0.0
    for v in values:
        total += np.exp(v - most)
    return most + np.log(total)


@part()
def _careful(log_emission, first, log_start, log_move, n_mixtures, gamma, pairs):
    """One sequence in logarithms, where plain numbers underflow; as ``pass_over``."""
    length, n_states = len(log_emission), len(log_start)
    b = np.empty((length, n_states))
    for t in range(length):
        for q in range(n_states):
            b[t, q] = _log_sum(log_emission[t, q * n_mixtures : (q + 1) * n_mixtures])
    ahead, back = np.empty((length, n_states)), np.zeros((length, n_states))
    sums = np.empty(n_states)
    for q in range(n_states):
        ahead[0, q] = log_start[q] + b[0, q]
    for t in range(1, length):
        for q in range(n_states):
            for p in range(n_states):
                sums[p] = ahead[t - 1, p] + log_move[p, q]
            ahead[t, q] = _log_sum(sums) + b[t, q]
    total = _log_sum(ahead[length - 1])
    if total == -np.inf:
        return total
    for t in range(length - 2, -1, -1):
        for p in range(n_states):
            for q in range(n_states):
                sums[q] = log_move[p, q] + b[t + 1, q] + back[t + 1, q]
            back[t, p] = _log_sum(sums)
    for t in range(length):
        for q in range(n_states):
            here = ahead[t, q] + back[t, q] - total
            for m in range(n_mixtures):
                k = q * n_mixtures + m
                share = log_emission[t, k] - b[t, q] if b[t, q] > -np.inf else -np.inf
                gamma[first + t, k] = np.exp(here + share)
            if t > 0:
                for p in range(n_states):
                    pairs[p, q] += np.exp(
                        ahead[t - 1, p] + log_move[p, q] + b[t, q] + back[t, q] - total
                    )
    return total


@kernel(nogil=True)
def densities(X, parameters):
    """Log densities of events, as quadratic forms: (n_events, n_components).

    X (n_events, n_features) without missing values; parameters (n_quadratic, n_components) are
    what multiplies 1, the columns, and their products row by row of the upper triangle.
    """
    n, d = X.shape
    found = np.empty((n, parameters.shape[1]))
    for s in range(n):
        # Sums run along the components, so that they can be taken several at a time.
        row = found[s]
        for k in range(len(row)):
            row[k] = parameters[0, k]
        at = 1 + d
        for i in range(d):
            x = X[s, i]
            for k in range(len(row)):
                row[k] += x * parameters[1 + i, k]
            for j in range(i, d):
                product = x * X[s, j]
                for k in range(len(row)):
                    row[k] += product * parameters[at, k]
                at += 1
    return found


@kernel(nogil=True)
def less_the_most(log_emission):
    """Rows less their highest entry, and that entry."""
    n, k = log_emission.shape
    rest, most = np.empty((n, k)), np.empty(n)
    for s in range(n):
        high = log_emission[s, 0]
        for c in range(1, k):
            high = max(high, log_emission[s, c])
        most[s] = high
        for c in range(k):
            rest[s, c] = log_emission[s, c] - high
    return rest, most


@kernel(nogil=True)
def moments(X, share):
    """Add up 1, the columns and their products, weighted by component: as ``densities``.

    share (n_events, n_components). Returns (n_components, n_quadratic).
    """
    n, d = X.shape
    n_parts = share.shape[1]
    sums = np.zeros((1 + d + d * (d + 1) // 2, n_parts))
    for s in range(n):
        row = share[s]
        for k in range(n_parts):
            sums[0, k] += row[k]
        at = 1 + d
        for i in range(d):
            x = X[s, i]
            for k in range(n_parts):
                sums[1 + i, k] += x * row[k]
            for j in range(i, d):
                product = x * X[s, j]
                for k in range(n_parts):
                    sums[at, k] += product * row[k]
                at += 1
    return sums.T.copy()


@kernel(nogil=True)
def pass_over(log_emission, emission, offset, start, log_start, log_move, n_mixtures, weight):
    """Log-likelihoods, and who was where: the E step.

    log_emission (n_events, n_components) are log weighted densities, emission the same less
    ``offset`` (n_events,), as plain numbers; it is overwritten by the weighted probability that
    the event came from the component. weight (n_sequences,). Returns (n_sequences,) log-
    likelihoods, (n_states,) weighted first states and (n_states, n_states) weighted moves.
    A sequence that cannot be has -inf and adds nothing.
    """
    n, n_states = len(start) - 1, len(log_start)
    begin, move = np.exp(log_start), np.exp(log_move)
    turned = move.T.copy()
    likelihood = np.empty(n)
    firsts = np.zeros(n_states)
    # Moves are sums of products; what they share, the probability of the move, comes in last.
    products, moves = np.zeros((n_states, n_states)), np.zeros((n_states, n_states))
    longest = 0
    for s in range(n):
        longest = max(longest, start[s + 1] - start[s])
    b, ahead = np.empty((longest, n_states)), np.empty((longest, n_states))
    back, scales = np.empty((longest, n_states)), np.empty(longest)
    for s in range(n):
        first, length = start[s], start[s + 1] - start[s]
        total = _forward(emission[first : first + length], begin, move, n_mixtures, b, ahead)
        sound = total > -np.inf and _backward(length, turned, b, ahead, back, scales)
        if sound:
            for t in range(length):
                total += offset[first + t]
                for q in range(n_states):
                    share = weight[s] * ahead[t, q] * back[t, q]
                    factor = share / b[t, q] if b[t, q] > 0.0 else 0.0
                    for m in range(n_mixtures):
                        emission[first + t, q * n_mixtures + m] *= factor
                    if t == 0:
                        firsts[q] += share
                if t > 0:
                    for q in range(n_states):
                        b[t, q] *= back[t, q]
                    for p in range(n_states):
                        factor = weight[s] * ahead[t - 1, p] * scales[t]
                        for q in range(n_states):
                            products[p, q] += factor * b[t, q]
        else:
            rows, pairs = emission[first : first + length], np.zeros((n_states, n_states))
            rows[:] = 0.0
            total = _careful(
                log_emission[first : first + length],
                first, log_start, log_move, n_mixtures, emission, pairs,
            )  # fmt: skip
            rows *= weight[s]
            moves += weight[s] * pairs
            for q in range(n_states):
                for m in range(n_mixtures):
                    firsts[q] += emission[first, q * n_mixtures + m]
        likelihood[s] = total
    return likelihood, firsts, moves + products * move


@part()
def _forward(emission, begin, move, n_mixtures, b, ahead):
    """Fill densities of states and scaled forward probabilities; -inf where digits are lost."""
    n_states = len(begin)
    total = 0.0
    for t in range(len(emission)):
        reach = ahead[t]
        if t == 0:
            for q in range(n_states):
                reach[q] = begin[q]
        else:
            reach[:] = 0.0
            for p in range(n_states):
                for q in range(n_states):
                    reach[q] += ahead[t - 1, p] * move[p, q]
        norm = 0.0
        for q in range(n_states):
            add = 0.0
            for m in range(n_mixtures):
                add += emission[t, q * n_mixtures + m]
            b[t, q] = add
            reach[q] *= add
            norm += reach[q]
        # Far below the best component of the event, digits are being lost.
        if not norm > 1e-200:
            return -np.inf
        for q in range(n_states):
            reach[q] /= norm
        total += np.log(norm)
    return total


@part()
def _backward(length, turned, b, ahead, back, scales):
    """Fill backward factors, so that ahead * back is the probability of a state.

    ``scales[t]`` times ahead[t - 1, p] * move[p, q] * b[t, q] * back[t, q] is that of a move.
    False where digits are lost.
    """
    n_states = len(turned)
    back[length - 1] = 1.0
    for t in range(length - 1, 0, -1):
        here = back[t - 1]
        here[:] = 0.0
        for q in range(n_states):
            factor = b[t, q] * back[t, q]
            for p in range(n_states):
                here[p] += turned[q, p] * factor
        scale = 0.0
        for p in range(n_states):
            scale += ahead[t - 1, p] * here[p]
        if not scale > 1e-200:
            return False
        scales[t] = 1.0 / scale
        for p in range(n_states):
            here[p] *= scales[t]
    return True


@kernel()
def best_path(log_b, log_start, log_move):
    """Most probable states of one sequence (Viterbi), and their log-probability.

    log_b (length, n_states) log densities of the events. Of equals the first state.
    """
    length, n_states = log_b.shape
    came = np.zeros((length, n_states), dtype=np.int64)
    score = log_start + log_b[0]
    for t in range(1, length):
        new = np.empty(n_states)
        for q in range(n_states):
            best, most = 0, score[0] + log_move[0, q]
            for p in range(1, n_states):
                value = score[p] + log_move[p, q]
                if value > most:
                    best, most = p, value
            came[t, q] = best
            new[q] = most + log_b[t, q]
        score = new
    path = np.empty(length, dtype=np.int64)
    path[-1] = np.argmax(score)
    for t in range(length - 1, 0, -1):
        path[t - 1] = came[t, path[t]]
    return path, score.max()
