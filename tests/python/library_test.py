"""Ops of Python's: what they are called with, what is compiled of them, and what becomes of exceptions."""
import gc
import os
import signal
import threading
import traceback
import typing
import weakref

from harness import TestCase, frit, main

library = frit.library


@library.custom_op("py_test::scale_add", mutates_args=())
def scale_add(x: frit.Tensor, y: frit.Tensor, alpha: float = 1.0) -> frit.Tensor:
    return frit.from_numpy(x.numpy() + alpha * y.numpy()).to(x.dtype)


@scale_add.register_fake
def _(x, y, alpha=1.0):
    return frit.empty_like(x)


def entries():
    return frit.stats()["plan_entries"]


class Schemas(TestCase):
    def test_follow_from_annotations(self):
        def f(x: frit.Tensor, y: typing.Optional[frit.Tensor], n: int, dims: typing.Sequence[int] = (0, 1), *,
              alpha: float = 0.5, flag: bool = True) -> typing.Tuple[frit.Tensor, frit.Tensor]: ...
        self.assertEqual(library.infer_schema(f, mutates_args=()),
                         "(Tensor x, Tensor? y, SymInt n, SymInt[] dims=[0, 1], *, float alpha=0.5, bool flag=True) "
                         "-> (Tensor, Tensor)")

        def g(x: frit.Tensor, y: frit.Tensor) -> None: ...
        self.assertEqual(library.infer_schema(g, mutates_args={"y"}), "(Tensor x, Tensor(a1!) y) -> ()")
        self.assertEqual(library.infer_schema(g, mutates_args="unknown"), "(Tensor(a0!) x, Tensor(a1!) y) -> ()")

    def test_say_what_may_be_left_out_texts_and_lists(self):
        def f(all: typing.List[frit.Tensor], n: typing.Optional[int], s: typing.Optional[float] = None,
              flag: typing.Optional[bool] = True, mode: str = 'a "b"') -> frit.Tensor: ...
        self.assertEqual(library.infer_schema(f, mutates_args=()),
                         '(Tensor[] all, SymInt? n, float? s=None, bool? flag=True, str mode="a \\"b\\"") -> Tensor')

    def test_refuse_what_they_cannot_say(self):
        def f(x: complex) -> None: ...
        with self.assertRaisesRegex(ValueError, "parameter x has the unsupported type"):
            library.infer_schema(f, mutates_args=())

        def g(x) -> None: ...
        with self.assertRaisesRegex(ValueError, "parameter x has no annotation"):
            library.infer_schema(g, mutates_args=())
        with self.assertRaisesRegex(ValueError, "line 1, column 9: expected ':'"):
            frit._core._register_op("no_space(Tensor x) -> Tensor", len, None, None)


class Calls(TestCase):
    def test_give_what_the_function_gives(self):
        x = frit.tensor([1.0, 2.0])
        self.assertEqual(scale_add(x, x).tolist(), [2, 4])
        self.assertEqual(scale_add(x, y=x, alpha=2).tolist(), [3, 6])
        self.assertEqual(frit.ops.py_test.scale_add(x, x, 3.0).tolist(), [4, 8])
        self.assertEqual(frit.ops.py_test.scale_add.default(x, x).tolist(), [2, 4])

    def test_name_the_argument_that_is_wrong(self):
        x = frit.tensor([1.0])
        for call, text in ((lambda: scale_add(x), "py_test::scale_add: argument y is missing"),
                           (lambda: scale_add(x, 2), r"argument y must be a Tensor, not int"),
                           (lambda: scale_add(x, x, x), r"argument alpha must be a float, not Tensor"),
                           (lambda: scale_add(x, x, beta=2), r"unknown argument beta"),
                           (lambda: scale_add(x, x, y=x), r"two values for y"),
                           (lambda: scale_add(x, x, 1, 2), r"too many positional arguments: 4")):
            with self.assertRaisesRegex(TypeError, text):
                call()

    def test_pass_every_kind_of_argument(self):
        seen = []

        @library.custom_op("py_test::kinds", mutates_args=())
        def kinds(x: frit.Tensor, y: typing.Optional[frit.Tensor], n: int, dims: typing.List[int],
                  s: typing.Union[int, float, bool], *, flag: bool = False) -> frit.Tensor:
            seen.append((y is None, n, dims, s, flag))
            return x.clone()

        x = frit.ones(1)
        kinds(x, None, 3, [4, 5], 6, flag=True)
        kinds(x, x, -3, (), 6.5)
        self.assertEqual(seen, [(True, 3, [4, 5], 6, True), (False, -3, [], 6.5, False)])

    def test_pass_texts_lists_and_what_is_left_out(self):
        seen = []

        @library.custom_op("py_test::more_kinds", mutates_args=())
        def more_kinds(all: typing.Sequence[frit.Tensor], n: typing.Optional[int] = 4, s: typing.Optional[float] = None,
                       flag: typing.Optional[bool] = None, mode: str = "sum") -> frit.Tensor:
            seen.append(([t.tolist() for t in all], n, s, flag, mode))
            return all[0] * 2

        @more_kinds.register_fake
        def _(all, n=4, s=None, flag=None, mode="sum"):
            return frit.empty_like(all[0])

        x = frit.tensor([1.0])
        more_kinds([x, x + 1])
        more_kinds((x,), None, 0.5, True, "max")
        self.assertEqual(seen, [([[1], [2]], 4, None, None, "sum"), ([[1]], None, 0.5, True, "max")])
        fast = frit.compile(lambda x: more_kinds([x + 1, x], mode="it's") + 1, fullgraph=True)
        for _ in range(4):
            self.assertEqual(fast(x).tolist(), [5])
        self.assertIn('more_kinds %0, %x0, false {flag=[], mode="it\'s", n=[4]}', str(frit.explain(fast)(x)))
        for call, text in ((lambda: more_kinds(x), "argument all must be a list of Tensors, not Tensor"),
                           (lambda: more_kinds([x], 0.5), "argument n must be an int or None, not float"),
                           (lambda: more_kinds([x], mode=3), "argument mode must be a str, not int")):
            with self.assertRaisesRegex(TypeError, text):
                call()

    def test_compute_in_the_type_that_is_asked_for(self):
        seen = []

        @library.custom_op("py_test::wide", mutates_args=(), autocast=frit.float32)
        def wide(x: frit.Tensor) -> frit.Tensor:
            seen.append(x.dtype)
            return x / 3

        x = frit.tensor([1.0, 2.0], dtype=frit.bfloat16)
        self.assertEqual(wide(x).dtype, frit.bfloat16)
        self.assertEqual(wide(x).tolist(), (x.float() / 3).bfloat16().tolist())
        self.assertEqual(seen, [frit.float32] * 2)
        with self.assertRaisesRegex(TypeError, "autocast is no dtype: int"):
            library.custom_op("py_test::narrow", mutates_args=(), autocast=3, schema="(Tensor x) -> Tensor")(lambda x: x)

    def test_give_several_results_or_none(self):
        @library.custom_op("py_test::two", mutates_args=())
        def two(x: frit.Tensor) -> typing.Tuple[frit.Tensor, frit.Tensor]:
            return x + 1, x * 2

        a, b = two(frit.tensor([3.0]))
        self.assertEqual((a.item(), b.item()), (4, 6))


class Compiled(TestCase):
    def test_an_op_is_one_node_and_no_break(self):
        fast = frit.compile(lambda x: frit.relu(scale_add(x * 2, x, 3.0) - 1), fullgraph=True)
        x = frit.tensor([1.0, -2.0])
        for _ in range(5):
            self.assertEqual(fast(x).tolist(), [4, 0])
        self.assertIn("py_test::scale_add %0, %x0, 3.0", str(frit.explain(fast)(x)))

    def test_a_hot_loop_is_compiled_unasked(self):
        x, before = frit.tensor([1.0, -2.0]), entries()
        for i in range(100_000):  # when is a matter of time
            y = scale_add(frit.exp(x), x) * 2 + 1
            if i % 500 == 0:
                self.assertEqual(y.shape, (2,))
                if entries() > before:
                    return
        self.fail("no plan was entered")

    def test_without_a_fake_function_it_breaks(self):
        @library.custom_op("py_test::unknown", mutates_args=())
        def unknown(x: frit.Tensor) -> frit.Tensor:
            return x + 1

        fast = frit.compile(lambda x: unknown(x * 2) * 3, fullgraph=True)
        with self.assertRaises(RuntimeError):
            for _ in range(3):
                fast(frit.tensor([1.0]))

    def test_an_op_that_writes_does_so_in_plans_too(self):
        @library.custom_op("py_test::add_", mutates_args={"x"})
        def add_(x: frit.Tensor, y: frit.Tensor) -> None:
            x.numpy()[...] += y.numpy()

        fast = frit.compile(lambda x, y: (add_(x, y * 2), x * 10)[1])
        x = frit.tensor([1.0, 2.0])
        for i in range(5):
            self.assertEqual(fast(x, frit.ones(2)).tolist(), [10 * (3 + 2 * i), 10 * (4 + 2 * i)])
        self.assertEqual(x.tolist(), [11, 12])

    def test_programs_hold_ops(self):
        program = frit.freeze(lambda x: scale_add(x * 2, x) + 1, (frit.tensor([1.0]),))
        self.assertEqual(program.run((frit.tensor([2.0]),))[0].item(), 7)


class Faults(TestCase):
    def test_an_exception_reaches_the_caller_as_it_was(self):
        class Special(Exception):
            pass

        @library.custom_op("py_test::picky", mutates_args=())
        def picky(x: frit.Tensor) -> frit.Tensor:
            if x.item() < 0:
                raise Special("below zero")
            return x + 1

        picky.register_fake(lambda x: frit.empty_like(x))
        fast = frit.compile(lambda x: picky(x * 2) * 3)
        for _ in range(5):
            self.assertEqual(fast(frit.tensor([1.0])).item(), 9)
            try:
                fast(frit.tensor([-1.0]))
                self.fail("no exception")
            except Special as error:
                self.assertEqual(str(error), "below zero")
                self.assertIn("picky", [frame.name for frame in traceback.extract_tb(error.__traceback__)])

    def test_ctrl_c_interrupts_it(self):
        interrupting = [False]

        @library.custom_op("py_test::interrupted", mutates_args=())
        def interrupted(x: frit.Tensor) -> frit.Tensor:
            if interrupting[0]:
                interrupting[0] = False
                os.kill(os.getpid(), signal.SIGINT)
                for _ in range(1000):
                    pass
            return x + 1

        interrupted.register_fake(lambda x: frit.empty_like(x))
        fast = frit.compile(lambda x: interrupted(x * 2) * 3)
        for _ in range(4):
            fast(frit.tensor([1.0]))
        interrupting[0] = True
        with self.assertRaises(KeyboardInterrupt):
            fast(frit.tensor([1.0]))
        self.assertEqual(fast(frit.tensor([1.0])).item(), 9)

    def test_a_result_of_another_kind_is_refused(self):
        @library.custom_op("py_test::odd", mutates_args=())
        def odd(x: frit.Tensor) -> frit.Tensor:
            return 3

        with self.assertRaisesRegex(RuntimeError, "py_test::odd: its function gave no Tensor"):
            odd(frit.ones(1))

    def test_many_threads_may_call_one_op(self):
        wrong = []

        def work():
            fast = frit.compile(lambda x: scale_add(x * 2, x) + 1)
            for i in range(100):
                if fast(frit.full((2,), i)).tolist() != [3.0 * i + 1] * 2:
                    wrong.append(i)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_a_replaced_function_is_let_go(self):
        class Holder:
            pass

        def register(holder):
            @library.custom_op("py_test::again", mutates_args=())
            def again(x: frit.Tensor) -> frit.Tensor:
                return x + (1 if holder is not None else 2)

            return again

        holder = Holder()
        gone = weakref.ref(holder)
        again = register(holder)
        self.assertEqual(again(frit.ones(1)).item(), 2)
        again = register(None)
        self.assertEqual(again(frit.ones(1)).item(), 3)
        del holder
        gc.collect()
        frit.ones(1)  # where references that were left to later are dropped
        self.assertIsNone(gone())


class Libraries(TestCase):
    def test_define_and_implement_ops(self):
        lib = library.Library("py_lib", "DEF")
        lib.define("scale_(Tensor(a!) x, float by=2) -> Tensor(a!)")
        lib.impl("scale_", lambda x, by: x.mul_(by), "CPU")
        x = frit.ones(2)
        self.assertIs(frit.ops.py_lib.scale_(x, by=4.0), x)
        self.assertEqual(x.tolist(), [4, 4])

        library.define("py_lib::plus", "(Tensor x, int n) -> Tensor")

        @library.impl("py_lib::plus", "cpu")
        def plus(x, n):
            return x + n

        @library.register_fake("py_lib::plus")
        def plus_fake(x, n):
            return frit.empty_like(x)

        fast = frit.compile(lambda x: frit.ops.py_lib.plus(x * 2, 3), fullgraph=True)
        for _ in range(4):
            self.assertEqual(fast(frit.ones(1)).item(), 5)

    def test_names_without_an_op_refuse(self):
        with self.assertRaisesRegex(NotImplementedError, "ops.py_lib.nobody"):
            frit.ops.py_lib.nobody(frit.ones(1))
        with self.assertRaisesRegex(RuntimeError, "no op py_lib::nobody"):
            library.register_fake("py_lib::nobody", lambda x: x)


class Checks(TestCase):
    def test_let_good_ops_pass(self):
        x = frit.tensor([1.0, 2.0])
        self.assertEqual(library.opcheck(scale_add, (x, x), {"alpha": 2.0}),
                         {"test_schema": "SUCCESS", "test_faketensor": "SUCCESS", "test_compiled": "SUCCESS"})

    def test_find_what_is_wrong(self):
        @library.custom_op("py_test::sly", mutates_args=())
        def sly(x: frit.Tensor) -> frit.Tensor:
            x.add_(1)
            return x * 2

        with self.assertRaisesRegex(RuntimeError, r"opcheck\(py_test::sly\): test_schema: an argument was written to"):
            library.opcheck(sly, (frit.ones(1),))

        @library.custom_op("py_test::liar", mutates_args=())
        def liar(x: frit.Tensor) -> frit.Tensor:
            return x * 2

        liar.register_fake(lambda x: x.new_empty(3))
        outcome = library.opcheck(liar, (frit.ones(1),), test_utils="test_faketensor", raise_exception=False)
        self.assertRegex(str(outcome["test_faketensor"]), "the fake function says .*3.*, the function gave .*1")


if __name__ == "__main__":
    main()
