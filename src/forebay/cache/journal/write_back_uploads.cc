// Which object is stored next, and what follows from how that went.
#include <algorithm>
#include <iterator>
#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/cache/journal/upload.h"
#include "forebay/cache/journal/write_back.h"

namespace forebay::cache {
namespace {

int64_t pause_after(int failures) {
  constexpr int kMaxDoublings = 8;
  const int64_t pause = WriteBack::kFirstPauseNs << std::min(failures - 1, kMaxDoublings);
  return std::min(pause, WriteBack::kLongestPauseNs);
}

}  // namespace

void WriteBack::schedule(const std::string& uri) {
  PendingObject& object = objects_.at(uri);
  if (is_started_ && !object.is_busy && !object.is_put_off && !object.versions.empty()) {
    object.is_busy = true;
    ready_.push_back(uri);
  }
}

void WriteBack::pump() {
  while (true) {
    std::shared_ptr<Upload> next;
    {
      const MutexLock lock(mutex_);
      if (!is_started_ || ready_.empty() || uploading_ >= options_.uploads_at_once) {
        return;
      }
      PendingObject& object = objects_.at(ready_.front());
      ready_.pop_front();
      ++uploading_;
      next = std::make_shared<Upload>(shared_from_this(), object.versions.front());
    }
    upload_runner_([next] { next->run(); });
  }
}

void WriteBack::hurry(PendingObject& object) {
  if (object.is_put_off) {
    options_.timer->hurry(object.timer);
  }
}

void WriteBack::hurry() {
  const MutexLock lock(mutex_);
  objects_.visit("", [this](const std::string&, const PendingObject& object) {
    if (object.is_put_off) {
      options_.timer->hurry(object.timer);
    }
    return true;
  });
}

void WriteBack::try_again(const std::string& uri) {
  {
    const MutexLock lock(mutex_);
    PendingObject* const object = objects_.find(uri);
    if (object == nullptr) {
      return;
    }
    object->is_put_off = false;
    schedule(uri);
  }
  pump();
}

// What became of a version that another one follows, or may follow in a moment, is durable before the version
// goes. From now on a commit finds the store's name of it.
void WriteBack::end_upload(const std::string& uri, const StoredVersion& stored) {
  upload_runner_([self = shared_from_this(), uri, stored] {
    const bool is_at_its_place = stored.uri == uri;
    JournalEntryRef entry;
    bool is_followed = false;
    {
      const MutexLock lock(self->mutex_);
      PendingObject& object = self->objects_.at(uri);
      entry = object.versions.front().entry;
      is_followed = object.versions.size() > 1 || object.commits > 0;
      object.versions.front().stored_as = is_at_its_place ? stored.version : "";
      self->objects_.name_stored(entry->version(), stored);  // before its file goes
      ++self->counts_.stored;
      if (!is_at_its_place) {
        ++self->counts_.conflicts;
        self->counts_.last_conflicts.push_back({.uri = uri, .kept_as = stored.uri});
        if (self->counts_.last_conflicts.size() > kLastConflicts) {
          self->counts_.last_conflicts.pop_front();
        }
      }
    }
    if (!is_at_its_place) {
      log_warning("{} was changed by somebody else before it was stored; what was written here is {}", uri,
                  stored.uri);
    }
    if (is_followed) {
      const Status kept =
          self->journal_->keep_outcome({.id = entry->id(), .version = is_at_its_place ? stored.version : ""});
      if (!kept.ok()) {
        log_warning("{}: {}", uri, message(kept));  // after a crash what follows would be kept beside it
      }
    }
    const Status removed = self->journal_->remove(*entry, is_followed);
    if (!removed.ok()) {
      log_warning("{}: it is stored, and its file may stay in the journal: {}", uri, message(removed));
    }
    self->finish_first(uri, stored, /*is_lost=*/false, ok_status());
  });
}

void WriteBack::end_damaged(const std::string& uri, const Status& why) {
  upload_runner_([self = shared_from_this(), uri, why] {
    const JournalEntryRef entry = [&] {
      const MutexLock lock(self->mutex_);
      return self->objects_.at(uri).versions.front().entry;
    }();
    JournalDamage damage = self->journal_->set_aside(*entry, std::string(message(why)));
    {
      const MutexLock lock(self->mutex_);
      self->counts_.damaged.push_back(std::move(damage));
    }
    self->finish_first(uri, {}, /*is_lost=*/true, why);
  });
}

void WriteBack::finish_first(const std::string& uri, const StoredVersion& stored, bool is_lost,
                             const Status& said) {
  std::vector<PendingObject::Stored> done;
  JournalFacts facts;
  {
    const MutexLock lock(mutex_);
    PendingObject& object = objects_.at(uri);
    facts = object.versions.front().entry->facts();
    done = objects_.end_first(uri, stored, is_lost);
    bytes_[facts.header.mount] -= facts.footer.content_bytes;
    --waiting_;
    --uploading_;
    object.is_busy = false;
    schedule(uri);
    objects_.tidy(uri);
  }
  if (facts.footer.condition.base == JournalBase::kAfter) {
    journal_->forget_outcome(facts.footer.condition.after);
  }
  for (PendingObject::Stored& each : done) {
    each(said);
  }
  pump();
}

void WriteBack::end_failed(const std::string& uri, const Status& why) {
  std::vector<PendingObject::Waiter> waiters;
  {
    const MutexLock lock(mutex_);
    PendingObject& object = objects_.at(uri);
    --uploading_;
    object.is_busy = false;
    object.error = std::string(message(why));
    ++object.failures;
    const auto goes_on = std::stable_partition(
        object.waiters.begin(), object.waiters.end(),
        [&](const PendingObject::Waiter& waiter) { return waiter.most_failures < object.failures; });
    std::move(object.waiters.begin(), goes_on, std::back_inserter(waiters));
    object.waiters.erase(object.waiters.begin(), goes_on);
    if (!object.waiters.empty()) {
      schedule(uri);  // somebody waits for an attempt of its own
    } else if (is_started_) {
      object.is_put_off = true;
      object.timer = options_.timer->at(options_.timer->now_ns() + pause_after(object.failures),
                                        [weak = weak_from_this(), uri] {
                                          if (const auto alive = weak.lock()) {
                                            alive->try_again(uri);
                                          }
                                        });
    }
  }
  const Status said = annotate(why, fmt::format("{}: it waits to be stored", uri));
  for (PendingObject::Waiter& waiter : waiters) {
    waiter.done(said);
  }
  pump();
}

}  // namespace forebay::cache
