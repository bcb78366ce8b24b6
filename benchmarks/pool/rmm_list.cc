// The bookkeeping of RMM's pool, written anew from its description: one mutex, a list of free blocks for each
// stream in the order of their addresses, kept by linear search, joined with its neighbours; the best fit
// found by a walk over the whole list. Left out, in its favour: the event that it records at each return, and
// other streams' lists.
#include <algorithm>
#include <list>
#include <map>
#include <mutex>

#include "pool/holes.h"

namespace {

constexpr size_t kPoolBytes = size_t{2} << 30;
constexpr size_t kAlignment = 256;

struct FreeBlock {
  char* start;
  size_t bytes;

  bool is_before(const FreeBlock& other) const { return start + bytes == other.start; }
};

class FreeList {
 public:
  // The smallest block that fits; its rest stays.
  char* take(size_t bytes) {
    const auto fits_better = [bytes](const FreeBlock& a, const FreeBlock& b) {
      return a.bytes >= bytes && (b.bytes < bytes || a.bytes < b.bytes);
    };
    const auto best = std::min_element(blocks_.begin(), blocks_.end(), fits_better);
    if (best == blocks_.end() || best->bytes < bytes) {
      return nullptr;
    }
    const FreeBlock found = *best;
    blocks_.erase(best);
    if (found.bytes > bytes) {
      insert({found.start + bytes, found.bytes - bytes});
    }
    return found.start;
  }

  void insert(const FreeBlock& block) {
    const auto next = std::find_if(blocks_.begin(), blocks_.end(),
                                   [&](const FreeBlock& other) { return block.start < other.start; });
    const auto previous = next == blocks_.begin() ? blocks_.end() : std::prev(next);
    const bool joins_previous = previous != blocks_.end() && previous->is_before(block);
    const bool joins_next = next != blocks_.end() && block.is_before(*next);
    if (joins_previous && joins_next) {
      previous->bytes += block.bytes + next->bytes;
      blocks_.erase(next);
    } else if (joins_previous) {
      previous->bytes += block.bytes;
    } else if (joins_next) {
      *next = {block.start, block.bytes + next->bytes};
    } else {
      blocks_.insert(next, block);
    }
  }

 private:
  std::list<FreeBlock> blocks_;
};

class RmmPool {
 public:
  // Half of the memory for each of two streams; addresses only, nothing is touched.
  RmmPool() {
    for (uint32_t stream = 0; stream < 2; ++stream) {
      streams_[stream].insert({reinterpret_cast<char*>(kPoolBytes * (stream + 1)), kPoolBytes});
    }
  }

  void* allocate(size_t bytes, uint32_t stream) {
    std::lock_guard lock(mutex_);
    return streams_[stream].take(aligned(bytes));
  }

  void deallocate(void* pointer, size_t bytes, uint32_t stream) {
    std::lock_guard lock(mutex_);
    streams_[stream].insert({static_cast<char*>(pointer), aligned(bytes)});
  }

 private:
  static size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

  std::mutex mutex_;
  std::map<uint32_t, FreeList> streams_;
};

}  // namespace

int main(int argc, char** argv) {
  RmmPool pool;
  pool_benchmark::run(contender::read_task(argc, argv), {{"RMM's list, written anew", "26.08"}}, pool);
  return 0;
}
