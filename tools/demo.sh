#!/bin/sh
# demo.sh [FOLDER]: trains a small network on the pictures of FOLDER (one folder a class), or on made ones.
# Runs in the Python named by DEMO_PYTHON, else in .venv's.
cd "$(dirname "$0")/.." || exit 1
exec "${DEMO_PYTHON:-.venv/bin/python}" examples/train_small.py ${1:+"$1"} --out demo
