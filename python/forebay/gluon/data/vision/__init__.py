"""Data sets and transforms of images."""

from . import transforms as transforms
from .datasets import CIFAR10 as CIFAR10
from .datasets import MNIST as MNIST
from .datasets import FashionMNIST as FashionMNIST
