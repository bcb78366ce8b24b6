// Files as objects. A read first asks the page cache without waiting (preadv2 with RWF_NOWAIT): bytes that
// are there are delivered inline. What is not goes to io_uring, or, where the kernel has none, is read by
// plain pread on the calling thread. Names, sizes, listings and writes are done on the calling thread.
//
// A version is made of inode, size, time of modification and time of change, so that a file of the same size
// with its old time put back is another version. (A file that is written to in place twice within a tick of
// the file system's clock, some milliseconds, keeps its version; one that is replaced, as write() does,
// never.) Changed permissions, or another hard link, make another version too. The stat of a key that ends
// with "/" is that of a directory. No leases: a mapped file that somebody truncates would kill the process.
// Symbolic links are followed; only regular files are objects.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "forebay/storage/basic_store.h"
#include "forebay/storage/local/local_read.h"
#include "forebay/storage/local/readahead.h"
#include "forebay/storage/local/uring_reader.h"

namespace forebay::storage {

struct LocalStoreOptions {
  std::string root;  // keys are paths below it and cannot leave it by ".."; empty: keys are any paths
  bool use_io_uring = true;
  unsigned queue_depth = 256;
  bool sync_writes = false;  // fsync before a written object becomes visible
  std::string derived_root;  // empty: $FOREBAY_CACHE_DIR, $XDG_CACHE_HOME/forebay or ~/.cache/forebay
};

class LocalStore final : public BasicStore {
 public:
  explicit LocalStore(LocalStoreOptions options = {});
  /// Waits for what is in flight, except in a callback.
  ~LocalStore() override;

  /// One store for all paths of the process; never destroyed.
  static std::shared_ptr<LocalStore> process_store();

  std::string uri_of(std::string_view key) const override;
  StoreFeatures features() const override;
  void stat(std::string key, const CallContext& context, StatCallback done) override;
  std::unique_ptr<ListStream> open_list(ListRequest request) override;
  void read(ReadRequest request, const CallContext& context, ReadCallback done) override;
  std::optional<std::string> local_file(std::string_view key) const override;
  void write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
             StatCallback done) override;
  Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) override;
  void remove(std::string key, const CallContext& context, StatusCallback done) override;
  void rename(MoveRequest request, const CallContext& context, StatCallback done) override;
  void copy(MoveRequest request, const CallContext& context, StatCallback done) override;
  void make_directory(std::string key, const CallContext& context, StatusCallback done) override;
  /// Asks the kernel to read ahead, while reads miss the page cache.
  void advise(std::shared_ptr<ReadPlan> plan) override;
  Result<ObjectAddress> derived(std::string_view key, std::string_view version,
                                std::string_view kind) override;

  /// Reads that the page cache could not answer at once, so far.
  uint64_t page_cache_misses() const { return readahead_.misses(); }

 private:
  Result<std::string> path_of(std::string_view key) const;
  Result<ObjectStat> stat_object(const std::string& key) const;
  Status remove_file(const std::string& key) const;
  Result<ObjectStat> rename_file(const MoveRequest& request) const;
  Result<ObjectStat> copy_file(const MoveRequest& request) const;
  Result<std::unique_ptr<LocalRead>> start(const ReadRequest& request, const CallContext& context) const;
  std::shared_ptr<UringReader::Ring> ring();

  const LocalStoreOptions options_;
  Readahead readahead_;
  std::once_flag uring_once_;
  std::unique_ptr<UringReader> uring_;
};

}  // namespace forebay::storage
