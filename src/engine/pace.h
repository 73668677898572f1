// Pace: whether observing pays.
//
// Observing an op costs some 25 ns, which is much beside an op on a few elements. Where in a window
// of small ops three paths of four led neither to a plan nor to a path that was there before, the
// next ones go unobserved: four times as many at first, and up to 128 times as many if that goes
// on. What gets hot meanwhile is found some milliseconds later. A window ends when it has seen some
// paths: long ones need longer windows, which decide about as many more ops.
#pragma once

#include <cstdint>

namespace frit::engine {

class Pace {
 public:
  static constexpr uint32_t kWindow = 256, kFirstQuiet = 4 * kWindow;
  // The first paths after a quiet time began in the middle of what comes back.
  static constexpr uint32_t kFewestPaths = 16, kLongestWindow = 32 * kWindow;

  // After ops that were observed, or left to eager while their plan rests. True where the window is
  // full: see end_window().
  bool note_ops(uint32_t count = 1) { return (ops_ += count) >= window_ && is_full(); }
  // A path ended; `barren`: it had not been there before, or its plans are not worth entering.
  void note_path(bool barren) {
    ++paths_;
    barren_ += barren;
  }
  void note_plan() { ++plans_; }
  // How many ops are not to be observed from here on; `op_ns`: what one takes.
  uint32_t end_window(int64_t op_ns) {
    const bool fruitful = barren_ * 4 < (paths_ + plans_) * 3 || op_ns >= kLongOp;
    const uint32_t windows = window_ / kWindow;
    ops_ = paths_ = barren_ = plans_ = 0;
    window_ = kWindow;
    if (fruitful) return next_ = kFirstQuiet, 0;
    const uint32_t quiet = next_ * windows;
    next_ = next_ < kMaxQuiet ? next_ * 2 : kMaxQuiet;
    return quiet;
  }

 private:
  static constexpr uint32_t kMaxQuiet = 128 * kWindow;
  static constexpr int64_t kLongOp = 400;  // ns; observing is a few percent of it

  bool is_full() {
    if (paths_ + plans_ >= kFewestPaths || ops_ >= kLongestWindow) return true;
    window_ += kWindow;
    return false;
  }

  uint32_t window_ = kWindow, ops_ = 0, next_ = kFirstQuiet;
  uint32_t paths_ = 0, barren_ = 0, plans_ = 0;  // runs of plans are no paths
};

}  // namespace frit::engine
