"""Measures of how good predictions are, as MXNet's ``mx.metric``. Updating reads arrays, so it waits for them.

``update(labels, preds)`` takes arrays or lists of them; `EvalMetric.get` gives the mean since `EvalMetric.reset`.
"""

from .base import EvalMetric as EvalMetric
from .base import check_label_shapes as check_label_shapes
from .base import register as register
from .classification import Accuracy as Accuracy
from .classification import CrossEntropy as CrossEntropy
from .classification import NegativeLogLikelihood as NegativeLogLikelihood
from .classification import Perplexity as Perplexity
from .classification import TopKAccuracy as TopKAccuracy
from .combined import CompositeEvalMetric as CompositeEvalMetric
from .combined import CustomMetric as CustomMetric
from .combined import create as create
from .combined import np as np
from .regression import MAE as MAE
from .regression import MSE as MSE
from .regression import RMSE as RMSE
from .regression import Loss as Loss
