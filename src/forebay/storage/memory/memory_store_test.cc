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

}  // namespace
}  // namespace forebay::storage
