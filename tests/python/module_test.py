"""nn.Module: registration, walks, state, hooks, conversion, printing, copies."""
import copy
import pickle
from collections import OrderedDict

from harness import TestCase, frit, main

nn = frit.nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 3)
        self.scale = nn.Parameter(frit.ones(3))
        self.register_buffer("mean", frit.zeros(3))
        self.register_buffer("cache", frit.zeros(1), persistent=False)

    def forward(self, x):
        return self.linear(x) * self.scale - self.mean


class Registration(TestCase):
    def test_attributes_are_registered_by_their_class(self):
        block = Block()
        self.assertEqual([name for name, _ in block.named_parameters()], ["scale", "linear.weight", "linear.bias"])
        self.assertEqual([name for name, _ in block.named_buffers()], ["mean", "cache"])
        self.assertEqual([name for name, _ in block.named_modules()], ["", "linear"])
        self.assertEqual(list(block.state_dict()), ["scale", "mean", "linear.weight", "linear.bias"])
        self.assertIn("linear", dir(block))

    def test_names_keep_their_kind(self):
        block = Block()
        self.assertEqual(self.error_of(lambda: setattr(block, "scale", 3)), (
            TypeError, "cannot assign 'int' as parameter 'scale' (torch.nn.Parameter or None expected)"))
        self.assertEqual(self.error_of(lambda: setattr(block, "linear", frit.ones(1)))[1],
                         "cannot assign 'torch.FloatTensor' as child module 'linear' (torch.nn.Module or None expected)")
        self.assertEqual(self.error_of(lambda: setattr(block, "mean", "x"))[0], TypeError)
        block.scale = None
        self.assertEqual([name for name, _ in block.named_parameters()], ["linear.weight", "linear.bias"])
        block.mean = nn.Parameter(frit.ones(3))  # a Parameter takes any name over
        self.assertEqual([name for name, _ in block.named_buffers()], ["cache"])

    def test_errors_are_pytorchs(self):
        class Early(nn.Module):
            def __init__(self):
                self.weight = nn.Parameter(frit.ones(1))

        self.assertEqual(self.error_of(Early),
                         (AttributeError, "cannot assign parameters before Module.__init__() call"))
        block = Block()
        self.assertEqual(self.error_of(lambda: block.nothing),
                         (AttributeError, "'Block' object has no attribute 'nothing'"))
        self.assertEqual(self.error_of(lambda: block.register_parameter("a.b", None)),
                         (KeyError, "'parameter name can\\'t contain \".\"'"))
        self.assertEqual(self.error_of(lambda: block.add_module("forward", nn.ReLU())),
                         (KeyError, "\"attribute 'forward' already exists\""))
        self.assertEqual(self.error_of(lambda: nn.Module()(1)), (
            NotImplementedError, 'Module [Module] is missing the required "forward" function'))

    def test_members_that_are_there_twice_are_walked_once(self):
        shared = nn.Linear(2, 2)
        net = nn.Sequential(shared, nn.Sequential(shared))
        self.assertEqual(len(list(net.parameters())), 2)
        self.assertEqual(len(list(net.modules())), 3)
        self.assertEqual(len(net.state_dict()), 4)
        self.assertEqual(len(list(net.named_parameters(remove_duplicate=False))), 4)

    def test_members_are_found_by_path_and_deleted(self):
        net = nn.Sequential(Block())
        self.assertIs(net.get_submodule("0.linear"), net[0].linear)
        self.assertIs(net.get_parameter("0.scale"), net[0].scale)
        self.assertIs(net.get_buffer("0.mean"), net[0].mean)
        self.assertEqual(self.error_of(lambda: net.get_submodule("0.x")),
                         (AttributeError, "Block has no attribute `x`"))
        del net[0].scale, net[0].linear
        self.assertEqual(list(net.state_dict()), ["0.mean"])


class State(TestCase):
    def test_comes_back_by_name(self):
        ours, theirs = Block(), Block()
        self.assertEqual(repr(ours.load_state_dict(theirs.state_dict())), "<All keys matched successfully>")
        self.assert_tensor(ours.linear.weight, theirs.linear.weight.tolist())
        self.assertIsNot(ours.linear.weight, theirs.linear.weight)

    def test_shares_the_modules_memory(self):
        block = Block()
        block.state_dict()["scale"].fill_(7)
        self.assert_tensor(block.scale, [7.0, 7.0, 7.0])

    def test_mismatches_are_told_as_pytorch_tells_them(self):
        state = Block().state_dict()
        del state["scale"]
        state["extra"] = frit.ones(1)
        state["linear.weight"] = frit.ones(4, 4)
        self.assertEqual(self.error_of(lambda: Block().load_state_dict(state)), (
            RuntimeError,
            'Error(s) in loading state_dict for Block:\n\tMissing key(s) in state_dict: "scale". \n\t'
            'Unexpected key(s) in state_dict: "extra". \n\tsize mismatch for linear.weight: copying a param with '
            f"shape {frit.Size([4, 4])} from checkpoint, the shape in current model is {frit.Size([3, 2])}."))
        state["linear.weight"] = frit.ones(3, 2)
        result = Block().load_state_dict(state, strict=False)
        self.assertEqual((result.missing_keys, result.unexpected_keys), (["scale"], ["extra"]))
        self.assertEqual(self.error_of(lambda: Block().load_state_dict([1]))[0], TypeError)

    def test_tensors_can_be_taken_over(self):
        block, weight = nn.Linear(1, 1, bias=False), frit.full((1, 1), 5.0, dtype=frit.float64)
        block.load_state_dict({"weight": weight}, assign=True)
        self.assertIsInstance(block.weight, nn.Parameter)
        weight.fill_(6)
        self.assert_tensor(block.weight, [[6.0]], frit.float64)

    def test_hooks_see_and_change_it(self):
        block = nn.Linear(1, 1)
        block._register_state_dict_hook(lambda module, state, prefix, metadata: state.pop("bias") and None)
        self.assertEqual(list(block.state_dict()), ["weight"])
        block.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
        block.load_state_dict({"weight": frit.ones(1, 1)})
        self.assert_tensor(block.weight, [[1.0]])


class Hooks(TestCase):
    def test_run_around_forward_and_can_be_removed(self):
        seen = []
        layer = nn.Identity()
        before = layer.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
        after = layer.register_forward_hook(lambda module, args, output: seen.append(output.item()) or output * 10)
        self.assertEqual(layer(frit.ones(())).item(), 20.0)
        before.remove()
        with after:
            pass
        self.assertEqual(layer(frit.ones(())).item(), 1.0)
        self.assertEqual(seen, [2.0])

    def test_see_keywords_and_failures_where_asked(self):
        class Picky(nn.Module):
            def forward(self, x, *, by=1):
                if by == 0:
                    raise ValueError("zero")
                return x * by

        seen = []
        layer = Picky()
        layer.register_forward_pre_hook(lambda module, args, kwargs: (args, {"by": kwargs["by"] + 1}), with_kwargs=True)
        layer.register_forward_hook(lambda module, args, kwargs, output: seen.append((kwargs["by"], output)),
                                    with_kwargs=True, always_call=True)
        self.assertEqual(layer(2, by=2), 6)
        self.assertEqual(self.error_of(lambda: layer(2, by=-1)), (ValueError, "zero"))
        self.assertEqual(seen, [(3, 6), (0, None)])


    def test_of_all_modules_run_around_each(self):
        from frit.nn.modules.module import register_module_forward_hook, register_module_parameter_registration_hook
        seen = []
        with register_module_forward_hook(lambda module, args, output: seen.append(type(module).__name__)):
            nn.Sequential(nn.Identity())(1)
        nn.Identity()(1)
        self.assertEqual(seen, ["Identity", "Sequential"])
        with register_module_parameter_registration_hook(lambda module, name, parameter: seen.append(name)):
            nn.Linear(1, 1)
        self.assertEqual(seen[2:], ["weight", "bias"])


class Changes(TestCase):
    def test_to_converts_floating_point_in_place(self):
        net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
        weight = net[0].weight
        self.assertIs(net.to(frit.float64), net)
        self.assertIs(net[0].weight, weight)
        self.assertEqual({t.dtype for t in net.state_dict().values()}, {frit.float64, frit.int64})
        for method, dtype in (("half", frit.float16), ("bfloat16", frit.bfloat16), ("float", frit.float32)):
            self.assertEqual(getattr(net, method)()[1].running_var.dtype, dtype)
        self.assertEqual(self.error_of(lambda: net.to(frit.int64))[0], TypeError)
        self.assertIs(net.to("cpu"), net)
        self.assertEqual(self.error_of(net.cuda)[0], RuntimeError)
        self.assertEqual(self.error_of(lambda: net.to("cuda"))[0], RuntimeError)

    def test_train_eval_and_apply_reach_all_inside(self):
        net = nn.Sequential(nn.Dropout(), nn.Sequential(nn.Dropout()))
        net.eval()
        self.assertEqual([m.training for m in net.modules()], [False] * 4)
        x = frit.ones(4)
        self.assertIs(net(x), x)
        names = []
        net.apply(lambda module: names.append(type(module).__name__))
        self.assertEqual(names, ["Dropout", "Dropout", "Sequential", "Sequential"])

    def test_requires_grad_is_kept(self):
        layer = nn.Linear(1, 1)
        self.assertTrue(all(p.requires_grad for p in layer.parameters()))
        layer.requires_grad_(False)
        self.assertFalse(any(p.requires_grad for p in layer.parameters()))
        self.assertTrue(frit.ones(1, requires_grad=True).requires_grad)
        self.assertEqual(self.error_of(lambda: frit.ones(1).backward())[0], NotImplementedError)

    def test_copies_have_their_own_tensors(self):
        block = Block()
        block.note = "kept"
        for twin in (copy.deepcopy(block), pickle.loads(pickle.dumps(block))):
            self.assertEqual((twin.note, list(twin.state_dict())), ("kept", list(block.state_dict())))
            self.assertIsInstance(twin.scale, nn.Parameter)
            twin.scale.data.fill_(9)
            self.assert_tensor(block.scale, [1.0, 1.0, 1.0])
            self.assertEqual(twin(frit.ones(1, 2)).shape, (1, 3))

    def test_dropout_scales_what_is_left(self):
        frit.manual_seed(0)
        y = nn.Dropout(0.25)(frit.ones(1000))
        self.assertEqual(sorted({round(v, 4) for v in y.tolist()}), [0.0, 1.3333])
        self.assertTrue(200 < (y == 0).sum().item() < 300)
        channels = nn.Dropout2d(0.5)(frit.ones(1, 8, 2, 2)).flatten(2)
        self.assertTrue(frit.equal(channels.amin(2), channels.amax(2)))
        self.assertEqual(self.error_of(lambda: frit.nn.functional.dropout(y, 1.5))[0], ValueError)

    def test_batch_norm_learns_statistics_in_training(self):
        norm = nn.BatchNorm1d(1)
        norm(frit.tensor([[1.0], [3.0]]))
        self.assertAlmostEqual(norm.running_mean.item(), 0.2, 6)
        self.assertAlmostEqual(norm.running_var.item(), 1.1, 6)
        self.assertEqual(norm.num_batches_tracked.item(), 1)


class Parameters(TestCase):
    def test_are_tensors_whose_results_are_plain(self):
        p = nn.Parameter(frit.ones(2))
        self.assertIsInstance(p, frit.Tensor)
        self.assertIs(type(p + 1), frit.Tensor)
        self.assertIs(type(2 * p), frit.Tensor)
        self.assertFalse(isinstance(frit.ones(1), nn.Parameter))
        self.assertEqual(repr(p), "Parameter containing:\ntensor([1., 1.], requires_grad=True)")
        p.tag = "mine"
        self.assertEqual(copy.deepcopy(p).tag, "mine")

    def test_share_the_memory_that_they_are_made_of(self):
        data = frit.zeros(2)
        p = nn.Parameter(data)
        data.fill_(3)
        self.assert_tensor(p, [3.0, 3.0])
        p.data = frit.ones(3)
        self.assert_tensor(p, [1.0, 1.0, 1.0])

    def test_die_with_their_last_reference(self):
        import weakref
        p = nn.Parameter(frit.ones(2))
        gone = weakref.ref(p)
        del p
        self.assertIsNone(gone())


class Containers(TestCase):
    def test_sequential_is_a_list(self):
        net = nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh()))
        self.assertEqual(list(net._modules), ["a", "b"])
        net = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())
        self.assertEqual(repr(net[1:]), "Sequential(\n  (1): Tanh()\n  (2): Sigmoid()\n)")
        net.append(nn.GELU()).insert(0, nn.Identity())
        self.assertEqual([type(m).__name__ for m in net], ["Identity", "ReLU", "Tanh", "Sigmoid", "GELU"])
        del net[1:3]
        net[-1] = nn.SiLU()
        self.assertEqual(list(net._modules), ["0", "1", "2"])
        self.assertIsInstance(net.pop(2), nn.SiLU)
        self.assertEqual(self.error_of(lambda: net[5])[0], IndexError)

    def test_module_lists_print_runs_once(self):
        layers = nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()])
        self.assertEqual(repr(layers), "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Tanh()\n)")
        layers += [nn.Linear(1, 1)]
        layers.insert(0, nn.Identity())
        self.assertEqual(len(layers[1:3]), 2)
        self.assertEqual(list(layers.state_dict()), ["4.weight", "4.bias"])

    def test_dicts_and_parameter_containers_register(self):
        both = nn.ModuleDict({"a": nn.Linear(1, 1, bias=False)})
        both["b"] = nn.ReLU()
        self.assertEqual((list(both), "b" in both, list(both.state_dict())), (["a", "b"], True, ["a.weight"]))
        numbers = nn.ParameterList([frit.ones(1), frit.zeros(2)])
        self.assertEqual((len(numbers), list(numbers.state_dict())), (2, ["0", "1"]))
        named = nn.ParameterDict({"w": frit.ones(2)})
        self.assertEqual([(k, v.tolist()) for k, v in named.items()], [("w", [1.0, 1.0])])
        self.assertIn("(w): Parameter containing: [torch.FloatTensor of size 2]", repr(named))

    def test_weights_of_length_and_direction_are_the_weight(self):
        utils = nn.utils
        for norm, remove, names in (
                (utils.weight_norm, utils.remove_weight_norm, ["bias", "weight_g", "weight_v"]),
                (utils.parametrizations.weight_norm,
                 lambda layer: utils.parametrize.remove_parametrizations(layer, "weight"),
                 ["bias", "parametrizations.weight.original0", "parametrizations.weight.original1"])):
            layer, x = nn.Linear(3, 2), frit.ones(1, 3)
            expected = layer(x)
            norm(layer)
            self.assertEqual(list(layer.state_dict()), names)
            self.assertTrue(frit.allclose(layer(x), expected))
            remove(layer)
            self.assertEqual(sorted(layer.state_dict()), ["bias", "weight"])
            self.assertIs(type(layer), nn.Linear)
            self.assertTrue(frit.allclose(layer(x), expected))

    def test_sequences_of_different_length_are_packed(self):
        rnn = nn.utils.rnn
        sequences = [frit.arange(2.0).reshape(2, 1), frit.arange(3.0).reshape(3, 1), frit.ones(1, 1)]
        packed = rnn.pack_sequence(sequences, enforce_sorted=False)
        self.assertEqual(packed.batch_sizes.tolist(), [3, 2, 1])
        self.assert_tensor(packed.data.squeeze(1), [0.0, 0.0, 1.0, 1.0, 1.0, 2.0])
        padded, lengths = rnn.pad_packed_sequence(packed)
        self.assertEqual(lengths.tolist(), [2, 3, 1])
        gru = nn.GRU(1, 2)
        outputs, last = gru(packed)
        for i, sequence in enumerate(sequences):
            alone, end = gru(sequence)
            self.assertTrue(frit.equal(rnn.unpack_sequence(outputs)[i], alone))
            self.assertTrue(frit.equal(last[:, i], end))

    def test_calls_can_use_other_tensors(self):
        layer = nn.Linear(1, 1)
        doubled = nn.utils.stateless.functional_call(
            layer, {"weight": frit.full((1, 1), 2.0), "bias": frit.zeros(1)}, frit.ones(1))
        self.assert_tensor(doubled, [2.0])
        self.assertIsInstance(layer.weight, nn.Parameter)

    def test_print_as_in_pytorch(self):
        net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1, bias=False), nn.Sequential(nn.ReLU(inplace=True)))
        self.assertEqual(repr(net), "Sequential(\n  (0): Conv2d(3, 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1)"
                                    ", bias=False)\n  (1): Sequential(\n    (0): ReLU(inplace=True)\n  )\n)")


if __name__ == "__main__":
    main()
