// Where keys come from, and how they are kept fresh.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/status.h"
#include "forebay/net/aws_signature.h"
#include "forebay/storage/s3/s3_time.h"

namespace forebay::storage {

inline constexpr int64_t kNeverExpires = std::numeric_limits<int64_t>::max();

/// Keys and until when they are good, in seconds since the Unix epoch.
struct ExpiringCredentials {
  net::AwsCredentials keys;
  int64_t expires_s = kNeverExpires;
};

/// Keys in use; null: requests are not signed.
using CredentialsRef = std::shared_ptr<const ExpiringCredentials>;
using CredentialsCallback = absl::AnyInvocable<void(Result<CredentialsRef>)>;

/// A place where keys may be. Thread safe.
class CredentialsSource {
 public:
  virtual ~CredentialsSource() = default;
  /// Answers once, inline or on a thread of its own; must outlive that. not_found: there are none here, ask
  /// the next source. Errors never hold keys.
  virtual void fetch(CredentialsCallback done) = 0;
};

/// Asks one source after the other, until one has keys or fails. If none has any: permission_denied, with
/// what each source said.
class CredentialsChain final : public CredentialsSource {
 public:
  explicit CredentialsChain(std::vector<std::unique_ptr<CredentialsSource>> sources)
      : sources_(std::move(sources)) {}
  void fetch(CredentialsCallback done) override { fetch_from(0, {}, std::move(done)); }

 private:
  void fetch_from(size_t index, std::string found_none, CredentialsCallback done);

  const std::vector<std::unique_ptr<CredentialsSource>> sources_;
};

/// Keeps keys and fetches new ones five minutes before they expire; the old ones serve until they do. However
/// many ask, one fetch is under way. Thread safe; usable in a child after fork().
class CachedCredentials : public std::enable_shared_from_this<CachedCredentials> {
 public:
  explicit CachedCredentials(std::shared_ptr<CredentialsSource> source, WallClock clock = wall_clock_seconds)
      : source_(std::move(source)), clock_(std::move(clock)) {}

  /// Answers inline with keys that are at hand.
  void get(CredentialsCallback done);
  /// The server did not take `refused`: the next get() fetches.
  void forget(const CredentialsRef& refused);

 private:
  bool is_good(int64_t seconds_more) const;
  void leave_parents_calls();
  void start_fetch();
  void finish(Result<CredentialsRef> fetched);

  const std::shared_ptr<CredentialsSource> source_;
  const WallClock clock_;
  // Guarded by s3_state_mutex():
  CredentialsRef current_;
  bool has_current_ = false;
  std::vector<CredentialsCallback> waiting_;
  int64_t next_refresh_s_ = 0;  // after one that failed
  int fetching_process_ = 0;    // the process whose fetch is under way; 0: none
};

}  // namespace forebay::storage
