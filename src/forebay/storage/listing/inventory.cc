#include "forebay/storage/listing/inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "forebay/net/url.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/listing/text_lines.h"
#include "forebay/storage/remote/wall_time.h"

namespace forebay::storage {
namespace {

constexpr size_t kMaxFields = 64;
constexpr size_t kStatsAtOnce = 1000;

/// One field of a line of CSV, and what follows it. Quoted fields hold commas, and quotes that are doubled.
Result<std::string> next_field(std::string_view& line) {
  std::string field;
  if (!line.starts_with('"')) {
    const size_t end = std::min(line.find(','), line.size());
    field = line.substr(0, end);
    line.remove_prefix(end);
    return field;
  }
  line.remove_prefix(1);
  while (true) {
    const size_t quote = line.find('"');
    if (quote == std::string_view::npos) {
      return invalid_argument("a quoted field has no end");
    }
    field += line.substr(0, quote);
    line.remove_prefix(quote + 1);
    if (!line.starts_with('"')) {
      return line.empty() || line.starts_with(',') ? Result<std::string>(std::move(field))
                                                   : invalid_argument("text follows a quoted field");
    }
    field += '"';
    line.remove_prefix(1);
  }
}

Result<std::vector<std::string>> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  while (true) {
    FOREBAY_ASSIGN_OR_RETURN(std::string field, next_field(line));
    fields.push_back(std::move(field));
    if (line.empty()) {
      return fields;
    }
    if (fields.size() == kMaxFields) {
      return invalid_argument("more than {} fields", kMaxFields);
    }
    line.remove_prefix(1);
  }
}

/// The field of a column; empty if the row ends before, or the inventory does not have it.
std::string take_field(std::vector<std::string>& fields, size_t column) {
  return column < fields.size() ? std::move(fields[column]) : std::string();
}

Result<uint64_t> parse_size(const std::string& text) {
  uint64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (!text.empty() && (error != std::errc() || end != text.data() + text.size())) {
    return invalid_argument("'{}' is no size", text);
  }
  return size;
}

Result<int64_t> parse_time(const std::string& text) {
  const std::optional<int64_t> time = text.empty() ? 0 : parse_iso_time(text);
  return time ? Result<int64_t>(*time) : invalid_argument("'{}' is no time", text);
}

/// Asks a store for the objects of a list, many at once.
class NamedObjects {
 public:
  NamedObjects(ObjectStore& store, const std::string& prefix, const CallContext& context, EntrySorter& sorter)
      : store_(store), prefix_(prefix), context_(context), sorter_(sorter) {}

  Status add(std::string_view name) {
    keys_.push_back(fmt::format("{}{}", prefix_, name));
    return keys_.size() == kStatsAtOnce ? flush() : ok_status();
  }

  Status flush() {
    for (const Result<ObjectStat>& stat : stat_many_now(store_, std::exchange(keys_, {}), context_)) {
      FOREBAY_RETURN_IF_ERROR(stat.status());
      NamedEntry entry = entry_of(*stat);
      entry.key.remove_prefix(prefix_.size());
      FOREBAY_RETURN_IF_ERROR(sorter_.add(entry));
    }
    return ok_status();
  }

 private:
  ObjectStore& store_;
  const std::string& prefix_;
  const CallContext& context_;
  EntrySorter& sorter_;
  std::vector<std::string> keys_;
};

/// Passes on the rows of one bucket.
class BucketRows {
 public:
  BucketRows(const std::string& bucket, const std::string& prefix, EntrySorter& sorter)
      : bucket_(bucket), prefix_(prefix), sorter_(sorter) {}

  Status add(InventoryRow row) {
    if (row.bucket != bucket_) {
      other_bucket_ = std::move(row.bucket);
      return ok_status();
    }
    is_found_ = true;
    if (!row.is_there || !row.key.starts_with(prefix_)) {
      return ok_status();
    }
    return sorter_.add({.key = std::string_view(row.key).substr(prefix_.size()),
                        .size_bytes = row.size_bytes,
                        .modified_ns = row.modified_ns,
                        .version = row.version});
  }

  Status finish(const ObjectAddress& file) const {
    return is_found_ || other_bucket_.empty()
               ? ok_status()
               : invalid_argument("{}: an inventory of the bucket '{}', not of '{}'", file.uri(),
                                  other_bucket_, bucket_);
  }

 private:
  const std::string& bucket_;
  const std::string& prefix_;
  EntrySorter& sorter_;
  std::string other_bucket_;
  bool is_found_ = false;
};

}  // namespace

Result<InventoryRow> parse_inventory_row(std::string_view line, const InventoryColumns& columns) {
  FOREBAY_ASSIGN_OR_RETURN(std::vector<std::string> fields, fields_of(line));
  if (fields.size() <= std::max(columns.bucket, columns.key)) {
    return invalid_argument("bucket and key are missing");
  }
  std::string key = take_field(fields, columns.key);
  std::ranges::replace(key, '+', ' ');
  InventoryRow row = {.bucket = take_field(fields, columns.bucket),
                      .version = take_field(fields, columns.etag)};
  FOREBAY_ASSIGN_OR_RETURN(row.key, net::percent_decoded(key));
  FOREBAY_ASSIGN_OR_RETURN(row.size_bytes, parse_size(take_field(fields, columns.size)));
  FOREBAY_ASSIGN_OR_RETURN(row.modified_ns, parse_time(take_field(fields, columns.modified)));
  row.is_there = take_field(fields, columns.is_latest) != "false" &&
                 take_field(fields, columns.is_delete_marker) != "true";
  return row;
}

FillEntries inventory_entries(ObjectAddress file, std::string bucket, std::string prefix,
                              CallContext context) {
  return [file = std::move(file), bucket = std::move(bucket), prefix = std::move(prefix),
          context = std::move(context)](EntrySorter& sorter) {
    FOREBAY_ASSIGN_OR_RETURN(const Inventory inventory, open_inventory(file, context));
    BucketRows rows(bucket, prefix, sorter);
    const auto take = [&](std::string_view line, uint64_t) {
      FOREBAY_ASSIGN_OR_RETURN(InventoryRow row, parse_inventory_row(line, inventory.columns));
      return rows.add(std::move(row));
    };
    for (const ObjectAddress& part : inventory.files) {
      FOREBAY_RETURN_IF_ERROR(each_line(part, take, context));
    }
    return rows.finish(file);
  };
}

FillEntries named_entries(ObjectStore& store, ObjectAddress file, std::string prefix, CallContext context) {
  return [&store, file = std::move(file), prefix = std::move(prefix),
          context = std::move(context)](EntrySorter& sorter) {
    NamedObjects objects(store, prefix, context, sorter);
    const auto take = [&](std::string_view line, uint64_t) { return objects.add(line); };
    FOREBAY_RETURN_IF_ERROR(each_line(file, take, context));
    return objects.flush();
  };
}

}  // namespace forebay::storage
