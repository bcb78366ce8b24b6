// A table of items from what a plan knows.
#include <optional>
#include <utility>
#include <vector>

#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/items/item_rows.h"
#include "forebay/cache/items/item_table.h"
#include "forebay/cache/messages/host_messages.h"

namespace forebay::cache {
namespace {

constexpr uint64_t kBetweenLooks = 1024;

template <class Row>
void append_rows(std::string* image, const std::vector<Row>& rows) {
  image->append(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(Row));
}

/// Collects the tables from what a plan knows.
class TableMaker {
 public:
  TableMaker(const storage::DescribedItems& source, std::string_view prefix, const ItemTable::UriOf& uri_of)
      : source_(source), prefix_(prefix), uri_of_(uri_of) {}

  Status add_all(const std::function<bool()>& is_wanted) {
    shards_ = source_.stored_shards();
    if (source_.num_objects() > kMaxTableObjects || source_.num_items() > kMaxTableItems ||
        shards_.size() > kMaxTableShards) {
      return failed_precondition("a data set of {} objects and {} items", source_.num_objects(),
                                 source_.num_items());
    }
    items_.resize(source_.num_items());
    for (uint64_t number = 0; number < source_.num_objects(); ++number) {
      if (number % kBetweenLooks == 0 && !is_wanted()) {
        return cancelled("nobody wants the table any more");
      }
      FOREBAY_RETURN_IF_ERROR(add_object(number));
    }
    return add_order();
  }

  std::string take() {
    ItemTableHeader header = {.objects = objects_.size(),
                              .items = items_.size(),
                              .shards = shards_.size(),
                              .names_bytes = names_.size()};
    header.has_order = samples_.empty() ? 0 : 1;
    std::string image(sizeof(header), '\0');
    image.reserve(sizeof(header) + objects_.size() * sizeof(TableObjectRow) +
                  items_.size() * sizeof(TableItemRow) + 2 * samples_.size() * sizeof(uint32_t) +
                  shards_.size() * sizeof(uint64_t) + names_.size());
    append_rows(&image, objects_);
    append_rows(&image, items_);
    append_rows(&image, samples_);
    append_rows(&image, places_);
    append_rows(&image, shards_);
    image += names_;
    header.crc = table_crc(header, bytes_of(image).subspan(sizeof(header)));
    std::memcpy(image.data(), &header, sizeof(header));
    return image;
  }

 private:
  Status add_object(uint64_t number) {
    TableObjectRow& row = objects_.emplace_back();
    const std::optional<storage::PlannedObject> object = source_.object(number);
    const std::string uri = object ? uri_of_(object->key) : std::string();
    if (!object || uri.size() <= prefix_.size() || !uri.starts_with(prefix_) || uri.size() > kMaxNameBytes ||
        object->version.size() > kMaxNameBytes) {
      return ok_status();
    }
    const storage::ItemRun run = source_.items_in(number, 0, std::numeric_limits<uint64_t>::max());
    row = {.name_offset = names_.size(),
           .name_bytes = static_cast<uint32_t>(uri.size() - prefix_.size()),
           .version_bytes = static_cast<uint32_t>(object->version.size()),
           .first_item = run.first,
           .items = run.count};
    names_.append(uri, prefix_.size()).append(object->version);
    for (uint64_t item = run.first; item < run.first + run.count; ++item) {
      FOREBAY_RETURN_IF_ERROR(add_item(item, static_cast<uint32_t>(number)));
    }
    return ok_status();
  }

  Status add_item(uint64_t item, uint32_t object) {
    ranges_.clear();
    source_.ranges_of(item, &ranges_);
    if (ranges_.size() > 1 || item >= items_.size()) {
      return failed_precondition("item {} has {} ranges", item, ranges_.size());
    }
    TableItemRow& row = items_[item];
    row.object = object;
    if (!ranges_.empty()) {
      row.flags = kItemIsRead | (ranges_[0].is_to_end ? kItemIsToEnd : 0);
      row.offset_bytes = ranges_[0].offset_bytes;
      row.length_bytes = ranges_[0].length_bytes;
    } else {
      // What cannot be read still has its place among its neighbours.
      row.offset_bytes = item > 0 && items_[item - 1].object == object ? items_[item - 1].offset_bytes : 0;
    }
    return ok_status();
  }

  Status add_order() {
    bool is_identity = true;
    for (uint64_t item = 0; item < items_.size() && is_identity; ++item) {
      is_identity = source_.sample_of(item) == item;
    }
    if (is_identity) {
      return ok_status();
    }
    samples_.resize(items_.size());
    places_.resize(items_.size());
    for (uint64_t item = 0; item < items_.size(); ++item) {
      const uint64_t sample = source_.sample_of(item);
      if (sample >= items_.size()) {
        return failed_precondition("item {} is sample {} of {}", item, sample, items_.size());
      }
      samples_[item] = static_cast<uint32_t>(sample);
      places_[sample] = static_cast<uint32_t>(item);
    }
    return ok_status();
  }

  const storage::DescribedItems& source_;
  const std::string_view prefix_;
  const ItemTable::UriOf& uri_of_;
  std::vector<TableObjectRow> objects_;
  std::vector<TableItemRow> items_;
  std::vector<uint32_t> samples_;
  std::vector<uint32_t> places_;
  std::vector<uint64_t> shards_;
  std::string names_;
  std::vector<storage::PlannedRange> ranges_;
};

}  // namespace

Result<std::string> ItemTable::image_of(const storage::DescribedItems& items, std::string_view prefix,
                                        const UriOf& uri_of, const std::function<bool()>& is_wanted) {
  TableMaker maker(items, prefix, uri_of);
  FOREBAY_RETURN_IF_ERROR(maker.add_all(is_wanted));
  return maker.take();
}

}  // namespace forebay::cache
