"""Iterators that give batches to frameworks."""
