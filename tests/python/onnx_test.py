"""Graphs saved as ONNX models, and the backend onnxruntime."""
import os
import tempfile

from harness import TestCase, frit, main

LIBRARY = "models/onnxruntime/libonnxruntime.so.1"


class Export(TestCase):
    def test_saves_what_a_backend_gets(self):
        models = []

        def saving(graph):
            models.append(frit.onnx.to_bytes(graph))
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model.onnx")
                frit.onnx.save(graph, path)
                with open(path, "rb") as file:
                    self.assertEqual(file.read(), models[-1])
            return graph

        layer = frit.compile(lambda x, w: frit.relu(x @ w), backend=saving)
        for _ in range(4):
            layer(frit.ones(2, 3), frit.ones(3, 4))
        self.assertIn(b"MatMul", models[0])
        self.assertIn(b"Relu", models[0])

    def test_names_what_has_no_onnx_form(self):
        graph = frit.graph.Graph.parse("graph %g(%x: f32[3]) -> f32[3] {\n  %0: f32[3] = erfinv %x\n  return %0\n}\n")
        kind, text = self.error_of(lambda: frit.onnx.to_bytes(graph))
        self.assertEqual((kind, text), (NotImplementedError, "onnx(%g): unsupported op: erfinv(f32[3]): ONNX has no such op"))


class Onnxruntime(TestCase):
    def test_is_a_backend(self):
        self.assertIn("onnxruntime", frit.list_backends())

    def test_says_where_its_library_is_not(self):
        kind, text = self.error_of(lambda: frit.onnx.register_onnxruntime("/nowhere.so"))
        self.assertEqual(kind, RuntimeError)
        self.assertIn("no library: /nowhere.so: cannot open", text)

    def test_runs_graphs(self):
        if not os.path.exists(LIBRARY):
            self.skipTest(f"{LIBRARY} is not here: run tools/setup")
        self.assertRegex(frit.onnx.register_onnxruntime(LIBRARY), r"^1\.\d+")

        def layer(x, w):
            return frit.softmax(frit.relu(x @ w) * 2, 1)

        x, w = frit.linspace(-1, 1, 6).reshape(2, 3), frit.linspace(0, 2, 12).reshape(3, 4)
        fast = frit.compile(layer, backend="onnxruntime")
        for _ in range(4):
            result = fast(x, w)
        self.assertTrue(frit.allclose(result, layer(x, w)))
        self.assertEqual(frit.explain(fast)(x, w).data["plans"][0]["backend"], "onnxruntime")


main()
