// The blocks of a pool: how its memory is cut up, and which pieces are free. Everything about a block is kept
// beside the memory, never in it, so the memory may be one that the host cannot touch.
//
// A free block belongs to an owner: 0 is everybody, others are queues that may still use it. Each owner has
// free lists by size class. Free neighbours of one owner are always joined, each request is cut from the
// front of the smallest class that surely fits, and all of it takes the same few instructions however many
// holes there are.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "forebay/memory/pool/pool_ordering.h"
#include "forebay/memory/pool/size_class.h"
#include "forebay/memory/pool/slab_map.h"

namespace forebay::memory {

inline constexpr size_t kUnitBytes = 256;  // what sizes are rounded to, as CUDA's allocator does
inline constexpr BlockId kNoBlock = 0;

using OwnerId = uint16_t;
inline constexpr OwnerId kEverybody = 0;

struct Block {
  std::byte* start;
  Stamp last_use;
  Slab* slab;
  BlockId previous, next;  // in memory
  BlockId free_previous, free_next;
  uint32_t units;
  uint32_t
      spare_bytes;  // of a block that is out: its size less what was asked for; kept only where it is checked
  OwnerId owner;    // of a free block
  OwnerId user;     // of a block that is out: the queue it was handed to
  bool is_free;     // in a free list
  bool is_clean;    // not touched since the system gave it
  bool is_poisoned;
  bool is_out;  // kept only where it is checked
};
static_assert(sizeof(Block) == 64);

/// Not thread safe, but for find() and block(), which may be called at any time for blocks that are out.
template <class Ordering>
class BlockHeap {
 public:
  explicit BlockHeap(size_t maximum_bytes)
      : blocks_(maximum_bytes / kUnitBytes + 2),
        slabs_(std::min(kMostSlabs, maximum_bytes / kPageBytes + 1)) {}

  BlockHeap(const BlockHeap&) = delete;
  BlockHeap& operator=(const BlockHeap&) = delete;

  bool is_usable() const { return !blocks_.is_empty() && slabs_.is_usable(); }
  Block& block(BlockId id) { return blocks_[id]; }
  const Block& block(BlockId id) const { return blocks_[id]; }

  /// The block that is out and begins there; kNoBlock for other addresses (not surely for those inside a
  /// block).
  BlockId find(const void* pointer) const {
    const Slab* const slab = slabs_.find(pointer);
    if (slab == nullptr) {
      return kNoBlock;
    }
    const auto offset = static_cast<size_t>(static_cast<const std::byte*>(pointer) - slab->start);
    return offset % kUnitBytes == 0 ? slab->block_at[offset / kUnitBytes] : kNoBlock;
  }

  /// A new slab as one free block of everybody's; false when there is no room for its table. The slab's start
  /// and sizes are set.
  bool add_slab(Slab& slab) {
    slab.block_at = SparseArray<BlockId>(slab.capacity_bytes / kUnitBytes);
    if (slab.block_at.is_empty() || slabs_.is_full()) {
      return false;
    }
    slabs_.add(slab);
    put(append(slab, slab.start, slab.bytes), kEverybody);
    return true;
  }

  /// More memory at the slab's end.
  void extend_slab(Slab& slab, size_t bytes) {
    const BlockId id = append(slab, slab.start + slab.bytes, bytes);
    slab.bytes += bytes;
    put(id, kEverybody);
  }

  /// Less memory at the slab's end, which must be part of a free block.
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

  /// Forgets a slab whose memory is gone.
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

  /// A block of at least `units` from the owner's free ones, taken out of its list and cut to size; kNoBlock
  /// when there is none. Looks at a few blocks of the class that may fit when no class surely does; at all of
  /// them with `thorough`.
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

  /// Puts a block into the owner's free ones and joins it with free neighbours of the same owner.
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

  /// Joins the owner's blocks with everybody's beside them; true when any was.
  bool absorb(OwnerId owner) {
    bool any = false;
    for (const BlockId id : free_blocks(owner)) {
      if (!blocks_[id].is_free || blocks_[id].owner != owner) {
        continue;  // joined with one before
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
  static constexpr size_t kMostSlabs = 65536;

  Bins* bins_of(OwnerId owner) const { return owner < bins_.size() ? bins_[owner].get() : nullptr; }

  Bins& make_bins(OwnerId owner) {
    if (owner >= bins_.size()) {
      bins_.resize(owner + size_t{1});
    }
    if (!bins_[owner]) {
      bins_[owner] = std::make_unique<Bins>();
    }
    return *bins_[owner];
  }

  bool is_free_of(BlockId id, OwnerId owner) const {
    return id != kNoBlock && blocks_[id].is_free && blocks_[id].owner == owner;
  }

  // The class just below those that surely fit holds some blocks that do.
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
    Bins& bins = make_bins(block.owner);
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

  // What is beyond `units` becomes a free block behind this one, with the same last use.
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

  // The block behind becomes part of the one before it; neither is in a list.
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
  BlockId unused_ = kNoBlock;  // records of blocks that were joined to others
  BlockId used_ = 0;
  uint64_t free_units_ = 0;
};

}  // namespace forebay::memory
