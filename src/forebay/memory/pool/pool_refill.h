// What BasicPool does if a queue's cache has nothing that fits, cheapest step first. Part of
// pool_definitions.h.
#pragma once

#include <algorithm>

#include "forebay/memory/pool/pool.h"
#include "forebay/memory/pool/pool_report.h"

namespace forebay::memory {

template <class Checks, class Ordering>
Result<BlockId> BasicPool<Checks, Ordering>::take_from_heap(PoolQueue& queue, uint32_t units) {
  BlockId id = take_owned(queue, units);
  if (id == kNoBlock) [[unlikely]] {
    id = take_all(queue, units);
    if (id == kNoBlock) {
      return exhausted(queue, units);
    }
  }
  ++counts_.allocations;
  counts_.out_bytes += heap_.block(id).units * kUnitBytes;
  counts_.peak_bytes = std::max(counts_.peak_bytes, counts_.reserved_bytes - heap_.free_units() * kUnitBytes);
  return id;
}

// Tries one step after the other until something fits.
template <class Checks, class Ordering>
BlockId BasicPool<Checks, Ordering>::take_all(PoolQueue& queue, uint32_t units) {
  flush(queue);
  BlockId id = take_or_absorb(queue, units);
  if (id == kNoBlock) {
    id = take_from_others(queue, units);
  }
  if (id == kNoBlock && flush_all()) {
    id = take_or_absorb(queue, units);
    if (id == kNoBlock) {
      id = take_from_others(queue, units);
    }
  }
  const uint64_t bytes = units * kUnitBytes;
  if (id == kNoBlock && grow(bytes, &queue)) {
    id = take_or_absorb(queue, units);
  }
  if (id == kNoBlock && heap_.free_units() >= units) {
    gather(queue);
    id = heap_.take(queue.owner, units, /*thorough=*/true);
    if (id == kNoBlock && release_pieces(bytes) && grow(bytes, &queue)) {
      id = take_or_absorb(queue, units);
    }
  }
  return id;
}

template <class Checks, class Ordering>
BlockId BasicPool<Checks, Ordering>::take_owned(const PoolQueue& queue, uint32_t units) {
  const BlockId id = heap_.take(queue.owner, units);
  return id == kNoBlock && queue.owner != kEverybody ? heap_.take(kEverybody, units) : id;
}

template <class Checks, class Ordering>
BlockId BasicPool<Checks, Ordering>::take_or_absorb(const PoolQueue& queue, uint32_t units) {
  const BlockId id = take_owned(queue, units);
  if (id != kNoBlock || queue.owner == kEverybody || !heap_.absorb(queue.owner)) {
    return id;
  }
  return take_owned(queue, units);
}

// The host takes only blocks that queues have finished using; a queue takes a block and waits behind its last
// use.
template <class Checks, class Ordering>
BlockId BasicPool<Checks, Ordering>::take_from_others(PoolQueue& queue, uint32_t units) {
  if (queue.owner == kEverybody) {
    share_finished();
    return take_owned(queue, units);
  }
  for (OwnerId turn = 1; turn <= queue_count_; ++turn) {
    const auto owner = static_cast<OwnerId>((queue.id + turn - 1) % queue_count_ + 1);
    if (owner == queue.owner || heap_.free_units(owner) < units) {
      continue;
    }
    const BlockId id = heap_.take(owner, units);
    if (id == kNoBlock) {
      continue;
    }
    if (Ordering::enforces(OrderingSite::kSteal) &&
        !order_behind(queue, queue_by_id(owner), heap_.block(id).last_use)) {
      heap_.put(id, owner);
      continue;
    }
    ++counts_.steals;
    return id;
  }
  return kNoBlock;
}

template <class Checks, class Ordering>
bool BasicPool<Checks, Ordering>::flush(PoolQueue& queue) {
  std::vector<BlockId> blocks;
  {
    std::lock_guard lock(queue.lock);
    queue.cache.empty_into(blocks);
  }
  for (const BlockId id : blocks) {
    heap_.put(id, queue.owner);
  }
  return !blocks.empty();
}

template <class Checks, class Ordering>
bool BasicPool<Checks, Ordering>::flush_all() {
  bool any = false;
  for (OwnerId id = 1; id <= queue_count_; ++id) {
    any = flush(queue_by_id(id)) || any;
  }
  return any;
}

// Grows enough for `bytes`, counting free memory at the end that the new memory joins.
template <class Checks, class Ordering>
bool BasicPool<Checks, Ordering>::grow(uint64_t bytes, const PoolQueue* queue) {
  if (source_->is_contiguous() && !slabs_.empty() && slabs_[0]->last != kNoBlock) {
    const Block& last = heap_.block(slabs_[0]->last);
    if (last.is_free && (last.owner == kEverybody || (queue != nullptr && last.owner == queue->owner))) {
      bytes -= std::min(bytes, last.units * kUnitBytes);
    }
  }
  const uint64_t unit = source_->unit_bytes();
  const uint64_t needed = std::max(unit, (bytes + unit - 1) / unit * unit);
  const uint64_t left = options_.maximum_bytes - counts_.reserved_bytes;
  if (needed > left) {
    return false;
  }
  const uint64_t wanted = std::min(left, std::max(needed, options_.growth_bytes / unit * unit));
  return add_piece(wanted) || (wanted > needed && add_piece(needed));
}

template <class Checks, class Ordering>
bool BasicPool<Checks, Ordering>::add_piece(size_t bytes) {
  const Result<std::byte*> piece = source_->grow(bytes);
  if (!piece.ok()) {
    refusal_ = piece.status();
    return false;
  }
  if (source_->is_contiguous() && !slabs_.empty()) {
    heap_.extend_slab(*slabs_[0], bytes);
  } else {
    auto slab = std::make_unique<Slab>();
    slab->start = *piece;
    slab->bytes = bytes;
    slab->capacity_bytes = source_->is_contiguous() ? options_.maximum_bytes : bytes;
    if (!heap_.add_slab(*slab)) {
      source_->shrink(*piece, bytes, Fence{});
      refusal_ = resource_exhausted("no room for the table of {} more bytes", bytes);
      return false;
    }
    slabs_.push_back(std::move(slab));
  }
  counts_.reserved_bytes += bytes;
  ++counts_.growths;
  return true;
}

template <class Checks, class Ordering>
void BasicPool<Checks, Ordering>::release(Slab& slab) {
  Fence last_use;
  const Block& whole = heap_.block(slab.first);
  if (whole.owner != kEverybody && Ordering::enforces(OrderingSite::kReturn)) {
    last_use = fence_behind(queue_by_id(whole.owner), whole.last_use);
  }
  heap_.remove_slab(slab);
  counts_.reserved_bytes -= slab.bytes;
  source_->shrink(slab.start, slab.bytes, last_use);
  std::erase_if(slabs_, [&](const std::unique_ptr<Slab>& other) { return other.get() == &slab; });
}

// Returns free pieces upstream if that makes room for one of `bytes`.
template <class Checks, class Ordering>
bool BasicPool<Checks, Ordering>::release_pieces(uint64_t bytes) {
  if (source_->is_contiguous()) {
    return false;
  }
  const uint64_t room = options_.maximum_bytes - counts_.reserved_bytes;
  uint64_t more = 0;
  std::vector<Slab*> whole;
  for (const std::unique_ptr<Slab>& slab : slabs_) {
    if (heap_.block(slab->first).is_free && slab->first == slab->last) {
      whole.push_back(slab.get());
      more += slab->bytes;
    }
  }
  const uint64_t unit = source_->unit_bytes();
  if (room + more < (bytes + unit - 1) / unit * unit) {
    return false;
  }
  for (Slab* const slab : whole) {
    release(*slab);
  }
  return true;
}

template <class Checks, class Ordering>
size_t BasicPool<Checks, Ordering>::shrink_tail() {
  Slab& slab = *slabs_[0];
  if (slab.last == kNoBlock) {
    return 0;
  }
  const Block& last = heap_.block(slab.last);
  const size_t bytes = last.is_free && last.owner == kEverybody
                           ? last.units * kUnitBytes / source_->unit_bytes() * source_->unit_bytes()
                           : 0;
  if (bytes > 0) {
    heap_.shorten_slab(slab, bytes);
    source_->shrink(slab.start + slab.bytes, bytes, Fence{});
    counts_.reserved_bytes -= bytes;
  }
  return bytes;
}

template <class Checks, class Ordering>
size_t BasicPool<Checks, Ordering>::trim() {
  std::lock_guard lock(mutex_);
  flush_all();
  share_finished();
  size_t given_back = 0;
  if (!source_->is_contiguous()) {
    const uint64_t before = counts_.reserved_bytes;
    (void)release_pieces(0);
    return before - counts_.reserved_bytes;
  }
  given_back += slabs_.empty() ? 0 : shrink_tail();
  for (const BlockId id : heap_.free_blocks(kEverybody)) {
    Block& block = heap_.block(id);
    if (!block.is_clean) {
      given_back += source_->empty(block.start, block.units * kUnitBytes);
      block.is_clean = true;
      block.is_poisoned = false;
    }
  }
  return given_back;
}

template <class Checks, class Ordering>
Status BasicPool<Checks, Ordering>::exhausted(const PoolQueue& queue, uint32_t units) const {
  PoolReport report{.name = options_.name,
                    .asked_bytes = units * kUnitBytes,
                    .queue = queue.queue,
                    .maximum_bytes = options_.maximum_bytes,
                    .reserved_bytes = counts_.reserved_bytes,
                    .refusal = refusal_};
  for (OwnerId owner = 0; owner < heap_.owners(); ++owner) {
    for (const BlockId id : heap_.free_blocks(owner)) {
      report.hole_bytes.push_back(heap_.block(id).units * kUnitBytes);
    }
  }
  return exhausted_status(std::move(report));
}

}  // namespace forebay::memory
