"""Layers: ``from forebay.gluon import nn``."""

from ..block import Block as Block
from ..hybrid_block import HybridBlock as HybridBlock
from .activations import *
from .basic_layers import *
from .containers import *
from .convolution import *
from .normalization import *
from .pooling import *
