#include "forebay/storage/s3_credentials/credentials.h"

#include <utility>

namespace forebay::storage {

void CredentialsChain::fetch_from(size_t index, std::string found_none, CredentialsCallback done) {
  if (index == sources_.size()) {
    done(permission_denied("no credentials: {}. Public buckets are read without: FOREBAY_S3_ANONYMOUS=1",
                           found_none));
    return;
  }
  sources_[index]->fetch([this, index, found_none = std::move(found_none),
                          done = std::move(done)](Result<CredentialsRef> fetched) mutable {
    if (fetched.status().code() != StatusCode::kNotFound) {
      done(std::move(fetched));
      return;
    }
    found_none += found_none.empty() ? "" : "; ";
    found_none += message(fetched.status());
    fetch_from(index + 1, std::move(found_none), std::move(done));
  });
}

}  // namespace forebay::storage
