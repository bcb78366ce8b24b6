"""Ways to change parameters by their gradients, with MXNet's names: ``from forebay import optimizer``."""

from .adaptive import AdaDelta as AdaDelta
from .adaptive import AdaGrad as AdaGrad
from .adaptive import Adam as Adam
from .adaptive import RMSProp as RMSProp
from .base import Optimizer as Optimizer
from .base import create as create
from .base import register as register
from .descent import NAG as NAG
from .descent import SGD as SGD
from .updater import Updater as Updater
from .updater import get_updater as get_updater
