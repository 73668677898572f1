"""Names that exist and refuse, with the reason."""

NO_GRADIENTS = "there are no gradients: Frit runs models, it does not train them"


def refusing(name, why=NO_GRADIENTS):
    """A function that refuses."""
    def refused(*args, **kwargs):
        raise NotImplementedError(f"{name}(): {why}")

    refused.__name__ = refused.__qualname__ = name
    refused.__doc__ = f"Refused: {why}."
    return refused


def refusing_class(name, why=NO_GRADIENTS, bases=(object,)):
    """A class that other classes can derive from and of which no object can be made."""
    def __init__(self, *args, **kwargs):
        raise NotImplementedError(f"{name}(): {why}")

    return type(name, bases, {"__init__": __init__, "__doc__": f"Refused: {why}."})
