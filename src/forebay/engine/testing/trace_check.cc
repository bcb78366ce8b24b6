#include "forebay/engine/testing/trace_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace forebay::engine::testing {
namespace {

int64_t to_ns(const nlohmann::json& us) {
  return std::llround(us.get<double>() * 1e3);
}

TracedTask task_of(const TraceSpan& span) {
  const nlohmann::json arguments = nlohmann::json::parse(span.arguments);
  return {.id = arguments.at("id"),
          .name = span.name,
          .lane = arguments.at("lane"),
          .push_ns = to_ns(arguments.at("push_us")),
          .ready_ns = to_ns(arguments.at("ready_us")),
          .begin_ns = span.begin_ns,
          .end_ns = span.end_ns,
          .after = arguments.at("after"),
          .queue = arguments.value("queue", ""),
          .issued_ns = arguments.contains("queue") ? to_ns(arguments.at("issued_us")) : 0};
}

/// When `after` could start as far as `before` is concerned.
int64_t end_for(const TracedTask& before, const TracedTask& after) {
  return before.issued_ns != 0 && !after.queue.empty() ? before.issued_ns : before.end_ns;
}

std::string named(const TracedTask& task) {
  return fmt::format("task {} '{}'", task.id, task.name);
}

using ById = std::map<uint64_t, const TracedTask*>;

void check_edges(const TracedTask& task, const ById& known, std::vector<std::string>& faults) {
  for (const uint64_t id : task.after) {
    const auto before = known.find(id);
    if (before == known.end()) {
      faults.push_back(fmt::format("{} waited for task {}, which the trace does not have", named(task), id));
    } else if (id >= task.id) {
      faults.push_back(
          fmt::format("{} waited for {}, which was pushed later", named(task), named(*before->second)));
    } else if (end_for(*before->second, task) > task.ready_ns) {
      faults.push_back(fmt::format("{} was ready before {} had ended", named(task), named(*before->second)));
    }
  }
}

void check_times(const TracedTask& task, std::vector<std::string>& faults) {
  if (task.push_ns > task.ready_ns || task.ready_ns > task.begin_ns || task.begin_ns > task.end_ns) {
    faults.push_back(fmt::format("{} goes backwards: pushed {}, ready {}, began {}, ended {} ns", named(task),
                                 task.push_ns, task.ready_ns, task.begin_ns, task.end_ns));
  }
}

class OrderCheck {
 public:
  explicit OrderCheck(Edges edges) : edges_(edges) {}

  void add(const TracedTask& task, const TracedUse& use) {
    Recent& recent = recent_[use.variable];
    if (recent.write != nullptr && (!use.writes || recent.reads.empty())) {
      check(*recent.write, task);
    }
    if (!use.writes) {
      recent.reads.push_back(&task);
      return;
    }
    for (const TracedTask* read : recent.reads) {
      check(*read, task);
    }
    recent = {.write = &task, .reads = {}};
  }

  std::vector<std::string> faults() && { return std::move(faults_); }

 private:
  /// The last write to one variable, and the reads since.
  struct Recent {
    const TracedTask* write = nullptr;
    std::vector<const TracedTask*> reads;
  };

  void check(const TracedTask& before, const TracedTask& after) {
    if (end_for(before, after) > after.ready_ns) {
      faults_.push_back(fmt::format("{} was ready before {} had ended, and both use what one writes",
                                    named(after), named(before)));
    }
    const bool needs_edge = edges_ == Edges::kAll && before.end_ns > after.push_ns;
    if (needs_edge && std::find(after.after.begin(), after.after.end(), before.id) == after.after.end()) {
      faults_.push_back(
          fmt::format("{} has no edge to {}, which it had to wait for", named(after), named(before)));
    }
  }

  const Edges edges_;
  std::map<uint64_t, Recent> recent_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<TracedTask> tasks_of(const std::vector<TraceSpan>& spans) {
  std::vector<TracedTask> tasks;
  for (const TraceSpan& span : spans) {
    if (std::string_view(span.category) == "task") {
      tasks.push_back(task_of(span));
    }
  }
  std::sort(tasks.begin(), tasks.end(), [](const TracedTask& a, const TracedTask& b) { return a.id < b.id; });
  return tasks;
}

std::vector<std::string> check_tasks(const std::vector<TracedTask>& tasks) {
  std::vector<std::string> faults;
  ById known;
  for (const TracedTask& task : tasks) {
    if (!known.emplace(task.id, &task).second) {
      faults.push_back(fmt::format("{} is in the trace twice", named(task)));
    }
    check_times(task, faults);
  }
  for (const TracedTask& task : tasks) {
    check_edges(task, known, faults);
  }
  return faults;
}

std::vector<std::string> check_order(
    const std::vector<TracedTask>& tasks, Edges edges,
    const std::function<std::vector<TracedUse>(const TracedTask&)>& uses_of) {
  OrderCheck check(edges);
  for (const TracedTask& task : tasks) {
    for (const TracedUse& use : uses_of(task)) {
      check.add(task, use);
    }
  }
  return std::move(check).faults();
}

}  // namespace forebay::engine::testing
