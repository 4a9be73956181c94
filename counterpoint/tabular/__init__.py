"""Tables: what the command does, from Python.

=============== =====================================================================
``columns``     kinds of columns, and what may be a target
``methods``     the learners that can be asked for by name
``training``    one method on one table
``comparison``  several methods on one table
``demo``        three ensembles on a shipped data set, and how their members disagree
=============== =====================================================================
"""

__all__: list[str] = []
