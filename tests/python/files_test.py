"""Files and memory of other programs: save and load, safetensors, .npy, DLPack, pickle."""
import base64
import copy
import io
import os
import pickle
import tempfile
import zlib

from harness import TestCase, frit, main

# torch.save({"w": torch.arange(4.), "half": the same.half()[1:], "n": 3}) by PyTorch 1.13, compressed.
PYTORCH_FILE = """
eNqVk81Kw0AQxzcftjFqW78FwZtYQWurggcFJUgQVrBWhOKlxjQ2wdA4ybaCIHjpQbz5AOJriE/hY3j26sHdTS3NiopDkiGz859f8t+kjBUVIU1D3yKH
xpAV2q7XdlbqFrEKlxe+aWTQSSJu5RtA+apEBVcg2SSgikKtRTw/0muhc9by/HqNOM0oCGvtVR3kfL6aps0R7bQaDiixRDf9wCJHcVEHlQ8swkBVodm+
bEEKqwTShxhhtQMaljoweGfbge87NvGCZqQfhHUndOq7nk100BcrMERguAIjVfp6yLX8c8i4FO5+AfdoqcfLcl4Jci7njB5iCSsdGGOc8TuXjZsgMFmB
Kd7YhGmstAplnNae3cfrD1piZ/lHLzNIS3i5UjQNlTsZr99u08sOPXbYzPvZ0/kc34HfZ64nZ5ZMoyjszt9BB21RssG4Dwsvbwyk/crNos0et+2EEXXf
NDb+De7Gms7Ir4+NY5nOljlZYqnH7nc49+1pxC9UVPd7mUko9yUk7Imo7fcjqX0StSVR2/9G2YR2Rkaif2WcSi11l+eU5V6rKuT3bn6Q40x17F9CHSW+
l3htIBVrVN4f934C3rnIPA==
"""


class InAFolder(TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)


class SaveAndLoad(InAFolder):
    def test_all_dtypes_come_back(self):
        dtypes = (frit.float64, frit.float32, frit.float16, frit.bfloat16, frit.int64, frit.int32, frit.int16,
                  frit.int8, frit.uint8, frit.bool)
        saved = {str(dtype): frit.arange(6).reshape(2, 3).to(dtype) for dtype in dtypes}
        frit.save(saved, self.path("all.pt"))
        for name, tensor in frit.load(self.path("all.pt")).items():
            self.assert_tensor(tensor, saved[name].tolist(), saved[name].dtype)

    def test_shared_memory_and_strides_come_back(self):
        x = frit.arange(12.0).reshape(3, 4)
        frit.save([x, x.t()[1:], x[2, 2]], self.path("views.pt"))
        whole, part, one = frit.load(self.path("views.pt"))
        self.assertEqual((part.stride(), part.storage_offset()), ((1, 4), 1))
        whole.fill_(5)
        self.assert_tensor(part, [[5.0] * 3] * 3)
        self.assertEqual(one.item(), 5.0)

    def test_of_a_view_only_what_is_reached_is_written(self):
        frit.save(frit.zeros(100000)[:3], self.path("small.pt"))
        self.assertLess(os.path.getsize(self.path("small.pt")), 2000)

    def test_a_state_dict_goes_through_a_file_in_memory(self):
        net, file = frit.nn.BatchNorm1d(2), io.BytesIO()
        frit.save(net.state_dict(), file)
        file.seek(0)
        state = frit.load(file)
        self.assertEqual(state._metadata[""], {"version": 2})
        net.load_state_dict(state)

    def test_reads_pytorchs_files(self):
        got = frit.load(io.BytesIO(zlib.decompress(base64.b64decode(PYTORCH_FILE))))
        self.assert_tensor(got["w"], [0.0, 1.0, 2.0, 3.0], frit.float32)
        self.assert_tensor(got["half"], [1.0, 2.0, 3.0], frit.float16)
        self.assertEqual(got["n"], 3)

    def test_runs_no_code_of_a_file(self):
        ran = []

        class Trap:
            def __reduce__(self):
                return ran.append, (1,)

        class Named:
            def __reduce__(self):
                return os.getcwd, ()

        frit.save({"x": Named()}, self.path("trap.pt"))
        kind, text = self.error_of(lambda: frit.load(self.path("trap.pt")))
        self.assertEqual(kind, pickle.UnpicklingError)
        self.assertIn("posix.getcwd, which is not known to be harmless", text)
        self.assertEqual(frit.load(self.path("trap.pt"), weights_only=False), {"x": os.getcwd()})
        self.assertEqual(ran, [])

    def test_broken_files_are_errors(self):
        for content in (b"", b"PK\x03\x04", b"not a zip" * 100):
            with open(self.path("broken.pt"), "wb") as file:
                file.write(content)
            self.assertEqual(self.error_of(lambda: frit.load(self.path("broken.pt")))[0], RuntimeError)

    def test_whole_modules_come_back_where_code_may_run(self):
        net = frit.nn.Sequential(frit.nn.Linear(2, 2), frit.nn.ReLU())
        frit.save(net, self.path("net.pt"))
        twin = frit.load(self.path("net.pt"), weights_only=False)
        self.assert_tensor(twin(frit.ones(1, 2)), net(frit.ones(1, 2)).tolist())


class Safetensors(InAFolder):
    def test_come_back_with_their_texts(self):
        tensors = {"b": frit.arange(3, dtype=frit.int16), "a": frit.ones(2, 2, dtype=frit.bfloat16), "e": frit.ones(0)}
        frit.safetensors.save_file(tensors, self.path("x.safetensors"), {"by": "me"})
        with frit.safetensors.safe_open(self.path("x.safetensors")) as file:
            self.assertEqual((file.keys(), file.metadata()), (["a", "b", "e"], {"by": "me"}))
            self.assert_tensor(file.get_tensor("b"), [0, 1, 2], frit.int16)
        self.assertEqual(set(frit.safetensors.load_file(self.path("x.safetensors"))), {"a", "b", "e"})

    def test_have_the_formats_bytes(self):
        got = frit.safetensors.save({"x": frit.tensor([1, 2], dtype=frit.uint8)})
        header = b'{"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}   '
        self.assertEqual(got, len(header).to_bytes(8, "little") + header + b"\1\2")

    def test_files_that_do_not_fit_together_are_errors(self):
        good = frit.safetensors.save({"x": frit.ones(2)})
        bad = (b"", good[:-1], good + b"x", b"\xff" * 8 + good[8:], good.replace(b"[2]", b"[3]"),
               good.replace(b"F32", b"X32"), good.replace(b"[0,8]", b"[4,8]"))
        for content in bad:
            self.assertEqual(self.error_of(lambda: frit.safetensors.load(content))[0], ValueError)


class Npy(InAFolder):
    def test_come_back(self):
        x = frit.arange(6).reshape(2, 3).t()
        frit.npy.save(self.path("x.npy"), x)
        self.assert_tensor(frit.npy.load(self.path("x.npy")), x.tolist(), frit.int64)
        frit.npy.savez(self.path("x.npz"), x, named=x.half())
        both = frit.npy.load(self.path("x.npz"))
        self.assertEqual(list(both), ["named", "arr_0"])
        self.assert_tensor(both["named"], x.half().tolist(), frit.float16)

    def test_are_numpys(self):
        import numpy
        numpy.savez_compressed(self.path("n.npz"), f=numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3)),
                               big=numpy.array([1, 2], ">i4"))
        got = frit.npy.load(self.path("n.npz"))
        self.assert_tensor(got["f"], [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], frit.float64)
        self.assert_tensor(got["big"], [1, 2], frit.int32)
        frit.npy.save(self.path("x.npy"), got["f"])
        self.assertEqual(numpy.load(self.path("x.npy")).tolist(), got["f"].tolist())


class DLPack(TestCase):
    def test_shares_memory_both_ways(self):
        import numpy
        array = numpy.arange(6.0).reshape(2, 3)
        x = frit.from_dlpack(array)
        array[0, 0] = 9
        self.assert_tensor(x, [[9.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
        back = numpy.from_dlpack(x.t())
        x[0, 1] = -1
        self.assertEqual(back.tolist(), [[9.0, 3.0], [-1.0, 4.0], [2.0, 5.0]])
        self.assertEqual(x.__dlpack_device__(), (1, 0))

    def test_keeps_what_it_shares_alive(self):
        import numpy
        x = frit.from_dlpack(numpy.full(1000, 3.0))
        back = numpy.from_dlpack(frit.full((1000,), 4.0))
        junk = [numpy.zeros(1000) for _ in range(20)]
        self.assertEqual((x.sum().item(), back.sum(), len(junk)), (3000.0, 4000.0, 20))

    def test_a_capsule_is_taken_once(self):
        capsule = frit.to_dlpack(frit.ones(2, dtype=frit.bfloat16))
        self.assert_tensor(frit.from_dlpack(capsule), [1.0, 1.0], frit.bfloat16)
        self.assertEqual(self.error_of(lambda: frit.from_dlpack(capsule))[0], RuntimeError)
        del capsule
        frit.to_dlpack(frit.ones(2))  # and one that nobody takes


class Copies(TestCase):
    def test_pickle_and_deepcopy_are_new_memory_and_copy_is_not(self):
        x = frit.arange(6).reshape(2, 3).t()
        for twin in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
            self.assert_tensor(twin, x.tolist(), frit.int64)
            twin.fill_(0)
        shallow = copy.copy(x)
        shallow[0, 0] = 8
        self.assert_tensor(x, [[8, 3], [1, 4], [2, 5]])


if __name__ == "__main__":
    main()
