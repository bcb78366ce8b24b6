// A store for tests whose versions prove nothing, as a web server's without validators.
#pragma once

#include <memory>
#include <utility>

#include "forebay/storage/forwarding_store.h"

namespace forebay::storage {

/// Marks all that it reads: the objects may change and keep their version.
class WeakStore final : public ForwardingStore {
 public:
  explicit WeakStore(std::shared_ptr<ObjectStore> inner) : ForwardingStore(std::move(inner)) {}
  void read(ReadRequest request, const CallContext& context, ReadCallback done) override {
    inner().read(std::move(request), context, [done = std::move(done)](Result<ReadBytes> read) mutable {
      if (read.ok()) {
        read->has_weak_version = true;
      }
      done(std::move(read));
    });
  }
};

}  // namespace forebay::storage
