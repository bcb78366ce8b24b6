"""The process that a model in Python runs in: `python FOLDER --model model.py ...`, started by the server.

It imports nothing of the rest of Forebay, so it starts fast, and runs in any Python that has NumPy.
"""
