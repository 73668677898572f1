"""help(): everything public says what it is, and how it is called."""
import importlib
import inspect
import pkgutil
import re

from harness import TestCase, frit, main


def modules():
    yield frit
    for found in pkgutil.walk_packages(frit.__path__, "frit."):
        if found.name != "frit._core":
            yield importlib.import_module(found.name)


def is_ours(thing):
    return (getattr(thing, "__module__", None) or "frit").split(".")[0] == "frit"


def members(cls):
    """Public methods and properties that a class defines itself."""
    for name, thing in vars(cls).items():
        # A class in a class says what it is by its own name.
        if not name.startswith("_") and not isinstance(thing, type) and (
                callable(thing) or isinstance(thing, (property, staticmethod, classmethod)) or inspect.isgetsetdescriptor(thing)):
            yield name, getattr(cls, name)


def public_things():
    """(name, thing) of each public module, class, function, method and property."""
    for module in modules():
        yield module.__name__, module
        for name in dir(module):
            thing = None if name.startswith("_") else getattr(module, name)
            if isinstance(thing, type) and is_ours(thing):
                yield f"{module.__name__}.{name}", thing
                yield from ((f"{module.__name__}.{name}.{member}", value) for member, value in members(thing))
            elif inspect.isroutine(thing) and is_ours(thing):
                yield f"{module.__name__}.{name}", thing


class Help(TestCase):
    def test_says_what_everything_public_is(self):
        things = list(public_things())
        self.assertGreater(len(things), 2500)
        # getdoc() also looks at what a method overrides, as help() does; forward() and extra_repr() of layers say no more.
        self.assertEqual([name for name, thing in things if not (inspect.getdoc(thing) or "").strip()], [])

    def test_says_how_functions_are_called(self):
        for name, thing in public_things():
            if inspect.isbuiltin(thing) or inspect.ismethoddescriptor(thing):
                # All overloads, an empty line, the meaning.
                self.assertRegex(thing.__doc__, r"\A(\w+\(.*\) -> [^\n]+\n)+\n\S", name)
            elif inspect.isroutine(thing):
                inspect.signature(thing)

    def test_shows_signature_and_meaning(self):
        self.assertEqual(frit.lerp.__doc__, "lerp(input: Tensor, end: Tensor, weight: Tensor | Number, *, "
                                            "out: Tensor | None = None) -> Tensor\n\ninput + weight * (end - input).")
        self.assertEqual(frit.Tensor.shape.__doc__, "shape -> frit.Size\n\nThe sizes.")
        self.assertTrue(re.match(r"abs\(.*\n\n\|x\|; ", frit.Tensor.abs.__doc__))


if __name__ == "__main__":
    main()
