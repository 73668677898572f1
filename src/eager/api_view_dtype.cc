// Memory seen as elements of another dtype.
//
// Plans know one dtype of each memory, so this memory is from now on treated like that which the
// host may write to: ops on it run at their call.
#include "src/eager/api.h"
#include "src/eager/dispatch.h"

namespace frit {
namespace {

using api::text;

// The sizes, strides and offset of a view, in elements of its dtype.
struct Place {
  Dims sizes, strides;
  int64_t offset;
};

// Each element becomes `ratio` in the last dimension.
void split(Place* place, int64_t ratio) {
  for (int d = 0; d < place->sizes.rank - 1; ++d) place->strides[d] *= ratio;
  place->sizes[place->sizes.rank - 1] *= ratio;
  place->offset *= ratio;
}

// Each `ratio` elements of the last dimension become one.
void join(const Tensor& x, Place* place, int64_t ratio) {
  const auto check = [&](const char* what, int64_t value) {
    if (value % ratio != 0)
      api::fail(ErrorKind::kRuntime, "view", x,
                text(what, " is not divisible by ", ratio, ": ", value));
  };
  const int last = place->sizes.rank - 1;
  check("the last size", place->sizes[last]);
  check("the storage offset", place->offset);
  for (int d = 0; d < last; ++d) {
    check("a stride", place->strides[d]);
    place->strides[d] /= ratio;
  }
  place->sizes[last] /= ratio;
  place->offset /= ratio;
}

}  // namespace

Tensor view(const Tensor& x, Dtype dtype) {
  const TensorImpl* impl = api::checked("view", x).impl();
  if (dtype == x.dtype()) return view(x, x.sizes());
  const int64_t before = byte_size(x.dtype()), after = byte_size(dtype);
  if (before != after && (x.dim() == 0 || x.stride(-1) != 1))
    api::fail(ErrorKind::kRuntime, "view", x,
              text("elements of ", before, " bytes cannot be seen as ", after, " bytes: the ",
                   x.dim() == 0 ? "tensor has no dimension" : "last stride is not 1"));
  materialize(impl);
  Place place{Dims(x.sizes()), Dims(x.strides()), impl->offset};
  if (after < before) split(&place, before / after);
  if (after > before) join(x, &place, after / before);
  x.data_ptr();  // only now is it shared between dtypes
  return new_view(intern_layout(dtype, x.device(), place.sizes, place.strides), impl->storage,
                  place.offset);
}

}  // namespace frit
