"""Small models of six kinds: they agree with PyTorch, where it is installed, and get hot by themselves."""
import warnings

from harness import TestCase, frit, main

import small_models

TOLERANCE = 1e-5
# How many ops a call may leave eager in the steady state, by model: embedding() looks at its numbers, which
# traces do not.
EAGER = {"gpt": 2, "lstm": 1}


def tensors(result):
    """A result's tensors."""
    return [result] if hasattr(result, "numpy") else list(result)


def worst(ours, theirs):
    """The largest difference, in parts of the largest value."""
    return float(abs(ours - theirs).max() / abs(theirs).max())


class Models(TestCase):
    def hot(self, model, x):
        """Calls the model and reads its results until it is compiled; what is counted in 20 more calls."""
        def read():
            return [t.numpy().tobytes() for t in tensors(model(x))]

        first = read()
        for _ in range(20):
            self.assertEqual(read(), first)
        before = frit.stats()
        for _ in range(20):
            last = read()
        after = frit.stats()
        self.assertEqual(last, first)
        return {name: after[name] - before[name] for name in ("eager_ops", "plan_entries", "builds", "exits")}

    def test_no_op_is_left_eager_in_the_steady_state(self):
        for name, kind in small_models.make(frit).items():
            with self.subTest(name):
                frit.manual_seed(0)
                counted = self.hot(kind.build().eval(), kind.inputs())
                self.assertLessEqual(counted["eager_ops"], 20 * EAGER.get(name, 0), counted)
                self.assertEqual((counted["builds"], counted["exits"]), (0, 0))
                self.assertGreaterEqual(counted["plan_entries"], 20)

    def test_exchanged_weights_give_pytorchs_results(self):
        try:
            import torch
        except ImportError:
            self.skipTest("PyTorch is not installed")
        torch.set_num_threads(1)
        theirs, ours = small_models.make(torch), small_models.make(frit)
        for name in ours:
            with self.subTest(name), torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                torch.manual_seed(1)
                reference = theirs[name].build().eval()
                model = ours[name].build().eval()
                state = {key: frit.tensor(t.numpy()) for key, t in reference.state_dict().items()}
                self.assertEqual(repr(model.load_state_dict(state)), "<All keys matched successfully>")
                expected = tensors(reference(theirs[name].inputs()))
                got = tensors(model(ours[name].inputs()))
                for a, b in zip(got, expected, strict=True):
                    self.assertLess(worst(a.numpy(), b.numpy()), TOLERANCE)


if __name__ == "__main__":
    main()
