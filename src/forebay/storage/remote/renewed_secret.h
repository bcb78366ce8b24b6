// Keys and tokens that expire: where they come from, and how they are kept fresh.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/log/log.h"
#include "forebay/base/status.h"
#include "forebay/storage/remote/state_mutex.h"
#include "forebay/storage/remote/wall_time.h"

namespace forebay::storage {

inline constexpr int64_t kNeverExpires = std::numeric_limits<int64_t>::max();

/// A place where a secret may be. Thread safe. `Secret` has `expires_s`, in seconds since the Unix epoch.
template <class Secret>
class SecretSource {
 public:
  /// In use; null: requests go without.
  using Ref = std::shared_ptr<const Secret>;
  using Callback = absl::AnyInvocable<void(Result<Ref>)>;

  virtual ~SecretSource() = default;
  /// Answers once, inline or on a thread of its own; must outlive that. not_found: there is none here, ask
  /// the next source. Errors never hold secrets.
  virtual void fetch(Callback done) = 0;
};

/// Asks one source after the other, until one has the secret or fails. If none has it: permission_denied,
/// with what each source said, and `advice`.
template <class Secret>
class SecretChain final : public SecretSource<Secret> {
 public:
  using Source = SecretSource<Secret>;
  using Callback = typename Source::Callback;

  SecretChain(std::vector<std::shared_ptr<Source>> sources, std::string advice)
      : sources_(std::move(sources)), advice_(std::move(advice)) {}
  void fetch(Callback done) override { fetch_from(0, {}, std::move(done)); }

 private:
  void fetch_from(size_t index, std::string found_none, Callback done) {
    if (index == sources_.size()) {
      done(permission_denied("no credentials: {}. {}", found_none, advice_));
      return;
    }
    sources_[index]->fetch([this, index, found_none = std::move(found_none),
                            done = std::move(done)](Result<typename Source::Ref> fetched) mutable {
      if (fetched.status().code() != StatusCode::kNotFound) {
        done(std::move(fetched));
        return;
      }
      found_none += found_none.empty() ? "" : "; ";
      found_none += message(fetched.status());
      fetch_from(index + 1, std::move(found_none), std::move(done));
    });
  }

  const std::vector<std::shared_ptr<Source>> sources_;
  const std::string advice_;
};

/// Keeps a secret and fetches a new one five minutes before it expires; the old one serves until it does.
/// However many ask, one fetch is under way. Thread safe; usable in a child after fork().
template <class Secret>
class RenewedSecret : public std::enable_shared_from_this<RenewedSecret<Secret>> {
 public:
  using Source = SecretSource<Secret>;
  using Ref = typename Source::Ref;
  using Callback = typename Source::Callback;

  explicit RenewedSecret(std::shared_ptr<Source> source, WallClock clock = wall_clock_seconds,
                         std::string name = "credentials")
      : source_(std::move(source)), clock_(std::move(clock)), name_(std::move(name)) {}

  /// Answers inline with what is at hand.
  void get(Callback done) {
    Ref answer;
    bool answers = false;
    bool fetches = false;
    {
      const MutexLock lock(remote_state_mutex());
      leave_parents_calls();
      answers = is_good(0);
      answer = answers ? current_ : nullptr;
      fetches = fetching_process_ == 0 &&
                (!answers || (!is_good(kRefreshAheadSeconds) && clock_() >= next_refresh_s_));
      if (fetches) {
        fetching_process_ = ::getpid();
      }
      if (!answers) {
        waiting_.push_back(std::move(done));
      }
    }
    if (answers) {
      done(std::move(answer));
    }
    if (fetches) {
      source_->fetch([self = this->shared_from_this()](Result<Ref> got) { self->finish(std::move(got)); });
    }
  }

  /// The server did not take `refused`: the next get() fetches.
  void forget(const Ref& refused) {
    const MutexLock lock(remote_state_mutex());
    if (has_current_ && current_ == refused) {
      has_current_ = false;
      current_.reset();
    }
  }

 private:
  static constexpr int64_t kRefreshAheadSeconds = 300;
  static constexpr int64_t kSecondsBetweenFailures = 10;

  bool is_good(int64_t seconds_more) const {
    return has_current_ && (current_ == nullptr || current_->expires_s == kNeverExpires ||
                            current_->expires_s - seconds_more > clock_());
  }

  // Whoever waits for a fetch of the parent is in the parent.
  void leave_parents_calls() {
    static auto* const kept = new std::vector<Callback>;  // they hold what the parent owns
    if (fetching_process_ != 0 && fetching_process_ != ::getpid()) {
      fetching_process_ = 0;
      kept->insert(kept->end(), std::make_move_iterator(waiting_.begin()),
                   std::make_move_iterator(waiting_.end()));
      waiting_.clear();
    }
  }

  void finish(Result<Ref> fetched) {
    std::vector<Callback> waiting;
    {
      const MutexLock lock(remote_state_mutex());
      fetching_process_ = 0;
      next_refresh_s_ = fetched.ok() ? 0 : clock_() + kSecondsBetweenFailures;
      waiting = std::exchange(waiting_, {});
      if (fetched.ok()) {
        current_ = *fetched;
        has_current_ = true;
      }
    }
    if (!fetched.ok() && waiting.empty()) {
      log_warning("{} could not be refreshed; the old ones serve until they expire: {}", name_,
                  message(fetched.status()));
    }
    for (Callback& done : waiting) {
      done(fetched);
    }
  }

  const std::shared_ptr<Source> source_;
  const WallClock clock_;
  const std::string name_;
  // Guarded by remote_state_mutex():
  Ref current_;
  bool has_current_ = false;
  std::vector<Callback> waiting_;
  int64_t next_refresh_s_ = 0;  // after one that failed
  int fetching_process_ = 0;    // the process whose fetch is under way; 0: none
};

}  // namespace forebay::storage
