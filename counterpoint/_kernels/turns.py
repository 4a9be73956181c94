"""Threads that share out the pieces of a long job inside a kernel.

A job has rounds, a round has phases and a phase has pieces. No phase starts before the one before
it is finished. A thread takes any piece of the phase that is still free, so that one which gets no
core to run on holds nobody up, as long as it has taken none. But it first tries those that it
took in the last round, whose numbers are still in its own cache. The threads are the caller's, each
in a kernel that holds no lock of Python's.
"""

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from counterpoint._kernels.parts import part

# The words that threads share: pieces finished, whether helpers are to go, then a word for each
# piece of a round, the number of rounds in which it was taken. Each on a cache line of its own, for
# who reads one not to wait for another.
FINISHED, CLOSED, PIECES = range(3)
_CACHE_LINE, _WORD = 8, 8


def start(n_pieces):
    """Return the words of a job of so many pieces a round, of which nothing is done."""
    return np.zeros((PIECES + n_pieces, _CACHE_LINE), dtype=np.int64)


def read(words, which):
    """Return a word; everything written before it was is there to be read."""
    return words[which, 0]


def advance(words, which):
    """Add one to a word, after everything that this thread wrote before."""
    words[which, 0] += 1


def swap(words, which, old, new):
    """Write a new word over an old one; return False if something else stands there."""
    if words[which, 0] != old:
        return False
    words[which, 0] = new
    return True


@part()
def take(words, round_, first, last, start):
    """Take a free piece from ``first`` to ``last`` and return it, or -1; try ``start`` first."""
    n = last - first
    for i in range(n):
        piece = first + (start - first + i) % n
        word = PIECES + piece
        # A look is cheaper than a try, which takes the cache line away from the others.
        if read(words, word) == round_ and swap(words, word, round_, round_ + 1):
            return piece
    return -1


def _pointer(context, builder, signature, args):
    kind, zero = signature.args[0], context.get_constant(types.intp, 0)
    array = context.make_array(kind)(context, builder, args[0])
    return cgutils.get_item_pointer(context, builder, kind, array, [args[1], zero])


# A plain read may be kept in a register, and a loop that waits for it would never end; and what a
# thread writes may reach the others in another order than it was written.
@intrinsic
def _read(typing_context, words, which):
    def generate(context, builder, signature, args):
        where = _pointer(context, builder, signature, args)
        return builder.load_atomic(where, "acquire", _WORD)

    return types.int64(words, types.intp), generate


@intrinsic
def _advance(typing_context, words, which):
    def generate(context, builder, signature, args):
        where = _pointer(context, builder, signature, args)
        return builder.atomic_rmw("add", where, context.get_constant(types.int64, 1), "acq_rel")

    return types.int64(words, types.intp), generate


@intrinsic
def _swap(typing_context, words, which, old, new):
    def generate(context, builder, signature, args):
        where = _pointer(context, builder, signature, args)
        found = builder.cmpxchg(where, args[2], args[3], "acq_rel", "acquire")
        return builder.extract_value(found, 1)

    return types.boolean(words, types.intp, types.int64, types.int64), generate


@overload(read)
def _choose_read(words, which):
    return lambda words, which: _read(words, which)


@overload(advance)
def _choose_advance(words, which):
    return lambda words, which: _advance(words, which)


@overload(swap)
def _choose_swap(words, which, old, new):
    return lambda words, which, old, new: _swap(words, which, old, new)
