"""The documents the claims are from, and the numbers printed there.

A figure printed without numbers is given by what its text says of it.
"""

import io

import pandas as pd

LECTURE = "Lecture slides 'Ensemble Learning'"
WANG_AND_YAO = (
    "S. Wang and X. Yao, 'The Effectiveness of a New Negative Correlation Learning Algorithm for "
    "Classification Ensembles', ICDM Workshops 2010"
)
HONG = (
    "M. Hong, H. Wang, X. Liu and P. Liu, 'SVM Ensembles Algorithm Using Negative Correlation "
    "Learning', Journal of Huaqiao University 39, 2018"
)
MEDDOURI = (
    "N. Meddouri, H. Khoufi and M. S. Maddouri, 'Diversity Analysis on Boosting Nominal "
    "Concepts', PAKDD 2012"
)
THESIS = (
    "M. Eastwood, Building Well-Performing Classifier Ensembles: Model and Decision Level "
    "Combination, PhD thesis, Bournemouth University, 2010"
)


def _table(text: str) -> pd.DataFrame:
    """Return a table whose columns stand two or more blanks apart; a dash is nothing said."""
    return pd.read_csv(io.StringIO(text.strip()), sep=r"\s{2,}", engine="python", na_values="-")


# The lecture: error of a majority vote of independent members.
INDEPENDENT_VOTE = _table("""
n_members  member_error  theirs
5          0.1           0.008560
5          0.2           0.057920
5          0.4           0.317440
10         0.1           0.000147
10         0.2           0.006369
10         0.4           0.166239
20         0.1           0.000001
20         0.2           0.000563
20         0.4           0.127521
""")
# The lecture: mean test errors on Australian credit; its Logdisc, Discrim and NaiveBay in full.
AUSTRALIAN_CREDIT = _table("""
method                 theirs
NCL, strength 0.5      0.120
EPNet                  0.115
Evo-En-RLS             0.095
BP                     0.154
CART                   0.145
Logistic regression    0.141
Discriminant analysis  0.141
Naive Bayes            0.151
Cal5                   0.131
ITrule                 0.137
DIPOL92                0.141
RBF                    0.145
CASTLE                 0.148
IndCART                0.152
""")
# The lecture: errors and their decrease in %.
BAGGING = _table("""
data           n_test  tree_theirs  bagging_theirs  decrease_theirs
waveform       1500    29.0         19.4            33
heart          54      10.0          5.3            47
breast cancer  100      6.0          4.2            30
ionosphere     25      11.2          8.6            23
diabetes       250     23.4         18.8            20
glass          20      32.0         24.9            22
soybean        25      14.5         10.6            27
""")
# Wang and Yao: test sizes of table II, the best lambdas of figure 3 (of crx and insurance they do
# not say with which learner), the lead over AdaBoost in figure 4.
ADABOOST_NC = (
    _table("""
data            n_test  larger  tree_best_lam  network_best_lam  over_size
promoters       22      False   -              -                 -
sonar           42      False   -              -                 ahead up to 21
ionosphere      71      False   -              -                 ahead up to 21
house-votes-84  87      False   -              -                 -
crx             201     True    4              4                 level in the end
breast-w        140     True    -              -                 ahead up to 21, level in the end
pima            154     True    -              -                 ahead throughout
german-credit   200     True    2              9                 ahead up to 21, level in the end
hypothyroid     633     True    -              -                 ahead throughout
insurance       4000    True    12             12                ahead throughout
""")
    .fillna({"over_size": ""})
    .set_index("data")
)
# Hong and others, table 1: errors in %.
SVM_BOOSTING = _table("""
data            SVM     AdaBoost-SVM  Bagging  NCCD    NCAB-SVM
promoters       27.454  23.905        24.091   15.000  17.727
sonar           14.227  12.250        12.381   22.857  10.952
ionosphere       6.250   4.580         5.211    4.584   4.047
house-votes-84   3.007   2.965         3.218    4.023   2.528
breast-w        21.270  12.666        19.055   18.358  15.671
pima            29.780  26.592        26.900   25.071  24.025
german-credit   26.189  23.780        25.130   49.221  24.900
hypothyroid     29.780  15.235        26.900   18.673  12.270
soybean-large   11.244   8.316        10.665    7.952   4.080
insurance       16.067   9.828        13.240    7.219   6.450
""")
# The same table: what stands behind the +-, of which it does not say what it is.
SVM_SPREADS = _table("""
data            SVM    AdaBoost-SVM  Bagging  NCCD    NCAB-SVM
promoters       4.815  3.801         4.321     9.103  4.520
sonar           1.106  1.103         3.241    15.681  2.300
ionosphere      0.235  1.706         0.950     2.523  0.950
house-votes-84  0.935  0.647         0.726     1.817  0.484
breast-w        2.002  2.542         1.502     1.454  0.853
pima            2.143  2.143         1.744     2.081  1.960
german-credit   2.351  1.544         1.437    17.987  1.776
hypothyroid     2.143  0.862         1.744     2.064  0.157
soybean-large   1.795  1.250         1.281     0.714  1.124
insurance       0.435  0.935         0.912     2.391  0.177
""").set_index("data")
# Hong and others, section 3.3: mean of kappa times error of the pairs, on ionosphere.
SVM_KAPPA_ERROR = {"AdaBoost-SVM": 0.3376, "NCAB-SVM": 0.3204}
# Meddouri and others, figures 1 to 5: the lowest Q, and between which numbers of members it is.
NOMINAL_CONCEPTS = _table("""
data               lowest_q_theirs  first_lowest  last_lowest  error_theirs
german-credit      -0.02            10            20           stable from 20 members
pima               -0.3             20            20           best where Q is lowest
ionosphere         -0.15            15            30           falls by about 40 % before 20 members
tic-tac-toe        -                -             -            changes little after the first member
blood-transfusion  -                -             -            is not helped
""").set_index("data")
# The thesis, section 4.5: the four pictures of figure 4.4 by their lambda.
TRAINING_DYNAMICS = {
    0.76: "dramatic divergence",
    0.75: "no pronounced convergence or divergence",
    0.7: "a definite tendency to converge",
    0.0: "very similar indeed",
}
# The thesis, table 4.1: test errors and their variances, at 0 and at lambda*, in sevenths of it.
LAMBDA_STAR = _table("""
data       step  mse    mse_variance  mcr    mcr_variance
synthetic  0     0.091  0.0000414     0.107  0.000104
cancer     0     0.136  0.0029        0.126  0.0099
liver      0     0.207  0.0000155     0.312  0.000236
synthetic  7     0.082  0.0000139     0.098  0.000016
cancer     7     0.082  0.0011        0.098  0.0093
liver      7     0.211  0.0000273     0.309  0.000226
""").set_index(["data", "step"])
# The thesis, table 4.2: the best setting of each set by test error, and that error.
NETWORK_COMPLEXITY = _table("""
data        step  nets  nodes  error
liver       7     3     24     0.294
cancer      7     10    20     0.0692
synthetic   2     3     20     0.0929
cone-torus  0     3     60     0.1182
""")
# The thesis, tables 5.2 and 5.3. Trees on overlaps, unpruned and by pessimistic pruning; merged
# trees, by error-based and corrected pessimistic pruning; a single tree, error-based.
TREES = (
    _table("""
data        unpruned  pessimistic  errb    pessN   bagging  single
cancer      0.0550    0.0631       0.0539  0.0508  0.0425   0.0633
liver       0.3077    0.3315       0.3366  0.3173  0.2851   0.338
diabetes    0.2495    0.2452       0.2509  0.2462  0.2441   0.257
cone-torus  0.1635    0.1680       0.1584  0.1695  0.1596   0.1628
synthetic   0.1760    0.1652       0.1480  0.1700  0.1792   0.1524
""")
    .merge(
        _table("""
data        unpruned nodes  pessimistic nodes  errb nodes  pessN nodes  single nodes
cancer      2513            61                 16.6        30.2         31
liver       1155            38.6               32.6        82.2         115
diabetes    2225            35                 7.4         68.6         135
cone-torus  142.6           29.8               31.8        50.6         73
synthetic   75.8            9                  5           25           5
""")
    )
    .set_index("data")
)
# The thesis, section 5.3.2: figures 5.26 to 5.36 are pictures only.
SAMPLED_HYPERBOXES = {
    "liver": "sampled boxes improve on GFMM from data; still relatively bad",
    "diabetes": "large improvement on GFMM from data, level with bagging",
    "cancer": "good",
    "synthetic": "very good, no particular advantage over GFMM from data",
    "cone-torus": "very good, no particular advantage; a high threshold hurts",
}
# The thesis, chapter 6: confusion matrices 6.3 to 6.10 and 6.12, row by row.
CHURN = _table("""
method                                hits  missed  false  rest
HMM, 2 events, single                 27    46      85     21026
HMM, 2 events, combined               29    43      43     21067
HMM, 3 events, single                 19    55      78     17700
HMM, 3 events, combined               24    49      49     17903
neighbours, 1 event                   26    40      1278   13711
neighbours, 2 events                  28    36      16     14866
neighbours, 3 events                  9     57      7      14948
neighbours, 2 events, one after next  3     51      34     12384
networks, lambda 0                    16    60      76     9924
networks, lambda*                     23    53      166    9834
""").set_index("method")
# What figure 6.1 is said to show: precision of combined HMMs, 3 events, by share called.
CHURN_PRECISION = {0.004: 0.3, 0.008: 0.2}
