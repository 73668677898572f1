// The file of a program, all numbers little-endian:
//
//   "FRITPROG", version u32, MXCSR modes u32, bytes of the file u64, bytes of the text u64, number
//   of inputs that are no constants u64, the text of the core graph, each constant's bytes from its
//   first element to the end of its last, checksum of all before it u64.
//
// What the text says is held against the bytes before any memory is asked for, and the graph
// against the same rules as a recording: a file that passes the checksum is no more trusted than
// one that does not.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>

#include "src/base/float_mode.h"
#include "src/base/hash.h"
#include "src/engine/environment.h"
#include "src/io/file.h"
#include "src/program/boundary.h"
#include "src/program/frozen.h"
#include "src/tensor/tensor_impl.h"

namespace frit {
namespace program {
namespace {

constexpr std::string_view kMagic = "FRITPROG";
constexpr uint32_t kVersion =
    1;  // raised when the form, an op's meaning, or base::hash_bytes changes
constexpr size_t kChecksum = sizeof(uint64_t);

struct Header {
  char magic[8];
  uint32_t version, mxcsr;
  uint64_t file_bytes, text_bytes, num_inputs;
};
static_assert(sizeof(Header) == 40);

size_t reach(const Layout& layout) {
  return static_cast<size_t>(layout.span() * byte_size(layout.dtype));
}

bool is_input_of_program(const Graph& graph, Graph::ValueId v) {
  if (graph.is_scalar(v)) return false;
  const IntArrayRef strides = graph.strides(v);
  return std::none_of(strides.begin(), strides.end(), [](int64_t s) { return s < 0; });
}

class Writer {
 public:
  void add(const void* data, size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
  }
  std::vector<std::byte> finish() {
    const uint64_t size = bytes_.size() + kChecksum;
    std::memcpy(bytes_.data() + offsetof(Header, file_bytes), &size, sizeof size);
    const uint64_t checksum = base::hash_bytes(bytes_.data(), bytes_.size());
    add(&checksum, sizeof checksum);
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
};

std::vector<std::byte> bytes_of(const Frozen::Parts& parts) {
  const std::string text = parts.graph.print();
  Header header{};
  std::memcpy(header.magic, kMagic.data(), kMagic.size());
  header.version = kVersion;
  header.mxcsr = parts.mxcsr;
  header.text_bytes = text.size();
  header.num_inputs = static_cast<uint64_t>(parts.graph.num_inputs()) - parts.constants.size();
  Writer writer;
  writer.add(&header, sizeof header);
  writer.add(text.data(), text.size());
  for (const Tensor& constant : parts.constants)
    writer.add(constant.impl()->data, reach(*constant.impl()->layout));
  return writer.finish();
}

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  Frozen::Parts run() {
    read_header();
    const size_t start = sizeof(Header), end = bytes_.size() - kChecksum;
    if (header_.text_bytes > end - start) fail("damaged: the graph is longer than the file");
    const size_t text_size = static_cast<size_t>(header_.text_bytes);
    Frozen::Parts parts{parse({reinterpret_cast<const char*>(bytes_.data()) + start, text_size}),
                        {},
                        header_.mxcsr};
    read_constants(bytes_.subspan(start + text_size, end - start - text_size), &parts);
    return parts;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw io::file_error("Program::load", path_, problem);
  }

  void read_header() {
    if (bytes_.size() < kMagic.size() ||
        std::memcmp(bytes_.data(), kMagic.data(), kMagic.size()) != 0)
      fail("not a Frit program");
    if (bytes_.size() < sizeof(Header) + kChecksum) fail("damaged: the file is too short");
    std::memcpy(&header_, bytes_.data(), sizeof header_);
    if (header_.version > kVersion)
      fail("version " + std::to_string(header_.version) + " is newer than this Frit's, " +
           std::to_string(kVersion));
    if (header_.file_bytes != bytes_.size())
      fail("damaged: " + std::to_string(bytes_.size()) + " bytes instead of " +
           std::to_string(header_.file_bytes));
    const size_t size = bytes_.size() - kChecksum;
    if (io::load_le<uint64_t>(bytes_.data() + size) != base::hash_bytes(bytes_.data(), size))
      fail("damaged: the checksum differs");
    if (header_.version != kVersion) fail("damaged: version " + std::to_string(header_.version));
    if ((header_.mxcsr & engine::kStickyFlags) != 0 || header_.mxcsr > 0xffff ||
        !base::rounds_to_nearest(header_.mxcsr))
      fail("damaged: no modes that a program runs in");
  }

  Graph parse(std::string_view text) const {
    Graph graph;
    try {
      graph = Graph::parse(text);
    } catch (const Error& error) {
      fail(std::string("damaged: ") + error.what());
    }
    std::string problem = graph.verify(true);
    for (const Graph::Node& node : graph.nodes())
      if (problem.empty() && !boundary(graph, node).empty())
        problem = std::string(name(node.op)) + ": " + std::string(boundary(graph, node));
    for (Graph::ValueId v = 0; v < graph.num_inputs(); ++v)
      if (!is_input_of_program(graph, v))
        problem = "input " + graph.value_name(v) + " is a scalar or has a negative stride";
    for (Graph::ValueId v : graph.outputs())
      if (!graph.layout(v)->dense) problem = "output " + graph.value_name(v) + " has gaps";
    if (!problem.empty()) fail("damaged: " + problem);
    return graph;
  }

  void read_constants(std::span<const std::byte> rest, Frozen::Parts* parts) const {
    const Graph& graph = parts->graph;
    if (!graph.on_cpu()) fail("damaged: its graph is not of the CPU");
    const auto num_inputs = static_cast<uint64_t>(graph.num_inputs());
    if (header_.num_inputs > num_inputs) fail("damaged: more inputs than the graph has");
    for (auto v = static_cast<Graph::ValueId>(header_.num_inputs); v < graph.num_inputs(); ++v) {
      const size_t size = reach(*graph.layout(v));
      if (size > rest.size()) fail("damaged: " + graph.value_name(v) + " is longer than the file");
      Tensor constant = new_tensor(graph.layout(v));
      if (size > 0) std::memcpy(constant.impl()->data, rest.data(), size);
      parts->constants.push_back(std::move(constant));
      rest = rest.subspan(size);
    }
    if (!rest.empty()) fail("damaged: " + std::to_string(rest.size()) + " bytes too many");
  }

  std::span<const std::byte> bytes_;
  const std::string& path_;
  Header header_{};
};

}  // namespace
}  // namespace program

// Under another name first, so that a reader finds the whole file or the one that was there.
void Program::save(const std::string& path) const {
  const std::vector<std::byte> bytes = program::bytes_of(frozen_->parts());
  static std::atomic<int> saves{0};
  const std::string temporary =
      path + ".tmp" + std::to_string(::getpid()) + "." + std::to_string(saves.fetch_add(1));
  try {
    io::write_file(temporary, bytes, "Program::save");
    if (std::rename(temporary.c_str(), path.c_str()) != 0)
      throw io::file_error("Program::save", path,
                           std::string("cannot rename: ") + std::strerror(errno),
                           ErrorKind::kRuntime);
  } catch (...) {
    std::remove(temporary.c_str());
    throw;
  }
}

Program Program::load(const std::string& path) {
  return parse(io::read_file(path, "Program::load"), path);
}

Program Program::parse(std::span<const std::byte> bytes, const std::string& name) {
  return program::Frozen::make(program::Reader(bytes, name).run(), {});
}

}  // namespace frit
