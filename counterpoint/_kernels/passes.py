"""Passes of numba's compiler that are run only where there is something for them to do.

Numba looks for closures, for lists that become arrays and for sums of whole arrays in every
function, and lists three times which variable is used last in which statement. Kernels are loops
over numbers: few have any of these, and whether they do is seen in one look at the statements.
Variables that are set more than once it gives a name for each time, going through all statements
twice for each of them: those of blocks that do not have the variable are left out here.
"""

from numba import types
from numba.core import ir, ssa
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import IRLegalization, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

NEEDED = {
    InlineClosureLikes: ("run_pass",),
    NopythonRewrites: ("run_pass",),
    IRLegalization: ("run_pass",),
    ssa: ("_run_block_rewrite", "_run_ssa"),
}
_CLOSURES = {"build_list", "build_set", "make_function"}
_ARRAYS = {"binop", "build_list", "unary"}


def _name_of(value):
    return getattr(value, "__name__", "")


def _expressions(blocks):
    for block in blocks.values():
        for one in block.body:
            if type(one) is ir.Assign and type(one.value) is ir.Expr:
                yield one.target.name, one.value


def _has_closures(state):
    """Whether a function may hold a closure, a list, a reduction or a stencil."""
    if state.flags.auto_parallel.enabled or state.func_id.is_generator:
        return True
    blocks, outer = state.func_ir.blocks, (ir.Global, ir.FreeVar)
    if any(one.op in _CLOSURES for _, one in _expressions(blocks)):
        return True
    named = (one.value for block in blocks.values() for one in block.find_insts(ir.Assign))
    values = (one.value for one in named if isinstance(one, outer))
    return any(_name_of(one) == "reduce" or hasattr(one, "kernel_ir") for one in values)


def _has_array_expressions(state):
    """Whether a function may hold a sum of arrays, an array of a list, or a name as an index."""
    kinds = state.typemap
    if any(isinstance(kind, types.StringLiteral) for kind in kinds.values()):
        return True
    for target, one in _expressions(state.func_ir.blocks):
        if one.op in _ARRAYS and isinstance(kinds.get(target), types.Array | types.List):
            return True
        if one.op == "call" and isinstance(kinds.get(target), types.Array):
            function = kinds.get(one.func.name)
            if isinstance(function, types.Function) and hasattr(function.typing_key, "nin"):
                return True
    return False


@register_pass(mutates_CFG=True, analysis_only=False)
class Closures(InlineClosureLikes):
    """Numba's pass, where a function may hold a closure."""

    _name = "counterpoint_closures"

    def run_pass(self, state):
        """Change the function as numba does."""
        return super().run_pass(state) if _has_closures(state) else False


@register_pass(mutates_CFG=True, analysis_only=False)
class Rewrites(NopythonRewrites):
    """Numba's pass, where a function may hold an expression of arrays."""

    _name = "counterpoint_rewrites"

    def run_pass(self, state):
        """Change the function as numba does."""
        return super().run_pass(state) if _has_array_expressions(state) else False


@register_pass(mutates_CFG=False, analysis_only=True)
class Legal(IRLegalization):
    """Numba's pass, which says where variables end, for those whose end is an event.

    That is for arrays that are counted. It was half of all statements to be translated.
    """

    _name = "counterpoint_legal"

    def run_pass(self, state):
        """Change the function as numba does, but for ends that give nothing back."""
        flags, func_ir = state.flags, state.func_ir
        if flags.auto_parallel.enabled or func_ir.is_generator or flags.debuginfo:
            return super().run_pass(state)
        if not flags.nrt:
            return True
        super().run_pass(state)
        models, kinds = state.targetctx.data_model_manager, state.typemap
        counted = {name for name, kind in kinds.items() if models[kind].contains_nrt_meminfo()}
        for block in func_ir.blocks.values():
            block.body[:] = [
                one for one in block.body if type(one) is not ir.Del or one.value in counted
            ]
        return True


_names: dict[ir.Block, set[str]] = {}
_run_all = ssa._run_ssa


def run_ssa(blocks):
    """Numba's own; what is known of blocks is forgotten when it ends."""
    try:
        return _run_all(blocks)
    finally:
        _names.clear()


def run_block_rewrite(blocks, states, handler):
    """Numba's own, but blocks without the variable stay as they are."""
    return {label: _rewritten(label, one, states, handler) for label, one in blocks.items()}


def _rewritten(label, block, states, handler):
    if block not in _names:
        _names[block] = {one.name for line in block.body for one in line.list_vars()}
    if states["varname"] not in _names[block]:
        return block
    states["label"], states["block"] = label, block
    new = ir.Block(scope=block.scope, loc=block.loc)
    for one in block.body:
        on = handler.on_assign if isinstance(one, ir.Assign) else handler.on_other
        new.body.append(on(states, one))
    _names[new] = _names[block]  # others get new names from this one's, never those that come yet
    return new


FASTER = [(ssa, "_run_ssa", run_ssa), (ssa, "_run_block_rewrite", run_block_rewrite)]
