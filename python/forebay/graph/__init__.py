"""Pipelines: what writes a graph of operators, and what runs it. Users find all of it in `forebay` and `forebay.fn`."""
