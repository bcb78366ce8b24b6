// A store that has an outage when a test says so: questions fail, except those on which a read waits, as if
// they had been tried again until its end.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "forebay/storage/errors.h"
#include "forebay/storage/forwarding_store.h"

namespace forebay::storage {

/// Thread safe.
class OutageStore final : public ForwardingStore {
 public:
  explicit OutageStore(std::shared_ptr<ObjectStore> inner) : ForwardingStore(std::move(inner)) {}

  /// From now on, or until now.
  void set_outage(bool is_out) { is_out_->store(is_out); }

  void stat(std::string key, const CallContext& context, StatCallback done) override {
    if (fails(*is_out_, context)) {
      done(unavailable("{}: an outage", uri_of(key)));
    } else {
      inner().stat(std::move(key), context, std::move(done));
    }
  }
  std::unique_ptr<ListStream> open_list(ListRequest request) override {
    return std::make_unique<Stream>(is_out_, inner().open_list(std::move(request)));
  }

 private:
  using IsOut = std::shared_ptr<std::atomic<bool>>;

  static bool fails(const std::atomic<bool>& is_out, const CallContext& context) {
    return is_out.load() && !context.is_for_read;
  }

  class Stream final : public ListStream {
   public:
    Stream(IsOut is_out, std::unique_ptr<ListStream> inner)
        : is_out_(std::move(is_out)), inner_(std::move(inner)) {}

    void next(const CallContext& context, ListCallback done) override {
      if (fails(*is_out_, context)) {
        done(unavailable("the listing: an outage"));
      } else {
        inner_->next(context, std::move(done));
      }
    }

   private:
    const IsOut is_out_;
    const std::unique_ptr<ListStream> inner_;
  };

  const IsOut is_out_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace forebay::storage
