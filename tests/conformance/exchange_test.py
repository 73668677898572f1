"""Files and memory that PyTorch and Frit give each other."""
import collections
import io
import os
import sys
import unittest

sys.path.insert(0, os.path.abspath("src/python"))

import frit  # noqa: E402

try:
    import torch
except ImportError:
    torch = None

DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")


def contents(module):
    """The same object of either's tensors: views, all dtypes, what stands around tensors."""
    x = module.arange(12, dtype=module.float32).reshape(3, 4)
    return collections.OrderedDict(
        whole=x, part=x[1:, ::2], turned=x.t(), one=x[2, 2], empty=module.zeros(0, 3),
        all={name: x.to(getattr(module, name)) for name in DTYPES}, numbers=[1, 2.5, None, True, ("a", b"b")],
        size=x.shape, dtype=module.float16, device=module.device("cpu"), parameter=module.nn.Parameter(x.clone()))


def plain(value):
    """The object with lists for tensors, for a comparison between the two."""
    if hasattr(value, "tolist"):
        return [str(value.dtype).split(".")[-1], list(value.shape), list(value.stride()), value.requires_grad,
                value.tolist()]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return str(value).replace("torch.", "").replace("frit.", "")


def saved(module, value):
    file = io.BytesIO()
    module.save(value, file)
    file.seek(0)
    return file


@unittest.skipIf(torch is None, "PyTorch is not installed")
class Exchange(unittest.TestCase):
    maxDiff = None

    def test_each_reads_the_others_files(self):
        self.assertEqual(plain(frit.load(saved(torch, contents(torch)))), plain(contents(torch)))
        self.assertEqual(plain(torch.load(saved(frit, contents(frit)))), plain(contents(frit)))

    def test_shared_memory_is_shared_after_reading(self):
        for writer, reader in ((torch, frit), (frit, torch)):
            got = reader.load(saved(writer, contents(writer)))
            got["whole"].fill_(5)
            self.assertEqual(got["part"].tolist(), [[5.0, 5.0], [5.0, 5.0]])

    def test_a_models_state_goes_over_and_back(self):
        def model(module):
            nn = module.nn
            return nn.Sequential(nn.Conv1d(2, 3, 3), nn.BatchNorm1d(3), nn.Flatten(), nn.Linear(9, 2)).eval()

        theirs, ours = model(torch), model(frit)
        ours.load_state_dict(frit.load(saved(torch, theirs.state_dict())))
        x = torch.arange(10.0).reshape(1, 2, 5) / 10
        expected, got = theirs(x).tolist()[0], ours(frit.from_dlpack(x)).tolist()[0]
        self.assertTrue(all(abs(a - b) < 1e-5 for a, b in zip(got, expected)))
        back = model(torch)
        back.load_state_dict(torch.load(saved(frit, ours.state_dict())))
        self.assertEqual(back(x).tolist(), theirs(x).tolist())

    def test_states_of_random_numbers_go_over_and_back(self):
        for drawn in (0, 1, 623, 624, 625):
            theirs, ours = torch.Generator().manual_seed(9), frit.Generator()
            torch.rand(drawn, generator=theirs)
            torch.randn(1, generator=theirs)  # a second normal number waits
            ours.set_state(frit.from_dlpack(theirs.get_state()))
            again = torch.Generator()
            again.set_state(torch.tensor(ours.get_state().tolist(), dtype=torch.uint8))
            self.assertEqual(ours.initial_seed(), 9)
            expected = [torch.randn(3, generator=theirs).tolist(), torch.rand(700, generator=theirs).tolist()]
            for module, generator in ((frit, ours), (torch, again)):
                self.assertEqual([module.randn(3, generator=generator).tolist(),
                                  module.rand(700, generator=generator).tolist()], expected)

    def test_elements_are_seen_as_other_dtypes(self):
        def views(module):
            x = module.arange(24, dtype=module.int32).reshape(2, 3, 4)
            yield from (x.view(module.float32), x.view(module.uint8), x.view(module.int64), x[1].view(module.int16),
                        x[:, ::2].view(module.int64), x.view(module.int32), x[:, :, :0].view(module.int8))
            y = x.clone()
            y.view(module.int16)[0, 0] = -1
            yield y

        for ours, theirs in zip(views(frit), views(torch)):
            self.assertEqual(plain(ours), plain(theirs))
        for wrong in (lambda m: m.zeros(2, 3).view(m.float64), lambda m: m.zeros(4, 2).t().view(m.int8),
                      lambda m: m.zeros(()).view(m.int8), lambda m: m.zeros(2, 4)[:, 1:3].view(m.int64),
                      lambda m: m.zeros(2, 3, dtype=m.int16)[:, :2].view(m.int32)):
            for module in (torch, frit):
                self.assertRaises(RuntimeError, wrong, module)

    def test_memory_is_shared_by_dlpack(self):
        for name in DTYPES[:-1]:  # PyTorch 1.13 lends no bool
            theirs = torch.arange(6).to(getattr(torch, name)).reshape(2, 3).t()
            ours = frit.from_dlpack(theirs)
            theirs[0, 0] = 9
            again = torch.from_dlpack(ours)
            ours[2, 1] = 7
            del theirs
            self.assertEqual(plain(again), plain(ours))
            self.assertEqual((again[0, 0].item(), again[2, 1].item()), (9, 7))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
