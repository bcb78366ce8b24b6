#include "forebay/cache/cache.h"

#include <utility>

#include "forebay/cache/bring/bringer.h"
#include "forebay/cache/core/cache_core.h"
#include "forebay/cache/core/entry_walk.h"
#include "forebay/cache/disk/disk_worker.h"
#include "forebay/cache/drafts/draft.h"

namespace forebay::cache {
namespace {

constexpr uint64_t kBesideShare = 4;  // of a directory's quota
constexpr size_t kLookers = 4;        // reads that a disk has before it at a time

/// Drafts and tables lie in the first directory; a cache in memory has room for small drafts.
std::shared_ptr<RoomBeside> room_beside_of(const std::shared_ptr<CacheCore>& core) {
  const CacheOptions& options = core->options();
  if (options.directories.empty()) {
    return std::make_shared<RoomBeside>("", options.write_behind_bytes / 2);
  }
  const DirectoryOptions& first = options.directories.front();
  const auto reserve = [weak = std::weak_ptr(core)](uint64_t bytes) {
    const std::shared_ptr<CacheCore> alive = weak.lock();
    return alive && alive->reserve_beside(bytes);
  };
  auto room = std::make_shared<RoomBeside>(first.path, first.quota_bytes / kBesideShare, reserve);
  core->set_beside(room->shared_used_bytes());
  return room;
}

}  // namespace

Cache::Cache(std::shared_ptr<CacheCore> core)
    : core_(std::move(core)),
      room_beside_(room_beside_of(core_)),
      later_(std::make_unique<DiskWorker>()),
      lookers_(std::make_unique<DiskWorker>(kLookers)),
      bringer_(std::make_shared<Bringer>(core_)) {
}

Result<std::shared_ptr<Cache>> Cache::open(CacheOptions options) {
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<CacheCore> core, CacheCore::open(std::move(options)));
  std::shared_ptr<Cache> cache(new Cache(std::move(core)));
  if (!cache->core_->rules()->is_empty()) {
    cache->apply_rules({});  // to what an earlier run left
  }
  return cache;
}

Cache::~Cache() {
  if (core_->is_alive()) {
    end();  // perhaps by a job of its own thread, which cannot wait for itself
  } else {
    // Its threads are in the other process, and its locks may be held by them.
    new std::shared_ptr<CacheCore>(std::move(core_));
    static_cast<void>(later_.release());
    static_cast<void>(lookers_.release());
    new std::shared_ptr<Bringer>(std::move(bringer_));
  }
}

void Cache::set_rules(std::vector<AdmissionRule> rules, absl::AnyInvocable<void()> done) {
  if (is_usable()) {
    core_->set_rules(std::make_shared<const RuleTable>(rules));
    apply_rules(std::move(done));
  } else if (done) {
    done();
  }
}

void Cache::apply_rules(absl::AnyInvocable<void()> done) {
  if (rule_progress_.begin(std::move(done))) {
    apply_rules_later();
  }
}

// A job of the cache's own thread that kept the cache would keep it from being closed.
void Cache::apply_rules_later() {
  do_later([weak = weak_from_this()] {
    if (const std::shared_ptr<Cache> alive = weak.lock()) {
      alive->apply_rules_to_some();
    }
  });
}

void Cache::apply_rules_to_some() {
  const Result<CacheWalked> walked = walk(rule_progress_.next_piece());
  std::optional<std::vector<RuleProgress::Done>> waiting =
      rule_progress_.end_piece(walked.ok() ? *walked : CacheWalked());
  if (!waiting) {
    apply_rules_later();
    return;
  }
  if (is_usable()) {
    core_->finish_rules();
  }
  for (RuleProgress::Done& done : *waiting) {
    done();
  }
}

Result<CacheWalked> Cache::walk(const CacheWalk& piece) {
  if (!is_usable()) {
    return unavailable("the cache has been closed");
  }
  if (options().directories.empty()) {
    return failed_precondition("a cache in memory only does not know its entries by name");
  }
  return EntryWalk(core_.get(), piece).run();
}

Result<CacheWalked> Cache::walk_all(WalkKind kind, const std::string& uri) {
  CacheWalk piece = {.kind = kind, .uri = uri};
  CacheWalked all;
  do {
    FOREBAY_ASSIGN_OR_RETURN(const CacheWalked walked, walk(piece));
    all.add(walked);
    piece.begin = walked.next;
    piece.end = walked.end;
  } while (!all.is_over());
  return all;
}

std::unique_ptr<Draft> Cache::new_draft() const {
  return std::make_unique<Draft>(room_beside_);
}

void Cache::do_later(absl::AnyInvocable<void()> job) {
  later_->add(std::move(job), 0);
}

void Cache::look_elsewhere(absl::AnyInvocable<void()> look) {
  lookers_->add(std::move(look), 1);
  if (!lookers_->has_thread()) {
    lookers_->help(0);
  }
}

void Cache::flush() {
  if (core_->is_alive()) {
    later_->flush();
    core_->flush();
  }
}

CacheStatistics Cache::statistics() const {
  return core_->is_alive() ? core_->statistics() : CacheStatistics();
}

const CacheOptions& Cache::options() const {
  return core_->options();
}

void Cache::close() {
  if (core_->is_alive()) {
    end();
    later_->flush();
    lookers_->flush();
  }
}

void Cache::end() {
  bringer_->close();
  core_->close();
}

bool Cache::is_usable() const {
  return core_->is_open() && core_->is_alive();
}

}  // namespace forebay::cache
