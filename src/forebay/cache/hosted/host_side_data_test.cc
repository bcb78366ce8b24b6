// Side data of objects, which one process makes and all others of the host find.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/testing/hosted_cache.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/testing/object_store_test_base.h"
#include "forebay/storage/testing/weak_store.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;
using storage::ObjectAddress;
using storage::text_of;

ObjectAddress table_of(HostStore& store) {
  return *store.derived("shard", "v1", "table");
}

TEST(HostSideDataTest, OneProcessMakesItForAll) {
  const TemporaryDirectory directory;
  HostedCache daemon(directory.path());
  const std::shared_ptr<HostStore> one = daemon.new_store();
  const std::shared_ptr<HostStore> other = daemon.new_store();
  const std::string text(100'000, 't');
  const ObjectAddress written = table_of(*one);
  ASSERT_TRUE(write_now(*written.store, written.key, as_bytes(text)).ok());
  EXPECT_TRUE(text_of(*read_now(*written.store, {.key = written.key})) == text);
  const ObjectAddress found = table_of(*other);
  EXPECT_TRUE(text_of(*read_now(*found.store, {.key = found.key})) == text);
  EXPECT_EQ(daemon.upstream().read_count(), 0u);
  EXPECT_TRUE(storage::list_all_now(*one, {})->objects.empty());
}

// Whoever has it makes it anew, as if it had never been.
TEST(HostSideDataTest, GoesWithTheDaemon) {
  const TemporaryDirectory directory;
  HostedCache daemon(directory.path());
  const std::shared_ptr<HostStore> store = daemon.new_store();
  const ObjectAddress table = table_of(*store);
  daemon.stop();
  EXPECT_EQ(read_now(*table.store, {.key = table.key}).status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(write_now(*table.store, table.key, as_bytes(std::string("t"))).ok());
  while (!table_of(*store).uri().starts_with("mem://")) {  // until it has noticed, or the test's deadline
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(HostSideDataTest, VersionsThatProveNothingAreToldOn) {
  const TemporaryDirectory directory;
  const auto weak = std::make_shared<storage::WeakStore>(std::make_shared<storage::MemoryStore>());
  const std::string socket = directory / "socket";
  const auto open = [&](const std::string& uri, const storage::StoreUse&) {
    return Result<ObjectAddress>({weak, uri.substr(weak->uri_of("").size())});
  };
  const std::unique_ptr<HostServer> server = *HostServer::start(
      {.socket = socket, .cache = *Cache::open({.read_into = *shared_memory(64 * kMiB)}), .open = open});
  const std::shared_ptr<HostStore> store = *HostStore::create(*HostClient::connect(socket), weak);
  for (const size_t bytes : {10, 100'000}) {
    const std::string text(bytes, 't');
    ASSERT_TRUE(write_now(*weak, "k", as_bytes(text)).ok());
    EXPECT_TRUE(read_now(*store, {.key = "k"})->has_weak_version) << bytes;
  }
}

}  // namespace
}  // namespace forebay::cache
