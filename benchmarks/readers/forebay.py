"""Forebay's readers."""

import reading

import forebay
import forebay.tfrecord  # noqa: F401

ENVIRONMENT = "forebay"

if __name__ == "__main__":
    reading.measure(forebay, {"forebay": forebay.__version__})
