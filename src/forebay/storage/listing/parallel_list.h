// Lists a prefix with several streams at once. What takes a store across a network an hour page by page takes
// a few minutes, at the price of hardly more pages.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

struct ParallelListOptions {
  std::string prefix;
  size_t streams = 16;        // pages asked for at once; at most 16
  size_t spare_pages = 32;    // what dividing the names may cost where there are fewer folders than that
  bool names_only = false;    // see ListRequest
  bool with_folders = false;  // a page's prefixes are the folders below the prefix, each once
};

/// Passes everything below the prefix to `take`, in pages that are sorted in themselves but come in no order;
/// one call at a time, on several threads. A page's `is_last` means nothing. Memory does not grow with the
/// listing. Stores with directories, and listings with folders, are walked folder by folder; others are
/// divided into ranges of names (list_work.h says what either costs). Blocks. Ends with the first error, of
/// the store or of `take`, and names the prefix.
Status parallel_list(ObjectStore& store, const ParallelListOptions& options,
                     const std::function<Status(const ListPage& page)>& take,
                     const CallContext& context = {});

}  // namespace forebay::storage
