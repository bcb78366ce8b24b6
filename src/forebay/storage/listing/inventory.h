// Inventories: what a store's owner wrote down about its objects, in place of a listing.
//
// CSV, as S3 Inventory writes it, plain or packed by gzip: bucket, key (percent-encoded), then what the
// manifest's schema says; without a manifest size, last modified (2026-11-23T06:40:00.000Z) and ETag, in that
// order, as far as they are there. Fields may be quoted.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory.html
#pragma once

#include <string>
#include <string_view>

#include "forebay/storage/listing/inventory_manifest.h"
#include "forebay/storage/listing/snapshot_refresh.h"

namespace forebay::storage {

struct InventoryRow {
  std::string bucket;
  std::string key;
  uint64_t size_bytes = 0;
  int64_t modified_ns = 0;
  std::string version;
  bool is_there = true;  // no older version, no mark of a removal
};

/// invalid_argument, which says what is wrong with the line.
Result<InventoryRow> parse_inventory_row(std::string_view line, const InventoryColumns& columns = {});

/// The rows of an inventory (see open_inventory) whose bucket is `bucket` and whose keys begin with `prefix`,
/// which is taken off. Errors name the file and the line; also if no row is of that bucket.
FillEntries inventory_entries(ObjectAddress file, std::string bucket, std::string prefix,
                              CallContext context = {});

/// A plain list: a key on each line, without the prefix. The store is asked for sizes and versions, a
/// thousand objects at once; not_found for one that it does not have.
FillEntries named_entries(ObjectStore& store, ObjectAddress file, std::string prefix,
                          CallContext context = {});

}  // namespace forebay::storage
