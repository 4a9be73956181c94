"""How numba's statements become LLVM's, in fewer of them; LLVM makes the same of both.

Numba keeps what a function handles in memory: to read an item of an array it stores the array's
eight fields, loads four of them, packs, unpacks. All of that is gone after LLVM's first pass, but
it has to be written as text, read and gone through: for a tree's growth, ten instructions of which
one was left. Here variables that are set once stay values, an item's address is found from these, a
loop counts without a division, and what nobody asked for is not written.
"""

import operator
from collections import Counter
from functools import cached_property
from typing import Any

from llvmlite import ir
from llvmlite.ir import instructions
from numba import prange, types
from numba.core import analysis, cgutils
from numba.core.compiler_machinery import register_pass
from numba.core.imputils import impl_ret_borrowed
from numba.core.ir import Assign
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering
from numba.np import arrayobj

NEEDED = {
    Lower: (
        "_disable_sroa_like_opt", "_find_singly_assigned_variable", "loadvar",
        "lower_normal_function", "setup_function",
        "storevar",
    ),
    NativeLowering: ("lowering_class",),
    analysis: ("compute_cfg_from_blocks", "compute_use_defs", "must_use_alloca"),
    arrayobj: ("fix_integer_index", "load_item", "store_item"),
    cgutils: ("alloca_once", "get_item_pointer2", "pack_array"),
}  # fmt: skip
_NO_EFFECT = {
    "add", "alloca", "bitcast", "extractvalue", "getelementptr", "icmp", "insertvalue", "load",
    "mul", "select", "sub",
}  # fmt: skip


class _Builder(ir.IRBuilder):
    """Writes nothing for what is known: a part of what was just put together, a sum with 0."""

    def extract_value(self, agg, idx, name=""):
        at = list(idx) if isinstance(idx, tuple | list) else [idx]
        whole = agg
        while isinstance(whole, instructions.InsertValue) and len(at) == len(whole.indices) == 1:
            if whole.indices[0] == at[0]:
                return whole.value
            whole = whole.aggregate
        return super().extract_value(whole, idx, name)

    def mul(self, lhs, rhs, name="", flags=()):
        if _is_number(lhs, 1):
            return rhs
        return lhs if _is_number(rhs, 1) else super().mul(lhs, rhs, name, flags)

    def add(self, lhs, rhs, name="", flags=()):
        if _is_number(lhs, 0):
            return rhs
        return lhs if _is_number(rhs, 0) else super().add(lhs, rhs, name, flags)


def _is_number(value, number):
    return isinstance(value, ir.Constant) and value.constant == number


class _Lower(Lower):
    """Numba's, but variables that are set once are values and not places in memory."""

    def setup_function(self, fndesc):
        super().setup_function(fndesc)
        self.builder = _Builder(self.entry_block)
        self.call_helper = self.call_conv.init_call_helper(self.builder)
        if getattr(self.func_ir.func_id.func, "is_brief", False):
            self.function.attributes.add("optsize")
        if getattr(self.func_ir.func_id.func, "is_single", False):
            self.function.attributes.add("noinline")

    @cached_property
    def _disable_sroa_like_opt(self):
        return super()._disable_sroa_like_opt

    def _find_singly_assigned_variable(self):
        self._blk_local_varmap, self._values = {}, {}
        once = set() if self.func_ir.func_id.is_generator else _set_once(self.func_ir.blocks)
        # What is counted is set to null in its place when it is given back, lest that happen twice.
        self._counted_once = {name for name in once if self._is_counted(name)}
        self._singly_assigned_vars = once - self._counted_once

    def _is_counted(self, name):
        model = self.context.data_model_manager[self.typeof(name)]
        return self.context.enable_nrt and model.contains_nrt_meminfo()

    def storevar(self, value, name, argidx=None):
        super().storevar(value, name, argidx)
        if name in self._counted_once:
            self._values[name] = value

    def loadvar(self, name):
        return self._values[name] if name in self._values else super().loadvar(name)

    def lower_normal_function(self, fndesc):
        super().lower_normal_function(fndesc)
        _drop_unused(self.function)


def _set_once(blocks):
    """Return the variables with one assignment, which is above all uses."""
    use_defs, in_memory = analysis.compute_use_defs(blocks), analysis.must_use_alloca(blocks)
    above = analysis.compute_cfg_from_blocks(blocks).dominators()
    times: Counter[str] = Counter()
    place = {}
    for at, block in blocks.items():
        for statement in block.find_insts(Assign):
            times[statement.target.name] += 1
            place[statement.target.name] = at
    once = {name for name, n in times.items() if n == 1 and name not in in_memory}
    for at, names in use_defs.usemap.items():
        for name in names & once:
            # Blocks are translated in this order.
            if not (place[name] in above[at] and place[name] < at):
                once.discard(name)
    return once


def _drop_unused(function):
    """Leave out instructions that only make a value which nobody uses."""
    every = [one for block in function.blocks for one in block.instructions]
    uses = Counter(id(value) for one in every for value in _asks_for(one))
    idle = [one for one in every if one.opname in _NO_EFFECT and not uses[id(one)]]
    dropped = set()
    while idle:
        one = idle.pop()
        dropped.add(id(one))
        for value in one.operands:
            uses[id(value)] -= 1
            if not uses[id(value)] and getattr(value, "opname", None) in _NO_EFFECT:
                idle.append(value)
    for block in function.blocks:
        block.instructions[:] = [one for one in block.instructions if id(one) not in dropped]


def _asks_for(one):
    if one.opname == "phi":
        return [value for value, _ in one.incomings]
    return [*one.operands, one.callee] if one.opname == "call" else one.operands


@register_pass(mutates_CFG=True, analysis_only=False)
class Translating(NativeLowering):
    """Numba's pass, with fewer instructions."""

    _name = "counterpoint_translating"

    @property
    def lowering_class(self):
        return _Lower


def _item(context, builder, array_type, array, index_type, index):
    """Return where an item or a view of an array begins, and the shape and strides of the view."""
    model = context.data_model_manager[array_type]

    def field(name):
        return builder.extract_value(array, model.get_field_position(name))

    def axis(name, k):
        return builder.extract_value(field(name), k)

    kinds, parts = (index_type,), (index,)
    if isinstance(index_type, types.BaseTuple):
        kinds = index_type.types
        parts = [builder.extract_value(index, k) for k in range(len(kinds))]
    sizes = [axis("shape", k) for k in range(array_type.ndim)]
    starts, shape, strides = [], [], []
    for k, (kind, part) in enumerate(zip(kinds, parts, strict=True)):
        if isinstance(kind, types.Integer):
            starts.append(_place(context, builder, kind, part, sizes[k]))
            continue
        start, stop = (_bound(builder, part, i, sizes[k]) for i in range(2))
        starts.append(start)
        length, zero = builder.sub(stop, start), start.type(0)
        empty = builder.icmp_signed("<=", length, zero)
        shape.append(builder.select(empty, zero, length))
        strides.append(axis("strides", k))
    for k in range(len(kinds), array_type.ndim):
        shape.append(sizes[k])
        strides.append(axis("strides", k))
    offsets = None if array_type.layout in "CF" else [axis("strides", k) for k in range(len(kinds))]
    zeros = [sizes[0].type(0)] * (array_type.ndim - len(kinds))
    if offsets is None:
        starts += zeros
    else:
        sizes = sizes[: len(kinds)]
    at = cgutils.get_item_pointer2(
        context, builder, field("data"), sizes, offsets, array_type.layout, starts
    )
    return at, shape, strides, field


def _place(context, builder, kind, index, size):
    if isinstance(index, ir.Constant) and index.constant >= 0:
        return context.cast(builder, index, kind, types.intp)
    return arrayobj.fix_integer_index(context, builder, kind, index, size)


def _bound(builder, bounds, which, size):
    """Return a bound of a slice, within the array; what is below 0 counts from the end."""
    bound = builder.extract_value(bounds, which)
    zero = bound.type(0)
    if not (isinstance(bound, ir.Constant) and bound.constant >= 0):
        negative = builder.icmp_signed("<", bound, zero)
        bound = builder.select(negative, builder.add(bound, size), bound)
        bound = builder.select(builder.icmp_signed("<", bound, zero), zero, bound)
    elif bound.constant == 0:
        return bound
    return builder.select(builder.icmp_signed(">=", bound, size), size, bound)


def _getitem(context, builder, sig, args):
    array_type, index_type = sig.args
    at, shape, strides, field = _item(context, builder, array_type, args[0], index_type, args[1])
    if not isinstance(sig.return_type, types.Array):
        return arrayobj.load_item(context, builder, array_type, at)
    n_items = shape[0]
    for size in shape[1:]:
        n_items = builder.mul(n_items, size, flags=["nsw"])
    fields = {
        "meminfo": field("meminfo"),
        "parent": field("parent"),
        "nitems": n_items,
        "itemsize": field("itemsize"),
        "data": at,
        "shape": cgutils.pack_array(builder, shape),
        "strides": cgutils.pack_array(builder, strides),
    }
    view = _struct(context, builder, sig.return_type, fields)
    return impl_ret_borrowed(context, builder, sig.return_type, view)


def _struct(context, builder, kind, fields):
    model = context.data_model_manager[kind]
    whole = ir.Constant(context.get_value_type(kind), ir.Undefined)
    for name, value in fields.items():
        whole = builder.insert_value(whole, value, model.get_field_position(name))
    return whole


def _setitem(context, builder, sig, args):
    array_type, index_type, value_type = sig.args
    at, *_ = _item(context, builder, array_type, args[0], index_type, args[1])
    value = context.cast(builder, args[2], value_type, array_type.dtype)
    arrayobj.store_item(context, builder, array_type, value, at)
    return context.get_dummy_value()


def _len(context, builder, sig, args):
    position = context.data_model_manager[sig.args[0]].get_field_position("shape")
    return builder.extract_value(builder.extract_value(args[0], position), 0)


def _slice(context, builder, sig, args):
    start, stop = (
        context.get_constant(types.intp, default) if kind is types.none else value
        for kind, value, default in zip(sig.args, args, (0, types.intp.maxval), strict=True)
    )
    fields = {"start": start, "stop": stop, "step": context.get_constant(types.intp, 1)}
    return _struct(context, builder, sig.return_type, fields)


def _range(context, builder, sig, args):
    start = args[0] if len(args) == 2 else args[0].type(0)
    fields = {"start": start, "stop": args[-1], "step": start.type(1)}
    return _struct(context, builder, sig.return_type, fields)


def _getiter(context, builder, sig, args):
    start, stop, step = (builder.extract_value(args[0], k) for k in range(3))
    if not _is_number(step, 1):
        return None
    zero, left = start.type(0), builder.sub(stop, start)
    left = builder.select(builder.icmp_signed(">", left, zero), left, zero)
    current, count = (cgutils.alloca_once(builder, start.type) for _ in range(2))
    builder.store(start, current)
    builder.store(left, count)
    fields = {"iter": current, "stop": stop, "step": step, "count": count}
    return _struct(context, builder, sig.return_type, fields)


def _iternext(context, builder, sig, args):
    # Done once too often when nothing is left, which nobody sees.
    current, _, step, count = (builder.extract_value(args[0], k) for k in range(4))
    left, value = builder.load(count), builder.load(current)
    builder.store(builder.sub(left, left.type(1), flags=["nsw"]), count)
    builder.store(builder.add(value, step), current)
    fields = {"first": value, "second": builder.icmp_signed(">", left, left.type(0))}
    return _struct(context, builder, sig.return_type, fields)


_SCALARS = types.Number, types.Boolean


def _is_plain(array, index):
    """Whether an index is of integers and of slices without a step, and the items are numbers."""
    if type(array) is not types.Array or not isinstance(array.dtype, _SCALARS) or not array.ndim:
        return False
    kinds = index.types if isinstance(index, types.BaseTuple) else (index,)
    return 0 < len(kinds) <= array.ndim and all(
        isinstance(kind, types.Integer) or kind is types.slice2_type for kind in kinds
    )


def _is_item(array, index):
    kinds = index.types if isinstance(index, types.BaseTuple) else (index,)
    return len(kinds) == array.ndim and types.slice2_type not in kinds


def _is_range(sig):
    return len(sig.args) < 3 and isinstance(sig.return_type, types.RangeType)


_SHORT: dict[Any, Any] = {
    operator.getitem: (_getitem, lambda sig: _is_plain(*sig.args)),
    operator.setitem: (
        _setitem,
        lambda sig: (
            _is_plain(*sig.args[:2])
            and _is_item(*sig.args[:2])
            and isinstance(sig.args[2], _SCALARS)
        ),
    ),
    len: (_len, lambda sig: type(sig.args[0]) is types.Array and sig.args[0].ndim > 0),
    range: (_range, _is_range),
    prange: (_range, _is_range),
    "getiter": (_getiter, lambda sig: isinstance(sig.args[0], types.RangeType)),
    "iternext": (_iternext, lambda sig: isinstance(sig.args[0], types.RangeIteratorType)),
    slice: (_slice, lambda sig: len(sig.args) == 2 and sig.return_type is types.slice2_type),
}


def short(context, function, sig, usual):
    """Return what writes an operation in few instructions, or None if that is numba's affair.

    ``usual`` returns what numba has for it, for what is seen only when it is written.
    """
    write, fits = _SHORT.get(function, (None, None))
    if write is None or context.enable_boundscheck or not fits(sig):
        return None

    def written(builder, args, loc=None):
        found = write(context, builder, sig, args)
        return usual()(builder, args, loc) if found is None else found

    return written
