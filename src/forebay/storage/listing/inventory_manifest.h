// The manifest of an S3 Inventory: which files hold the rows, and what their columns are.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory-location.html
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Where a row's fields are, from 0; kNoColumn: the inventory does not have it. The default is that of a file
/// without a manifest.
struct InventoryColumns {
  static constexpr size_t kNoColumn = ~size_t{0};

  size_t bucket = 0;
  size_t key = 1;
  size_t size = 2;
  size_t modified = 3;
  size_t etag = 4;
  size_t is_latest = kNoColumn;
  size_t is_delete_marker = kNoColumn;

  bool operator==(const InventoryColumns&) const = default;
};

struct InventoryManifest {
  InventoryColumns columns;
  std::vector<std::string> files;  // their keys in the bucket that S3 wrote them to
};

/// invalid_argument for what is no manifest; unimplemented for inventories in ORC or Parquet.
Result<InventoryManifest> parse_inventory_manifest(std::string_view text);

/// The files of an inventory.
struct Inventory {
  InventoryColumns columns;
  std::vector<ObjectAddress> files;
};

/// `file` is a manifest, if it is named manifest.json, else a file of rows. A manifest's files are looked for
/// where S3 puts them, in the folder "data" beside the manifest's own, and also in "data" within that and
/// beside the manifest, as of one that was copied: not_found if one is nowhere. Blocks.
Result<Inventory> open_inventory(const ObjectAddress& file, const CallContext& context = {});

}  // namespace forebay::storage
