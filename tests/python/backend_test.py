"""Backends written in Python: what they are given, what they may give, and what becomes of their faults."""
import gc
import threading
import time
import weakref

from harness import TestCase, frit, main

TEXT = """graph %mlp(%x: f32[2,3], %s: f64) -> f32[2] {
  %0: f32[2,3] = mul %x, %s
  %1: f32[2,3] = add %0, %x
  %2: f32[2] = sum %1 {dims=[1], keepdim=false}
  return %2
}
"""


def model(x, w):
    return frit.softmax(frit.relu(x @ w) + 1, 1)


def operands():
    return frit.linspace(-1, 1, 6).reshape(2, 3), frit.linspace(0, 2, 12).reshape(3, 4)


class Graphs(TestCase):
    def test_have_inputs_nodes_and_users(self):
        g = frit.graph.Graph.parse(TEXT)
        self.assertEqual((str(g) + "\n", g.name), (TEXT, "mlp"))
        x, s = g.inputs
        self.assertEqual((x.name, x.kind, x.dtype, x.shape, x.stride), ("x", "tensor", frit.float32, (2, 3), (3, 1)))
        self.assertEqual((s.name, s.kind, s.is_tensor, s.dtype), ("s", "float", False, None))
        mul, add, total = g.nodes
        self.assertEqual([node.op for node in g.nodes], ["mul", "add", "sum"])
        self.assertEqual(mul.operands, [x, s])
        self.assertEqual(x.users, [mul, add])
        self.assertEqual((mul.users, add.users, total.users), ([add], [total], []))
        self.assertEqual(total.attributes, {"dims": [1], "keepdim": False})
        self.assertEqual((g.outputs, g.outputs[0].node, x.node), (total.results, total, None))
        self.assertEqual(repr(add), "%1 = add(%0, %x)")

    def test_run(self):
        g = frit.graph.Graph.parse(TEXT)
        self.assertEqual(g(frit.ones(2, 3), 2.0).tolist(), [9.0, 9.0])
        self.assertEqual(self.error_of(lambda: g(frit.ones(2, 3), "2"))[0], TypeError)
        self.assertEqual(self.error_of(lambda: g(frit.ones(3, 3), 2.0))[0], ValueError)
        self.assertEqual(self.error_of(lambda: frit.graph.Graph.parse("graph"))[0], ValueError)


class Backends(TestCase):
    def run_hot(self, backend, function=model, times=6):
        x, w = operands()
        expected = function(x, w)
        fast = frit.compile(function, backend=backend)
        for _ in range(times):
            self.assert_tensor(fast(x, w), expected.tolist())
        return fast

    def run_threads(self, threads):
        for thread in threads:
            thread.daemon = True
            thread.start()
        for thread in threads:
            thread.join(60)
            self.assertFalse(thread.is_alive(), "threads wait for each other")

    def test_get_the_users_ops_and_their_function_runs(self):
        graphs, calls = [], []

        def backend(graph):
            graphs.append(graph)
            return lambda *arguments: calls.append(len(arguments)) or graph(*arguments)

        self.run_hot(backend)
        self.assertEqual(len(graphs), 1)
        self.assertEqual([node.op for node in graphs[0].nodes][:2], ["matmul", "relu"])
        self.assertIn("f32[2,3]", "".join(graphs[0].guards))
        self.assertGreaterEqual(len(calls), 3)

    def test_may_run_ops_of_frit(self):
        def backend(graph):
            def run(*arguments):
                values = dict(zip(graph.inputs, arguments))
                for node in graph.nodes:
                    taken = [values[o] if isinstance(o, frit.graph.Value) else o for o in node.operands]
                    attributes = node.attributes
                    if node.op == "softmax":
                        taken.append(attributes["dim"])
                    values[node.results[0]] = getattr(frit, node.op)(*taken)
                return [values[output] for output in graph.outputs]
            return run

        self.run_hot(backend)

    def test_get_core_ops_behind_normalized(self):
        seen = []

        def backend(graph):
            seen.append([node.op for node in graph.nodes])
            return graph

        self.run_hot(frit.backends.normalized(backend))
        self.run_hot(frit.backends.normalized(backend, keep=["softmax"]))
        self.run_hot(frit.backends.normalized(backend, decompositions=[]))
        self.assertNotIn("softmax", seen[0])
        self.assertIn("exp", seen[0])
        self.assertIn("softmax", seen[1])
        self.assertIn("softmax", seen[2])
        self.assertEqual(self.error_of(lambda: frit.backends.normalized(backend, ["exp"]))[0], ValueError)

    def test_see_the_arguments_of_the_call(self):
        seen, graphs = [], []

        def backend(graph):
            graphs.append(graph)
            seen.append([example.tolist() for example in graph.examples])
            return graph

        x, w = operands()
        self.run_hot(backend)
        self.assertEqual(seen, [[x.tolist(), w.tolist()]])
        self.assertEqual(graphs[0].examples, [])  # they are not kept

    def test_see_numbers_that_vary(self):
        seen = []

        def backend(graph):
            seen.append([type(example).__name__ for example in graph.examples])
            return graph

        fast = frit.compile(lambda x, s: frit.relu(x * s), backend=backend, dynamic=True)
        for i in range(6):
            fast(frit.ones(2), float(i))
        self.assertTrue(any("float" in kinds for kinds in seen), seen)

    def test_get_their_parts_of_graphs(self):
        seen = []

        def backend(graph):
            seen.append([node.op for node in graph.nodes])
            return graph

        self.run_hot(frit.backends.partitioned(backend, ["relu", "add"]))
        self.run_hot(frit.backends.normalized(frit.backends.partitioned(backend, {"exp"})))
        self.assertEqual(seen, [["relu", "add"], ["exp"]])
        self.run_hot(frit.backends.partitioned(lambda graph: None, ["relu"]))
        self.assertEqual(self.error_of(lambda: frit.backends.partitioned(backend, ["no_op"])),
                         (ValueError, "partitioned(): no such ops: no_op"))

    def test_that_refuse_leave_graphs_to_the_next(self):
        def backend(graph):
            raise NotImplementedError("no matmul here")

        frit.register_backend("refusing", backend)
        before = frit.stats()["plan_entries"]
        self.run_hot("refusing, native")
        self.assertGreater(frit.stats()["plan_entries"], before)
        self.assertIn("refusing refused: NotImplementedError: no matmul here", frit.stats()["fallbacks"])

    def test_are_known_by_name(self):
        frit.register_backend("mine", lambda graph: graph)
        self.assertIn("mine", frit.list_backends())
        self.run_hot("mine")
        self.assertIn("mine", str(frit.explain(frit.compile(model, backend="mine"))(*operands())))
        self.assertEqual(self.error_of(lambda: frit.register_backend("mine", 3))[0], TypeError)

    def test_plugins_bring_ops_and_writers_too(self):
        frit.load_plugin("tests/engine/plugins/ops.so")
        x = frit.tensor([[1.0, 2.0]])
        self.assertEqual(frit.ops.ops.scale(x, by=3).tolist(), [[3, 6]])
        frit.load_plugin("examples/plugin_writer/postfix_writer.so")
        plugins = {plugin["name"]: plugin for plugin in frit.list_plugins()}
        self.assertEqual(plugins["ops"]["ops"][1], "ops::scale")
        self.assertEqual((plugins["ops"]["version"], plugins["ops"]["abi"]), ("1.0", "1.2"))
        self.assertEqual(plugins["stack machine"]["writers"], ["postfix"])
        fast = frit.compile(lambda x: x * 2 + 1)
        for _ in range(3):
            self.assertEqual(fast(x).tolist(), [[3, 5]])
        self.assertGreaterEqual(frit.stats()["writers"]["postfix"], 1)
        self.assertIsInstance(frit.stats()["refusals"], dict)

    def test_come_from_plugins(self):
        self.assertEqual(frit.load_plugin("examples/plugin_backend/toy_backend.so"), ["toy"])
        before = frit.stats()["plan_entries"]
        fast = frit.compile(lambda x: x * 2 + 1, backend="toy")
        for _ in range(4):
            self.assertEqual(fast(frit.tensor([1.0, -2.0])).tolist(), [3.0, -3.0])
        self.assertGreater(frit.stats()["plan_entries"], before)
        kind, text = self.error_of(lambda: frit.load_plugin("nowhere.so"))
        self.assertEqual(kind, RuntimeError)
        self.assertIn("load_plugin(nowhere.so): no such plug-in", text)

    def test_may_refuse(self):
        asked = []
        self.run_hot(lambda graph: asked.append(graph))
        self.assertGreaterEqual(len(asked), 1)

    def test_that_fail_leave_the_ops_to_eager(self):
        def raises(graph):
            raise ValueError("no")

        def gives_a_number(graph):
            return 3

        def compiled_raises(graph):
            def run(*arguments):
                raise IndexError("later")
            return run

        for backend in (raises, gives_a_number, compiled_raises, lambda g: lambda *a: None, lambda g: lambda *a: (),
                        lambda g: lambda *a: frit.ones(1), lambda g: lambda *a: "text"):
            self.run_hot(backend)

    def test_may_be_called_by_several_threads_at_once(self):
        def backend(graph):
            return lambda *arguments: graph(*arguments)

        shared, wrong = frit.zeros(4), []

        def work():
            fast = frit.compile(lambda x: frit.relu(x * 2 + 1) - shared, backend=backend)
            x = frit.linspace(-1, 1, 4)
            for i in range(200):
                y = fast(x)
                if i % 20 == 0:
                    shared.add_(0)  # waits for what others have pending on it
                    if y.tolist() != frit.relu(x * 2 + 1).tolist():
                        wrong.append(i)

        self.run_threads([threading.Thread(target=work) for _ in range(4)])
        self.assertEqual(wrong, [])

    def test_threads_may_share_a_function_and_look_at_different_values(self):
        def backend(graph):
            def run(*arguments):
                time.sleep(0)  # lets go of Python's lock
                return graph(*arguments)
            time.sleep(0.001)
            return run

        def work(seed):
            x = frit.linspace(-1, 1, 4)
            for i in range(60):
                kept = fast(x)[: 1 + (i + seed) % 3]
                if [y.tolist() for y in kept] != expected[: len(kept)]:
                    wrong.append(i)

        def steps(x):
            a = x * 2
            b = frit.relu(a) + 1
            return a, b, b - a

        expected, wrong = [y.tolist() for y in steps(frit.linspace(-1, 1, 4))], []
        fast = frit.compile(steps, backend=backend)
        self.run_threads([threading.Thread(target=work, args=(seed,)) for seed in range(4)])
        self.assertEqual(wrong, [])

    def test_given_by_several_threads_at_once_are_told_apart(self):
        def work(factor):
            def backend(graph):
                return lambda x: x * factor

            fast = frit.compile(lambda x: x * 1.0, backend=backend)
            start.wait()
            for _ in range(5):
                last = fast(frit.ones(2)).tolist()
            results[factor] = last

        results, start = {}, threading.Barrier(6)
        self.run_threads([threading.Thread(target=work, args=(factor,)) for factor in range(2, 8)])
        self.assertEqual(results, {factor: [float(factor)] * 2 for factor in range(2, 8)})

    def test_may_be_of_a_class_without_a_hash(self):
        class Compiler:
            def __eq__(self, other):
                return True

            def __call__(self, graph):
                return graph

        self.run_hot(Compiler())

    def test_their_plans_functions_go_with_the_function(self):
        class Kept:
            pass

        def make():
            kept = Kept()
            references.append(weakref.ref(kept))
            return lambda *arguments, kept=kept: graphs[0](*arguments)

        graphs, references = [], []

        def backend(graph):
            graphs.append(graph)
            return make()

        fast = self.run_hot(backend)
        self.assertIsNotNone(references[0]())
        del fast
        frit.trim()
        gc.collect()
        self.assertIsNone(references[0]())


if __name__ == "__main__":
    main()
