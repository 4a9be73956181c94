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
``assess_large``     a model tried on rows drawn from such files
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

from typing import TYPE_CHECKING

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
    "large_tables": ("LargePrediction", "assess_large", "predict_large"),
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

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.tabular.assessment import Assessment as Assessment
    from counterpoint.tabular.assessment import assess as assess
    from counterpoint.tabular.column import Column as Column
    from counterpoint.tabular.columns import describe_columns as describe_columns
    from counterpoint.tabular.comparison import Comparison as Comparison
    from counterpoint.tabular.comparison import compare as compare
    from counterpoint.tabular.demo import run_demo as run_demo
    from counterpoint.tabular.encoder import TabularEncoder as TabularEncoder
    from counterpoint.tabular.encoder import with_encoder as with_encoder
    from counterpoint.tabular.explanation import Explanation as Explanation
    from counterpoint.tabular.explanation import explain as explain
    from counterpoint.tabular.large_tables import LargePrediction as LargePrediction
    from counterpoint.tabular.large_tables import assess_large as assess_large
    from counterpoint.tabular.large_tables import predict_large as predict_large
    from counterpoint.tabular.methods import METHODS as METHODS
    from counterpoint.tabular.methods import Method as Method
    from counterpoint.tabular.methods import make_method as make_method
    from counterpoint.tabular.models import load as load
    from counterpoint.tabular.models import save as save
    from counterpoint.tabular.number_assessment import NumberAssessment as NumberAssessment
    from counterpoint.tabular.number_methods import NUMBER_METHODS as NUMBER_METHODS
    from counterpoint.tabular.number_outputs import (
        read_number_predictions as read_number_predictions,
    )
    from counterpoint.tabular.number_scores import NumberScore as NumberScore
    from counterpoint.tabular.number_what_if import NumberWhatIf as NumberWhatIf
    from counterpoint.tabular.outputs import read_predictions as read_predictions
    from counterpoint.tabular.outputs import summarise_outputs as summarise_outputs
    from counterpoint.tabular.overview import Overview as Overview
    from counterpoint.tabular.overview import look_at as look_at
    from counterpoint.tabular.prediction import Prediction as Prediction
    from counterpoint.tabular.prediction import predict as predict
    from counterpoint.tabular.reader import TableFile as TableFile
    from counterpoint.tabular.reader import read_table as read_table
    from counterpoint.tabular.scores import Score as Score
    from counterpoint.tabular.table_model import TableModel as TableModel
    from counterpoint.tabular.training import Fit as Fit
    from counterpoint.tabular.training import fit as fit
    from counterpoint.tabular.votes import read_answers as read_answers
    from counterpoint.tabular.votes import summarise_votes as summarise_votes
    from counterpoint.tabular.warming import FIRST_USES as FIRST_USES
    from counterpoint.tabular.warming import warm_up as warm_up
    from counterpoint.tabular.watching import Watch as Watch
    from counterpoint.tabular.watching import watch as watch
    from counterpoint.tabular.what_if import WhatIf as WhatIf
