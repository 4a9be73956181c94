"""Numba's contexts, which answer what an operation means for given types, made to remember.

To learn what a sum of two integers gives, numba asks all that might know, twenty and more; again
for the next sum, and once more for each when it is translated. So it does for every item of an
array. How large something is in memory it finds out by giving a text to LLVM. Of what compiling a
tree's growth took, that was a sixth.

These contexts are numba's own, with the same state; only answers that depend on nothing but the
types of arguments and the flags of the compiler are given again. Numba compiles under a lock.
"""

import operator
from functools import partial
from types import BuiltinFunctionType
from typing import Any

from numba import types
from numba.core.targetconfig import ConfigStack
from numba.core.typing.templates import _OverloadFunctionTemplate

from counterpoint._kernels.translating import short

_NUMBERS = types.Number, types.Boolean
_PLAIN = *_NUMBERS, types.Array, types.BaseTuple, types.SliceType, types.NoneType, types.RangeType
_OPERATIONS = {
    getattr(operator, name)
    for name in (
        "add", "sub", "mul", "floordiv", "mod", "truediv", "and_", "or_", "xor", "lshift", "rshift",
        "iadd", "isub", "imul", "ifloordiv", "imod", "itruediv", "iand", "ior", "ixor", "ilshift",
        "irshift", "lt", "le", "gt", "ge", "eq", "ne",
    )
}  # fmt: skip


_ITEMS = {operator.getitem, operator.setitem}


def _n_registered(context):
    """Return how much numba's registries hold, which only grow."""
    return sum(
        len(found)
        for registry in context._registries
        for found in vars(registry).values()
        if type(found) is list
    )


class _Remembering(types.Function):
    """A function of numba's that remembers what it gave."""

    def __init__(self, function):
        super().__init__(function.templates)
        self._known = {}
        # Items of arrays are known to numba's core: strings, lists and dictionaries need not be
        # asked whether an array is one of them.
        self._of_arrays = None
        if self.typing_key in _ITEMS:
            core = [one for one in self.templates if _OverloadFunctionTemplate not in one.__mro__]
            self._of_arrays = types.Function(core)

    def get_call_type(self, context, args, kws):
        if kws or not all(isinstance(one, _PLAIN) for one in args):
            return super().get_call_type(context, args, kws)
        if self.typing_key in _OPERATIONS and all(isinstance(one, _NUMBERS) for one in args):
            args = [types.unliteral(one) for one in args]  # whatever the number, it is one sum
        key, known = tuple(args), self._known.setdefault(ConfigStack.top_or_none(), {})
        if key not in known:
            known[key] = self._find(context, key, kws)
        found, self._impl_keys[found.args] = known[key]
        return found

    def _find(self, context, args, kws):
        core = self._of_arrays
        if core is not None and type(args[0]) is types.Array:
            found = core.get_call_type(context, args, kws)
            return found, core.get_impl_key(found)
        found = super().get_call_type(context, args, kws)
        return found, self._impl_keys[found.args]


def _for_types(context):
    """Return numba's context of types, for inferring them and for translating what has them."""
    functions: dict[int, Any] = {}
    registered = None  # numba itself may register nothing before it is first asked to

    def remembering(function):
        if id(function) not in functions:
            functions[id(function)] = function, _Remembering(function)
        return functions[id(function)][1]

    class Inferring(type(context)):
        def __init__(self):
            self.__dict__ = context.__dict__

        def __eq__(self, other):  # numba keeps by context what it made
            return getattr(other, "__dict__", None) is context.__dict__

        def __hash__(self):
            return hash(context)

        def refresh(self):
            nonlocal registered
            if registered != _n_registered(self):
                super().refresh()
                registered = _n_registered(self)

        def resolve_value_type(self, val):
            # Numba asks first whether it is a value, and words an error each time that it is not.
            found = self._lookup_global(val) if type(val) is BuiltinFunctionType else None
            return super().resolve_value_type(val) if found is None else found

        def resolve_function_type(self, func, args, kws):
            function = self._lookup_global(func) if func is operator.getitem else func
            if type(function) is not types.Function:
                return super().resolve_function_type(func, args, kws)
            other = remembering(function)
            found = other.get_call_type(self, args, kws)
            function._impl_keys[found.args] = other.get_impl_key(found)
            return found

    class Translating(Inferring):
        def resolve_value_type(self, val):
            found = super().resolve_value_type(val)
            return remembering(found) if type(found) is types.Function else found

        def resolve_value_type_prefer_literal(self, value):
            return context.resolve_value_type_prefer_literal(value)

    return Inferring(), Translating()


def _for_code(context, inferring, translating):
    """Return numba's context of code."""
    sizes: dict[Any, int] = {}
    lacking: set[Any] = set()
    registered = None  # numba itself may register nothing before it is first asked to

    class Code(type(context)):
        def __init__(self):
            self.__dict__ = {**context.__dict__, "typing_context": translating}

        def refresh(self):
            nonlocal registered
            if registered == _n_registered(self):
                self.typing_context.refresh()
                return
            super().refresh()
            registered = _n_registered(self)

        def get_abi_sizeof(self, ty):
            if ty not in sizes:
                sizes[ty] = super().get_abi_sizeof(ty)
            return sizes[ty]

        def get_function(self, fn, sig, _firstcall=True):
            if fn != "__array__":  # asked of every array: is it something that acts as one?
                key = fn.typing_key if isinstance(fn, types.Function) else fn
                usual = partial(super().get_function, fn, sig, _firstcall)
                return short(self, key, sig, usual) or usual()
            if sig in lacking:
                raise NotImplementedError
            try:
                return super().get_function(fn, sig, _firstcall)
            except NotImplementedError:
                lacking.add(sig)
                raise

        def pair_first(self, builder, val, ty):
            return builder.extract_value(val, 0)

        def pair_second(self, builder, val, ty):
            return builder.extract_value(val, 1)

        def _compile_subroutine_no_cache(self, *args, **options):
            self.typing_context = inferring
            try:
                return super()._compile_subroutine_no_cache(*args, **options)
            finally:
                self.typing_context = translating

    return Code()


_made: dict[Any, Any] = {}


def remembering_contexts(for_types, for_code, is_parallel):
    """Return numba's contexts of types and of code, made to remember.

    Loops that threads share are taken apart while they are translated, and types inferred anew.
    """
    if (for_types, is_parallel) not in _made:
        inferring, translating = _for_types(for_types)
        code = _for_code(for_code, inferring, inferring if is_parallel else translating)
        _made[for_types, is_parallel] = inferring, code
    return _made[for_types, is_parallel]
