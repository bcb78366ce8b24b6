// Finds the slab that contains an address. Many threads look up without a lock while another adds and removes
// slabs (a sequence lock: a reader retries if a writer was active).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "forebay/memory/pool/sparse_array.h"

namespace forebay::memory {

using BlockId = uint32_t;

/// A range of memory that blocks are cut from. `block_at` maps a unit to the allocated block that begins
/// there; other entries are meaningless.
struct Slab {
  std::byte* start = nullptr;
  size_t bytes = 0;           // current size
  size_t capacity_bytes = 0;  // largest possible size
  BlockId first = 0;          // first block in memory; 0: none
  BlockId last = 0;
  SparseArray<BlockId> block_at;
};

/// find() is thread safe; add() and remove() need external locking. Slabs belong to the caller and must
/// outlive the map.
class SlabMap {
 public:
  explicit SlabMap(size_t most_slabs) : most_slabs_(most_slabs), entries_(most_slabs) {}

  bool is_usable() const { return !entries_.is_empty(); }

  /// The slab whose capacity contains the address; nullptr if there is none.
  Slab* find(const void* address) const {
    const auto wanted = reinterpret_cast<uintptr_t>(address);
    for (;;) {
      const uint32_t version = version_.load(std::memory_order_acquire);
      Slab* const slab = look_up(wanted);
      if (version % 2 == 0 && version_.load(std::memory_order_acquire) == version) {
        return slab;
      }
    }
  }

  bool is_full() const { return count_.load(std::memory_order_relaxed) == most_slabs_; }

  void add(Slab& slab) {
    const Entry entry = entry_of(slab);
    begin_change();
    size_t place = count_.load(std::memory_order_relaxed);
    for (; place > 0 && entries_[place - 1].start.load(std::memory_order_relaxed) > entry.start; --place) {
      store(place, load(place - 1));
    }
    store(place, entry);
    count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    end_change();
  }

  void remove(const Slab& slab) {
    begin_change();
    const size_t count = count_.load(std::memory_order_relaxed) - 1;
    size_t place = 0;
    while (load(place).slab != &slab) {
      ++place;
    }
    for (; place < count; ++place) {
      store(place, load(place + 1));
    }
    count_.store(count, std::memory_order_release);
    end_change();
  }

 private:
  struct Entry {
    uintptr_t start;
    uintptr_t end;
    Slab* slab;
  };
  struct AtomicEntry {
    std::atomic<uintptr_t> start;
    std::atomic<uintptr_t> end;
    std::atomic<Slab*> slab;
  };

  static Entry entry_of(Slab& slab) {
    const auto start = reinterpret_cast<uintptr_t>(slab.start);
    return {start, start + slab.capacity_bytes, &slab};
  }

  Slab* look_up(uintptr_t address) const {
    size_t low = 0;
    size_t high = count_.load(std::memory_order_acquire);
    while (low < high) {
      const size_t middle = (low + high) / 2;
      const Entry entry = load(middle);
      if (address < entry.start) {
        high = middle;
      } else if (address >= entry.end) {
        low = middle + 1;
      } else {
        return entry.slab;
      }
    }
    return nullptr;
  }

  Entry load(size_t place) const {
    const AtomicEntry& entry = entries_[place];
    return {entry.start.load(std::memory_order_acquire), entry.end.load(std::memory_order_acquire),
            entry.slab.load(std::memory_order_acquire)};
  }
  void store(size_t place, const Entry& entry) {
    entries_[place].start.store(entry.start, std::memory_order_release);
    entries_[place].end.store(entry.end, std::memory_order_release);
    entries_[place].slab.store(entry.slab, std::memory_order_release);
  }
  void begin_change() {
    version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  void end_change() {
    version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  const size_t most_slabs_;
  std::atomic<uint32_t> version_{0};
  std::atomic<size_t> count_{0};
  SparseArray<AtomicEntry> entries_;
};

}  // namespace forebay::memory
