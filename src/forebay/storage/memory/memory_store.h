// Objects in memory, for tests, demonstrations and small hot data sets. Answers everything inline. Reads
// return views of the object unless the request asks for particular memory.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/basic_store.h"

namespace forebay::storage {

/// A page of a listing has up to 1,000 entries unless the request says otherwise. Must be owned by a
/// shared_ptr.
class MemoryStore final : public BasicStore, public std::enable_shared_from_this<MemoryStore> {
 public:
  std::string uri_of(std::string_view key) const override;
  StoreFeatures features() const override;
  void stat(std::string key, const CallContext& context, StatCallback done) override;
  std::unique_ptr<ListStream> open_list(ListRequest request) override;
  void read(ReadRequest request, const CallContext& context, ReadCallback done) override;
  void write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
             StatCallback done) override;
  Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) override;
  void remove(std::string key, const CallContext& context, StatusCallback done) override;
  void rename(MoveRequest request, const CallContext& context, StatCallback done) override;
  void copy(MoveRequest request, const CallContext& context, StatCallback done) override;
  Result<ObjectAddress> derived(std::string_view key, std::string_view version,
                                std::string_view kind) override;

  /// Stores `content` without copying it.
  Result<ObjectStat> put(const std::string& key, memory::BufferRef content, const WriteOptions& options);

  /// Returns one page of a listing.
  ListPage list_objects(const ListRequest& request) const;

 private:
  struct Object {
    memory::BufferRef content;  // zeros may follow the object's bytes
    ObjectStat stat;
  };

  Result<Object> find(std::string_view key) const;
  Result<Object> find_version(const std::string& key, const std::string& if_version) const;
  Result<ReadBytes> read_object(const ReadRequest& request) const;
  Result<ObjectStat> put_object(const std::string& key, memory::BufferRef content, uint64_t size_bytes,
                                const WriteOptions& options);
  Result<ObjectStat> rename_object(const MoveRequest& request);
  Status check_place(const std::string& key, const WriteOptions& options) const FOREBAY_REQUIRES(mutex_);
  ObjectStat place(const std::string& key, memory::BufferRef content, uint64_t size_bytes)
      FOREBAY_REQUIRES(mutex_);
  void forget_derived(const Object& gone) FOREBAY_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, Object, std::less<>> objects_ FOREBAY_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<MemoryStore>, std::less<>> derived_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t next_version_ FOREBAY_GUARDED_BY(mutex_) = 1;
};

}  // namespace forebay::storage
