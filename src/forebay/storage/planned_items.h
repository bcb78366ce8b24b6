// What a plan reads, as items of a data set. With it a store that holds bytes of the data set can compute
// when each of them is read next, by this plan and by every other plan of the same data set. Sources without
// an index have no items; their plans give ranges only.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace forebay::storage {

struct PlannedRange {
  std::string key;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
  std::string version;  // empty: whatever is there
  /// The reader asks for all that follows the offset, which was `length_bytes` when it was indexed.
  bool is_to_end = false;
};

/// An object as the index knows it.
struct PlannedObject {
  std::string key;
  std::string version;  // empty if its store has none
};

/// The items [first, first + count).
struct ItemRun {
  uint64_t first = 0;
  uint64_t count = 0;

  friend bool operator==(const ItemRun&, const ItemRun&) = default;
};

inline constexpr uint64_t kNeverRead = std::numeric_limits<uint64_t>::max();

/// The positions [begin, end) of an epoch's order.
struct EpochPart {
  uint64_t epoch = 0;
  uint64_t begin = 0;
  uint64_t end = 0;

  friend bool operator==(const EpochPart&, const EpochPart&) = default;
};

/// Where a stream begins that goes on from others: what these have left, over all ranks. By default at the
/// start of epoch 0.
struct StreamBegin {
  uint64_t first_epoch = 0;
  uint64_t first_whole_epoch = 0;  // from here on nothing was read yet
  std::vector<EpochPart> left;     // of the epochs before it, in order

  friend bool operator==(const StreamBegin&, const StreamBegin&) = default;
};

/// Plain data from which another process can make the same plan, given the index: what is read at a position
/// is a pure function of it. The epoch is part of the position, which counts from the stream's begin. The
/// fields of the order are those of dataset/order/order.h.
struct PlanDescription {
  uint64_t data_set = 0;  // PlannedItems::data_set()
  std::string index;      // path or URI of the data set's index; empty: it is only in this process's memory
  std::string root;       // what relative object names of the index start from
  uint64_t num_items = 0;
  uint64_t seed = 0;
  uint32_t num_shards = 1;
  uint32_t shard_id = 0;
  uint32_t batch_size = 1;  // only used with pad_last_batch
  bool random_shuffle = false;
  bool shard_first = false;
  bool shuffle_after_epoch = false;
  bool stick_to_shard = false;
  bool pad_last_batch = false;
  StreamBegin begin;

  friend bool operator==(const PlanDescription&, const PlanDescription&) = default;
};

/// Items are numbered in the order in which they are stored, so those in one part of an object are a run.
/// Immutable; thread safe; no I/O.
class PlannedItems {
 public:
  virtual ~PlannedItems() = default;

  virtual PlanDescription description() const = 0;
  /// A hash of the index: of the samples, where they are, and the versions of their objects. Plans with the
  /// same value number their items in the same way.
  virtual uint64_t data_set() const = 0;
  virtual uint64_t num_items() const = 0;

  /// Any position of an endless stream.
  virtual uint64_t item_at(uint64_t position) const = 0;
  /// Returns the smallest position in [from, before) at which `item` is read, or kNeverRead. Costs O(1) for
  /// each epoch between the two. Reads outside the order, of samples that replace broken ones, do not count.
  virtual uint64_t next_position(uint64_t item, uint64_t from, uint64_t before) const = 0;

  /// Appends the ranges of an item, as ReadPlan::ranges() does for its position.
  virtual void ranges_of(uint64_t item, std::vector<PlannedRange>* ranges) const = 0;
  /// The objects that hold items are numbered, too.
  virtual uint64_t num_objects() const = 0;
  /// Returns nothing for an object that is in another store, or was missing when the index was made.
  virtual std::optional<PlannedObject> object(uint64_t number) const = 0;
  /// Returns the items that have bytes in a part of an object. O(log n).
  virtual ItemRun items_in(uint64_t object, uint64_t offset_bytes, uint64_t length_bytes) const = 0;
};

}  // namespace forebay::storage
