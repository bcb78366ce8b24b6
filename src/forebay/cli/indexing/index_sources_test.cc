#include "forebay/cli/indexing/index_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>

#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::cli {
namespace {

class IndexSources : public ::testing::Test {
 protected:
  IndexSources() { storage::default_registry().mount("mem://index-sources/", store_); }
  ~IndexSources() override { EXPECT_TRUE(storage::default_registry().unmount("mem://index-sources/").ok()); }
  void put(const std::string& key) {
    const std::string content = "no database";
    EXPECT_TRUE(storage::write_now(*store_, key, std::as_bytes(std::span(content))).ok());
  }
  static Status made(const std::string& source) {
    IndexRequest request;
    request.sources = {source};
    return make_source_of(request).status();
  }

  const std::shared_ptr<storage::FaultInjectingStore> store_ =
      std::make_shared<storage::FaultInjectingStore>(std::make_shared<storage::MemoryStore>());
};

TEST_F(IndexSources, AFolderWithADatabaseIsOne) {
  put("folder/data.mdb");
  EXPECT_THAT(std::string(message(made("mem://index-sources/folder"))), ::testing::HasSubstr("LMDB"));
}

TEST_F(IndexSources, AnOutageIsNoFolderOfClasses) {
  put("folder/class/a.jpg");
  EXPECT_TRUE(made("mem://index-sources/folder").ok());
  store_->fail_stats("folder/data.mdb", unavailable("mem://index-sources/folder/data.mdb: gone"));
  const Status status = made("mem://index-sources/folder");
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
}

}  // namespace
}  // namespace forebay::cli
