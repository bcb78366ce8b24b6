// The items of a data set as one run of bytes, so that a process can hand them to its host's cache: which
// objects there are, which item lies where in them, which sample of the order each item is, and how many
// samples each shard has.
//
//   header | objects (fixed width) | items (fixed width, as they are stored) | order of the samples | shards
//     | names
//
// Little-endian, with a CRC-32C over header and content. Opening checks every number, so that afterwards none
// points outside the tables.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/storage/described_items.h"

namespace forebay::cache {

/// Immutable; thread safe.
class ItemTable {
 public:
  /// The URI of the object that a key names.
  using UriOf = std::function<std::string(const std::string& key)>;

  /// Goes once through all items. Objects are named by their URIs, without `prefix`; those whose URI does not
  /// begin with it are left out, and those of other stores, too. cancelled if `is_wanted` says no,
  /// failed_precondition if an item has several ranges.
  static Result<std::string> image_of(const storage::DescribedItems& items, std::string_view prefix,
                                      const UriOf& uri_of, const std::function<bool()>& is_wanted);

  /// `image` must stay as it is for as long as `owner` lives. data_loss if it is no table.
  static Result<std::shared_ptr<const ItemTable>> open(Bytes image, std::shared_ptr<const void> owner);

  uint64_t num_items() const { return num_items_; }
  uint64_t num_objects() const { return num_objects_; }
  size_t bytes() const { return image_.size(); }

  struct Object {
    std::string_view name;  // the URI without the prefix; empty: not in this store
    std::string_view version;
    storage::ItemRun items;
  };
  /// `number` below num_objects().
  Object object(uint64_t number) const;

  struct Item {
    uint64_t object = 0;
    uint64_t offset_bytes = 0;
    uint64_t length_bytes = 0;
    bool is_to_end = false;
  };
  /// Where an item lies; nothing if it is not read from this store. `item` below num_items().
  std::optional<Item> item(uint64_t item) const;
  /// The items that have bytes in a part of an object; where items overlap each other, a few others may be
  /// among them. O(log n).
  storage::ItemRun items_in(uint64_t object, uint64_t offset_bytes, uint64_t length_bytes) const;

  /// Both below num_items().
  uint64_t sample_of(uint64_t item) const;
  uint64_t item_of(uint64_t sample) const;
  /// See DescribedItems.
  std::vector<uint64_t> stored_shards() const;

 private:
  ItemTable() = default;

  Status check_objects() const;
  Status check_items() const;
  Status check_order() const;
  Status check_shards() const;
  uint64_t first_from(const storage::ItemRun& run, uint64_t offset_bytes) const;

  Bytes image_;
  std::shared_ptr<const void> owner_;
  uint64_t num_items_ = 0;
  uint64_t num_objects_ = 0;
  const std::byte* objects_ = nullptr;
  const std::byte* items_ = nullptr;
  const std::byte* samples_ = nullptr;  // by item, then the items by sample; null: items are stored in order
  Bytes shards_;
  Bytes names_;
};

/// What a table leaves out at the beginning of each URI: its scheme, with "://". Empty if there is none.
std::string_view prefix_of(std::string_view uri);

}  // namespace forebay::cache
