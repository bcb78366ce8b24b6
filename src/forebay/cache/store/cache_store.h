// A store that answers from a cache, and from another store what the cache does not have.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/cache/ahead/range_cache.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/store/cached_reads.h"
#include "forebay/storage/forwarding_store.h"

namespace forebay::cache {

/// Thread safe. Writes go through and replace what is cached. Side data lies in the cache (side_data.h).
class CacheStore final : public storage::ForwardingStore,
                         public RangeCache,
                         public std::enable_shared_from_this<CacheStore> {
 public:
  CacheStore(std::shared_ptr<Cache> cache, std::shared_ptr<storage::ObjectStore> upstream,
             const FreshnessOptions& options);

  storage::StoreFeatures features() const override;
  void stat(std::string key, const storage::CallContext& context, storage::StatCallback done) override;
  std::unique_ptr<storage::ListStream> open_list(storage::ListRequest request) override;
  void read(storage::ReadRequest request, const storage::CallContext& context,
            storage::ReadCallback done) override;
  void bring_many(std::vector<storage::BringRequest> requests, const storage::CallContext& context,
                  storage::BringManyCallback each) override;
  /// Nullopt: whoever opened the file would read past the cache.
  std::optional<std::string> local_file(std::string_view key) const override;
  void write(std::string key, Bytes content, storage::WriteOptions options,
             const storage::CallContext& context, storage::StatCallback done) override;
  Result<std::unique_ptr<storage::ObjectWriter>> open_writer(std::string key,
                                                             storage::WriteOptions options) override;
  void remove(std::string key, const storage::CallContext& context, storage::StatusCallback done) override;
  void remove_many(std::vector<std::string> keys, const storage::CallContext& context,
                   storage::RemoveManyCallback each) override;
  void rename(storage::MoveRequest request, const storage::CallContext& context,
              storage::StatCallback done) override;
  void copy(storage::MoveRequest request, const storage::CallContext& context,
            storage::StatCallback done) override;
  void make_directory(std::string key, const storage::CallContext& context,
                      storage::StatusCallback done) override;
  void advise(std::shared_ptr<storage::ReadPlan> plan) override;
  bool holds(const storage::PlannedRange& range) override;
  std::shared_ptr<const PlannedRoom> room_of(const storage::PlannedRange& range) override;
  Demand demand() const override;
  Result<storage::ObjectAddress> derived(std::string_view key, std::string_view version,
                                         std::string_view kind) override;

  /// The object was changed past this store: what upstream said of it earlier is not trusted any more. `stat`
  /// is what it is now, and `content` its bytes, where they are known.
  void note_changed(const std::string& key, const std::optional<storage::ObjectStat>& stat,
                    storage::ReadBytes content = {});

  /// For the bytes of an object that somebody else writes, until note_changed(); null if they are not wanted
  /// here.
  std::unique_ptr<Draft> draft_of(const std::string& key) const;
  /// On a thread of the cache.
  void do_later(absl::AnyInvocable<void()> job) const;

 private:
  bool is_usable() const { return reads_->cache().is_usable(); }
  std::string version_of(const storage::PlannedRange& range) const;

  const std::shared_ptr<CachedReads> reads_;
};

/// A store that answers from `cache`, and from `upstream` what is not there.
std::shared_ptr<storage::ObjectStore> store_over(std::shared_ptr<Cache> cache,
                                                 std::shared_ptr<storage::ObjectStore> upstream,
                                                 const FreshnessOptions& options = {});

}  // namespace forebay::cache
