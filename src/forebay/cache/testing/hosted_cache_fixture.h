// The set-up of tests of a daemon in their own process.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/testing/hosted_cache.h"
#include "forebay/storage/blocking.h"

namespace forebay::cache::testing {

class HostedCacheTest : public ::testing::Test {
 protected:
  std::shared_ptr<HostStore> new_store() { return daemon_.new_store(); }
  storage::ObjectStat put(const std::string& key, const std::string& text) {
    return *storage::write_now(daemon_.upstream(), key, std::as_bytes(std::span(text)));
  }
  static std::string get(storage::ObjectStore& store, storage::ReadRequest request) {
    const Result<storage::ReadBytes> read = storage::read_now(store, std::move(request));
    return read.ok() ? storage::text_of(*read) : read.status().ToString();
  }

  TemporaryDirectory directory_;
  HostedCache daemon_{directory_.path()};
};

}  // namespace forebay::cache::testing
