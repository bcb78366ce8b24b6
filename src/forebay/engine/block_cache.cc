#include "forebay/engine/block_cache.h"

#include <array>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "forebay/base/fork.h"

namespace forebay::engine {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeepsBlocks = false;  // the sanitizers know blocks by who took and gave them
#else
constexpr bool kKeepsBlocks = true;
#endif

constexpr size_t kClassBytes = 64;
constexpr size_t kClasses = 8;  // up to 512 bytes
constexpr int kMagazineBlocks = 32;
constexpr size_t kMostMagazines = 64;  // of a class, that no thread holds

struct Block {
  Block* next;
};

/// A stack of free blocks.
struct Magazine {
  Block* top = nullptr;
  int count = 0;

  void push(void* memory) {
    top = new (memory) Block{top};
    ++count;
  }
  void* pop() {
    --count;
    return std::exchange(top, top->next);
  }
  void free_all() {
    while (count > 0) {
      ::operator delete(pop());
    }
  }
};

/// Full magazines that no thread holds.
class Depot {
 public:
  Depot() { keep_usable_in_child(mutex_); }

  Magazine take(size_t index) {
    const std::lock_guard lock(mutex_);
    std::vector<Magazine>& kept = kept_[index];
    if (kept.empty()) {
      return {};
    }
    const Magazine magazine = kept.back();
    kept.pop_back();
    return magazine;
  }

  void give(size_t index, Magazine magazine) {
    {
      const std::lock_guard lock(mutex_);
      if (kept_[index].size() < kMostMagazines) {
        kept_[index].push_back(magazine);
        return;
      }
    }
    magazine.free_all();
  }

 private:
  std::mutex mutex_;
  std::array<std::vector<Magazine>, kClasses> kept_;
};

// Never destroyed: threads may outlive the statics of the process.
Depot& depot() {
  static auto* instance = new Depot;
  return *instance;
}

struct Magazines {
  Magazine loaded;
  Magazine previous;  // full or empty
};

/// Of one thread.
struct Cache {
  std::array<Magazines, kClasses> classes;
  bool is_gone = false;

  ~Cache() {
    is_gone = true;
    for (Magazines& magazines : classes) {
      magazines.loaded.free_all();
      magazines.previous.free_all();
    }
  }
};

thread_local Cache cache;

constexpr size_t class_of(size_t bytes) {
  return (bytes - 1) / kClassBytes;
}

void* take_from_others(Magazines& magazines, size_t index) {
  std::swap(magazines.loaded, magazines.previous);
  if (magazines.loaded.count == 0) {
    magazines.loaded = depot().take(index);
  }
  return magazines.loaded.count > 0 ? magazines.loaded.pop() : ::operator new((index + 1) * kClassBytes);
}

void make_room(Magazines& magazines, size_t index) {
  if (magazines.previous.count > 0) {
    depot().give(index, magazines.previous);
    magazines.previous = {};
  }
  std::swap(magazines.loaded, magazines.previous);
}

}  // namespace

void* take_block(size_t bytes) {
  const size_t index = class_of(bytes);
  if (!kKeepsBlocks || index >= kClasses || cache.is_gone) {
    return ::operator new((index + 1) * kClassBytes);
  }
  Magazines& magazines = cache.classes[index];
  return magazines.loaded.count > 0 ? magazines.loaded.pop() : take_from_others(magazines, index);
}

void give_block(void* block, size_t bytes) noexcept {
  const size_t index = class_of(bytes);
  if (!kKeepsBlocks || index >= kClasses || cache.is_gone) {
    ::operator delete(block);
    return;
  }
  Magazines& magazines = cache.classes[index];
  if (magazines.loaded.count == kMagazineBlocks) {
    make_room(magazines, index);
  }
  magazines.loaded.push(block);
}

}  // namespace forebay::engine
