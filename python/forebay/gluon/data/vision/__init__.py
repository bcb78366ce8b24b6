"""Data sets of images, and what is done to them."""

from . import transforms as transforms
from .datasets import CIFAR10 as CIFAR10
from .datasets import MNIST as MNIST
from .datasets import FashionMNIST as FashionMNIST
