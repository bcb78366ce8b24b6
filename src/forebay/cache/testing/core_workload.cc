#include "forebay/cache/testing/core_workload.h"

#include <algorithm>

#include "forebay/cache/testing/patterned.h"
#include "forebay/storage/answer.h"

namespace forebay::cache {
namespace {

constexpr int kSmallObjects = 60;
constexpr int kFirstLarge = 1000;
constexpr int kLargeObjects = 3;
constexpr size_t kLargeBytes = (2 << 20) + 54'321;

size_t small_bytes(int number) {
  return 30'000 + static_cast<size_t>(number) * 977;
}

}  // namespace

storage::ReadBytes bytes_from(const std::string& text) {
  return *storage::copy_with_zeros(std::as_bytes(std::span(text)), kZerosBehind);
}

std::string content_of(int number, size_t bytes) {
  return testing::patterned(bytes, static_cast<uint64_t>(number));
}

ObjectVersion numbered_object(int number) {
  return {fmt::format("s3://bucket/{}", number), "v1"};
}

void put_whole(CacheCore& core, int number, size_t bytes) {
  core.insert(numbered_object(number), {.object_bytes = bytes}, bytes_from(content_of(number, bytes)));
}

void put_chunks(CacheCore& core, int number, size_t bytes) {
  const std::string content = content_of(number, bytes);
  for (uint64_t start = 0; start < bytes; start += kChunkBytes) {
    core.insert(numbered_object(number), {.start_bytes = start, .object_bytes = bytes, .is_chunk = true},
                bytes_from(content.substr(start, kChunkBytes)));
    core.flush();
  }
}

std::optional<std::string> get_range(CacheCore& core, int number, ByteRange range) {
  const std::optional<storage::ReadBytes> found = core.find(numbered_object(number), range).bytes;
  if (!found) {
    return std::nullopt;
  }
  return std::string(reinterpret_cast<const char*>(found->bytes.data()), found->bytes.size());
}

CacheOptions small_cache(const std::string& path, std::shared_ptr<FileSystem> files) {
  CacheOptions options;
  options.directories = {{.path = path, .quota_bytes = 4 << 20, .least_free_bytes = 0}};
  options.segment_bytes = 1 << 20;
  options.files = std::move(files);
  return options;
}

storage::ReadBytes whole_with_file(CacheCore& core, int number, size_t bytes) {
  storage::ReadBytes whole =
      core.find(numbered_object(number), {0, bytes}).bytes.value_or(storage::ReadBytes());
  core.add_file(numbered_object(number), &whole);
  return whole;
}

void do_core_work(CacheCore& core) {
  for (int i = 0; i < kLargeObjects; ++i) {
    put_chunks(core, kFirstLarge + i, kLargeBytes);
    whole_with_file(core, kFirstLarge + i, kLargeBytes);
    for (int j = i * kSmallObjects / kLargeObjects; j < (i + 1) * kSmallObjects / kLargeObjects; ++j) {
      put_whole(core, j, small_bytes(j));
      core.flush();
    }
  }
}

std::string wrong_bytes(CacheCore& core, int* found) {
  *found = 0;
  const auto compare = [&](int number, size_t bytes, ByteRange range) -> std::string {
    const std::optional<std::string> part = get_range(core, number, range);
    if (!part) {
      return {};
    }
    ++*found;
    const std::string expected = content_of(number, bytes).substr(range.offset_bytes, range.length_bytes);
    return *part == expected ? "" : fmt::format("object {} at {}", number, range.offset_bytes);
  };
  std::string wrong;
  for (int i = 0; i < kSmallObjects; ++i) {
    wrong += compare(i, small_bytes(i), {0, small_bytes(i)});
  }
  for (int i = kFirstLarge; i < kFirstLarge + kLargeObjects; ++i) {
    for (uint64_t start = 0; start < kLargeBytes; start += kChunkBytes) {
      wrong += compare(i, kLargeBytes, {start, std::min<uint64_t>(kChunkBytes, kLargeBytes - start)});
    }
  }
  return wrong;
}

}  // namespace forebay::cache
