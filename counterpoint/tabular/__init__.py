"""Tables: what the command does, from Python.

==================== =====================================================================
``read_table``       a table from a file: numbers, categories, gaps
``look_at``          what each column is taken for, and why
``describe_columns`` which columns hold numbers, categories, dates or text; which are of no use
``with_encoder``     a pipeline that makes any estimator take such tables
``fit``              one method on one part of a table, tried on the other
``compare``          several methods on the same folds
``METHODS``          the methods, by name; ``make_method`` makes one; ``NUMBER_METHODS`` for numbers
``assess``           how good any fitted classifier or regressor is, and what its members add
``explain``          one readable tree in place of a model
``predict``          what a model says about the rows of a table
``predict_large``    the same for files of any size, piece by piece
``save``, ``load``   model files that are safe to load
``read_predictions`` members' predictions from a file; ``summarise_outputs`` measures them;
                     ``read_number_predictions`` where they are numbers
``read_answers``     the same with or without the truth; ``summarise_votes`` where there is none
``watch``            batches of new rows without labels: estimated error, alarms
``WhatIf``           other members or another rule, on the same rows, judged anew
``NumberWhatIf``     the same for regressors
``run_demo``         three ensembles on a shipped data set, and how their members disagree
``warm_up``          compile ahead what the ``FIRST_USES`` of families would compile
==================== =====================================================================

Every result has a ``summary()`` of plain data, and there is no other: the terminal prints it,
``--json`` writes it, and :mod:`counterpoint.report` makes a page of it.
"""

from counterpoint._doors import door

# Late: to read a table or to check a file name must not wait for every learner.
_HOMES = {
    "assessment": ("Assessment", "assess"),
    "column": ("Column",),
    "columns": ("describe_columns",),
    "comparison": ("Comparison", "compare"),
    "demo": ("run_demo",),
    "encoder": ("TabularEncoder", "with_encoder"),
    "explanation": ("Explanation", "explain"),
    "methods": ("METHODS", "Method", "make_method"),
    "models": ("load", "save"),
    "number_assessment": ("NumberAssessment",),
    "number_methods": ("NUMBER_METHODS",),
    "number_outputs": ("read_number_predictions",),
    "number_scores": ("NumberScore",),
    "number_what_if": ("NumberWhatIf",),
    "overview": ("Overview", "look_at"),
    "large_tables": ("LargePrediction", "predict_large"),
    "outputs": ("read_predictions", "summarise_outputs"),
    "prediction": ("Prediction", "predict"),
    "reader": ("TableFile", "read_table"),
    "scores": ("Score",),
    "table_model": ("TableModel",),
    "training": ("Fit", "fit"),
    "votes": ("read_answers", "summarise_votes"),
    "warming": ("FIRST_USES", "warm_up"),
    "watching": ("Watch", "watch"),
    "what_if": ("WhatIf",),
}
__getattr__, __dir__, __all__ = door(__name__, _HOMES)
