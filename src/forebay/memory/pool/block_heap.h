// The blocks of a pool: how its memory is divided, and which pieces are free. All records are kept beside the
// memory, never in it, so the memory may be inaccessible to the host.
//
// A free block belongs to an owner: owner 0 is everybody, the others are queues that may still use it. Each
// owner has free lists by size class. Free neighbours of one owner are always merged. Each request is cut
// from the front of a block of the smallest class that surely fits. Every operation takes a constant number
// of steps, however many holes there are.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "forebay/memory/pool/pool_ordering.h"
#include "forebay/memory/pool/size_class.h"
#include "forebay/memory/pool/slab_map.h"

namespace forebay::memory {

inline constexpr size_t kUnitBytes = 256;  // sizes are rounded up to this, as in CUDA's allocator
inline constexpr BlockId kNoBlock = 0;

using OwnerId = uint16_t;
inline constexpr OwnerId kEverybody = 0;

struct Block {
  std::byte* start;
  Stamp last_use;
  Slab* slab;
  BlockId previous, next;  // neighbours in memory
  BlockId free_previous, free_next;
  uint32_t units;
  uint32_t
      spare_bytes;  // of an allocated block: its size minus the requested size; only kept if checks need it
  OwnerId owner;    // for a free block
  OwnerId user;     // for an allocated block: the queue it was allocated on
  bool is_free;     // whether it is in a free list
  bool is_clean;    // untouched since it came from the system
  bool is_poisoned;
  bool is_out;  // allocated; only kept if checks need it
};
static_assert(sizeof(Block) == 64);

/// Not thread safe, except that find() and block() may be called at any time for allocated blocks.
template <class Ordering>
class BlockHeap {
 public:
  explicit BlockHeap(size_t maximum_bytes)
      : blocks_(maximum_bytes / kUnitBytes + 2), slabs_(std::min(kMaxSlabs, maximum_bytes / kPageBytes + 1)) {
    add_owner(kEverybody);
  }

  BlockHeap(const BlockHeap&) = delete;
  BlockHeap& operator=(const BlockHeap&) = delete;

  bool is_usable() const { return !blocks_.is_empty() && slabs_.is_usable(); }
  Block& block(BlockId id) { return blocks_[id]; }
  const Block& block(BlockId id) const { return blocks_[id]; }

  /// Returns the allocated block that begins at `pointer`; kNoBlock for most other addresses (addresses
  /// inside a block are not always detected).
  BlockId find(const void* pointer) const {
    const Slab* const slab = slabs_.find(pointer);
    if (slab == nullptr) {
      return kNoBlock;
    }
    const auto offset = static_cast<size_t>(static_cast<const std::byte*>(pointer) - slab->start);
    return offset % kUnitBytes == 0 ? slab->block_at[offset / kUnitBytes] : kNoBlock;
  }

  /// Makes room for an owner's free lists, so that put() needs no memory. Call it before blocks are put.
  void add_owner(OwnerId owner) {
    if (owner >= bins_.size()) {
      bins_.resize(owner + size_t{1});
    }
    if (!bins_[owner]) {
      bins_[owner] = std::make_unique<Bins>();
    }
  }

  /// Adds a slab as one free block of owner 0. The slab's start and sizes must be set. Returns false if there
  /// is no room for its table.
  bool add_slab(Slab& slab) {
    slab.block_at = SparseArray<BlockId>(slab.capacity_bytes / kUnitBytes);
    if (slab.block_at.is_empty() || slabs_.is_full()) {
      return false;
    }
    slabs_.add(slab);
    put(append(slab, slab.start, slab.bytes), kEverybody);
    return true;
  }

  /// Adds `bytes` of memory at the slab's end.
  void extend_slab(Slab& slab, size_t bytes) {
    const BlockId id = append(slab, slab.start + slab.bytes, bytes);
    slab.bytes += bytes;
    put(id, kEverybody);
  }

  /// Removes memory at the slab's end, which must be part of a free block.
  void shorten_slab(Slab& slab, size_t bytes) {
    const BlockId id = slab.last;
    const auto units = static_cast<uint32_t>(bytes / kUnitBytes);
    unlink(id);
    slab.bytes -= bytes;
    if (blocks_[id].units > units) {
      blocks_[id].units -= units;
      link(id);
      return;
    }
    slab.last = blocks_[id].previous;
    (slab.last == kNoBlock ? slab.first : blocks_[slab.last].next) = kNoBlock;
    drop(id);
  }

  /// Removes a slab whose memory has been freed.
  void remove_slab(Slab& slab) {
    for (BlockId id = slab.first; id != kNoBlock;) {
      const BlockId next = blocks_[id].next;
      if (blocks_[id].is_free) {
        unlink(id);
      }
      drop(id);
      id = next;
    }
    slabs_.remove(slab);
    slab.block_at = SparseArray<BlockId>();
  }

  /// Takes a block of at least `units` from the owner's free lists and cuts it to size; kNoBlock if there is
  /// none. If no class surely fits, it searches a few blocks of the class that may fit, or all of them if
  /// `thorough`.
  BlockId take(OwnerId owner, uint32_t units, bool thorough = false) {
    Bins* const bins = bins_of(owner);
    if (bins == nullptr) {
      return kNoBlock;
    }
    const uint32_t size_class = bins->map.first_from(ceil_class(units));
    const BlockId id = size_class != kNoClass ? bins->heads[size_class] : look_among(*bins, units, thorough);
    if (id != kNoBlock) {
      unlink(id);
      cut(id, units, owner);
    }
    return id;
  }

  /// Adds a block to the owner's free lists and merges it with free neighbours of the same owner.
  void put(BlockId id, OwnerId owner) {
    Block& block = blocks_[id];
    block.owner = owner;
    if (is_free_of(block.next, owner)) {
      unlink(block.next);
      join(id, block.next);
    }
    if (is_free_of(block.previous, owner)) {
      const BlockId previous = block.previous;
      unlink(previous);
      join(previous, id);
      id = previous;
    }
    link(id);
  }

  /// Moves a free block to another owner.
  void move(BlockId id, OwnerId owner) {
    unlink(id);
    put(id, owner);
  }

  /// Merges the owner's free blocks with adjacent blocks of owner 0; returns whether any was.
  bool absorb(OwnerId owner) {
    bool any = false;
    for (const BlockId id : free_blocks(owner)) {
      if (!blocks_[id].is_free || blocks_[id].owner != owner) {
        continue;  // already merged with an earlier one
      }
      const bool after = is_free_of(blocks_[id].next, kEverybody);
      const bool before = is_free_of(blocks_[id].previous, kEverybody);
      if (after) {
        move(blocks_[id].next, owner);
      } else if (before) {
        move(blocks_[id].previous, owner);
      }
      any = any || after || before;
    }
    return any;
  }

  std::vector<BlockId> free_blocks(OwnerId owner) const {
    std::vector<BlockId> found;
    const Bins* const bins = bins_of(owner);
    if (bins == nullptr) {
      return found;
    }
    found.reserve(bins->blocks);
    for (uint32_t c = bins->map.first_from(0); c != kNoClass; c = bins->map.first_from(c + 1)) {
      for (BlockId id = bins->heads[c]; id != kNoBlock; id = blocks_[id].free_next) {
        found.push_back(id);
      }
    }
    return found;
  }

  size_t owners() const { return bins_.size(); }
  uint64_t free_units(OwnerId owner) const { return bins_of(owner) == nullptr ? 0 : bins_of(owner)->units; }
  uint64_t free_units() const { return free_units_; }

 private:
  struct Bins {
    ClassMap map;
    uint64_t units = 0;
    size_t blocks = 0;
    std::array<BlockId, kSizeClasses> heads{};
  };
  static constexpr int kFewBlocks = 8;
  static constexpr size_t kMaxSlabs = 65536;

  Bins* bins_of(OwnerId owner) const { return owner < bins_.size() ? bins_[owner].get() : nullptr; }

  bool is_free_of(BlockId id, OwnerId owner) const {
    return id != kNoBlock && blocks_[id].is_free && blocks_[id].owner == owner;
  }

  // Some blocks of the class just below those that surely fit are large enough.
  BlockId look_among(const Bins& bins, uint32_t units, bool thorough) const {
    int looked = 0;
    for (BlockId id = bins.heads[floor_class(units)]; id != kNoBlock; id = blocks_[id].free_next) {
      if (blocks_[id].units >= units) {
        return id;
      }
      if (++looked == kFewBlocks && !thorough) {
        break;
      }
    }
    return kNoBlock;
  }

  void link(BlockId id) {
    Block& block = blocks_[id];
    Bins& bins = *bins_[block.owner];
    const uint32_t size_class = floor_class(block.units);
    BlockId& head = bins.heads[size_class];
    block.is_free = true;
    block.free_previous = kNoBlock;
    block.free_next = head;
    if (head != kNoBlock) {
      blocks_[head].free_previous = id;
    } else {
      bins.map.set(size_class);
    }
    head = id;
    ++bins.blocks;
    bins.units += block.units;
    free_units_ += block.units;
  }

  void unlink(BlockId id) {
    Block& block = blocks_[id];
    Bins& bins = *bins_[block.owner];
    const uint32_t size_class = floor_class(block.units);
    if (block.free_next != kNoBlock) {
      blocks_[block.free_next].free_previous = block.free_previous;
    }
    if (block.free_previous != kNoBlock) {
      blocks_[block.free_previous].free_next = block.free_next;
    } else {
      bins.heads[size_class] = block.free_next;
      if (block.free_next == kNoBlock) {
        bins.map.clear(size_class);
      }
    }
    block.is_free = false;
    --bins.blocks;
    bins.units -= block.units;
    free_units_ -= block.units;
  }

  // Cuts off everything beyond `units` as a free block behind this one, with the same last use.
  void cut(BlockId id, uint32_t units, OwnerId owner) {
    if (blocks_[id].units > units) {
      const BlockId rest = make_record();
      Block& block = blocks_[id];
      Block& behind = blocks_[rest];
      behind = block;
      behind.start = block.start + units * kUnitBytes;
      behind.units = block.units - units;
      behind.previous = id;
      behind.owner = owner;
      (behind.next == kNoBlock ? block.slab->last : blocks_[behind.next].previous) = rest;
      block.next = rest;
      block.units = units;
      link(rest);
    }
    const Block& block = blocks_[id];
    block.slab->block_at[static_cast<size_t>(block.start - block.slab->start) / kUnitBytes] = id;
  }

  // Appends the block behind to the one before it; neither is in a list.
  void join(BlockId before, BlockId behind) {
    Block& block = blocks_[before];
    const Block& other = blocks_[behind];
    block.units += other.units;
    block.next = other.next;
    block.last_use = later_of<Ordering>(block.last_use, other.last_use);
    block.is_clean = block.is_clean && other.is_clean;
    block.is_poisoned = block.is_poisoned && other.is_poisoned;
    (block.next == kNoBlock ? block.slab->last : blocks_[block.next].previous) = before;
    drop(behind);
  }

  BlockId append(Slab& slab, std::byte* start, size_t bytes) {
    const BlockId id = make_record();
    blocks_[id] = {.start = start,
                   .slab = &slab,
                   .previous = slab.last,
                   .units = static_cast<uint32_t>(bytes / kUnitBytes),
                   .is_clean = true};
    (slab.last == kNoBlock ? slab.first : blocks_[slab.last].next) = id;
    slab.last = id;
    return id;
  }

  BlockId make_record() {
    if (unused_ == kNoBlock) {
      return ++used_;
    }
    const BlockId id = unused_;
    unused_ = blocks_[id].free_next;
    return id;
  }

  void drop(BlockId id) {
    blocks_[id].free_next = unused_;
    unused_ = id;
  }

  SparseArray<Block> blocks_;
  std::vector<std::unique_ptr<Bins>> bins_;
  SlabMap slabs_;
  BlockId unused_ = kNoBlock;  // free list of records whose blocks were merged into others
  BlockId used_ = 0;
  uint64_t free_units_ = 0;
};

}  // namespace forebay::memory
