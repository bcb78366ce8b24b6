// A namespace of its own for one test: a registry, a mount table in a folder that goes with the test, and a
// folder in the place of the local file system.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/namespace/namespace_store.h"
#include "forebay/storage/stores/store_registry.h"
#include "forebay/storage/testing/object_store_test_base.h"
#include "forebay/storage/testing/temporary_directory.h"
#include "forebay/storage/testing/threads_store.h"

namespace forebay::storage {

/// Pages of its listings come on a thread that is started for each; reads as from ThreadsStore.
class ListThreadsStore final : public ForwardingStore {
 public:
  ListThreadsStore() : ForwardingStore(std::make_shared<ThreadsStore>(std::make_shared<MemoryStore>())) {}

  std::unique_ptr<ListStream> open_list(ListRequest request) override {
    return std::make_unique<List>(inner().open_list(std::move(request)));
  }

 private:
  class List final : public ListStream {
   public:
    explicit List(std::unique_ptr<ListStream> inner) : inner_(std::move(inner)) {}
    ~List() override { leave_thread(); }

    void next(const CallContext& context, ListCallback done) override {
      leave_thread();
      const MutexLock lock(mutex_);  // the thread may be here again before it has its name
      thread_ = std::thread([stream = inner_, context, done = std::move(done)]() mutable {
        stream->next(context, std::move(done));
      });
    }

   private:
    /// A page's receiver may ask for the next, or drop the listing, on the page's own thread.
    void leave_thread() {
      std::thread left;
      {
        const MutexLock lock(mutex_);
        left.swap(thread_);
      }
      if (left.joinable()) {
        left.get_id() == std::this_thread::get_id() ? left.detach() : left.join();
      }
    }

    const std::shared_ptr<ListStream> inner_;
    Mutex mutex_;
    std::thread thread_ FOREBAY_GUARDED_BY(mutex_);
  };
};

struct NamespaceFixture {
  TemporaryDirectory directory;
  std::shared_ptr<StoreRegistry> registry = std::make_shared<StoreRegistry>();
  MountDatabase* database = nullptr;  // the store's
  std::shared_ptr<NamespaceStore> store;

  NamespaceFixture() {
    auto owned =
        std::make_unique<MountDatabase>(MountDatabaseOptions{.file = directory / "home/mounts.json"});
    database = owned.get();
    store = std::make_shared<NamespaceStore>(
        std::make_shared<OpenMounts>(std::move(owned), *registry, LocalStore::process_store()));
    registry->use_namespace(store);
  }

  /// The scheme "threads": objects in memory, pages and reads answered on other threads.
  void register_threads() const {
    auto objects = std::make_shared<ListThreadsStore>();
    const auto factory = [objects](const Uri& uri, const StoreUse&) -> Result<ObjectAddress> {
      return ObjectAddress{objects, uri.authority + uri.path};
    };
    EXPECT_TRUE(registry->register_scheme("threads", factory).ok());
  }

  void mount(MountEntry entry) const {
    const Status added = database->add(std::move(entry));
    EXPECT_TRUE(added.ok()) << added;
  }
  void mount(std::string path, std::string uri) const {
    mount(MountEntry{.path = std::move(path), .uri = std::move(uri)});
  }
};

/// Tests on a namespace of their own.
class NamespaceTest : public ::testing::Test, protected NamespaceFixture {
 protected:
  ObjectAddress resolve(const std::string& path) const {
    Result<ObjectAddress> address = registry->resolve(path);
    EXPECT_TRUE(address.ok()) << address.status();
    return address.ok() ? *std::move(address) : ObjectAddress{store, "none"};
  }
  void put(const std::string& path, const std::string& content = "x") const {
    const ObjectAddress address = resolve(path);
    const Result<ObjectStat> stat = write_now(*address.store, address.key, as_bytes(content));
    EXPECT_TRUE(stat.ok()) << stat.status();
  }
  std::string get(const std::string& path) const {
    const ObjectAddress address = resolve(path);
    const Result<ReadBytes> read = read_now(*address.store, {.key = address.key});
    EXPECT_TRUE(read.ok()) << read.status();
    return read.ok() ? text_of(*read) : "";
  }
};

}  // namespace forebay::storage
