"""Forward and backward through many short chains; twins in ``tests/naive/sequences.py``.

Events of all sequences lie one below the other; sequence s owns rows ``start[s]`` up to
``start[s + 1]``. Components are numbered state by state: state q owns columns ``q * n_mixtures``
up to ``(q + 1) * n_mixtures``. Sums over sequences are taken by blocks of fixed size, so that
they are the same at any thread count.
"""

import numpy as np
from numba import njit, prange

BLOCK = 256


@njit(cache=True)
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


@njit(cache=True)
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


@njit(cache=True, parallel=True)
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
    likelihood = np.empty(n)
    n_blocks = (n + BLOCK - 1) // BLOCK
    firsts = np.zeros((n_blocks, n_states))
    moves = np.zeros((n_blocks, n_states, n_states))
    for block in prange(n_blocks):
        longest = 0
        for s in range(block * BLOCK, min(n, (block + 1) * BLOCK)):
            longest = max(longest, start[s + 1] - start[s])
        b, ahead = np.empty((longest, n_states)), np.empty((longest, n_states))
        back, new_back = np.empty(n_states), np.empty(n_states)
        pairs = np.empty((n_states, n_states))
        for s in range(block * BLOCK, min(n, (block + 1) * BLOCK)):
            first, length = start[s], start[s + 1] - start[s]
            total = 0.0
            sound = True
            for t in range(length):
                norm = 0.0
                for q in range(n_states):
                    add = 0.0
                    for m in range(n_mixtures):
                        add += emission[first + t, q * n_mixtures + m]
                    b[t, q] = add
                    reach = begin[q]
                    if t > 0:
                        reach = 0.0
                        for p in range(n_states):
                            reach += ahead[t - 1, p] * move[p, q]
                    ahead[t, q] = reach * add
                    norm += ahead[t, q]
                # Far below the best component of the event, digits are being lost.
                if not norm > 1e-200:
                    sound = False
                    break
                for q in range(n_states):
                    ahead[t, q] /= norm
                total += np.log(norm) + offset[first + t]
            pairs[:] = 0.0
            if sound:
                back[:] = 1.0
                for t in range(length - 1, -1, -1):
                    norm, scale = 0.0, 1.0
                    for q in range(n_states):
                        norm += ahead[t, q] * back[q]
                    if t > 0:
                        scale = 0.0
                        for q in range(n_states):
                            new_back[q] = b[t, q] * back[q]
                        for p in range(n_states):
                            for q in range(n_states):
                                scale += ahead[t - 1, p] * move[p, q] * new_back[q]
                    if not (norm > 1e-200 and scale > 1e-200):
                        sound = False
                        break
                    if t > 0:
                        for p in range(n_states):
                            for q in range(n_states):
                                pairs[p, q] += ahead[t - 1, p] * move[p, q] * new_back[q] / scale
                    for q in range(n_states):
                        share = ahead[t, q] * back[q] / norm
                        factor = weight[s] * share / b[t, q] if b[t, q] > 0.0 else 0.0
                        for m in range(n_mixtures):
                            emission[first + t, q * n_mixtures + m] *= factor
                        if t == 0:
                            firsts[block, q] += weight[s] * share
                    if t > 0:
                        most = 0.0
                        for p in range(n_states):
                            add = 0.0
                            for q in range(n_states):
                                add += move[p, q] * new_back[q]
                            back[p] = add
                            most = max(most, add)
                        for p in range(n_states):
                            back[p] /= most
            if not sound:
                pairs[:] = 0.0
                rows = emission[first : first + length]
                rows[:] = 0.0
                total = _careful(
                    log_emission[first : first + length],
                    first, log_start, log_move, n_mixtures, emission, pairs,
                )  # fmt: skip
                rows *= weight[s]
                for q in range(n_states):
                    for m in range(n_mixtures):
                        firsts[block, q] += emission[first, q * n_mixtures + m]
            likelihood[s] = total
            for p in range(n_states):
                for q in range(n_states):
                    moves[block, p, q] += weight[s] * pairs[p, q]
    return likelihood, firsts.sum(axis=0), moves.sum(axis=0)


@njit(cache=True)
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
