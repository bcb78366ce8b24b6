// Content for tests of the cache's core, and work that reaches every place where it changes a disk.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "forebay/cache/core/cache_core.h"

namespace forebay::cache {

/// Bytes as an upstream would bring them.
storage::ReadBytes bytes_from(const std::string& text);

/// The content of the object with this number, of any length.
std::string content_of(int number, size_t bytes);

ObjectVersion numbered_object(int number);

void put_whole(CacheCore& core, int number, size_t bytes);
/// As chunks, each on disk before the next.
void put_chunks(CacheCore& core, int number, size_t bytes);
std::optional<std::string> get_range(CacheCore& core, int number, ByteRange range);

/// A view of a whole object, with the file that it lies in, if it is here.
storage::ReadBytes whole_with_file(CacheCore& core, int number, size_t bytes);

/// A cache so small that the work below evicts.
CacheOptions small_cache(const std::string& path, std::shared_ptr<FileSystem> files);

/// Fills segments and objects' files, hands these out, evicts from them and removes them. Each step is on
/// disk before the next.
void do_core_work(CacheCore& core);

/// Asks for everything that the work inserts. Returns what differs, or an empty text; `found` counts what is
/// there.
std::string wrong_bytes(CacheCore& core, int* found);

}  // namespace forebay::cache
