// Whole files as bytes, and little-endian numbers in them.
//
//   std::vector<std::byte> bytes = io::read_file("a.npy", "read_npy");
//   uint32_t size = io::load_le<uint32_t>(bytes.data() + 4);
//
// `what` begins error texts: read_npy(a.npy): cannot open: No such file or directory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frit/error.h"

namespace frit::io {

// Everything from the start to the end; pipes work. Error(kRuntime) with the system's reason.
std::vector<std::byte> read_file(const std::string& path, std::string_view what);

// Creates the file or replaces what it held. Error(kRuntime) with the system's reason; then the
// file may be there in part.
void write_file(const std::string& path, std::span<const std::byte> bytes, std::string_view what);

// The error `what(path): problem`.
Error file_error(std::string_view what, std::string_view path, std::string_view problem,
                 ErrorKind kind = ErrorKind::kValue);

// A number at an address of any alignment. Frit runs on little-endian machines only.
static_assert(std::endian::native == std::endian::little);
template <class T>
T load_le(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

}  // namespace frit::io
