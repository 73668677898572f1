// PeriodFinder: finds the period of a loop that nobody looks into, from its stream of op tokens.
//
// Every few tokens in a row are looked up where they were seen last. If that is the same distance
// back for a period and a little more, the stream is a loop. (Four in a
// row find short periods soon; long ones that repeat themselves inside take thirty-two.) It is then
// cut once a period (short ones: once in several) for as long as it goes on, at the place in the
// period across which the fewest bytes are alive. Constant work per op.
#pragma once

#include <cstdint>
#include <vector>

namespace frit::capture {

class PeriodFinder {
 public:
  static constexpr uint32_t kMaxPeriod = 4096;

  // After an op: its token, what its results occupy, and how many ops back its operands were made.
  void push(uint32_t token, int64_t bytes, const uint32_t* distances, int num_distances);
  // Whether the stream is to be cut before the next op.
  bool cut() const { return cut_; }
  // The stream goes on somewhere else.
  void reset();
  // Ops pushed since then.
  uint32_t size() const { return position_; }

 private:
  struct Seen {
    uint32_t token;
    uint32_t last_use;  // position of the last op that took a result; its own where none did
    int64_t bytes;
  };
  void grow();
  uint32_t best_cut(uint32_t period) const;
  // Looks up the last few tokens.
  struct Track {
    explicit Track(uint32_t n);
    uint32_t length;                  // how many
    uint64_t leaving = 1;             // what the oldest of them is multiplied by when it leaves
    uint64_t hash = 0;                // of them
    uint32_t distance = 0, run = 0;   // how far back they were seen, for how many ops on end
    std::vector<uint32_t> last = {};  // by hash: one more than the position; 0: never
  };
  void roll(Track* track);
  void look_for_loop(Track* track);
  void clear(Track* track);
  Seen& at(uint32_t position) { return ring_[position & mask_]; }
  const Seen& at(uint32_t position) const { return ring_[position & mask_]; }

  std::vector<Seen> ring_;
  Track tracks_[2] = {Track(4), Track(32)};
  uint32_t mask_ = 0;
  uint32_t position_ = 0;
  uint32_t period_ = 0;    // of the loop that the stream is in; 0: none known
  uint32_t next_cut_ = 0;  // the position that it is cut before
  bool cut_ = false;
};

}  // namespace frit::capture
