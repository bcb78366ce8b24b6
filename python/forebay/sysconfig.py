"""What compiles a library of operators, under the names of DALI's module:

    c++ -std=c++17 -O2 -shared -fPIC $(python -c 'import forebay.sysconfig as s; print(*s.get_compile_flags())') \\
        my_lab.cc -o libforebay_my_lab.so
"""

from __future__ import annotations

import os

__all__ = [
    "get_cmake_dir",
    "get_compile_flags",
    "get_include_dir",
    "get_include_flags",
    "get_lib_dir",
    "get_lib_flags",
    "get_link_flags",
]

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def get_include_dir() -> str:
    """The folder of the headers: ``#include "forebay/plugin/operator.h"``."""
    return os.path.join(_PACKAGE, "include")


def get_lib_dir() -> str:
    """The folder of the package's native part. Nothing in it is linked: see :func:`get_link_flags`."""
    return _PACKAGE


def get_include_flags() -> list[str]:
    return ["-I" + get_include_dir()]


def get_compile_flags() -> list[str]:
    """For C++17 and later, any compiler and either ABI of its strings: only C crosses the border."""
    return get_include_flags()


def get_lib_flags() -> list[str]:
    """None: a library of operators is given all that it calls when it is loaded."""
    return []


def get_link_flags() -> list[str]:
    """None, as :func:`get_lib_flags`."""
    return get_lib_flags()


def get_cmake_dir() -> str:
    """For CMake's ``find_package(forebay COMPONENTS plugin)``: ``cmake -Dforebay_DIR=...``."""
    return os.path.join(_PACKAGE, "cmake")
