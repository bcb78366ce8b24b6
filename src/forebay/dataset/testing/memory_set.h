// A store for one test, with its own registry, as "mem://set/".
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "forebay/dataset/source.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::dataset::testing {

struct MemorySet {
  std::shared_ptr<storage::FaultInjectingStore> store =
      std::make_shared<storage::FaultInjectingStore>(std::make_shared<storage::MemoryStore>());
  storage::StoreRegistry registry;

  MemorySet() { registry.mount("mem://set/", store); }

  /// The object's URI.
  std::string put(const std::string& key, const std::string& content) {
    EXPECT_TRUE(storage::write_now(*store, key, std::as_bytes(std::span(content))).ok());
    return "mem://set/" + key;
  }
};

/// Reads every sample, and expects that each plan names what its read asks the store for, so that what is
/// fetched by a plan serves the read.
inline void expect_plans_of_what_is_read(const Source& source, storage::FaultInjectingStore& store) {
  for (int64_t index = 0; index < source.size(); ++index) {
    std::vector<PlannedRead> planned;
    source.plan(index, &planned);
    store.forget_reads();
    EXPECT_TRUE(read_now(source, index).ok());
    const std::vector<storage::FaultInjectingStore::ReadRecord> reads = store.reads();
    ASSERT_EQ(reads.size(), planned.size());
    for (size_t i = 0; i < reads.size(); ++i) {
      const storage::PlannedRange& range = planned[i].range;
      EXPECT_EQ(reads[i].key, range.key);
      EXPECT_EQ(reads[i].offset_bytes, range.offset_bytes);
      EXPECT_EQ(reads[i].length_bytes, range.is_to_end ? storage::kToEnd : range.length_bytes);
      EXPECT_EQ(reads[i].if_version, range.version);
    }
  }
}

inline std::string text_of(const tensor::Tensor& tensor) {
  return {static_cast<const char*>(tensor.data()), tensor.size_bytes()};
}

inline Bytes bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace forebay::dataset::testing
