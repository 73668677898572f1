// Reads and writes whole files with the system's own calls, so that errors carry its reason.
#include "src/io/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace frit::io {
namespace {

constexpr size_t kReadStep = 64 << 10;  // for files that do not tell their size

// An open file; closed with the scope.
class File {
 public:
  File(const std::string& path, int flags, std::string_view what)
      : path_(path), what_(what), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail("cannot open");
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }

  // Bytes still to come, or 0 where that is not known.
  size_t size_hint() const {
    struct stat info;
    return ::fstat(fd_, &info) == 0 && S_ISREG(info.st_mode) ? static_cast<size_t>(info.st_size)
                                                             : 0;
  }
  size_t read(std::byte* to, size_t n) const {
    ssize_t got;
    do got = ::read(fd_, to, n);
    while (got < 0 && errno == EINTR);
    if (got < 0) fail("cannot read");
    return static_cast<size_t>(got);
  }
  size_t write(const std::byte* from, size_t n) const {
    ssize_t put;
    do put = ::write(fd_, from, n);
    while (put < 0 && errno == EINTR);
    if (put < 0) fail("cannot write");
    return static_cast<size_t>(put);
  }
  // Some file systems report a full disk only here.
  void close() {
    const int fd = fd_;
    fd_ = -1;
    if (::close(fd) != 0) fail("cannot write");
  }

 private:
  [[noreturn]] void fail(const char* problem) const {
    throw file_error(what_, path_, std::string(problem) + ": " + std::strerror(errno),
                     ErrorKind::kRuntime);
  }

  const std::string& path_;
  std::string_view what_;
  int fd_;
};

}  // namespace

Error file_error(std::string_view what, std::string_view path, std::string_view problem,
                 ErrorKind kind) {
  return Error(kind, std::string(what) + "(" + std::string(path) + "): " + std::string(problem));
}

std::vector<std::byte> read_file(const std::string& path, std::string_view what) {
  const File file(path, O_RDONLY, what);
  // One byte more than expected, so that the end is seen without growing.
  std::vector<std::byte> bytes(file.size_hint() + 1);
  size_t size = 0;
  while (const size_t got = file.read(bytes.data() + size, bytes.size() - size)) {
    size += got;
    if (size == bytes.size()) bytes.resize(size + std::max(size, kReadStep));
  }
  bytes.resize(size);
  return bytes;
}

void write_file(const std::string& path, std::span<const std::byte> bytes, std::string_view what) {
  File file(path, O_WRONLY | O_CREAT | O_TRUNC, what);
  while (!bytes.empty()) bytes = bytes.subspan(file.write(bytes.data(), bytes.size()));
  file.close();
}

}  // namespace frit::io
