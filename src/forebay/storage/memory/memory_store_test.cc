#include "forebay/storage/memory/memory_store.h"

#include "forebay/storage/testing/object_store_conformance.h"

namespace forebay::storage {
namespace {

struct MemoryStoreFixture {
  std::shared_ptr<ObjectStore> store = std::make_shared<MemoryStore>();
};
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, ObjectStoreConformance, MemoryStoreFixture);

TEST(MemoryStore, LeasesWithoutACopy) {
  auto store = std::make_shared<MemoryStore>();
  Result<memory::BufferRef> content = memory::Buffer::allocate(100);
  ASSERT_TRUE(content.ok());
  ASSERT_TRUE(store->put("k", *content, {}).ok());
  const Result<Lease> lease = store->lease("k");
  ASSERT_TRUE(lease.ok()) << lease.status();
  EXPECT_EQ(lease->bytes.data(), (*content)->data());
}

}  // namespace
}  // namespace forebay::storage
