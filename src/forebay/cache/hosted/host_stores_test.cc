#include "forebay/cache/hosted/host_stores.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::cache {
namespace {

class HostStoresTest : public ::testing::Test {
 protected:
  CachedAddress find(int token) {
    OpenStore settings;
    settings.use.variables = {{"TOKEN", std::to_string(token)}};
    return *stores_->find("mem://bucket/k", settings);
  }

  /// As the variables of the last call say.
  std::optional<storage::StoreVariables> variables_;
  const std::shared_ptr<HostStores> stores_ = std::make_shared<HostStores>(
      *Cache::open({}),
      [this](const std::string&, const storage::StoreUse& use) -> Result<storage::ObjectAddress> {
        variables_ = use.variables;
        return storage::ObjectAddress{std::make_shared<storage::MemoryStore>(), "k"};
      },
      nullptr, nullptr, steady_clock());
};

TEST_F(HostStoresTest, OpensWithTheVariablesOfWhoAsks) {
  find(7);
  EXPECT_EQ(variables_, (storage::StoreVariables{{"TOKEN", "7"}}));
}

TEST_F(HostStoresTest, ThoseThatNobodyHasUsedForLongGo) {
  const TemporaryDirectory directory;
  for (const bool has_journal : {false, true}) {
    if (has_journal) {
      const auto none = [](const std::string&, const std::string&) -> Result<OpenStore> {
        return not_found("no mounts");
      };
      ASSERT_TRUE(stores_->open_journal(directory / "journal", none).ok());
    }
    const int first = has_journal ? 10'000 : 0;
    const CachedAddress held = find(first);
    std::vector<std::weak_ptr<storage::ObjectStore>> upstreams;
    for (int token = 1; token <= 2 * static_cast<int>(HostStores::kMaxKept); ++token) {
      upstreams.push_back(find(first + token).upstream);
    }
    EXPECT_TRUE(upstreams.front().expired());
    EXPECT_FALSE(upstreams.back().expired());
    size_t kept = 0;
    for (const auto& upstream : upstreams) {
      kept += upstream.expired() ? 0 : 1;
    }
    EXPECT_EQ(kept, HostStores::kMaxKept - 1);
    EXPECT_NE(held.store, nullptr);
  }
}

}  // namespace
}  // namespace forebay::cache
