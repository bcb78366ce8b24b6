// How a listing is divided among several streams, without a thread or a request of its own, so that tests can
// step it by hand.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// A page to be asked for. Whoever takes it asks, and gives it back with the page.
struct ListPiece {
  uint64_t id = 0;
  ListRequest request;
  std::unique_ptr<ListStream> stream;  // null: to be opened
};

/// Not thread safe.
class ListWork {
 public:
  virtual ~ListWork() = default;
  /// What can be asked for now, beside all that is under way. None: wait for a page; or, if nothing is under
  /// way, the listing is done.
  virtual std::optional<ListPiece> next() = 0;
  /// Takes the answer to a piece, and leaves in the page what belongs to the listing. Each name stays in
  /// exactly one page.
  virtual void take(ListPiece piece, ListPage& page) = 0;
};

/// Folder by folder: each that is found is a piece of work. Costs a page for each folder, and a page for each
/// thousand entries. Folders stay in the pages' prefixes.
std::unique_ptr<ListWork> folder_walk(ListRequest request);

/// By ranges of names, all objects at any depth, no folders. A stream that is free divides the range that has
/// most left: between folders, which a page with a delimiter tells, or where names read as numbers suggest.
/// Costs a page for each thousand objects, one for each division, and the pages with a delimiter; these are
/// together no more than the folders that were seen, or `spare_pages`.
std::unique_ptr<ListWork> key_ranges(ListRequest request, size_t streams, size_t spare_pages);

}  // namespace forebay::storage
