// The operators: +, @, ==, abs(), float(), len() and their like. They go straight to the C++ ops.
#include "src/python/convert.h"
#include "src/python/number.h"
#include "src/python/tensor_object.h"

namespace frit::python {
namespace {

// Whether both operands are read. What is no operand of ours may still know what to do with us.
bool read_operands(PyObject* left, PyObject* right, Number* a, Number* b) {
  return read(left, a) && read(right, b);
}

bool is_large(const Number& n) { return n.is_tensor() && n.tensor->numel() >= kElementsWithoutGil; }

template <class Fn>
Tensor run(Fn fn, const Number& a, const Number& b) {
  const ReleaseGil release(is_large(a) || is_large(b));
  return apply(fn, "", a, b);
}

template <class Fn>
PyObject* binary(PyObject* left, PyObject* right) {
  return guarded([&]() -> PyObject* {
    Number a, b;
    if (!read_operands(left, right, &a, &b)) Py_RETURN_NOTIMPLEMENTED;
    return wrap(run(Fn(), a, b));
  });
}

// A number over a tensor is the tensor's reciprocal times the number, rounded in between, as
// PyTorch has it.
PyObject* divide(PyObject* left, PyObject* right) {
  if (is_tensor(left)) return binary<Div>(left, right);
  return guarded([&]() -> PyObject* {
    Number a, b;
    if (!read_operands(left, right, &a, &b)) Py_RETURN_NOTIMPLEMENTED;
    if (a.is_tensor()) return wrap(run(Div(), a, b));
    const bool is_one = !a.scalar.is_float() && a.scalar.to_int() == 1;
    const Tensor inverse = reciprocal(*b.tensor);
    return wrap(is_one ? inverse : mul(inverse, a.scalar));
  });
}

PyObject* matmul_operator(PyObject* left, PyObject* right) {
  return guarded([&]() -> PyObject* {
    Number a, b;
    if (!read_operands(left, right, &a, &b) || !a.is_tensor() || !b.is_tensor())
      Py_RETURN_NOTIMPLEMENTED;
    const auto product = [&] {
      const ReleaseGil release(is_large(a) || is_large(b));
      return matmul(*a.tensor, *b.tensor);
    };
    return wrap(product());
  });
}

PyObject* power(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary<Pow>(left, right);
}

// x += y. Four have a way of their own in C++; others compute and store.
template <class Fn>
void write(Fn fn, std::string_view name, const Tensor& x, const Number& y) {
  const ReleaseGil release(x.numel() >= kElementsWithoutGil);
  const auto by = [&](const auto& method) { y.is_tensor() ? method(*y.tensor) : method(y.scalar); };
  if constexpr (std::is_same_v<Fn, Add>) {
    by([&](const auto& v) { x.add_(v); });
  } else if constexpr (std::is_same_v<Fn, Sub>) {
    by([&](const auto& v) { x.sub_(v); });
  } else if constexpr (std::is_same_v<Fn, Mul>) {
    by([&](const auto& v) { x.mul_(v); });
  } else if constexpr (std::is_same_v<Fn, Div>) {
    by([&](const auto& v) { x.div_(v); });
  } else {
    const Tensor result = apply(fn, name, Number(x), y);
    std::vector<Tensor> operands;
    if (y.is_tensor()) operands.push_back(*y.tensor);
    store_result(name, x, result, operands);
  }
}

template <class Fn, const char* name>
PyObject* in_place(PyObject* self, PyObject* other) {
  return guarded([&]() -> PyObject* {
    Number operand;
    if (!is_tensor(self) || !read(other, &operand)) Py_RETURN_NOTIMPLEMENTED;
    write(Fn(), name, tensor_of(self), operand);
    return share(self).release();
  });
}
template <class Fn, const char* name>
PyObject* in_place_power(PyObject* self, PyObject* other, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return in_place<Fn, name>(self, other);
}
constexpr char kAddName[] = "add_", kSubName[] = "sub_", kMulName[] = "mul_", kDivName[] = "div_",
               kFloorName[] = "floor_divide_", kRemainderName[] = "remainder_", kPowName[] = "pow_",
               kAndName[] = "bitwise_and_", kOrName[] = "bitwise_or_", kXorName[] = "bitwise_xor_",
               kLeftName[] = "bitwise_left_shift_", kRightName[] = "bitwise_right_shift_";

template <Tensor (*fn)(const Tensor&)>
PyObject* unary(PyObject* self) {
  return guarded([&] {
    const Tensor& x = tensor_of(self);
    const auto run = [&] {
      const ReleaseGil release(x.numel() >= kElementsWithoutGil);
      return fn(x);
    };
    return wrap(run());
  });
}
PyObject* positive(PyObject* self) { return share(self).release(); }

// The only element, waited for.
Scalar value_of(PyObject* self) {
  const ReleaseGil release(true);
  return tensor_of(self).item();
}

int as_bool(PyObject* self) {
  return guarded(-1, [&] {
    const Tensor& x = tensor_of(self);
    if (x.numel() == 0) return 0;
    if (x.numel() > 1)
      throw Error(ErrorKind::kRuntime, "bool(tensor): ambiguous: it has more than one element");
    return value_of(self).to_bool() ? 1 : 0;
  });
}
PyObject* as_int(PyObject* self) {
  return guarded([&] {
    const Ref number = to_number(value_of(self));
    return own(PyNumber_Long(number.get())).release();
  });
}
PyObject* as_float(PyObject* self) {
  return guarded([&] { return own(PyFloat_FromDouble(value_of(self).to_double())).release(); });
}
PyObject* as_index(PyObject* self) {
  return guarded([&] {
    const Dtype dtype = tensor_of(self).dtype();
    if (is_floating_point(dtype) || tensor_of(self).numel() != 1)
      throw Error(ErrorKind::kType, "index(tensor): only integer tensors of one element are one");
    return own(PyLong_FromLongLong(value_of(self).to_int())).release();
  });
}

PyObject* compare(PyObject* self, PyObject* other, int op) {
  switch (op) {
    case Py_EQ:
      return binary<Eq>(self, other);
    case Py_NE:
      return binary<Ne>(self, other);
    case Py_LT:
      return binary<Lt>(self, other);
    case Py_LE:
      return binary<Le>(self, other);
    case Py_GT:
      return binary<Gt>(self, other);
    default:
      return binary<Ge>(self, other);
  }
}

PyNumberMethods methods = {};

}  // namespace

void set_number_slots(PyTypeObject* type) {
  methods.nb_add = binary<Add>;
  methods.nb_subtract = binary<Sub>;
  methods.nb_multiply = binary<Mul>;
  methods.nb_true_divide = divide;
  methods.nb_floor_divide = binary<FloorDivide>;
  methods.nb_remainder = binary<Remainder>;
  methods.nb_power = power;
  methods.nb_matrix_multiply = matmul_operator;
  methods.nb_and = binary<And>;
  methods.nb_or = binary<Or>;
  methods.nb_xor = binary<Xor>;
  methods.nb_lshift = binary<LeftShift>;
  methods.nb_rshift = binary<RightShift>;
  methods.nb_inplace_add = in_place<Add, kAddName>;
  methods.nb_inplace_subtract = in_place<Sub, kSubName>;
  methods.nb_inplace_multiply = in_place<Mul, kMulName>;
  methods.nb_inplace_true_divide = in_place<Div, kDivName>;
  methods.nb_inplace_floor_divide = in_place<FloorDivide, kFloorName>;
  methods.nb_inplace_remainder = in_place<Remainder, kRemainderName>;
  methods.nb_inplace_power = in_place_power<Pow, kPowName>;
  methods.nb_inplace_and = in_place<And, kAndName>;
  methods.nb_inplace_or = in_place<Or, kOrName>;
  methods.nb_inplace_xor = in_place<Xor, kXorName>;
  methods.nb_inplace_lshift = in_place<LeftShift, kLeftName>;
  methods.nb_inplace_rshift = in_place<RightShift, kRightName>;
  methods.nb_negative = unary<frit::neg>;
  methods.nb_absolute = unary<frit::abs>;
  methods.nb_invert = unary<frit::bitwise_not>;
  methods.nb_positive = positive;
  methods.nb_bool = as_bool;
  methods.nb_int = as_int;
  methods.nb_float = as_float;
  methods.nb_index = as_index;
  type->tp_as_number = &methods;
  type->tp_richcompare = compare;
}

}  // namespace frit::python
