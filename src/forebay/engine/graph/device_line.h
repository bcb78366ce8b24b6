// What the engine records about one device queue: the issued tasks that the host does not yet know to be
// done, in issue order, and the points recorded behind them. Internal. See devices.cc.
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
#include "forebay/engine/engine_mutex.h"
#include "forebay/engine/graph/task.h"

namespace forebay::engine {

/// One point serves every task issued before it, whoever asks for it.
struct DevicePoint {
  Fence fence;
  uint64_t covers = 0;  // number of the last task before the point
};

struct DeviceLine {
  std::shared_ptr<DeviceQueue> queue;              // constant
  TaskList tasks FOREBAY_GUARDED;                  // issued and not finished
  uint64_t issued FOREBAY_GUARDED = 0;             // number of the last issued task
  uint64_t passed FOREBAY_GUARDED = 0;             // number of the last task known to be done
  std::deque<DevicePoint> points FOREBAY_GUARDED;  // the points behind `passed`, in queue order
  // For each other line: the number of its last task that this queue waits for.
  std::unordered_map<const DeviceLine*, uint64_t> waited_for FOREBAY_GUARDED;
  Status error FOREBAY_GUARDED;              // the device's error; applies to everything after `passed`
  std::thread learner;                       // finds out what has passed
  bool has_learner FOREBAY_GUARDED = false;  // false: threads that wait or step find it out
  bool is_ending FOREBAY_GUARDED = false;
  bool is_idle FOREBAY_GUARDED = false;
  std::condition_variable condition;
  size_t unfinished FOREBAY_GUARDED = 0;     // tasks for it, from when they are sorted in
  int users FOREBAY_GUARDED = 0;             // who comes back to it after having left the section
  bool is_released FOREBAY_GUARDED = false;  // nobody holds a handle: no task comes any more

  /// Nobody needs it any more.
  bool is_over() const FOREBAY_HOLDS { return is_released && unfinished == 0 && users == 0; }
  void wake_if_over() FOREBAY_HOLDS {
    if (is_over()) {
      wake();
    }
  }
  void end_task() FOREBAY_HOLDS {
    --unfinished;
    wake_if_over();
  }

  void wake() FOREBAY_HOLDS {
    if (is_idle) {
      is_idle = false;
      condition.notify_one();
    }
  }

  uint64_t recorded() const FOREBAY_HOLDS { return points.empty() ? passed : points.back().covers; }

  void append(Task& task) FOREBAY_HOLDS {
    task.order = ++issued;
    tasks.add(task);
  }

  /// Returns the first point behind the task with that number, or nullptr if there is none yet.
  const DevicePoint* find(uint64_t number) const FOREBAY_HOLDS {
    for (const DevicePoint& point : points) {
      if (point.covers >= number) {
        return &point;
      }
    }
    return nullptr;
  }

  /// Several threads may record points at once. A later point is behind everything that an earlier one is
  /// behind.
  void add(DevicePoint point) FOREBAY_HOLDS {
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

  void set_passed(uint64_t number) FOREBAY_HOLDS {
    passed = std::max(passed, number);
    while (!points.empty() && points.front().covers <= passed) {
      points.pop_front();
    }
  }
};

/// Keeps a line while its holder leaves the section. Begins and ends with the mutex held.
class LineUse {
 public:
  explicit LineUse(DeviceLine& line) FOREBAY_HOLDS : line_(line) { ++line_.users; }
  ~LineUse() FOREBAY_HOLDS {
    --line_.users;
    line_.wake_if_over();
  }
  LineUse(const LineUse&) = delete;
  LineUse& operator=(const LineUse&) = delete;

 private:
  DeviceLine& line_;
};

}  // namespace forebay::engine
