"""Initial values of parameters, as MXNet's ``mx.init``. What they draw comes from `forebay.nd.random`.

An initializer is called with the name of an array and the array. By the end of the name a bias or beta becomes 0, a
gamma or running variance 1, a running mean 0; weights are filled by the initializer's ``_init_weight(name, array)``,
which is what a class derived from `Initializer` defines. The array of a block's parameter is always filled so.
"""

from .base import InitDesc as InitDesc
from .base import Initializer as Initializer
from .base import create as create
from .base import register as register
from .chosen import Load as Load
from .chosen import Mixed as Mixed
from .drawn import MSRAPrelu as MSRAPrelu
from .drawn import Normal as Normal
from .drawn import Orthogonal as Orthogonal
from .drawn import Uniform as Uniform
from .drawn import Xavier as Xavier
from .fixed import Bilinear as Bilinear
from .fixed import Constant as Constant
from .fixed import LSTMBias as LSTMBias
from .fixed import One as One
from .fixed import Zero as Zero
