#!/bin/bash
# Runs a Python test: the first argument is the script, the others are its own.
exec python3 "$@"
