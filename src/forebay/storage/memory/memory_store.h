// Objects in memory: for tests, demonstrations and small hot sets. Answers everything inline; leases without
// a copy.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

class MemoryStore final : public ObjectStore, public std::enable_shared_from_this<MemoryStore> {
 public:
  std::string uri_of(std::string_view key) const override;
  void stat(std::string key, StatCallback done) override;
  void list(ListRequest request, ListCallback done) override;
  void read(ReadRequest request, ReadCallback done) override;
  Result<Lease> lease(std::string_view key) override;
  void write(std::string key, Bytes content, WriteOptions options, StatCallback done) override;
  Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) override;
  void remove(std::string key, StatusCallback done) override;

  /// The store must be owned by a shared_ptr.
  Result<ObjectAddress> derived(std::string_view key, std::string_view version,
                                std::string_view kind) override;

  /// Takes over `content` without a copy.
  Result<ObjectStat> put(const std::string& key, memory::BufferRef content, const WriteOptions& options);

 private:
  struct Object {
    memory::BufferRef content;
    ObjectStat stat;
  };

  Result<Object> find(std::string_view key) const;
  Result<ReadBytes> read_object(const ReadRequest& request) const;
  ListPage list_objects(const ListRequest& request) const;

  mutable std::mutex mutex_;
  std::map<std::string, Object, std::less<>> objects_;
  std::map<std::string, std::shared_ptr<MemoryStore>, std::less<>> derived_;
  uint64_t next_version_ = 1;
};

}  // namespace forebay::storage
