// The store conformance suite over a cache in another thread's hands: every call crosses a socket.
#include "forebay/cache/client/host_store.h"

#include <gtest/gtest.h>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/testing/hosted_cache.h"
#include "forebay/storage/testing/object_store_conformance.h"

// The suite's macro opens its tests in this namespace.
namespace forebay::storage {
namespace {

struct HostedOverMemory {
  TemporaryDirectory directory;
  cache::HostedCache daemon{directory.path()};
  std::shared_ptr<ObjectStore> store = daemon.new_store();
};
FOREBAY_TEST_OBJECT_STORE(HostedOverMemory, HostedOverMemory);

}  // namespace
}  // namespace forebay::storage
