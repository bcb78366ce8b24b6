"""Blocks with parameters, losses, trainers and data, with MXNet's names: ``from forebay import gluon``."""

from . import data as data
from . import loss as loss
from . import nn as nn
from . import utils as utils
from .block import Block as Block
from .hybrid_block import HybridBlock as HybridBlock
from .parameter import Constant as Constant
from .parameter import DeferredInitializationError as DeferredInitializationError
from .parameter import Parameter as Parameter
from .parameter_dict import ParameterDict as ParameterDict
from .trainer import Trainer as Trainer
