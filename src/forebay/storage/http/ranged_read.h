// A ranged read of a store that keeps versions: one GET straight into the memory of the answer, whatever the
// object's size. The answer's head is held against what was asked for before any byte is taken.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "forebay/net/http_message.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/cost_model.h"

namespace forebay::storage {

/// What a driver has to say about its reads. Thread safe.
class RangedReadSource {
 public:
  using HttpCallback = absl::AnyInvocable<void(Result<net::HttpResponse>)>;

  virtual ~RangedReadSource() = default;

  virtual std::string uri_of(std::string_view key) const = 0;
  /// Asks for the object `request.key`, in the version `request.if_version` if that is not empty. `range` is
  /// the value of Range; empty: all of it. Answers with status 2xx, or with an error that names the object.
  virtual void get(const ReadRequest& request, std::string range, net::BodyTargetOf target,
                   const CallContext& context, HttpCallback done) = 0;
  /// The version of the object that the answer brings.
  virtual Result<std::string> version_in(const net::HttpResponse& head, std::string_view uri) const = 0;
  /// Whether other bytes may have the same version.
  virtual bool is_weak(std::string_view) const { return false; }
  /// The object; `aborted` if it has another version than `if_version`, unless that is empty.
  virtual void stat(std::string key, const std::string& if_version, const CallContext& context,
                    StatCallback done) = 0;
};

/// ObjectStore::read(). `costs` learns from the answer; may be null.
void read_range(std::shared_ptr<RangedReadSource> source, std::shared_ptr<CostModel> costs,
                ReadRequest request, const CallContext& context, ReadCallback done);

}  // namespace forebay::storage
