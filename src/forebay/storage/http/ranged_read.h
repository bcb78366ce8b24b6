// A ranged read of a store that keeps versions: one GET straight into the memory of the answer, whatever the
// object's size. The answer's head is held against what was asked for before any byte is taken.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/net/http_message.h"
#include "forebay/storage/http/service_connection.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/cost_model.h"

namespace forebay::storage {

/// What a driver has to say about its reads. Thread safe.
class RangedReadSource {
 public:
  explicit RangedReadSource(std::shared_ptr<ServiceConnection> connection)
      : connection_(std::move(connection)) {}
  virtual ~RangedReadSource() = default;

  ServiceConnection& connection() const { return *connection_; }

  /// Has `get` ask for the object of `request`, in the version `request.if_version` if that is not empty.
  virtual void ask_for(const ReadRequest& request, ServiceRequest& get) const = 0;
  /// The version of the object that the answer brings.
  virtual Result<std::string> version_in(const net::HttpResponse& head, std::string_view uri) const = 0;
  /// Whether other bytes may have the same version.
  virtual bool is_weak(std::string_view) const { return false; }
  /// The object; `aborted` if it has another version than `if_version`, unless that is empty.
  virtual void stat(std::string key, const std::string& if_version, const CallContext& context,
                    StatCallback done) = 0;

 private:
  const std::shared_ptr<ServiceConnection> connection_;
};

/// ObjectStore::read(). `costs` learns from the answer; may be null.
void read_range(std::shared_ptr<RangedReadSource> source, std::shared_ptr<CostModel> costs,
                ReadRequest request, const CallContext& context, ReadCallback done);

}  // namespace forebay::storage
