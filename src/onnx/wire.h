// Messages in protobuf's wire format, as far as ONNX files need it: whoever only writes models
// needs no library for it.
//
//   Message node;
//   node.add(4, "Relu").add(1, "x").add(2, "y");  // op_type, input, output of NodeProto
//   graph.add(1, node);
//
// The numbers of fields are those of Debian's onnx.proto (/usr/include/onnx/onnx-ml.proto).
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace frit::onnx {

class Message {
 public:
  Message& add(int field, int64_t value) {
    put_key(field, 0);
    put(static_cast<uint64_t>(value));
    return *this;
  }
  Message& add(int field, float value) {
    put_key(field, 5);
    const auto bits = std::bit_cast<uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(bits >> shift);
    return *this;
  }
  Message& add(int field, std::string_view bytes) {
    put_key(field, 2);
    put(bytes.size());
    bytes_ += bytes;
    return *this;
  }
  Message& add(int field, const char* text) { return add(field, std::string_view(text)); }
  Message& add(int field, const Message& message) { return add(field, message.bytes()); }

  std::string_view bytes() const { return bytes_; }

 private:
  void put_key(int field, uint64_t type) { put(static_cast<uint64_t>(field) << 3 | type); }
  // Seven bits a byte, the lowest first; the upper bit says that more follow.
  void put(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace frit::onnx
