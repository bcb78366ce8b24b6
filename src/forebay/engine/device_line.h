// What the engine keeps of a queue of a device: the tasks that were issued onto it and that the host does not
// know to be done, in the order in which they were issued, and the points behind them. Internal; guarded by
// the mutex of the Core. See device.cc.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>

#include "forebay/engine/device_queue.h"
#include "forebay/engine/task.h"

namespace forebay::engine {

/// One point serves all tasks issued before it, whoever asks for it.
struct DevicePoint {
  Fence fence;
  uint64_t covers = 0;  // the number of the last task before it
};

struct DeviceLine {
  std::shared_ptr<DeviceQueue> queue;  // constant
  TaskList tasks;                      // issued and not finished
  uint64_t issued = 0;                 // number of the last task issued
  uint64_t passed = 0;                 // of the last one known to be done
  std::deque<DevicePoint> points;      // behind `passed`, in the order of the queue
  std::unordered_map<const DeviceLine*, uint64_t>
      waited_for;            // the task of that line that this queue is behind
  Status error;              // of the device: of all that came after `passed`
  std::thread learner;       // finds out what has passed,
  bool has_learner = false;  // or who waits or steps does
  bool is_ending = false;
  bool is_idle = false;
  std::condition_variable condition;

  uint64_t recorded() const { return points.empty() ? passed : points.back().covers; }

  void append(Task& task) {
    task.order = ++issued;
    tasks.add(task);
  }

  /// The first point behind the task of that number; none when there is no such point yet.
  const DevicePoint* find(uint64_t number) const {
    for (const DevicePoint& point : points) {
      if (point.covers >= number) {
        return &point;
      }
    }
    return nullptr;
  }

  /// Points may be recorded by several threads at once: a later one is behind all that an earlier one is.
  void add(DevicePoint point) {
    auto place = points.end();
    while (place != points.begin() && (place - 1)->fence.sequence > point.fence.sequence) {
      --place;
      place->covers = std::max(place->covers, point.covers);
    }
    if (place != points.begin()) {
      point.covers = std::max(point.covers, (place - 1)->covers);
    }
    points.insert(place, point);
  }

  void set_passed(uint64_t number) {
    passed = std::max(passed, number);
    while (!points.empty() && points.front().covers <= passed) {
      points.pop_front();
    }
  }
};

}  // namespace forebay::engine
