// A store for one test, with its own registry, as "mem://set/".
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "forebay/dataset/source.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/store_registry.h"

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

inline std::string text_of(const tensor::Tensor& tensor) {
  return {static_cast<const char*>(tensor.data()), tensor.size_bytes()};
}

inline Bytes bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace forebay::dataset::testing
