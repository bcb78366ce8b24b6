// The connection to one bucket of S3: locates, signs, and follows the server's corrections (another region,
// its clock, newer keys), each once. A failure that comes with status 200 is one, too.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "forebay/storage/http/service_connection.h"
#include "forebay/storage/s3/s3_options.h"
#include "forebay/storage/s3_credentials/credentials.h"

namespace forebay::storage {

/// S3 may be silent for so long while it copies or puts parts together.
inline constexpr int64_t kS3WorkTimeoutS = 600;

class S3Connection final : public ServiceConnection {
 public:
  S3Connection(std::string bucket, S3Options options, S3Configuration configuration,
               std::shared_ptr<CredentialsSource> credentials, net::HttpClient& client,
               WallClock clock = wall_clock_seconds);

  const std::string& bucket() const { return bucket_; }
  const S3Options& options() const { return options_; }
  std::string uri_of(std::string_view key) const override;
  std::string service() const override;

 protected:
  std::unique_ptr<ServiceCall> call_of(ServiceCall::RequestRef request) override;

 private:
  friend class S3Call;

  std::string region() const;
  void set_region(std::string region);
  int64_t server_seconds() const { return clock_() + clock_offset_s_.load(std::memory_order_relaxed); }

  const std::string bucket_;
  const S3Options options_;
  const S3Configuration configuration_;
  const std::shared_ptr<CachedCredentials> credentials_;
  const WallClock clock_;
  std::atomic<int64_t> clock_offset_s_{0};  // the server's clock minus this machine's
  std::string region_;                      // guarded by remote_state_mutex()
};

}  // namespace forebay::storage
