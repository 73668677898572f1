// A profile of what ran when, on which thread, in the format that Perfetto and Chrome read.
//
//   std::unique_ptr<ProfileEvent> event;              // on the way of each op, where one is rare
//   if (profiling()) event = std::make_unique<ProfileEvent>("plan", "plan 3");
//   if (event) event->note("ops", 12).start();
//   run();                                            // the event ends with its scope
//
// With FRIT_PROFILE=file.json it goes on from the start, and the file is written at exit: by a
// child process after fork() to file.json.PID, from its own events. When off, an event costs the
// test of profiling(). Events are kept up to a limit; those beyond it are dropped and counted.
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace frit::base {

extern constinit std::atomic<bool> profiler_on;

inline bool profiling() {
  return __builtin_expect(profiler_on.load(std::memory_order_relaxed), false);
}

class ProfileEvent {
 public:
  // `category` is one of a few, by which viewers sort.
  ProfileEvent(const char* category, std::string name)
      : category_(category), name_(std::move(name)) {}
  ~ProfileEvent();
  ProfileEvent(const ProfileEvent&) = delete;

  // What is shown beside it. Long texts are cut.
  ProfileEvent& note(std::string_view key, std::string_view value);
  ProfileEvent& note(std::string_view key, int64_t value);
  // The event lasts from here to its end. Without it it is a point in time: its end.
  void start();

 private:
  const char* category_;
  std::string name_, notes_;  // notes: members of a JSON object
  int64_t start_ns_ = -1;
};

void start_profile();  // from nothing
void stop_profile();   // keeps the events
// The events so far, as JSON.
std::string profile_json();
// Throws Error(kRuntime) where the file cannot be written.
void write_profile(const std::string& path);
// How many events are kept, for tests.
void set_profile_limit(int64_t events);

}  // namespace frit::base
