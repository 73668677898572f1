"""Names that PyTorch's programs use: what asks, answers; what cannot be, refuses; as_torch() serves imports."""
import importlib
import pkgutil
import subprocess
import sys

from harness import TestCase, frit, main


class Names(TestCase):
    def test_unknown_ones_say_the_nearest(self):
        self.assertEqual(self.error_of(lambda: frit.layer_nrm),
                         (AttributeError, "frit has no torch.layer_nrm; nearest name: layer_norm"))
        self.assertEqual(self.error_of(lambda: frit.zzzzzz), (AttributeError, "frit has no torch.zzzzzz"))
        self.assertFalse(hasattr(frit, "complex64"))

    def test_questions_are_answered(self):
        self.assertFalse(frit.cuda.is_available() or frit.accelerator.is_available() or frit.jit.is_scripting())
        self.assertFalse(frit.jit.is_tracing() or frit.distributed.is_available() or frit.backends.mps.is_available())
        self.assertIsNone(frit.accelerator.current_accelerator())
        self.assertEqual(frit.cuda.device_count(), 0)
        self.assertEqual(frit.__version__.split(".")[:2], ["2", "6"])
        self.assertEqual(frit.manual_seed(3).initial_seed(), 3)

    def test_settings_read_back(self):
        frit.backends.cudnn.benchmark = True
        self.assertTrue(frit.backends.cudnn.benchmark)
        frit.backends.cuda.matmul.allow_tf32 = True
        frit.set_float32_matmul_precision("high")
        self.assertEqual(frit.get_float32_matmul_precision(), "high")
        frit.use_deterministic_algorithms(True)
        self.assertTrue(frit.are_deterministic_algorithms_enabled())

    def test_what_trains_downloads_or_exports_refuses(self):
        parameters = [frit.nn.Parameter(frit.ones(1))]
        for call in (lambda: frit.ones(1).backward(), lambda: frit.optim.AdamW(parameters, lr=1),
                     lambda: frit.optim.lr_scheduler.StepLR(None, 1), lambda: frit.autograd.grad(None, None),
                     lambda: frit.nn.utils.clip_grad_norm_(parameters, 1.0), lambda: frit.hub.load("a", "b"),
                     lambda: frit.onnx.export(None, None), lambda: frit.jit.load("x"), lambda: frit.cuda.synchronize(),
                     lambda: frit.fx.symbolic_trace(None), lambda: frit.nn.LazyLinear(3),
                     lambda: frit.autocast("cpu").__enter__()):
            kind, text = self.error_of(call)
            self.assertEqual(kind, NotImplementedError)
            self.assertIn(": ", text)
        with frit.autocast("cuda"), frit.cuda.amp.autocast(), frit.autocast("cpu", enabled=False):
            self.assertFalse(frit.is_autocast_enabled())

    def test_scripting_gives_functions_back(self):
        def double(x):
            return x * 2

        self.assertIs(frit.jit.script(double), double)
        self.assertIs(frit.jit.trace(double, frit.ones(1)), double)
        self.assertIs(frit.jit.unused(frit.jit.export(frit.fx.wrap(double))), double)
        self.assertIs(frit.jit.ignore(drop=True)(double), double)

    def test_typed_tensors_are_classes_of_their_dtype(self):
        self.assert_tensor(frit.LongTensor([1, 2]), [1, 2], frit.int64)
        self.assertEqual(frit.FloatTensor(2, 3).shape, (2, 3))
        self.assertIsInstance(frit.ones(1), frit.FloatTensor)
        self.assertFalse(isinstance(frit.ones(1), frit.LongTensor))

    def test_functions_with_gradients_of_their_own_run_forward(self):
        class Double(frit.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * 2

        self.assert_tensor(Double.apply(frit.ones(1)), [2.0])

    def test_short_compositions_have_pytorchs_values(self):
        x = frit.tensor([1.0, 2.0, 4.0])
        self.assert_tensor(frit.trapezoid(x, dx=2), 9.0)
        self.assert_tensor(frit.cumulative_trapezoid(x, x), [1.5, 7.5])
        self.assert_tensor(frit.vander(frit.tensor([2, 3]), 3), [[4, 2, 1], [9, 3, 1]], frit.int64)
        self.assert_tensor(frit.combinations(x), [[1.0, 2.0], [1.0, 4.0], [2.0, 4.0]])
        self.assert_tensor(frit.range(1, 3), [1.0, 2.0, 3.0], frit.float32)
        self.assert_tensor(frit.scalar_tensor(3), 3.0, frit.float32)
        self.assert_tensor(frit.fill(x, 7), [7.0, 7.0, 7.0])
        self.assert_tensor(x, [1.0, 2.0, 4.0])
        self.assertIs(frit.compiler.disable(len), len)
        self.assertFalse(frit.compiler.is_compiling() or frit.xpu.is_available())

    def test_loaders_make_batches(self):
        data = frit.utils.data
        pairs = data.TensorDataset(frit.arange(5), frit.arange(5) * 2)
        batches = [[t.tolist() for t in batch] for batch in data.DataLoader(pairs, batch_size=2)]
        self.assertEqual(batches, [[[0, 1], [0, 2]], [[2, 3], [4, 6]], [[4], [8]]])
        shuffled = data.DataLoader(pairs, batch_size=2, shuffle=True, drop_last=True)
        self.assertEqual(len(shuffled), 2)
        self.assertEqual(len({i for batch, _ in shuffled for i in batch.tolist()}), 4)

    def test_distributions_sample_and_score(self):
        categorical = frit.distributions.Categorical(frit.tensor([[0.0, 1.0], [1.0, 0.0]]))
        self.assert_tensor(categorical.sample((3,)), [[1, 0]] * 3)
        self.assertAlmostEqual(frit.distributions.Normal(0.0, 1.0).log_prob(frit.tensor(0.0)).item(), -0.9189385, 6)


class Imports(TestCase):
    def test_every_module_loads_and_says_what_it_is(self):
        for found in pkgutil.walk_packages(frit.__path__, "frit."):
            if found.name != "frit._core":
                self.assertTrue(importlib.import_module(found.name).__doc__, found.name)

    def test_torch_is_frit_until_the_end_of_the_scope(self):
        before = sys.modules.get("torch")
        with frit.as_torch():
            import torch
            import torch.nn as nn
            from torch.nn.modules.utils import _pair
            from torch.utils.data import DataLoader
            self.assertIs(torch, frit)
            self.assertIs(nn, frit.nn)
            self.assertIs(DataLoader, frit.utils.data.DataLoader)
            self.assertEqual((_pair(3), nn.__spec__.name), ((3, 3), "frit.nn"))
            self.assertEqual(self.error_of(lambda: importlib.import_module("torch.nothing"))[0], ModuleNotFoundError)
        self.assertIs(sys.modules.get("torch"), before)
        self.assertNotIn("torch.nn", sys.modules if before is None else ())

    def test_loading_the_package_leaves_the_rest_for_later(self):
        program = ("import sys; sys.path.insert(0, 'src/python'); import frit; "
                   "print([m for m in ('frit.nn', 'frit.utils.data', 'numpy', 'json', 'inspect') if m in sys.modules])")
        run = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
        self.assertEqual(run.stdout.strip(), "[]")


class Starting(TestCase):
    """frit.nn.init against numbers of PyTorch 1.13."""

    def test_values_are_pytorchs_bit_for_bit(self):
        init = frit.nn.init
        frit.manual_seed(0)
        for fill, expected in (
                (init.uniform_, [0.49625658988952637, 0.7682217955589294, 0.08847743272781372,
                 0.13203048706054688, 0.30742281675338745, 0.6340786814689636]),
                (init.kaiming_uniform_, [-0.028020067140460014, 1.1213150024414062, -0.1255030333995819,
                 0.3742186725139618, -0.4273938238620758, -0.27798542380332947]),
                (init.xavier_uniform_, [-1.0465319156646729, -0.7254937291145325, -0.45156779885292053,
                 0.04057919979095459, 0.43306803703308105, 0.6572920680046082]),
                (init.normal_, [-0.2613142132759094, 1.066699743270874, 0.41589120030403137,
                 0.8395664095878601, -0.8264687061309814, -0.7949366569519043]),
                (init.kaiming_normal_, [-0.7779866456985474, 0.3035092353820801, 0.33371502161026,
                 1.1605829000473022, 0.121982142329216, -0.5477549433708191]),
                (init.xavier_normal_, [-0.13546320796012878, -0.2732011079788208, -0.4477011561393738,
                 -0.06731478124856949, -0.785972535610199, -0.30119529366493225])):
            self.assertEqual(fill(frit.empty(2, 3)).flatten().tolist(), expected, fill.__name__)

    def test_shapes_of_a_kind_are_made(self):
        init = frit.nn.init
        self.assert_tensor(init.eye_(frit.empty(2, 2)), [[1.0, 0.0], [0.0, 1.0]])
        self.assert_tensor(init.dirac_(frit.empty(2, 2, 3)), [[[0.0, 1.0, 0.0], [0.0] * 3], [[0.0] * 3, [0.0, 1.0, 0.0]]])
        cut = init.trunc_normal_(frit.empty(1000), std=2.0, a=-1, b=1)
        self.assertTrue(-1 <= cut.min().item() < -0.9 and 0.9 < cut.max().item() <= 1)
        sparse = init.sparse_(frit.empty(10, 4), 0.25)
        self.assertEqual((sparse == 0).sum(0).tolist(), [3, 3, 3, 3])
        self.assertEqual(init.calculate_gain("leaky_relu", 1.0), 1.0)
        self.assertEqual(self.error_of(lambda: init.xavier_uniform_(frit.empty(3)))[0], ValueError)


if __name__ == "__main__":
    main()
