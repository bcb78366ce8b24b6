// How one read of an upstream store is answered: from the cache, by joining a read that is under way, or from
// upstream.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/cache/bring/bring_source.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/core/cache_core.h"
#include "forebay/cache/options/freshness_options.h"
#include "forebay/cache/store/access_check.h"
#include "forebay/cache/store/cached_list.h"
#include "forebay/cache/store/flights.h"
#include "forebay/cache/store/fresh_answers.h"
#include "forebay/cache/store/shared_stats.h"
#include "forebay/storage/basic_store.h"

namespace forebay::cache {

/// Thread safe. Owned by its store and by the calls in flight.
class CachedReads final : public BringSource, public std::enable_shared_from_this<CachedReads> {
 public:
  CachedReads(std::shared_ptr<Cache> cache, std::shared_ptr<storage::ObjectStore> upstream,
              const FreshnessOptions& options);

  void read(storage::ReadRequest request, const storage::CallContext& context, storage::ReadCallback done);
  void stat(std::string key, const storage::CallContext& context, storage::StatCallback done) override;

  /// Makes a range of an object resident, in one read upstream for each run of chunks that are missing.
  /// failed_precondition if it is not kept.
  void bring(const storage::BringRequest& request, ByteRange range, const storage::CallContext& context,
             storage::BringCallback done) override;
  /// Compares what was kept of it with its checksums, once it is on disk.
  Status read_back(const storage::BringRequest& request, ByteRange range) const override;

  /// Takes a copy of what was written through the store, in pieces.
  void keep_written(const storage::ObjectStat& stat, Bytes content);
  /// Takes a view of it. A large one is taken in later, at the speed of the disk.
  void keep(const storage::ObjectStat& stat, storage::ReadBytes whole);

  Demand demand() const { return flights_->demand(); }

  Cache& cache() const { return *cache_; }
  const std::shared_ptr<Cache>& shared_cache() const { return cache_; }
  std::string uri_of(const std::string& key) const override { return upstream_->uri_of(key); }
  FreshAnswers& answers() { return *answers_; }
  ListAnswers& lists() { return *lists_; }
  std::unique_ptr<storage::ListStream> open_list(storage::ListRequest request) const;

 private:
  struct Call {
    storage::ReadRequest request;
    storage::CallContext context;
    storage::ReadCallback done;
    int attempts_left = 0;   // of a read that did not name a version
    bool is_let_in = false;  // upstream was asked whether its user may have it
    struct Outdated {
      FreshAnswers::Question question;
      storage::ObjectStat stat;
    };
    std::optional<Outdated> outdated;  // the version that is asked for, if it is only the last one known
    bool was_outdated = false;         // and that one was refused
  };

  void insert_chunks(const storage::ObjectStat& stat, const storage::ReadBytes& whole);
  void read_any_version(Call call);
  bool find_outdated(Call* call);
  void note_failure(const Call& call, const Status& status);
  static bool is_outdated(const Call& call, const Status& status);
  void read_anew(Call call);
  void note_answer(const Call& call, const std::string& uri);
  void ask_upstream(Call call);
  void read_version(Call call) { read_version(std::move(call), look_up_); }
  void read_version(Call call, LookUp look_up);
  void ask_access(Call call);
  void ask_size(Call call);
  void compare_elsewhere(Call call);
  bool answer_at_once(Call* call, const Wanted& wanted, ByteRange range, LookUp look_up);
  std::vector<WantedPart> parts_to_fetch(const Call& call, const Wanted& wanted, ByteRange range) const;
  void fetch_parts(Call call, const Wanted& wanted, const std::vector<WantedPart>& parts, LookUp look_up);
  void pass_on(Call call);
  void changed_meanwhile(Call call, const Status& status);

  const std::shared_ptr<Cache> cache_;
  const std::shared_ptr<storage::ObjectStore> upstream_;
  const std::shared_ptr<Flights> flights_;
  const std::shared_ptr<FreshAnswers> answers_;
  const std::shared_ptr<SharedStats> stats_;
  const std::shared_ptr<ListAnswers> lists_;
  const std::shared_ptr<AccessCheck> access_;  // null: nobody is asked
  const LookUp look_up_;
};

}  // namespace forebay::cache
