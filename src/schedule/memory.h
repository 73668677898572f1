// Memory: gives the values of a schedule their buffers, inputs and outputs first of all.
#pragma once

#include <vector>

#include "src/schedule/roles.h"
#include "src/schedule/schedule.h"

namespace frit::scheduling {

class Memory {
 public:
  // Fills `schedule`'s buffers and views. All three outlive the memory.
  Memory(const Graph& graph, const Roles& roles, Schedule* schedule);

  // The view of a value that lies in memory.
  int view(Graph::ValueId v, int64_t offset = 0);
  // A view of new memory.
  int temporary(const Layout* layout);

 private:
  int buffer_of(Graph::ValueId base);
  int add_buffer(ScheduleBuffer::Kind kind, int index, const Layout* layout);

  const Graph& graph_;
  const Roles& roles_;
  Schedule& schedule_;
  std::vector<int> buffers_, views_;  // of values; -1: none yet
};

}  // namespace frit::scheduling
