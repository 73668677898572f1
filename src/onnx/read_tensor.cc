// Tensors: raw bytes, or numbers in a field chosen by the element type. Never trusts a size.
#include "src/onnx/read_tensor.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "src/io/array_size.h"
#include "src/onnx/dtypes.h"
#include "src/onnx/fail.h"

namespace frit::onnx {
namespace {

using ::onnx::TensorProto;

// One tensor on its way from the file.
class TensorReader {
 public:
  TensorReader(const TensorProto& proto, const std::string& where, const std::string& path)
      : proto_(proto), where_(where), path_(path) {}

  TensorDef read() {
    refuse_other_places();
    tensor_.name = proto_.name();
    tensor_.dtype = require_dtype(proto_.data_type(), where_, path_);
    read_dims();
    if (proto_.has_raw_data()) {
      read_raw();
    } else {
      read_numbers();
    }
    if (tensor_.dtype == kBool)
      for (std::byte& b : tensor_.data) b = std::byte(b != std::byte(0));
    return std::move(tensor_);
  }

 private:
  [[noreturn]] void fail_here(const std::string& problem) const {
    fail(path_, where_ + ": " + problem);
  }

  void refuse_other_places() const {
    if (proto_.data_location() == TensorProto::EXTERNAL || proto_.external_data_size() > 0)
      fail_unsupported(path_, "external data: " + where_ +
                                  " keeps its values in another file; save the model as one file");
    if (proto_.has_segment()) fail_unsupported(path_, "segmented tensor: " + where_);
  }

  void read_dims() {
    tensor_.dims.assign(proto_.dims().begin(), proto_.dims().end());
    const auto size = io::array_byte_size(tensor_.dims, tensor_.dtype);
    if (!size) fail_here("impossible shape: " + shape_text());
    byte_size_ = static_cast<size_t>(*size);
  }

  std::string shape_text() const {
    std::string text(name(tensor_.dtype));
    for (size_t i = 0; i < tensor_.dims.size(); ++i)
      text += (i ? "," : "[") + std::to_string(tensor_.dims[i]);
    return text + (tensor_.dims.empty() ? "[]" : "]");
  }

  void read_raw() {
    const std::string& raw = proto_.raw_data();
    if (num_numbers() > 0) fail_here("data in two fields");
    if (raw.size() != byte_size_)
      fail_here("raw data of " + std::to_string(raw.size()) + " bytes, " + shape_text() +
                " takes " + std::to_string(byte_size_));
    const auto* bytes = reinterpret_cast<const std::byte*>(raw.data());
    tensor_.data.assign(bytes, bytes + raw.size());
  }

  int64_t num_numbers() const {
    return int64_t{proto_.float_data_size()} + proto_.int32_data_size() + proto_.int64_data_size() +
           proto_.double_data_size() + proto_.uint64_data_size() + proto_.string_data_size();
  }

  void read_numbers() {
    switch (tensor_.dtype) {
      case Dtype::kF64:
        return store<double>(proto_.double_data());
      case Dtype::kF32:
        return store<float>(proto_.float_data());
      case Dtype::kI64:
        return store<int64_t>(proto_.int64_data());
      case Dtype::kBF16:
      case Dtype::kF16:
        return store<uint16_t>(proto_.int32_data());  // their bits
      case Dtype::kI32:
        return store<int32_t>(proto_.int32_data());
      case Dtype::kI16:
        return store<int16_t>(proto_.int32_data());
      case Dtype::kI8:
        return store<int8_t>(proto_.int32_data());
      case Dtype::kU8:
      case Dtype::kBool:
        return store<uint8_t>(proto_.int32_data());
    }
  }

  template <class T, class Field>
  void store(const Field& numbers) {
    const size_t count = static_cast<size_t>(numbers.size());
    if (num_numbers() != numbers.size()) fail_here("data in a field of another type");
    if (count != byte_size_ / sizeof(T))
      fail_here(std::to_string(count) + " numbers, " + shape_text() + " takes " +
                std::to_string(byte_size_ / sizeof(T)));
    tensor_.data.resize(byte_size_);
    for (size_t i = 0; i < count; ++i) {
      const T value = static_cast<T>(numbers.Get(static_cast<int>(i)));
      if constexpr (sizeof(T) < sizeof(int32_t))
        if (value != numbers.Get(static_cast<int>(i)))
          fail_here("number out of range: " + std::to_string(numbers.Get(static_cast<int>(i))) +
                    " as " + std::string(name(tensor_.dtype)));
      std::memcpy(tensor_.data.data() + i * sizeof(T), &value, sizeof(T));
    }
  }

  const TensorProto& proto_;
  const std::string& where_;
  const std::string& path_;
  TensorDef tensor_;
  size_t byte_size_ = 0;
};

}  // namespace

TensorDef read_tensor(const TensorProto& proto, const std::string& where, const std::string& path) {
  return TensorReader(proto, where, path).read();
}

Dtype require_dtype(int64_t number, const std::string& where, const std::string& path) {
  if (const std::optional<Dtype> dtype = dtype_from_onnx(number)) return *dtype;
  fail_unsupported(path, "element type: " + where + " is of " + onnx_dtype_name(number));
}

}  // namespace frit::onnx
