"""Devices of plug-ins in Python: where tensors lie, how they get there, and where they are saved."""
import copy
import io
import pickle

from harness import TestCase, frit, main

frit.load_plugin("examples/npu/capture_plugin.so")


class DeviceTest(TestCase):
    def test_devices_have_names(self):
        self.assertEqual(str(frit.device("npu")), "npu")
        self.assertEqual(repr(frit.device("npu:1")), "device(type='npu', index=1)")
        self.assertEqual(frit.device("npu", 1), frit.device("npu:1"))
        self.assertEqual(frit.device(frit.device("npu:1")).index, 1)
        for name in ("gpu", "npu:2", "npu:x", "cpu:1", ""):
            with self.assertRaisesRegex(RuntimeError, "no such device: known are cpu, npu"):
                frit.device(name)
        with self.assertRaisesRegex(RuntimeError, "two indices"):
            frit.device("npu:0", 1)

    def test_tensors_go_there_and_back(self):
        x = frit.tensor([[1.0, -2.0], [3.0, 4.0]])
        y = x.to("npu")
        self.assertEqual(y.device, frit.device("npu:0"))
        self.assertEqual((y.is_cpu, x.is_cpu, y.get_device(), x.get_device()), (False, True, 0, -1))
        self.assertEqual(repr(y), "tensor([[ 1., -2.],\n        [ 3.,  4.]], device='npu:0')")
        self.assertTrue(frit.equal(y.cpu(), x))
        self.assertIs(y.to("npu:0"), y)
        self.assertIs(x.cpu(), x)
        self.assertEqual(y.to("npu:1").device.index, 1)
        self.assertEqual(y.to(device="npu:1", dtype=frit.float64).dtype, frit.float64)
        self.assertEqual(x.to(y).device, y.device)
        self.assertEqual(y.tolist(), x.tolist())
        self.assertEqual(y[1, 0].item(), 3.0)
        self.assertEqual(copy.deepcopy(y).device, y.device)

    def test_new_tensors_are_made_there(self):
        for make in (lambda **k: frit.zeros(2, **k), lambda **k: frit.arange(3, **k), lambda **k: frit.rand(2, **k),
                     lambda **k: frit.tensor([1, 2], **k), lambda **k: frit.as_tensor([1.0], **k),
                     lambda **k: frit.randperm(4, **k), lambda **k: frit.full((2,), 7, **k),
                     lambda **k: frit.empty(0, **k), lambda **k: frit.eye(2, **k)):
            self.assertEqual(str(make(device="npu:1").device), "npu:1")
            self.assertEqual(str(make(device=frit.device("npu")).device), "npu:0")
            self.assertEqual(str(make().device), "cpu")
            with frit.device("npu"):
                self.assertEqual(str(make().device), "npu:0")
                self.assertEqual(str(make(device="cpu").device), "cpu")
        x = frit.ones(2, device="npu:1")
        self.assertEqual(frit.zeros_like(x).device, x.device)
        self.assertEqual(x.new_zeros(3).device, x.device)
        self.assertEqual(str(frit.ones_like(x, device="cpu").device), "cpu")
        frit.set_default_device("npu:1")
        try:
            self.assertEqual(str(frit.get_default_device()), "npu:1")
            self.assertEqual(str(frit.tensor([1.0]).device), "npu:1")
        finally:
            frit.set_default_device(None)
        self.assertEqual(str(frit.get_default_device()), "cpu")

    def test_what_only_the_cpu_has_is_refused(self):
        x = frit.ones(2, device="npu")
        with self.assertRaisesRegex(TypeError, "copy them with cpu"):
            x.numpy()
        with self.assertRaisesRegex(RuntimeError, "to_dlpack.*npu:0"):
            x.__dlpack__()
        with self.assertRaisesRegex(RuntimeError, "different devices: npu:0 and cpu"):
            x + frit.ones(2)

    def test_ops_and_counts(self):
        x = frit.tensor([1.0, -2.0], device="npu")
        before = frit.stats()["device_fallbacks"].get("npu exp", 0)
        self.assertEqual(x.exp().cpu().tolist(), x.cpu().exp().tolist())
        self.assertEqual(frit.stats()["device_fallbacks"]["npu exp"], before + 1)
        self.assertNotIn("npu relu", frit.stats()["device_fallbacks"])
        self.assertEqual(frit.relu(x).tolist(), [1.0, 0.0])
        x += 1
        x[0] = 5
        self.assertEqual(x.tolist(), [5.0, -1.0])
        out = frit.empty(2, device="npu")
        frit.add(x, 1, out=out)
        self.assertEqual(out.tolist(), [6.0, 0.0])

    def test_compiled(self):
        fast = frit.compile(lambda x: frit.relu(x * 2) + 1, backend="npu")
        x = frit.tensor([1.0, -2.0], device="npu")
        before = frit.stats()["plan_entries"]
        for _ in range(5):
            self.assertEqual(fast(x).tolist(), [3.0, 1.0])
        self.assertGreater(frit.stats()["plan_entries"], before)

    def test_modules_move(self):
        layer = frit.nn.Linear(2, 3).to("npu")
        self.assertEqual({str(p.device) for p in layer.parameters()}, {"npu:0"})
        x = frit.ones(1, 2)
        y = layer(x.to("npu"))
        self.assertEqual(str(y.device), "npu:0")
        self.assertTrue(frit.allclose(y.cpu(), layer.cpu()(x)))

    def test_files_keep_the_place(self):
        x = frit.tensor([1.0, 2.0], device="npu:1")
        file = io.BytesIO()
        frit.save({"x": x, "tail": x[1:], "y": frit.ones(1)}, file)

        def load(**options):
            file.seek(0)
            return frit.load(file, **options)

        read = load()
        self.assertEqual([str(read[k].device) for k in ("x", "tail", "y")], ["npu:1", "npu:1", "cpu"])
        read["x"][1] = 7
        self.assertEqual(read["tail"].item(), 7.0)
        self.assertEqual(str(load(map_location="cpu")["x"].device), "cpu")
        self.assertEqual(str(load(map_location={"npu:1": "npu:0"})["x"].device), "npu:0")
        self.assertEqual(str(load(map_location=lambda storage, place: storage)["x"].device), "cpu")
        with self.assertRaisesRegex(RuntimeError, "map_location"):
            load(map_location={"npu:1": "gpu"})
        self.assertEqual(str(pickle.loads(pickle.dumps(x)).device), "npu:1")

    def test_accelerator(self):
        self.assertTrue(frit.accelerator.is_available())
        self.assertEqual(str(frit.accelerator.current_accelerator()), "npu")
        self.assertEqual(frit.accelerator.device_count(), 2)
        frit.accelerator.set_device_index(1)
        self.assertEqual(frit.accelerator.current_device_index(), 1)
        self.assertEqual(str(frit.ones(1, device="npu").device), "npu:1")
        frit.accelerator.set_device_index("npu:0")
        frit.accelerator.synchronize()
        frit.accelerator.synchronize("npu:1")
        before = frit.accelerator.memory_allocated("npu:1")
        x = frit.ones(100, device="npu:1")
        self.assertEqual(frit.accelerator.memory_allocated("npu:1"), before + 400)
        del x
        self.assertEqual(frit.accelerator.memory_allocated("npu:1"), before)

    def test_random_numbers(self):
        frit.manual_seed(3)
        here, there = frit.rand(3), frit.rand(3, device="npu")
        self.assertEqual(here.tolist(), there.tolist())
        self.assertNotEqual(frit.rand(3, device="npu").tolist(), there.tolist())

    def test_plugins_are_listed(self):
        self.assertIn(["npu"], [p["devices"] for p in frit.list_plugins()])


if __name__ == "__main__":
    main()
