// NumPy's .npy files: one array, row-major here whatever the order in the file.
//
//   io::NpyArray a = io::read_npy("x.npy");       // a.dtype, a.shape, a.data
//   io::write_npy("y.npy", a);
//
// Reads versions 1 to 3, both byte orders and Fortran order; writes version 1, little-endian, C
// order. There is no bf16 in the format, and no dtype of Frit for NumPy's unsigned 16 to 64 bits,
// complex numbers, strings, objects and records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frit/dtype.h"

namespace frit::io {

struct NpyArray {
  Dtype dtype = kFloat32;
  std::vector<int64_t> shape;   // empty: one element, no dimension
  std::vector<std::byte> data;  // row-major, little-endian; bool is 0 or 1
};

// Throws Error(kRuntime) when the file cannot be read, Error(kValue) when it is malformed or
// shorter than its shape says, Error(kNotImplemented) for element types that Frit does not have.
// Bytes behind the array are left alone, since np.save may append.
NpyArray read_npy(const std::string& path);

// The same for bytes in memory; `path` names them in errors.
NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& path);

// Throws Error(kNotImplemented) for bf16, Error(kValue) when data and shape do not fit,
// Error(kRuntime) when the file cannot be written.
void write_npy(const std::string& path, const NpyArray& array);

// The bytes that write_npy writes; `path` names them in errors.
std::vector<std::byte> print_npy(const NpyArray& array, const std::string& path);

}  // namespace frit::io
