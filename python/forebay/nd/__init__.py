"""Asynchronous arrays with MXNet's names: ``from forebay import nd``.

Operations enqueue and return; ``asnumpy``, ``asscalar``, ``wait_to_read``, printing and ``waitall`` wait.
"""

from .. import _core
from . import contrib as contrib
from . import random as random
from .arithmetic import *
from .context import Context as Context
from .context import cpu as cpu
from .context import cpu_pinned as cpu_pinned
from .context import current_context as current_context
from .context import gpu as gpu
from .context import num_gpus as num_gpus
from .creation import *
from .files import *
from .functions import *
from .gathering import *
from .ndarray import NDArray as NDArray
from .networks import *
from .normalization import *
from .optimizers import *
from .parts import *
from .products import batch_dot as batch_dot
from .products import dot as dot
from .random import gamma as random_gamma
from .random import generalized_negative_binomial as random_generalized_negative_binomial
from .random import multinomial as sample_multinomial
from .random import negative_binomial as random_negative_binomial
from .random import normal as normal
from .random import poisson as random_poisson
from .random import randint as random_randint
from .random import random_exponential as random_exponential
from .random import shuffle as shuffle
from .random import uniform as uniform
from .reduction import *
from .repetition import *
from .shapes import *
from .sorting import *

random_uniform = sample_uniform = uniform
sample_exponential = random_exponential
random_normal = sample_normal = normal
sample_gamma = random_gamma
sample_poisson = random_poisson
sample_negative_binomial = random_negative_binomial
sample_generalized_negative_binomial = random_generalized_negative_binomial


def waitall() -> None:
    """Waits for everything that was enqueued; raises the first error since the last call."""
    _core.waitall()
