#!/usr/bin/env python3
"""Prints the symbols of an object that the public headers declare: public_symbols.py OBJECT HEADER...

A symbol is public where its demangled name, or the class that it belongs to, is named by a header in the same namespace.
"""
import re
import subprocess
import sys

# What belongs to a class without being a member of it.
OF_A_CLASS = re.compile(r"^(?:vtable|VTT|typeinfo|typeinfo name) for ")

OPERATOR = re.compile(r"\boperator(?:\(\)|[^\w\s(]+)")


class Declared:
    """The functions, variables and classes of the headers."""

    def __init__(self, headers):
        self.functions, self.classes, self.namespaces = set(), set(), set()
        for path in headers:
            with open(path) as file:
                self.read(re.sub(r"//.*|/\*.*?\*/", "", file.read()))

    def read(self, text):
        for name in re.findall(r"\bnamespace ([\w:]+) \{", text):
            self.namespaces.update(name.split("::"))
        # Not one that is only announced.
        self.classes.update(re.findall(r"\b(?:class|struct|union) (\w+)[^;{]*\{", text))
        self.functions.update(re.findall(r"\b(\w+)\s*\(", OPERATOR.sub("operator", text)))
        self.functions.update(re.findall(r"\bextern\s[^;(]*\b(\w+)\s*;", text))

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
    declared = Declared(sys.argv[2:])
    public = [symbol for symbol, name in zip(symbols, demangled.splitlines()) if declared.has(name)]
    if not public:
        sys.exit("public_symbols: none found")
    print("\n".join(sorted(public)))


if __name__ == "__main__":
    main()
