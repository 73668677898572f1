"""Graphs, as frit.compile() gives them to a backend written in Python.

A Graph's inputs and the results of its nodes are Values; a Node's operands are Values or numbers. Calling a graph runs
it op by op: the definition of what it computes.
"""
from frit import _core

__all__ = ["Graph", "Node", "Value"]


class Value:
    """A tensor, of a dtype, shape and stride, or a number, which has only a kind: "float", "int" or "bool"."""

    def __init__(self, name, kind, dtype=None, shape=None, stride=None):
        self.name, self.kind, self.dtype, self.shape, self.stride = name, kind, dtype, shape, stride
        self.node = None  # that makes it; None of an input
        self.users = []  # the nodes that read it, in order

    @property
    def is_tensor(self):
        """Whether it is no number."""
        return self.kind == "tensor"

    def __repr__(self):
        return f"%{self.name}"


class Node:
    """One call of an op: `op` is its name, `attributes` are those that print() shows in braces.

    origin: the composite that it comes from, or "".
    """

    def __init__(self, op, operands, attributes, results, origin):
        self.op, self.operands, self.attributes, self.results, self.origin = op, operands, attributes, results, origin

    @property
    def inputs(self):
        """The operands that are Values."""
        return [operand for operand in self.operands if isinstance(operand, Value)]

    @property
    def users(self):
        """The nodes that read a result of it."""
        return list(dict.fromkeys(user for result in self.results for user in result.users))

    def __repr__(self):
        return f"{', '.join(map(repr, self.results))} = {self.op}({', '.join(map(repr, self.operands))})"


class Graph:
    """What is to be computed. `guards` are the conditions under which it may be used, a text each.

    examples: while a backend compiles the graph, per input what it was in the call that this is for; None for tensors that
    are gone. Empty where no call is known, and afterwards.
    """

    def __init__(self, core, guards=(), examples=()):
        self._core = core
        self.guards = list(guards)
        self.examples = list(examples)
        self.name, num_inputs, values, nodes, outputs = core.facts()
        made = [Value(*facts) if len(facts) == 2 else Value(facts[0], "tensor", *facts[1:]) for facts in values]
        self.inputs = made[:num_inputs]
        self.outputs = [made[output] for output in outputs]
        self.nodes = []
        for op, operands, attributes, results, origin in nodes:
            node = Node(op, [made[o[0]] if isinstance(o, tuple) else o for o in operands], attributes,
                        [made[result] for result in results], origin)
            self.nodes.append(node)
            for result in node.results:
                result.node = node
            for value in dict.fromkeys(node.inputs):
                value.users.append(node)

    @staticmethod
    def parse(text):
        """The graph that str() gives as `text`."""
        return Graph(_core._Graph.parse(text))

    def __call__(self, *arguments):
        """Runs the graph by Frit's reference loops: one result, or a tuple of them."""
        results = self._core.run(*arguments)
        return results[0] if len(results) == 1 else tuple(results)

    def __str__(self):
        return str(self._core).rstrip("\n")

    def __repr__(self):
        return f"<frit.graph.Graph {self.name}: {len(self.inputs)} inputs, {len(self.nodes)} nodes>"
