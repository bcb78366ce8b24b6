// The parts that work without locks, or are the locks, under Relacy: see relacy_std.h.
#include "relacy_main.h"
// After it: what is tested.
#include "forebay/base/metrics/metrics.h"
#include "forebay/base/trace/record_ring.h"
#include "forebay/engine/inbox.h"
#include "forebay/memory/atomic_peak.h"
#include "forebay/memory/pool/slab_map.h"
#include "forebay/memory/spin_lock.h"

namespace {

using relacy_std::Mutex;
using relacy_std::Plain;

/// One thread writes five records into a ring of two, which it empties itself when it is full; another takes
/// out what there is now and then. All arrive, once and in order.
struct RecordsArriveInOrder : rl::test_suite<RecordsArriveInOrder, 2> {
  static constexpr uint64_t kRecords = 5;
  struct Record {
    Plain<uint64_t> value;
  };

  forebay::RecordRing<Record> ring{2};
  Mutex mutex;
  uint64_t kept = 0;

  void drain() {
    mutex.lock();
    ring.drain([this](const Record* records, size_t count) {
      for (size_t i = 0; i < count; ++i) {
        RL_ASSERT(records[i].value == ++kept);
      }
    });
    mutex.unlock();
  }
  void write() {
    for (uint64_t value = 1; value <= kRecords; ++value) {
      if (ring.is_full()) {
        drain();
      }
      ring.add({value});
    }
  }
  void thread(unsigned index) {
    if (index == 0) {
      write();
    } else {
      drain();
      drain();
    }
  }
  void after() {
    drain();
    RL_ASSERT(kept == kRecords);
  }
};

/// A slab that is there all the time is found while another is added before it and removed; that one is found
/// or not.
struct SlabsAreFoundWhileOthersChange : rl::test_suite<SlabsAreFoundWhileOthersChange, 2> {
  static constexpr size_t kBytes = 16;
  std::byte memory[4 * kBytes];
  forebay::memory::Slab stays;
  forebay::memory::Slab comes;
  forebay::memory::SlabMap map{4};

  void before() {
    comes.start = memory;
    comes.capacity_bytes = kBytes;
    stays.start = memory + 2 * kBytes;
    stays.capacity_bytes = kBytes;
    map.add(stays);
  }
  void thread(unsigned index) {
    if (index == 0) {
      map.add(comes);
      map.remove(comes);
      return;
    }
    RL_ASSERT(map.find(memory + 2 * kBytes) == &stays);
    const auto* found = map.find(memory);
    RL_ASSERT(found == nullptr || found == &comes);
    RL_ASSERT(map.find(memory + kBytes) == nullptr);
  }
};

struct ASpinLockExcludes : rl::test_suite<ASpinLockExcludes, 3> {
  forebay::memory::SpinLock lock;
  Plain<int> count{0};

  void thread(unsigned) {
    for (int i = 0; i < 2; ++i) {
      lock.lock();
      count = count + 1;
      lock.unlock();
    }
  }
  void after() { RL_ASSERT(count == 6); }
};

struct ThePeakIsTheHighest : rl::test_suite<ThePeakIsTheHighest, 3> {
  std::atomic<uint64_t> peak{0};

  void thread(unsigned index) {
    forebay::memory::raise_peak(&peak, index + 1);
    forebay::memory::raise_peak(&peak, 1);
    RL_ASSERT(peak.load(std::memory_order_relaxed) > index);
  }
  void after() { RL_ASSERT(peak.load() == 3); }
};

struct ACounterLosesNothing : rl::test_suite<ACounterLosesNothing, 3> {
  forebay::Counter counter;

  void thread(unsigned index) {
    counter.add(index + 1);
    counter.add(1);
  }
  void after() { RL_ASSERT(counter.value() == 9); }
};

/// A thread pushes two tasks and then drops the variable that they use; a worker looks and goes to sleep,
/// under the mutex of all who sort in. Nothing is forgotten, nothing comes twice, the tasks come in their
/// order and the variable behind them.
struct AnInboxForgetsNothing : rl::test_suite<AnInboxForgetsNothing, 2> {
  static constexpr unsigned kPusher = 0;

  // Only addresses count: nobody looks into a task or a variable.
  forebay::engine::Task* const tasks[2] = {reinterpret_cast<forebay::engine::Task*>(16),
                                           reinterpret_cast<forebay::engine::Task*>(32)};
  forebay::engine::VariableState* const variable = reinterpret_cast<forebay::engine::VariableState*>(48);

  forebay::engine::Inbox inbox;
  Mutex core;
  std::vector<forebay::engine::Task*> sorted;
  size_t dropped = 0;

  void sort_in() {
    forebay::engine::Inbox::Contents contents;
    inbox.take(contents);
    sorted.insert(sorted.end(), contents.tasks.begin(), contents.tasks.end());
    RL_ASSERT(contents.unhandled.empty() || sorted.size() == std::size(tasks));
    dropped += contents.unhandled.size();
  }
  void work() {
    core.lock();
    inbox.open();
    core.unlock();
    if (inbox.has_tasks()) {
      core.lock();
      sort_in();
      core.unlock();
    }
    core.lock();
    while (!inbox.close()) {
      sort_in();
    }
    core.unlock();
  }
  void push() {
    for (forebay::engine::Task* task : tasks) {
      if (inbox.put(task, {})) {
        core.lock();
        sort_in();
        core.unlock();
      }
    }
    inbox.put(variable);
  }
  void thread(unsigned index) {
    if (index == kPusher) {
      push();
    } else {
      work();
    }
  }
  void after() {
    RL_ASSERT(std::ranges::equal(sorted, tasks));
    sort_in();
    RL_ASSERT(dropped == 1);
  }
};

}  // namespace

int main() {
  bool passed = relacy_test::passes<RecordsArriveInOrder>("records arrive in order", 20000);
  passed &= relacy_test::passes<SlabsAreFoundWhileOthersChange>("slabs are found while others change", 20000,
                                                                relacy_test::Spins::kWithoutYield);
  passed &= relacy_test::passes<ASpinLockExcludes>("a spin lock excludes", 10000);
  passed &= relacy_test::passes<ThePeakIsTheHighest>("the peak is the highest", 10000);
  passed &= relacy_test::passes<AnInboxForgetsNothing>("an inbox forgets nothing", 20000);
  passed &= relacy_test::passes<ACounterLosesNothing>("a counter loses nothing", 5000);
  return passed ? 0 : 1;
}
