// Files as objects. A read first asks the page cache without blocking (preadv2 with RWF_NOWAIT); bytes found
// there are delivered inline. The rest goes to io_uring or, if the kernel has none, to plain pread on the
// calling thread. Stats, listings and writes run on the calling thread.
//
// A version consists of inode, size, modification time, birth time and change time, so a file of the same
// size whose old modification time was restored is still a new version. (A file overwritten in place twice
// within one tick of the file system's clock, some milliseconds, keeps its version; a replaced file, as
// written by write(), never does.) Changed permissions or another hard link also make a new version. The stat
// of a key ending in "/" is that of a directory. There are no leases: a mapped file that somebody truncates
// would kill the process. Symbolic links are followed; only regular files are objects.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/storage/basic_store.h"
#include "forebay/storage/local/local_read.h"
#include "forebay/storage/local/readahead.h"
#include "forebay/storage/local/uring_reader.h"

namespace forebay::storage {

struct LocalStoreOptions {
  std::string root;  // keys are paths below it and cannot leave it by ".."; empty: keys are arbitrary paths
  bool use_io_uring = true;
  unsigned queue_depth = 256;
  bool sync_writes = false;  // what is acknowledged survives the loss of power: fsync of file and folder
  std::string derived_root;  // directory for derived data; empty: $FOREBAY_CACHE_DIR; not set either: none
};

class LocalStore final : public BasicStore {
 public:
  explicit LocalStore(LocalStoreOptions options = {});
  /// Waits for reads in flight, unless called from a callback.
  ~LocalStore() override;

  /// The store for all local paths of the process; never destroyed. Its writes are synced.
  static std::shared_ptr<LocalStore> process_store();

  std::string uri_of(std::string_view key) const override;
  StoreFeatures features() const override;
  void stat(std::string key, const CallContext& context, StatCallback done) override;
  void stat_many(std::vector<std::string> keys, const CallContext& context, StatManyCallback each) override;
  std::unique_ptr<ListStream> open_list(ListRequest request) override;
  void read(ReadRequest request, const CallContext& context, ReadCallback done) override;
  std::optional<std::string> local_file(std::string_view key) const override;
  void write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
             StatCallback done) override;
  /// An error where the folder is there and may not be written. Its sticky bit is not looked at.
  Status check_write(std::string_view key, bool is_replacing) const override;
  Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) override;
  void remove(std::string key, const CallContext& context, StatusCallback done) override;
  void rename(MoveRequest request, const CallContext& context, StatCallback done) override;
  void copy(MoveRequest request, const CallContext& context, StatCallback done) override;
  void make_directory(std::string key, const CallContext& context, StatusCallback done) override;
  /// Makes the kernel read ahead while reads miss the page cache.
  void advise(std::shared_ptr<ReadPlan> plan) override;
  Result<ObjectAddress> derived(std::string_view key, std::string_view version,
                                std::string_view kind) override;

  /// How many reads so far the page cache could not answer at once.
  uint64_t page_cache_misses() const { return readahead_.misses(); }

 private:
  Result<std::string> path_of(std::string_view key) const;
  Result<ObjectStat> stat_object(const std::string& key) const;
  Result<ObjectStat> stat_wanted(const std::string& key, const CallContext& context) const;
  Status remove_file(const std::string& key) const;
  Result<ObjectStat> rename_file(const MoveRequest& request) const;
  Result<ObjectStat> copy_file(const MoveRequest& request, const CallContext& context) const;
  Result<std::unique_ptr<LocalRead>> start(const ReadRequest& request, const CallContext& context) const;
  std::shared_ptr<UringReader::Ring> ring();

  const LocalStoreOptions options_;
  Readahead readahead_;
  std::once_flag uring_once_;
  std::unique_ptr<UringReader> uring_;
};

}  // namespace forebay::storage
