// The header of an .npy file: a Python dict literal with the keys descr, fortran_order and shape.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frit::io {

struct NpyHeader {
  std::string descr;  // NumPy's name of the element type, with its byte order: "<f4"
  bool fortran_order = false;
  std::vector<int64_t> shape;  // none is negative
};

// Each key once and no other, in any order. Throws Error(kValue) of the form
// `what(path): bad header: problem`.
NpyHeader parse_npy_header(std::string_view text, std::string_view what, const std::string& path);

// The literal as NumPy prints it: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
std::string print_npy_header(const NpyHeader& header);

}  // namespace frit::io
