#!/bin/bash
# Runs a Python test: the first argument is the script, the others are its own.
module=src/python/frit/_core.so
# An instrumented module needs its runtime in the process before Python. Python itself leaks by intent.
if [[ -e $module ]]; then
  runtime=$(ldd "$module" | grep -oE '/[^ ]*lib(asan|tsan)[^ ]*')
  if [[ -n $runtime ]]; then
    export LD_PRELOAD="$runtime $(ldd "$module" | grep -oE '/[^ ]*libstdc[^ ]*')" ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
  fi
fi
exec python3 "$@"
