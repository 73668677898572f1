// Pace: whether observing pays.
//
// Observing an op costs some 25 ns, which is much beside an op on a few elements. Where in a window
// of small ops three paths of four led neither to a plan nor to a path that was there before, the
// next ones go unobserved: four times as many at first, and up to 128 times as many if that goes
// on. What gets hot meanwhile is found some milliseconds later.
#pragma once

#include <cstdint>

namespace frit::engine {

class Pace {
 public:
  static constexpr uint32_t kWindow = 256, kFirstQuiet = 4 * kWindow;

  // After ops that were observed, or left to eager while their plan rests. True where the window is
  // full: see end_window().
  bool note_ops(uint32_t count = 1) { return (ops_ += count) >= kWindow; }
  // A path ended; `barren`: it had not been there before, or its plans are not worth entering.
  void note_path(bool barren) {
    ++paths_;
    barren_ += barren;
  }
  void note_plan() { ++plans_; }
  // How many ops are not to be observed from here on; `op_ns`: what one takes.
  uint32_t end_window(int64_t op_ns) {
    const bool fruitful = barren_ * 4 < (paths_ + plans_) * 3 || op_ns >= kLongOp;
    ops_ = paths_ = barren_ = plans_ = 0;
    if (fruitful) return next_ = kFirstQuiet, 0;
    const uint32_t quiet = next_;
    next_ = next_ < kMaxQuiet ? next_ * 2 : kMaxQuiet;
    return quiet;
  }

 private:
  static constexpr uint32_t kMaxQuiet = 128 * kWindow;
  static constexpr int64_t kLongOp = 400;  // ns; observing is a few percent of it

  uint32_t ops_ = 0, next_ = kFirstQuiet;
  uint32_t paths_ = 0, barren_ = 0, plans_ = 0;  // runs of plans are no paths
};

}  // namespace frit::engine
