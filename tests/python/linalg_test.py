"""Linear algebra: values that PyTorch gives, what the factors mean, and what is refused."""
import math

from harness import TestCase, frit, main

L = frit.linalg
A = [[4., 1, 2], [1, 5, 3], [2, 3, 6]]
TALL = [[1., 2], [3, -1], [0, 4]]
# Of these, from PyTorch in f64.
INVERSE = [0.3, 0.0, -0.1, 0.0, 0.2857143, -0.1428571, -0.1, -0.1428571, 0.2714286]
CHOLESKY = [2.0, 0.0, 0.0, 0.5, 2.1794495, 0.0, 1.0, 1.1470787, 1.9194297]
QR_Q = [-0.3162278, 0.4593526, -0.9486833, -0.1531175, -0.0, 0.8749573]
QR_R = [-3.1622777, 0.3162278, 0.0, 4.5716518]
SINGULAR = [4.5924035, 3.1479883]
EIGENVALUES = [2.1943972, 3.3867702, 9.4188327]
PINV = [0.1100478, 0.2966507, 0.0191388, 0.1004785, -0.0334928, 0.1913876]
LSTSQ = [0.7607656, 0.6076555]
RESIDUALS = [1.3827751]
NORMS = ((1, 7.0), (-1, 4.0), (2, 4.5924035), (-2, 3.1479883), (math.inf, 4.0), (-math.inf, 3.0), ("fro",
    5.5677644), ("nuc", 7.7403918))
CONDITIONS = ((None, 4.292219), (1, 5.657143), (-2, 0.23298), (math.inf, 5.657143), ("fro", 5.669467), ("nuc",
    12.857143))


class LinalgTestCase(TestCase):
    def assert_near(self, tensor, values, tolerance=2e-6):
        got = tensor.flatten().tolist()
        self.assertEqual(len(got), len(values))
        for number, (g, v) in enumerate(zip(got, values)):
            self.assertTrue(g == v or abs(g - v) <= tolerance * max(1, abs(v)), f"element {number}: {g} is not {v}")

    def assert_same(self, a, b, tolerance=1e-5):
        self.assertEqual(a.shape, b.shape)
        if a.numel():
            self.assertLessEqual((a - b).abs().max().item(), tolerance)


class Solving(LinalgTestCase):
    def test_inverts(self):
        self.assert_near(L.inv(frit.tensor(A)), INVERSE)
        self.assert_near(frit.tensor(A).inverse(), INVERSE)
        batch = frit.tensor([A, A])
        self.assert_near(L.inv(batch)[1], INVERSE)

    def test_finds_determinants(self):
        self.assert_near(L.det(frit.tensor(A)), [70.])
        self.assert_near(L.det(frit.tensor([[0., 1], [1, 0]])), [-1.])
        self.assert_tensor(L.det(frit.zeros(2, 2)), 0.0)
        sign, value = L.slogdet(frit.tensor([[0., 2], [1, 0]]))
        self.assert_near(sign, [-1.])
        self.assert_near(value, [math.log(2)])
        self.assertEqual(L.slogdet(frit.zeros(2, 2)).logabsdet.item(), -math.inf)
        self.assertTrue(math.isnan(frit.logdet(frit.tensor([[0., 2], [1, 0]])).item()))

    def test_solves_for_vectors_and_matrices_on_either_side(self):
        a, b = frit.tensor(A, dtype=frit.float64), frit.arange(6, dtype=frit.float64).reshape(3, 2)
        self.assert_same(a @ L.solve(a, b), b, 1e-13)
        self.assert_same(a @ L.solve(a, b[:, 0]), b[:, 0], 1e-13)
        self.assert_same(L.solve(a, b.T, left=False) @ a, b.T, 1e-13)
        self.assert_same(L.solve(frit.stack([a, 2 * a]), b)[1] * 2, L.solve(a, b), 1e-13)

    def test_reads_one_triangle(self):
        a, b = frit.tensor(A), frit.tensor([[1.], [2], [3]])
        self.assert_near(L.solve_triangular(a, b, upper=True), [-0.025, 0.1, 0.5])
        self.assert_near(L.solve_triangular(a, b, upper=False), [0.25, 0.35, 0.2416667])
        self.assert_near(L.solve_triangular(a, b, upper=False, unitriangular=True), [1., 1, -2])
        self.assert_near(L.solve_triangular(a, b.T, upper=True, left=False), [0.25, 0.35, 0.2416667])

    def test_takes_powers(self):
        a = frit.tensor([[1., 1], [1, 0]])
        self.assert_near(L.matrix_power(a, 10), [89., 55, 55, 34])
        self.assert_near(a.matrix_power(0), [1., 0, 0, 1])
        self.assert_near(frit.matrix_power(a, -1), [0., 1, 1, -1])

    def test_singular_matrices_are_named(self):
        kind, text = self.error_of(lambda: L.inv(frit.ones(2, 2)))
        self.assertTrue(issubclass(kind, L.LinAlgError))
        self.assertEqual(text, "inv(f32[2,2], check=true): the matrix is singular: diagonal element 2 of its LU factors "
                               "is zero")
        kind, text = self.error_of(lambda: L.solve(frit.stack([frit.eye(2), frit.zeros(2, 2)]), frit.ones(2, 2, 1)))
        self.assertIn("matrix 1 of the batch is singular: diagonal element 1", text)

    def test_what_is_no_square_matrix_is_refused(self):
        for call in (lambda: L.inv(frit.ones(2, 3)), lambda: L.inv(frit.ones(2)), lambda: L.det(frit.ones(2, 3)),
                     lambda: L.inv(frit.ones(2, 2, dtype=frit.int64)), lambda: L.inv(frit.ones(2, 2).half()),
                     lambda: L.solve(frit.eye(2), frit.ones(3)),
                     lambda: L.solve(frit.eye(2), frit.ones(2, dtype=frit.float64))):
            self.assertEqual(self.error_of(call)[0], RuntimeError)

    def test_empty_matrices_are_solved(self):
        self.assertEqual(L.inv(frit.ones(2, 0, 0)).shape, (2, 0, 0))
        self.assert_tensor(L.det(frit.ones(2, 0, 0)), [1.0, 1.0])
        self.assertEqual(L.solve(frit.ones(0, 3, 3), frit.ones(0, 3, 2)).shape, (0, 3, 2))


class Factors(LinalgTestCase):
    def test_cholesky(self):
        lower = L.cholesky(frit.tensor(A))
        self.assert_near(lower, CHOLESKY)
        self.assert_same(L.cholesky(frit.tensor(A), upper=True), lower.T)
        b = frit.tensor([[1.], [2], [3]])
        self.assert_same(frit.tensor(A) @ frit.cholesky_solve(b, lower), b)
        self.assert_near(frit.cholesky_inverse(lower), INVERSE)
        kind, text = self.error_of(lambda: L.cholesky(frit.tensor([[1., 2], [2, 1]])))
        self.assertEqual(kind, RuntimeError)
        self.assertIn("the matrix is not positive-definite: the leading minor of order 2 is not", text)

    def test_lu(self):
        lu, pivots = L.lu_factor(frit.tensor([[1., 2], [4, 2]]))
        self.assert_near(lu, [4., 2, 0.25, 1.5])
        self.assert_tensor(pivots, [2, 2], frit.int32)

    def test_qr_has_the_signs_of_lapack(self):
        q, r = L.qr(frit.tensor(TALL))
        self.assert_near(q, QR_Q)
        self.assert_near(r, QR_R)
        whole = L.qr(frit.tensor(TALL), "complete")
        self.assertEqual((whole.Q.shape, whole.R.shape), ((3, 3), (3, 2)))
        self.assert_same(whole.Q @ whole.R, frit.tensor(TALL))
        alone = L.qr(frit.tensor(TALL), "r")
        self.assertEqual(alone.Q.numel(), 0)
        self.assert_same(alone.R, r)
        self.assertEqual(self.error_of(lambda: L.qr(frit.tensor(TALL), "full"))[0], RuntimeError)

    def test_svd_multiplies_to_the_matrix(self):
        for x in (frit.tensor(TALL), frit.tensor(TALL).T, frit.arange(24.).sin().reshape(2, 3, 4)):
            u, s, vh = L.svd(x, full_matrices=False)
            self.assert_same((u * s.unsqueeze(-2)) @ vh, x)
            full = L.svd(x)
            self.assert_same(full.U @ full.U.transpose(-2, -1), frit.eye(x.size(-2)).expand(full.U.shape))
            self.assert_same(full.Vh @ full.Vh.transpose(-2, -1), frit.eye(x.size(-1)).expand(full.Vh.shape))
            self.assert_same(L.svdvals(x), s)
        self.assert_near(L.svdvals(frit.tensor(TALL)), SINGULAR)
        u, s, v = frit.svd(frit.tensor(TALL))
        self.assert_same((u * s) @ v.T, frit.tensor(TALL))

    def test_eigh_of_either_triangle(self):
        a = frit.tensor(A)
        values, vectors = L.eigh(a)
        self.assert_near(values, EIGENVALUES)
        self.assert_same((vectors * values) @ vectors.T, a)
        self.assert_near(L.eigvalsh(a.triu(), UPLO="U"), EIGENVALUES)
        self.assertEqual(self.error_of(lambda: L.eigh(a, "X"))[0], RuntimeError)

    def test_what_is_not_finite_has_none(self):
        for call in (lambda: L.svd(frit.full((2, 2), math.nan)), lambda: L.eigh(frit.full((2, 2), math.inf))):
            kind, text = self.error_of(call)
            self.assertEqual(kind, RuntimeError)
            self.assertIn("the matrix has elements that are not finite", text)


class LeastSquares(LinalgTestCase):
    def test_pinv_and_rank(self):
        x = frit.tensor(TALL)
        self.assert_near(L.pinv(x), PINV)
        self.assertEqual(L.matrix_rank(x).item(), 2)
        self.assertEqual(L.matrix_rank(frit.ones(3, 3)).item(), 1)
        self.assertEqual(L.matrix_rank(frit.ones(3, 3), hermitian=True).item(), 1)
        self.assert_near(L.pinv(frit.ones(2, 2)), [0.25] * 4)
        self.assertEqual(L.pinv(frit.ones(0, 3)).shape, (3, 0))

    def test_lstsq(self):
        found = L.lstsq(frit.tensor(TALL), frit.tensor([[1.], [2], [3]]))
        self.assert_near(found.solution, LSTSQ)
        self.assertEqual(found.residuals.numel(), 0)
        exact = L.lstsq(frit.tensor(TALL), frit.tensor([[1.], [2], [3]]), driver="gelsd")
        self.assert_near(exact.residuals, RESIDUALS, 1e-4)
        self.assertEqual(found.rank.item(), 2)
        self.assertEqual(found.singular_values.numel(), 0)
        self.assert_near(L.lstsq(frit.tensor(TALL), frit.ones(3, 1), driver="gelsd").singular_values, SINGULAR)
        self.assertEqual(self.error_of(lambda: L.lstsq(frit.tensor(TALL), frit.ones(2, 1)))[0], RuntimeError)


class Norms(LinalgTestCase):
    def test_of_matrices(self):
        x = frit.tensor(TALL)
        for ord, value in NORMS:
            self.assert_near(L.matrix_norm(x, ord), [value])
            self.assertEqual(L.matrix_norm(x, ord, keepdim=True).shape, (1, 1))
        self.assertEqual(L.matrix_norm(frit.ones(2, 3, 4), 2, (0, 2), True).shape, (1, 3, 1))
        self.assertEqual(self.error_of(lambda: L.matrix_norm(x, 3))[0], RuntimeError)

    def test_condition(self):
        a = frit.tensor(A)
        for p, value in CONDITIONS:
            self.assert_near(L.cond(a, p), [value], 1e-5)
        self.assertEqual(L.cond(frit.ones(2, 2), 1).item(), math.inf)


class Out(LinalgTestCase):
    def test_takes_the_sizes_of_the_results(self):
        a, out = frit.tensor(A), [frit.empty(0) for _ in range(3)]
        found = L.svd(a, out=tuple(out))
        for given, part, wanted in zip(out, found, L.svd(a)):
            self.assertIs(part, given)
            self.assertEqual(given.tolist(), wanted.tolist())
        product = frit.empty(0)
        self.assertIs(L.cross(a, a + 1, out=product), product)
        self.assertEqual(product.tolist(), L.cross(a, a + 1).tolist())
        self.assertEqual(self.error_of(lambda: L.qr(a, out=(product,)))[0], TypeError)


class Plans(LinalgTestCase):
    def test_give_the_same_bits_and_errors(self):
        def function(a):
            u, s, vh = L.svd(a @ a.T + 1)
            return L.solve(a, frit.ones(3, 1)).sum() + L.det(a) + L.qr(a).R.sum() + s.sum() + (u @ vh).sum()

        compiled, a = frit.compile(function), frit.tensor(A)
        wanted = function(a).item()
        for _ in range(4):
            self.assertEqual(compiled(a).item(), wanted)
        kind, text = self.error_of(lambda: compiled(frit.ones(3, 3)).item())
        self.assertEqual(kind, RuntimeError)
        self.assertIn("singular", text)


if __name__ == "__main__":
    main()
