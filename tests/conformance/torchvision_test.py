"""The models of Debian's torchvision run on Frit as `torch`, and give what they give on PyTorch.

    torchvision_test.py [--all] [NAME ...]

Each model is built with manual_seed(0) by both and gets the same image. Its repr() and its parameters must be equal
(normally distributed ones, to a few units in the last place) and its outputs agree within 1e-4 of the
largest. After that it runs until it is hot: the outputs must keep the eager bits, and no op is left eager but those of EAGER.
Small images, so that convolutions give a single pixel too.
"""
import argparse
import contextlib
import importlib.util
import os
import sys
import time
import types

import numpy

sys.path.insert(0, os.path.abspath("src/python"))

TOLERANCE = 1e-4
CALLS = 300  # after which a model is hot at the latest; equal blocks of layers take long
# How many ops a call may leave eager when it is hot, by model.
EAGER = {
    "MaxVit": 6,  # its tables of relative positions: indexing looks at the numbers, which traces do not
    "swin_t": 12,  # the same
}

# (file, function, options, image size): one small variant of each file, and with --all some more.
MODELS = (
    ("alexnet", "alexnet", {}, 63),
    ("convnext", "convnext_tiny", {}, 32),
    ("densenet", "densenet121", {}, 32),
    ("efficientnet", "efficientnet_b0", {}, 32),
    ("googlenet", "googlenet", {"init_weights": False}, 32),
    ("inception", "inception_v3", {"init_weights": False}, 75),
    ("maxvit", "MaxVit", {"input_size": (32, 32), "stem_channels": 16, "partition_size": 2, "block_channels": [16, 32],
                          "block_layers": [1, 2], "head_dim": 8, "stochastic_depth_prob": 0.2}, 32),
    ("mnasnet", "mnasnet0_5", {}, 32),
    ("mobilenetv2", "mobilenet_v2", {}, 32),
    ("mobilenetv3", "mobilenet_v3_small", {}, 32),
    ("regnet", "regnet_x_400mf", {}, 32),
    ("resnet", "resnet18", {}, 32),
    ("shufflenetv2", "shufflenet_v2_x0_5", {}, 32),
    ("squeezenet", "squeezenet1_1", {}, 32),
    ("swin_transformer", "swin_t", {}, 32),
    ("vgg", "vgg11", {}, 32),
    ("vision_transformer", "vit_b_16", {"image_size": 32}, 32),
)
MORE = (
    ("efficientnet", "efficientnet_v2_s", {}, 32),
    ("mobilenetv3", "mobilenet_v3_large", {}, 32),
    ("regnet", "regnet_y_400mf", {}, 32),
    ("resnet", "resnet50", {}, 32),
    ("resnet", "resnext50_32x4d", {}, 32),
    ("resnet", "wide_resnet50_2", {}, 32),
    ("squeezenet", "squeezenet1_0", {}, 32),
    ("swin_transformer", "swin_v2_t", {}, 32),
    ("vgg", "vgg11_bn", {}, 32),
    ("densenet", "densenet169", {}, 32),
    ("maxvit", "maxvit_t", {}, 224),
)
# Packages of torchvision whose __init__ loads compiled parts or much that models need not.
STUBBED = ("torchvision", "torchvision.models", "torchvision.ops", "torchvision.transforms")


@contextlib.contextmanager
def model_files():
    """Gives load(file): the module of a model file, on whatever `torch` is now."""
    spec = importlib.util.find_spec("torchvision")
    root = os.path.dirname(spec.origin)
    for name in STUBBED:
        package = types.ModuleType(name)
        package.__path__ = [os.path.join(root, *name.split(".")[1:])]
        sys.modules[name] = package
    ops = sys.modules["torchvision.ops"]
    ops.__getattr__ = lambda name: getattr(importlib.import_module("torchvision.ops.stochastic_depth"), name)
    presets = types.ModuleType("torchvision.transforms._presets")
    presets.ImageClassification = presets.InterpolationMode = type("Preset", (), {
        "BILINEAR": "bilinear", "BICUBIC": "bicubic"})
    sys.modules[presets.__name__] = presets
    try:
        yield lambda file: importlib.import_module("torchvision.models." + file)
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
            del sys.modules[name]


def build(torch, load, file, function, options):
    torch.manual_seed(0)
    make = getattr(load(file), function)
    return make(**(options if isinstance(make, type) else dict(options, weights=None))).eval()


def reference(torch, models, load):
    """Of each model by PyTorch: what repr() says, its parameters, the image and the output."""
    for file, function, options, size in models:
        model = build(torch, load, file, function, options)
        image = torch.randn(1, 3, size, size)
        with torch.no_grad():
            output = model(image)
        yield repr(model), {name: t.numpy() for name, t in model.state_dict().items()}, image.numpy(), output.numpy()


def worst(ours, theirs):
    """The largest difference, in parts of the largest value."""
    return float(abs(ours - theirs).max() / max(abs(theirs).max(), 1e-30)) if theirs.size else 0.0


def check(frit, load, model, expected):
    """What is wrong with Frit's model, or nothing."""
    file, function, options, _ = model
    printed, parameters, image, output = expected
    ours = build(frit, load, file, function, options)
    if repr(ours) != printed:
        return "repr() differs"
    state = ours.state_dict()
    if list(state) != list(parameters):
        return "the names of its parameters differ"
    for name, value in parameters.items():
        # Of a copy, since ops on memory that was given to the host are not compiled.
        if worst(state[name].clone().numpy(), value) > 1e-5:
            return f"{name} differs by {worst(state[name].clone().numpy(), value):g}"
    x = frit.tensor(image)
    first = ours(x).numpy().copy()
    if first.shape != output.shape or worst(first, output) > TOLERANCE:
        return f"the output differs by {worst(first, output):g}"
    hot = 0
    for _ in range(CALLS):
        before = frit.stats()
        if ours(x).numpy().tobytes() != first.tobytes():
            return "the output changes when it gets hot"
        left = frit.stats()["eager_ops"] - before["eager_ops"]
        hot = hot + 1 if left <= EAGER.get(function, 0) else 0
        if hot == 3:
            return None
    return f"{left} ops are left eager"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    try:
        import torch
        found = importlib.util.find_spec("torchvision")
    except ImportError:
        found = None
    if found is None:
        print("PyTorch and torchvision are not installed: nothing to compare with")
        return 0
    models = [m for m in MODELS + (MORE if arguments.all else ()) if not arguments.names or m[1] in arguments.names]
    torch.set_num_threads(1)
    with model_files() as load:
        expected = list(reference(torch, models, load))
    import frit
    failed = 0
    with frit.as_torch(), model_files() as load:
        for model, values in zip(models, expected):
            start = time.perf_counter()
            try:
                problem = check(frit, load, model, values)
            except Exception as error:
                if arguments.names:
                    raise
                problem = f"{type(error).__name__}: {error}"
            failed += problem is not None
            print(f"{model[1]}: {problem or 'ok'} ({time.perf_counter() - start:.1f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
