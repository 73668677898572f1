// Reads and writes .npy files. Every size is checked against the bytes at hand before memory is
// taken.
#include "src/io/npy.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "src/io/array_size.h"
#include "src/io/file.h"
#include "src/io/npy_header.h"

namespace frit::io {
namespace {

constexpr std::string_view kRead = "read_npy", kWrite = "write_npy";
constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kVersionEnd = 8;        // magic, major, minor
constexpr size_t kHeaderAlignment = 64;  // the array begins at a multiple of this

// NumPy's letter and size of an element type.
struct NpyType {
  Dtype dtype;
  std::string_view name;
};
constexpr NpyType kTypes[] = {{kFloat64, "f8"}, {kFloat32, "f4"}, {kFloat16, "f2"},
                              {kInt64, "i8"},   {kInt32, "i4"},   {kInt16, "i2"},
                              {kInt8, "i1"},    {kUInt8, "u1"},   {kBool, "b1"}};

struct Element {
  Dtype dtype;
  bool big_endian;
};

Element parse_descr(const std::string& descr, const std::string& path) {
  const char order = descr.empty() ? '\0' : descr[0];
  for (const NpyType& type : kTypes) {
    if (descr.substr(std::min<size_t>(1, descr.size())) != type.name) continue;
    if (order == '<' || order == '=' || order == '>' ||
        (order == '|' && byte_size(type.dtype) == 1))
      return {type.dtype, order == '>'};
  }
  throw file_error(kRead, path, "unsupported element type: '" + descr + "'",
                   ErrorKind::kNotImplemented);
}

void swap_bytes(std::vector<std::byte>& data, size_t element_size) {
  for (size_t i = 0; i < data.size(); i += element_size)
    std::reverse(data.begin() + i, data.begin() + i + element_size);
}

// Row-major from column-major: walks the result in order and the source by strides.
std::vector<std::byte> to_row_major(const std::vector<std::byte>& source,
                                    const std::vector<int64_t>& shape, size_t element_size) {
  std::vector<std::byte> result(source.size());
  std::vector<int64_t> index(shape.size()), strides(shape.size());
  int64_t stride = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    strides[d] = stride;
    stride *= shape[d];
  }
  int64_t from = 0;
  for (size_t to = 0; to < result.size(); to += element_size) {
    std::memcpy(result.data() + to, source.data() + from * element_size, element_size);
    for (size_t d = shape.size(); d-- > 0;) {
      from += strides[d];
      if (++index[d] < shape[d]) break;
      from -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return result;
}

// The header's text; moves `bytes` on to the array.
std::string_view take_header(std::span<const std::byte>& bytes, const std::string& path) {
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  if (bytes.size() < kVersionEnd || std::string_view(text, kMagic.size()) != kMagic)
    throw file_error(kRead, path, "not an .npy file: wrong first bytes");
  const int major = static_cast<int>(bytes[6]), minor = static_cast<int>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0)
    throw file_error(kRead, path,
                     "unsupported version: " + std::to_string(major) + "." + std::to_string(minor));
  const size_t begin = kVersionEnd + (major == 1 ? sizeof(uint16_t) : sizeof(uint32_t));
  if (bytes.size() < begin) throw file_error(kRead, path, "truncated: no header size");
  const size_t size = major == 1 ? load_le<uint16_t>(bytes.data() + kVersionEnd)
                                 : load_le<uint32_t>(bytes.data() + kVersionEnd);
  if (size > bytes.size() - begin)
    throw file_error(kRead, path,
                     "truncated: header says " + std::to_string(size) + " bytes, the file has " +
                         std::to_string(bytes.size() - begin) + " left");
  bytes = bytes.subspan(begin + size);
  return {text + begin, size};
}

std::string numpy_descr(Dtype dtype, const std::string& path) {
  for (const NpyType& type : kTypes) {
    if (type.dtype != dtype) continue;
    return (byte_size(dtype) == 1 ? "|" : "<") + std::string(type.name);
  }
  throw file_error(kWrite, path,
                   "unsupported element type: " + std::string(name(dtype)) + " has no .npy form",
                   ErrorKind::kNotImplemented);
}

void append(std::vector<std::byte>& bytes, std::string_view text) {
  const auto* p = reinterpret_cast<const std::byte*>(text.data());
  bytes.insert(bytes.end(), p, p + text.size());
}

}  // namespace

NpyArray read_npy(const std::string& path) { return parse_npy(read_file(path, kRead), path); }

NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& path) {
  NpyHeader header = parse_npy_header(take_header(bytes, path), kRead, path);
  const Element element = parse_descr(header.descr, path);
  const std::optional<int64_t> size = array_byte_size(header.shape, element.dtype);
  if (!size) throw file_error(kRead, path, "shape too large: " + print_npy_header(header));
  if (static_cast<uint64_t>(*size) > bytes.size())
    throw file_error(kRead, path,
                     "truncated: the array takes " + std::to_string(*size) +
                         " bytes, the file has " + std::to_string(bytes.size()) + " left");

  NpyArray array{element.dtype, std::move(header.shape), {}};
  array.data.assign(bytes.begin(), bytes.begin() + *size);
  const size_t element_size = byte_size(element.dtype);
  if (element.big_endian) swap_bytes(array.data, element_size);
  if (header.fortran_order) array.data = to_row_major(array.data, array.shape, element_size);
  if (array.dtype == kBool)
    for (std::byte& b : array.data) b = std::byte(b != std::byte(0));
  return array;
}

void write_npy(const std::string& path, const NpyArray& array) {
  write_file(path, print_npy(array, path), kWrite);
}

std::vector<std::byte> print_npy(const NpyArray& array, const std::string& path) {
  std::string header = print_npy_header({numpy_descr(array.dtype, path), false, array.shape});
  const std::optional<int64_t> size = array_byte_size(array.shape, array.dtype);
  if (!size || static_cast<uint64_t>(*size) != array.data.size())
    throw file_error(kWrite, path,
                     "data of " + std::to_string(array.data.size()) +
                         " bytes does not fit the shape: " + header);
  // Blanks and a line break fill up to where the array begins.
  const size_t begin = kVersionEnd + sizeof(uint16_t);
  header.append(kHeaderAlignment - (begin + header.size() + 1) % kHeaderAlignment, ' ');
  header += '\n';
  if (header.size() > std::numeric_limits<uint16_t>::max())
    throw file_error(kWrite, path, "too many dimensions: " + std::to_string(array.shape.size()));

  std::vector<std::byte> bytes;
  bytes.reserve(begin + header.size() + array.data.size());
  append(bytes, kMagic);
  for (const size_t b : {size_t{1}, size_t{0}, header.size() & 255, header.size() >> 8})
    bytes.push_back(std::byte(b));
  append(bytes, header);
  bytes.insert(bytes.end(), array.data.begin(), array.data.end());
  return bytes;
}

}  // namespace frit::io
