#!/usr/bin/env python3
"""Prints the symbols of an object that the public headers declare: public_symbols.py OBJECT HEADER...

A symbol is public where its demangled name, or the class that it belongs to, is named by a header in the same namespace.
"""
import os
import re
import subprocess
import sys

# What belongs to a class without being a member of it.
OF_A_CLASS = re.compile(r"^(?:vtable|VTT|typeinfo|typeinfo name) for ")

OPERATOR = re.compile(r"\boperator(?:\(\)|[^\w\s(]+)")

PLUGINS = {"frit_plugin_init"}  # what others define


def text_of(headers):
    """What the headers themselves say, macros expanded: some declare functions by them."""
    sources = "".join(f'#include "{os.path.abspath(path)}"\n' for path in headers)
    everything = subprocess.run(["g++", "-std=c++20", "-Iinclude", "-E", "-xc++", "-"], input=sources,
                                check=True, capture_output=True, text=True).stdout
    lines, ours = [], False
    for line in everything.splitlines():
        if line.startswith("# "):
            ours = "/frit/" in line and line.split('"')[1].endswith(".h")
        elif ours:
            lines.append(line)
    return "\n".join(lines)


class Declared:
    """The functions, variables and classes of the headers."""

    def __init__(self, text):
        self.namespaces = {part for name in re.findall(r"\bnamespace ([\w:]+) \{", text) for part in name.split("::")}
        # Not one that is only announced.
        self.classes = set(re.findall(r"\b(?:class|struct|union) (\w+)[^;{]*\{", text))
        self.functions = set(re.findall(r"\b(\w+)\s*\(", OPERATOR.sub("operator", text)))
        self.functions.update(re.findall(r"\bextern\s[^;(]*\b(\w+)\s*;", text))
        # Those without a body, which the library must have: `type name(parameters);`. Bodies of templates come later.
        self.needed = set(re.findall(r"^ *(?!return|throw)[\w:]+[\w:<>,&* ]*[ *&](\w+)\((?!\*)[^{};.]*\)(?: const)?;", text, re.M))
        self.needed -= set(re.findall(r"^ *template <[^;{(]*\b(\w+)\(", text, re.M))

    def has(self, demangled):
        of_a_class = OF_A_CLASS.match(demangled)
        path = scope_of(demangled[of_a_class.end():] if of_a_class else demangled)
        if path[0] != "frit":
            return False
        while path and path[0] in self.namespaces:
            path = path[1:]
        if not path:
            return False
        return path[0] in self.classes or (len(path) == 1 and not of_a_class and path[0] in self.functions)


def scope_of(demangled):
    """frit::Tensor::sum(frit::ArrayRef) const -> [frit, Tensor, sum]; all operators are called operator."""
    name = OPERATOR.sub("operator", demangled.replace("(anonymous namespace)", "{anonymous}"))
    name = re.sub(r"\[abi:\w+\]", "", without_brackets(name).split("(")[0])
    return name.strip().split(" ")[-1].split("::")


def without_brackets(text):
    """std::vector<int> f<g<h>>(x) -> std::vector f(x)"""
    shorter = re.sub(r"<[^<>]*>", "", text)
    return text if shorter == text else without_brackets(shorter)


def main():
    listing = subprocess.run(["nm", "--defined-only", "--extern-only", "--format=posix", sys.argv[1]],
                             check=True, capture_output=True, text=True).stdout
    symbols = [line.split(" ")[0] for line in listing.splitlines()]
    demangled = subprocess.run(["c++filt"], input="\n".join(symbols), check=True, capture_output=True, text=True).stdout
    declared = Declared(text_of(sys.argv[2:]))
    public = {symbol: name for symbol, name in zip(symbols, demangled.splitlines()) if declared.has(name)}
    missing = declared.needed - {scope_of(name)[-1] for name in public.values()} - PLUGINS
    if missing or not declared.needed:
        sys.exit(f"public_symbols: declared and not defined: {', '.join(sorted(missing)) or 'nothing was found'}")
    print("\n".join(sorted(public)))


if __name__ == "__main__":
    main()
