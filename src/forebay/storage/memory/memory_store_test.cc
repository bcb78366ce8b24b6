#include "forebay/storage/memory/memory_store.h"

#include "forebay/memory/copy.h"
#include "forebay/storage/testing/object_store_conformance.h"

namespace forebay::storage {
namespace {

struct MemoryStoreFixture {
  std::shared_ptr<ObjectStore> store = std::make_shared<MemoryStore>();
};
FOREBAY_TEST_OBJECT_STORE(Memory, MemoryStoreFixture);

TEST(MemoryStore, ReadsWithoutACopy) {
  auto store = std::make_shared<MemoryStore>();
  Result<memory::BufferRef> content = memory::Buffer::allocate(100);
  ASSERT_TRUE(content.ok());
  ASSERT_TRUE(store->put("k", *content, {}).ok());
  const uint64_t before = memory::bytes_copied();
  const Result<ReadBytes> read = read_now(*store, {.key = "k", .offset_bytes = 10, .length_bytes = 20});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->bytes.data(), (*content)->bytes().data() + 10);
  EXPECT_EQ(read->readable_behind, 70u);
  EXPECT_EQ(memory::bytes_copied(), before);
}

TEST(MemoryStore, SideDataGoesWithItsVersion) {
  auto store = std::make_shared<MemoryStore>();
  const std::string content = "x";
  const auto put = [&](const std::string& key) { return *write_now(*store, key, as_bytes(content)); };
  const auto keep = [&](const ObjectStat& stat) {
    const ObjectAddress side = *store->derived(stat.key, stat.version, "kind");
    EXPECT_TRUE(write_now(*side.store, side.key, as_bytes(content)).ok());
    return side;
  };
  const auto is_there = [](const ObjectAddress& side) { return stat_now(*side.store, side.key).ok(); };
  const ObjectAddress of_replaced = keep(put("a"));
  const ObjectAddress of_new = keep(put("a"));
  EXPECT_FALSE(is_there(of_replaced));
  EXPECT_TRUE(is_there(of_new));
  ASSERT_TRUE(rename_now(*store, {"a", "b"}).ok());
  EXPECT_FALSE(is_there(of_new));
  const ObjectAddress of_removed = keep(put("b"));
  ASSERT_TRUE(remove_now(*store, "b").ok());
  EXPECT_FALSE(is_there(of_removed));
}

}  // namespace
}  // namespace forebay::storage
