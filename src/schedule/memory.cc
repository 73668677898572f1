// Hands out buffers and views as they are asked for.
#include "src/schedule/memory.h"

#include "src/base/check.h"

namespace frit::scheduling {

Memory::Memory(const Graph& graph, const Roles& roles, Schedule* schedule)
    : graph_(graph),
      roles_(roles),
      schedule_(*schedule),
      buffers_(static_cast<size_t>(graph.num_values()), -1),
      views_(static_cast<size_t>(graph.num_values()), -1) {
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const Graph::ValueId v = graph.outputs()[i];
    FRIT_CHECK(roles.base(v) == v && !graph.is_input(v) && buffers_[v] < 0)
        << graph.value_name(v) << " is an output";
    buffers_[v] = add_buffer(ScheduleBuffer::Kind::kOutput, static_cast<int>(i), graph.layout(v));
    schedule_.output_views.push_back(view(v));
  }
}

int Memory::view(Graph::ValueId v, int64_t offset) {
  if (offset == 0 && views_[v] >= 0) return views_[v];
  const int buffer = buffer_of(roles_.memory_of(roles_.base(v)));
  schedule_.views.push_back({buffer, graph_.layout(v), roles_.offset(v) + offset});
  const int made = static_cast<int>(schedule_.views.size()) - 1;
  if (offset == 0) views_[v] = made;
  return made;
}

int Memory::temporary(const Layout* layout) {
  const int buffer = add_buffer(ScheduleBuffer::Kind::kTemporary, -1, layout);
  schedule_.views.push_back({buffer, layout, 0});
  return static_cast<int>(schedule_.views.size()) - 1;
}

int Memory::buffer_of(Graph::ValueId base) {
  if (buffers_[base] >= 0) return buffers_[base];
  const bool is_input = graph_.is_input(base);
  return buffers_[base] =
             add_buffer(is_input ? ScheduleBuffer::Kind::kInput : ScheduleBuffer::Kind::kTemporary,
                        is_input ? base : -1, graph_.layout(base));
}

int Memory::add_buffer(ScheduleBuffer::Kind kind, int index, const Layout* layout) {
  schedule_.buffers.push_back({kind, index, layout, 0});
  return static_cast<int>(schedule_.buffers.size()) - 1;
}

}  // namespace frit::scheduling
