#include "forebay/engine/graph/block_cache.h"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "forebay/base/prefetch.h"
#include "forebay/base/sanitizers.h"
#include "forebay/base/sync/fork.h"
#include "forebay/base/sync/mutex.h"

namespace forebay::engine {
namespace {

// The sanitizers track blocks by the thread that took and gave them.
constexpr bool kKeepsBlocks = !kIsSanitized;

constexpr size_t kClassBytes = 64;
constexpr size_t kClasses = 8;  // up to 512 bytes
constexpr size_t kMagazineBlocks = 63;
constexpr size_t kChunkBytes = size_t{64} << 10;

constexpr size_t bytes_of(size_t index) {
  return (index + 1) * kClassBytes;
}

void* new_block(size_t index) {
  return ::operator new(bytes_of(index), std::align_val_t{kClassBytes});
}

void delete_block(void* block) {
  ::operator delete(block, std::align_val_t{kClassBytes});
}

/// Pages that blocks of one class are cut from; aligned to its own size.
struct Chunk {
  size_t free_blocks = 0;  // counts free blocks during a trim, or is one of:
  static constexpr size_t kKept = static_cast<size_t>(-1);
  static constexpr size_t kReturned = static_cast<size_t>(-2);

  static Chunk& of(void* block) {
    return *reinterpret_cast<Chunk*>(reinterpret_cast<uintptr_t>(block) & ~(kChunkBytes - 1));
  }
  static constexpr size_t capacity(size_t index) { return kChunkBytes / bytes_of(index) - 1; }
  void* block(size_t place, size_t index) {
    return reinterpret_cast<char*>(this) + (place + 1) * bytes_of(index);
  }
};

static_assert(sizeof(Chunk) <= kClassBytes);

/// A stack of free blocks. It keeps their addresses beside the blocks, so the next ones can be prefetched
/// from the cache of the processor that used them last.
class Magazine {
 public:
  bool is_empty() const { return count_ == 0; }
  bool is_full() const { return count_ == blocks_.size(); }
  void push(void* block) { blocks_[count_++] = block; }
  void* pop(size_t bytes) {
    void* const block = blocks_[--count_];
    if (count_ >= kAhead) {
      prefetch(blocks_[count_ - kAhead], bytes);
    }
    return block;
  }
  std::span<void* const> blocks() const { return std::span(blocks_).first(count_); }

 private:
  static constexpr size_t kAhead = 4;

  size_t count_ = 0;
  std::array<void*, kMagazineBlocks> blocks_;
};

std::atomic<size_t> mapped_bytes{0};

void* map_pages(size_t bytes) {
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) {
    throw std::bad_alloc();
  }
  mapped_bytes.fetch_add(bytes, std::memory_order_relaxed);
  return pages;
}

void unmap_pages(void* pages, size_t bytes) {
  munmap(pages, bytes);
  mapped_bytes.fetch_sub(bytes, std::memory_order_relaxed);
}

/// Maps `bytes` bytes, aligned to `bytes`.
void* map_aligned_pages(size_t bytes) {
  char* const pages = static_cast<char*>(map_pages(2 * bytes));
  const size_t before = -reinterpret_cast<uintptr_t>(pages) & (bytes - 1);
  if (before > 0) {
    unmap_pages(pages, before);
  }
  unmap_pages(pages + before + bytes, bytes - before);
  return pages + before;
}

using MagazinePointer = std::unique_ptr<Magazine>;

/// The free blocks of one class that no thread holds, and the source of new ones.
class Depot {
 public:
  explicit Depot(size_t index) : index_(index) { keep_usable_in_child(mutex_.native()); }

  /// Returns a magazine with at least one block.
  MagazinePointer take() {
    const MutexLock lock(mutex_);
    if (!magazines_.empty()) {
      MagazinePointer magazine = std::move(magazines_.back());
      magazines_.pop_back();
      note_count();
      return magazine;
    }
    return cut_new();
  }

  void give(MagazinePointer magazine) {
    if (!magazine->is_empty()) {
      const MutexLock lock(mutex_);
      magazines_.push_back(std::move(magazine));
      note_count();
    }
  }

  /// Returns pages to the system while more than `kept_bytes` are free.
  void trim(size_t kept_bytes) {
    if (count_.load(std::memory_order_relaxed) * kMagazineBlocks * bytes_of(index_) <= kept_bytes) {
      return;
    }
    const MutexLock lock(mutex_);
    std::vector<void*> blocks;
    for (; !magazines_.empty(); magazines_.pop_back()) {
      const std::span<void* const> some = magazines_.back()->blocks();
      blocks.insert(blocks.end(), some.begin(), some.end());
    }
    return_chunks(blocks, kept_bytes);
    keep(blocks);
    note_count();
  }

 private:
  void note_count() FOREBAY_REQUIRES(mutex_) { count_.store(magazines_.size(), std::memory_order_relaxed); }

  MagazinePointer cut_new() FOREBAY_REQUIRES(mutex_) {
    if (chunk_ == nullptr || cut_ == Chunk::capacity(index_)) {
      chunk_ = new (map_aligned_pages(kChunkBytes)) Chunk;
      cut_ = 0;
    }
    auto magazine = std::make_unique_for_overwrite<Magazine>();
    while (!magazine->is_full() && cut_ < Chunk::capacity(index_)) {
      magazine->push(chunk_->block(cut_++, index_));
    }
    return magazine;
  }

  /// Removes from `blocks` those whose chunk is entirely free, and unmaps these chunks.
  void return_chunks(std::vector<void*>& blocks, size_t most_kept_bytes) FOREBAY_REQUIRES(mutex_) {
    const Chunk* const cut = chunk_;
    for (void* block : blocks) {
      Chunk::of(block).free_blocks = 0;
    }
    for (void* block : blocks) {
      ++Chunk::of(block).free_blocks;
    }
    size_t kept_bytes = 0;
    std::vector<Chunk*> returned;
    std::erase_if(blocks, [&](void* block) {
      Chunk& chunk = Chunk::of(block);
      if (chunk.free_blocks == Chunk::capacity(index_) && &chunk != cut && kept_bytes >= most_kept_bytes) {
        chunk.free_blocks = Chunk::kReturned;
        returned.push_back(&chunk);
      }
      if (chunk.free_blocks == Chunk::kReturned) {
        return true;
      }
      if (chunk.free_blocks != Chunk::kKept) {
        chunk.free_blocks = Chunk::kKept;
        kept_bytes += kChunkBytes;
      }
      return false;
    });
    for (Chunk* chunk : returned) {
      unmap_pages(chunk, kChunkBytes);
    }
  }

  void keep(const std::vector<void*>& blocks) FOREBAY_REQUIRES(mutex_) {
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (i % kMagazineBlocks == 0) {
        magazines_.push_back(std::make_unique_for_overwrite<Magazine>());
      }
      magazines_.back()->push(blocks[i]);
    }
  }

  const size_t index_;
  Mutex mutex_;
  std::vector<MagazinePointer> magazines_ FOREBAY_GUARDED_BY(mutex_);
  std::atomic<size_t> count_{0};                       // number of magazines; written under mutex_
  Chunk* chunk_ FOREBAY_GUARDED_BY(mutex_) = nullptr;  // the chunk that blocks are cut from
  size_t cut_ FOREBAY_GUARDED_BY(mutex_) = 0;          // number of blocks cut from chunk_ so far
};

// Never destroyed, because threads may outlive the process's statics.
Depot& depot(size_t index) {
  static auto* const depots = [] {
    auto* const made = new std::deque<Depot>;
    for (size_t i = 0; i < kClasses; ++i) {
      made->emplace_back(i);
    }
    return made;
  }();
  return (*depots)[index];
}

struct Magazines {
  MagazinePointer loaded = std::make_unique_for_overwrite<Magazine>();
  MagazinePointer previous = std::make_unique_for_overwrite<Magazine>();  // full or empty
};

/// The cache of one thread.
struct Cache {
  std::array<Magazines, kClasses> classes;
};

// Two variables, so that the one read for each block needs neither a guard nor a destructor.
constinit thread_local Cache* cache = nullptr;
constinit thread_local bool is_cache_gone = false;

/// Hands the thread's blocks to others when the thread ends.
struct CacheOwner {
  Cache owned;

  CacheOwner() { cache = &owned; }
  ~CacheOwner() {
    cache = nullptr;
    is_cache_gone = true;
    for (size_t index = 0; index < kClasses; ++index) {
      depot(index).give(std::move(owned.classes[index].loaded));
      depot(index).give(std::move(owned.classes[index].previous));
    }
  }
};

/// Returns nullptr on a thread whose thread_local objects are gone.
Cache* make_cache() {
  if (!is_cache_gone) {
    thread_local CacheOwner owner;
    cache = &owner.owned;
  }
  return cache;
}

constexpr size_t class_of(size_t bytes) {
  return (bytes - 1) / kClassBytes;
}

void* take_from_others(Magazines& magazines, size_t index) {
  std::swap(magazines.loaded, magazines.previous);
  if (magazines.loaded->is_empty()) {
    magazines.loaded = depot(index).take();
  }
  return magazines.loaded->pop(bytes_of(index));
}

void make_room(Magazines& magazines, size_t index) {
  if (!magazines.previous->is_empty()) {
    depot(index).give(std::exchange(magazines.previous, std::make_unique_for_overwrite<Magazine>()));
  }
  std::swap(magazines.loaded, magazines.previous);
}

/// For threads whose thread_local objects are gone.
void* take_without_cache(size_t index) {
  MagazinePointer magazine = depot(index).take();
  void* const block = magazine->pop(bytes_of(index));
  if (!magazine->is_empty()) {
    depot(index).give(std::move(magazine));
  }
  return block;
}

void give_without_cache(void* block, size_t index) {
  auto magazine = std::make_unique_for_overwrite<Magazine>();
  magazine->push(block);
  depot(index).give(std::move(magazine));
}

}  // namespace

void trim_blocks(size_t kept_bytes) {
  for (size_t index = 0; index < kClasses; ++index) {
    depot(index).trim(kept_bytes);
  }
}

size_t block_bytes() {
  return mapped_bytes.load(std::memory_order_relaxed);
}

void* take_block(size_t bytes) {
  const size_t index = class_of(bytes);
  if (!kKeepsBlocks || index >= kClasses) {
    return new_block(index);
  }
  if (cache == nullptr && make_cache() == nullptr) [[unlikely]] {
    return take_without_cache(index);
  }
  Magazines& magazines = cache->classes[index];
  return magazines.loaded->is_empty() ? take_from_others(magazines, index)
                                      : magazines.loaded->pop(bytes_of(index));
}

void give_block(void* block, size_t bytes) noexcept {
  const size_t index = class_of(bytes);
  if (!kKeepsBlocks || index >= kClasses) {
    delete_block(block);
    return;
  }
  if (cache == nullptr && make_cache() == nullptr) [[unlikely]] {
    give_without_cache(block, index);
    return;
  }
  Magazines& magazines = cache->classes[index];
  if (magazines.loaded->is_full()) {
    make_room(magazines, index);
  }
  magazines.loaded->push(block);
}

}  // namespace forebay::engine
