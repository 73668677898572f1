// .npy files: every dtype and version, other orders, and headers that lie.
#include "src/io/npy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "src/io/file.h"
#include "tests/error_of.h"
#include "tests/io/bytes.h"

namespace frit::io {
namespace {

// A version 1 file with this header and these bytes of data.
Bytes npy(std::string_view header, const Bytes& data) {
  return text_bytes("\x93NUMPY\x01") + le<uint8_t>(0) + le<uint16_t>(header.size()) +
         text_bytes(header) + data;
}

std::string simple_header(std::string_view descr, std::string_view shape) {
  return "{'descr': '" + std::string(descr) +
         "', 'fortran_order': False, 'shape': " + std::string(shape) + ", }\n";
}

NpyArray parse(const Bytes& bytes) { return parse_npy(bytes, "a.npy"); }
std::string error(const Bytes& bytes) {
  return error_of([&] { parse(bytes); });
}
std::string header_error(std::string_view header) { return error(npy(header, {})); }

template <class T>
std::vector<T> values(const NpyArray& array) {
  std::vector<T> result(array.data.size() / sizeof(T));
  std::memcpy(result.data(), array.data.data(), array.data.size());
  return result;
}

TEST(Npy, OfEveryDtypeReadsBackAsWritten) {
  for (const Dtype dtype :
       {kFloat64, kFloat32, kFloat16, kInt64, kInt32, kInt16, kInt8, kUInt8, kBool}) {
    NpyArray array{dtype, {2, 3}, Bytes(6 * byte_size(dtype))};
    for (size_t i = 0; i < array.data.size(); ++i) array.data[i] = std::byte(i % 2);

    const NpyArray back = parse(print_npy(array, "a.npy"));

    EXPECT_EQ(back.dtype, dtype);
    EXPECT_EQ(back.shape, array.shape);
    EXPECT_EQ(back.data, array.data) << name(dtype);
  }
}

TEST(Npy, IsWrittenAsNumPyReadsIt) {
  const Bytes bytes = print_npy({kFloat32, {1}, le(1.5f)}, "a.npy");
  std::string expected = "\x93NUMPY\x01";
  expected +=
      std::string("\0\x76\0", 3) + "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
  expected.resize(127, ' ');
  expected += '\n';
  EXPECT_EQ(bytes, text_bytes(expected) + le(1.5f));
}

TEST(Npy, ReadsFromAFile) {
  const std::string path = testing::TempDir() + "/x.npy";
  write_npy(path, {kInt16, {2}, le<int16_t>(5) + le<int16_t>(-6)});
  EXPECT_EQ(values<int16_t>(read_npy(path)), (std::vector<int16_t>{5, -6}));
}

TEST(Npy, WithoutDimensionsHoldsOneElement) {
  const NpyArray array = parse(npy(simple_header("<f8", "()"), le(2.5)));
  EXPECT_TRUE(array.shape.empty());
  EXPECT_EQ(values<double>(array), (std::vector<double>{2.5}));
}

TEST(Npy, MayBeEmpty) {
  const NpyArray array = parse(npy(simple_header("<f4", "(3, 0, 2)"), {}));
  EXPECT_EQ(array.shape, (std::vector<int64_t>{3, 0, 2}));
  EXPECT_TRUE(array.data.empty());
}

TEST(Npy, OfBigEndianIsSwapped) {
  const Bytes data = text_bytes(std::string_view("\0\0\1\2\0\0\0\3", 8));
  EXPECT_EQ(values<int32_t>(parse(npy(simple_header(">i4", "(2,)"), data))),
            (std::vector<int32_t>{0x102, 3}));
}

TEST(Npy, InFortranOrderIsMadeRowMajor) {
  const std::string header = "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3, 2)}";
  // Element (i, j, k) is 100 i + 10 j + k.
  const NpyArray array =
      parse(npy(header, le<int8_t>(0) + le<int8_t>(100) + le<int8_t>(10) + le<int8_t>(110) +
                            le<int8_t>(20) + le<int8_t>(120) + le<int8_t>(1) + le<int8_t>(101) +
                            le<int8_t>(11) + le<int8_t>(111) + le<int8_t>(21) + le<int8_t>(121)));
  EXPECT_EQ(values<int8_t>(array),
            (std::vector<int8_t>{0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121}));
}

TEST(Npy, BoolsAreZeroOrOne) {
  EXPECT_EQ(values<uint8_t>(parse(npy(simple_header("|b1", "(3,)"), text_bytes("\1\2\377")))),
            (std::vector<uint8_t>{1, 1, 1}));
}

TEST(Npy, ReadsVersionsTwoAndThree) {
  for (const uint8_t version : {2, 3}) {
    const std::string header = simple_header("<i2", "(1,)");
    const Bytes bytes = text_bytes("\x93NUMPY") + le(version) + le<uint8_t>(0) +
                        le<uint32_t>(header.size()) + text_bytes(header) + le<int16_t>(7);
    EXPECT_EQ(values<int16_t>(parse(bytes)), (std::vector<int16_t>{7}));
  }
}

TEST(Npy, HeaderKeysMayComeInAnyOrderAndForm) {
  const NpyArray array = parse(npy("{ \"shape\":(2L ,1L),'fortran_order':False , 'descr':'=i2'}  ",
                                   le<int16_t>(1) + le<int16_t>(2)));
  EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 1}));
}

TEST(Npy, LeavesBytesBehindTheArrayAlone) {
  EXPECT_EQ(parse(npy(simple_header("|u1", "(2,)"), text_bytes("abcdef"))).data, text_bytes("ab"));
}

TEST(Npy, RefusesOtherFiles) {
  EXPECT_EQ(error(text_bytes("PK\3\4abcdefgh")),
            "read_npy(a.npy): not an .npy file: wrong first bytes");
  EXPECT_EQ(error({}), "read_npy(a.npy): not an .npy file: wrong first bytes");
  EXPECT_EQ(error(text_bytes(std::string_view("\x93NUMPY\x04\0abcdefgh", 16))),
            "read_npy(a.npy): unsupported version: 4.0");
}

TEST(Npy, RefusesTruncatedFiles) {
  EXPECT_EQ(error(text_bytes(std::string_view("\x93NUMPY\x02\0ab", 10))),
            "read_npy(a.npy): truncated: no header size");
  EXPECT_EQ(error(text_bytes(std::string_view("\x93NUMPY\x01\0\xff\xff{}", 12))),
            "read_npy(a.npy): truncated: header says 65535 bytes, the file has 2 left");
  EXPECT_EQ(error(npy(simple_header("<f4", "(2, 3)"), Bytes(20))),
            "read_npy(a.npy): truncated: the array takes 24 bytes, the file has 20 left");
}

TEST(Npy, RefusesShapesThatOverflow) {
  const std::string big = "(4611686018427387904, 4, 0)";
  EXPECT_EQ(header_error(simple_header("<f4", big)),
            "read_npy(a.npy): shape too large: {'descr': '<f4', 'fortran_order': False, 'shape': " +
                big + ", }");
  EXPECT_EQ(header_error(simple_header("<f4", "(99999999999999999999,)")),
            "read_npy(a.npy): bad header: a size that is too large, at character 51");
}

TEST(Npy, RefusesOtherElementTypesByName) {
  for (const char* descr :
       {"<u2", "<u8", "<c8", "|O", "<U3", "|S4", "|V2", "bfloat16", "<f16", "|f4", "", "f4"})
    EXPECT_EQ(header_error(simple_header(descr, "(1,)")),
              "read_npy(a.npy): unsupported element type: '" + std::string(descr) + "'");
  EXPECT_EQ(error_of([] {
              print_npy({kBFloat16, {1}, Bytes(2)}, "a.npy");
            }),
            "write_npy(a.npy): unsupported element type: bf16 has no .npy form");
}

TEST(Npy, RefusesHeadersThatAreNotTheDict) {
  const std::string start = "read_npy(a.npy): bad header: ";
  EXPECT_EQ(header_error(""), start + "expected '{', at character 0");
  EXPECT_EQ(header_error("{}"), start + "no key 'descr', at character 2");
  EXPECT_EQ(header_error("{'a': 1}"), start + "unknown key, at character 5");
  EXPECT_EQ(header_error("{'descr': [('x', '<f4')]}"),
            start + "expected a simple element type for 'descr', at character 10");
  EXPECT_EQ(header_error("{'descr': '<f4"), start + "a string without an end, at character 10");
  EXPECT_EQ(header_error("{'descr': '\\x3cf4'}"),
            start + "a string with special characters, at character 10");
  EXPECT_EQ(header_error("{'descr': '<f4', 'descr': '<f4'}"),
            start + "key 'descr' twice, at character 31");
  EXPECT_EQ(header_error("{'fortran_order': 0}"),
            start + "expected True or False, at character 18");
  EXPECT_EQ(header_error("{'shape': (3)}"), start + "a shape that is not a tuple, at character 13");
  EXPECT_EQ(header_error("{'shape': (-3,)}"), start + "a negative size, at character 11");
  EXPECT_EQ(header_error("{'shape': (3 4)}"), start + "expected ',', at character 13");
  EXPECT_EQ(header_error(simple_header("<f4", "()") + "x"),
            start + "text after the dict, at character 56");
}

TEST(Npy, RefusesToWriteDataThatDoesNotFit) {
  EXPECT_EQ(error_of([] {
              print_npy({kFloat32, {3}, Bytes(8)}, "a.npy");
            }),
            "write_npy(a.npy): data of 8 bytes does not fit the shape: {'descr': '<f4', "
            "'fortran_order': False, 'shape': (3,), }");
}

TEST(Npy, SurvivesMutatedFiles) {
  const Bytes good = print_npy({kFloat32, {2, 3}, Bytes(24)}, "a.npy");
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    Bytes bytes = good;
    for (int i = 0; i < 3; ++i) bytes[random() % 75] = std::byte(random() % 128);
    bytes.resize(random() % 4 ? bytes.size() : random() % bytes.size());
    error(bytes);  // an Error or none: no other exception, no crash
  }
}

}  // namespace
}  // namespace frit::io
