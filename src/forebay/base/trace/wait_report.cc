#include "forebay/base/trace/wait_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace forebay {
namespace {

struct Time {
  int64_t all_ns = 0;
  int64_t longest_ns = 0;

  void add(int64_t ns) {
    all_ns += ns;
    longest_ns = std::max(longest_ns, ns);
  }
};

using Kind = std::tuple<std::string_view, std::string_view, std::string_view>;  // name, lane, site

struct Sum {
  size_t count = 0;
  Time blocked;
  Time queued;
  Time ran;
  std::map<Kind, int64_t> blocked_by_ns;

  int64_t waited_ns() const { return blocked.all_ns + queued.all_ns; }
};

Kind kind_of(const TraceTask& task) {
  return {task.label->name, task.label->lane, task.label->site};
}

using Sums = std::map<Kind, Sum>;

/// Of the tasks that it waited for, the one that ended last.
const TraceTask* last_before(const TraceTask& task,
                             const std::map<std::pair<uint32_t, uint64_t>, const TraceTask*>& known) {
  const TraceTask* last = nullptr;
  for (const uint64_t id : task.after) {
    const auto found = known.find({task.engine, id});
    if (found != known.end() && (last == nullptr || found->second->end_ns > last->end_ns)) {
      last = found->second;
    }
  }
  return last;
}

Sums sums_of(const std::vector<TraceTask>& tasks) {
  std::map<std::pair<uint32_t, uint64_t>, const TraceTask*> known;
  for (const TraceTask& task : tasks) {
    known.emplace(std::pair(task.engine, task.id), &task);
  }
  Sums sums;
  for (const TraceTask& task : tasks) {
    Sum& sum = sums[kind_of(task)];
    ++sum.count;
    sum.blocked.add(task.ready_ns - task.push_ns);
    sum.queued.add(task.begin_ns - task.ready_ns);
    sum.ran.add(task.end_ns - task.begin_ns);
    if (const TraceTask* before = last_before(task, known); before != nullptr) {
      sum.blocked_by_ns[kind_of(*before)] += task.ready_ns - task.push_ns;
    }
  }
  return sums;
}

std::string text_of(int64_t ns) {
  if (ns < 1000) {
    return fmt::format("{} ns", ns);
  }
  const double us = static_cast<double>(ns) * 1e-3;
  return us < 1000 ? fmt::format("{:.1f} us", us)
                   : (us < 1e6 ? fmt::format("{:.1f} ms", us * 1e-3) : fmt::format("{:.2f} s", us * 1e-6));
}

std::string text_of(const Time& time) {
  return fmt::format("{} ({})", text_of(time.all_ns), text_of(time.longest_ns));
}

std::string text_of(const Kind& kind) {
  const auto& [name, lane, site] = kind;
  return site.empty() ? std::string(name) : fmt::format("{} ({})", name, site);
}

constexpr size_t kColumns = 7;
using Line = std::array<std::string, kColumns>;

Line line_of(const Kind& kind, const Sum& sum) {
  const auto most =
      std::ranges::max_element(sum.blocked_by_ns, {}, [](const auto& each) { return each.second; });
  return {text_of(kind),
          std::string(std::get<1>(kind)),
          std::to_string(sum.count),
          text_of(sum.blocked),
          text_of(sum.queued),
          text_of(sum.ran),
          most == sum.blocked_by_ns.end() ? "" : text_of(most->first)};
}

/// Aligns words to the left of their column and numbers to the right.
std::string aligned(const std::vector<Line>& lines) {
  std::array<size_t, kColumns> widths{};
  for (const Line& line : lines) {
    for (size_t column = 0; column < kColumns; ++column) {
      widths[column] = std::max(widths[column], line[column].size());
    }
  }
  std::string text;
  for (const Line& line : lines) {
    std::string row;
    for (size_t column = 0; column < kColumns; ++column) {
      const bool is_number = column >= 2 && column <= 5;
      row += is_number ? fmt::format("{:>{}}  ", line[column], widths[column])
                       : fmt::format("{:<{}}  ", line[column], widths[column]);
    }
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace

std::string report_waits(const std::vector<TraceTask>& tasks, size_t count) {
  if (tasks.empty()) {
    return "no tasks were recorded\n";
  }
  const Sums sums = sums_of(tasks);
  std::vector<Sums::const_iterator> order;
  for (auto each = sums.begin(); each != sums.end(); ++each) {
    order.push_back(each);
  }
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [](const auto& each) { return each->second.waited_ns(); });
  order.resize(std::min(order.size(), count));
  std::vector<Line> lines = {
      {"task", "lane", "count", "waits for others", "waits for a worker", "runs", "mostly after"}};
  for (const auto& each : order) {
    lines.push_back(line_of(each->first, each->second));
  }
  return fmt::format("{} tasks of {} kinds; those that waited longest (in all, the longest of one):\n{}",
                     tasks.size(), sums.size(), aligned(lines));
}

}  // namespace forebay
