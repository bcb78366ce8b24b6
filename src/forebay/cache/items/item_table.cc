#include "forebay/cache/items/item_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "forebay/cache/items/item_rows.h"
#include "forebay/cache/messages/host_messages.h"

namespace forebay::cache {
namespace {

Status not_a_table(std::string_view what) {
  return data_loss("a table of a data set's items: {}", what);
}

}  // namespace

Result<std::shared_ptr<const ItemTable>> ItemTable::open(Bytes image, std::shared_ptr<const void> owner) {
  if (image.size() < sizeof(ItemTableHeader)) {
    return not_a_table("too short");
  }
  const ItemTableHeader header = load_row<ItemTableHeader>(image.data(), 0);
  const bool is_in_limits = header.magic == kItemTableMagic && header.objects <= kMaxTableObjects &&
                            header.items > 0 && header.items <= kMaxTableItems &&
                            header.shards <= kMaxTableShards && header.names_bytes <= image.size() &&
                            header.has_order <= 1;
  if (!is_in_limits) {
    return not_a_table("its header makes no sense");
  }
  const uint64_t objects_bytes = header.objects * sizeof(TableObjectRow);
  const uint64_t items_bytes = header.items * sizeof(TableItemRow);
  const uint64_t order_bytes = header.has_order * 2 * header.items * sizeof(uint32_t);
  const uint64_t shards_bytes = header.shards * sizeof(uint64_t);
  const uint64_t tables_bytes = objects_bytes + items_bytes + order_bytes + shards_bytes;
  if (sizeof(ItemTableHeader) + tables_bytes + header.names_bytes != image.size()) {
    return not_a_table("its length is not what its header says");
  }
  const Bytes content = image.subspan(sizeof(ItemTableHeader));
  if (table_crc(header, content) != header.crc) {
    return not_a_table("its checksum is wrong");
  }
  std::shared_ptr<ItemTable> table(new ItemTable);
  table->image_ = image;
  table->owner_ = std::move(owner);
  table->num_objects_ = header.objects;
  table->num_items_ = header.items;
  table->objects_ = content.data();
  table->items_ = content.data() + objects_bytes;
  table->samples_ = header.has_order == 0 ? nullptr : content.data() + objects_bytes + items_bytes;
  table->shards_ = content.subspan(objects_bytes + items_bytes + order_bytes, shards_bytes);
  table->names_ = content.subspan(tables_bytes);
  FOREBAY_RETURN_IF_ERROR(table->check_objects());
  FOREBAY_RETURN_IF_ERROR(table->check_items());
  FOREBAY_RETURN_IF_ERROR(table->check_order());
  FOREBAY_RETURN_IF_ERROR(table->check_shards());
  return table;
}

/// An object's items are its own, and lie in order.
Status ItemTable::check_objects() const {
  for (uint64_t number = 0; number < num_objects_; ++number) {
    const auto row = load_row<TableObjectRow>(objects_, number);
    const uint64_t text_bytes = uint64_t{row.name_bytes} + row.version_bytes;
    if (row.name_bytes > kMaxNameBytes || row.version_bytes > kMaxNameBytes ||
        row.name_offset > names_.size() || text_bytes > names_.size() - row.name_offset) {
      return not_a_table("an object has no name");
    }
    if (row.first_item > num_items_ || row.items > num_items_ - row.first_item ||
        (row.name_bytes == 0 && row.items > 0)) {
      return not_a_table("an object's items are not there");
    }
    uint64_t last_offset = 0;
    for (uint64_t item = row.first_item; item < row.first_item + row.items; ++item) {
      const auto at = load_row<TableItemRow>(items_, item);
      if (at.object != number || at.offset_bytes < last_offset) {
        return not_a_table("an object's items are out of order");
      }
      last_offset = at.offset_bytes;
    }
  }
  return ok_status();
}

Status ItemTable::check_items() const {
  for (uint64_t item = 0; item < num_items_; ++item) {
    const auto row = load_row<TableItemRow>(items_, item);
    if (row.flags > (kItemIsRead | kItemIsToEnd) || row.offset_bytes > kMaxItemOffset ||
        row.length_bytes > kMaxItemOffset) {
      return not_a_table("an item makes no sense");
    }
    if ((row.flags & kItemIsRead) == 0) {
      continue;
    }
    if (row.object >= num_objects_) {
      return not_a_table("an item is in no object");
    }
    const auto object = load_row<TableObjectRow>(objects_, row.object);
    if (item < object.first_item || item - object.first_item >= object.items) {
      return not_a_table("an item is not one of its object's");
    }
  }
  return ok_status();
}

/// Each sample is one item, and each item one sample.
Status ItemTable::check_order() const {
  for (uint64_t item = 0; samples_ != nullptr && item < num_items_; ++item) {
    const uint64_t sample = sample_of(item);
    if (sample >= num_items_ || item_of(sample) != item) {
      return not_a_table("its samples are not its items");
    }
  }
  return ok_status();
}

/// Each sample is in one shard, if any is.
Status ItemTable::check_shards() const {
  uint64_t left = shards_.empty() ? 0 : num_items_;
  uint64_t empty = 0;
  for (const uint64_t samples : stored_shards()) {
    empty += samples == 0 ? 1 : 0;
    if (samples > left) {
      return not_a_table("its shards have more samples than there are");
    }
    left -= samples;
  }
  if (empty > kMaxEmptyShards) {
    return not_a_table("most of its shards are empty");
  }
  return left == 0 ? ok_status() : not_a_table("some samples are in no shard");
}

std::vector<uint64_t> ItemTable::stored_shards() const {
  std::vector<uint64_t> shards(shards_.size() / sizeof(uint64_t));
  std::ranges::copy(shards_, std::as_writable_bytes(std::span(shards)).begin());
  return shards;
}

ItemTable::Object ItemTable::object(uint64_t number) const {
  const auto row = load_row<TableObjectRow>(objects_, number);
  const char* const name = reinterpret_cast<const char*>(names_.data()) + row.name_offset;
  return {.name = {name, row.name_bytes},
          .version = {name + row.name_bytes, row.version_bytes},
          .items = {row.first_item, row.items}};
}

std::optional<ItemTable::Item> ItemTable::item(uint64_t item) const {
  const auto row = load_row<TableItemRow>(items_, item);
  if ((row.flags & kItemIsRead) == 0) {
    return std::nullopt;
  }
  return Item{row.object, row.offset_bytes, row.length_bytes, (row.flags & kItemIsToEnd) != 0};
}

uint64_t ItemTable::first_from(const storage::ItemRun& run, uint64_t offset_bytes) const {
  uint64_t begin = run.first;
  uint64_t end = run.first + run.count;
  while (begin < end) {
    const uint64_t middle = begin + (end - begin) / 2;
    if (load_row<TableItemRow>(items_, middle).offset_bytes < offset_bytes) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

storage::ItemRun ItemTable::items_in(uint64_t number, uint64_t offset_bytes, uint64_t length_bytes) const {
  const storage::ItemRun run = object(number).items;
  const uint64_t longest = std::numeric_limits<uint64_t>::max() - offset_bytes;
  uint64_t first = first_from(run, offset_bytes);
  while (first > run.first) {
    const auto before = load_row<TableItemRow>(items_, first - 1);
    if (before.offset_bytes + before.length_bytes <= offset_bytes) {
      break;
    }
    --first;
  }
  const uint64_t end = first_from(run, offset_bytes + std::min(length_bytes, longest));
  return {first, std::max(first, end) - first};
}

uint64_t ItemTable::sample_of(uint64_t item) const {
  return samples_ == nullptr ? item : load_row<uint32_t>(samples_, item);
}

uint64_t ItemTable::item_of(uint64_t sample) const {
  return samples_ == nullptr ? sample : load_row<uint32_t>(samples_ + num_items_ * sizeof(uint32_t), sample);
}

std::string_view prefix_of(std::string_view uri) {
  const size_t end = uri.find("://");
  return end == std::string_view::npos ? std::string_view() : uri.substr(0, end + 3);
}

}  // namespace forebay::cache
