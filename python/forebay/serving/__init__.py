"""What `forebay serve` needs of Python: the processes that models in Python run in."""
