#include "forebay/cache/store/side_data.h"

#include <string>
#include <utility>

#include "fmt/format.h"
#include "forebay/cache/entries/object_name.h"
#include "forebay/cache/rules/rule_table.h"
#include "forebay/storage/basic_store.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/forwarding_store.h"

namespace forebay::cache {
namespace {

using storage::CallContext;

// Side data is named by what it was made of, so there is one version of it.
constexpr std::string_view kSideVersion = "1";

class NothingListed final : public storage::ListStream {
 public:
  void next(const CallContext&, storage::ListCallback done) override {
    if (std::exchange(is_over_, true)) {
      done(out_of_range("behind the last page"));
    } else {
      done(storage::ListPage{.objects = {}, .prefixes = {}, .is_last = true});
    }
  }

 private:
  bool is_over_ = false;
};

class SideUpstream final : public storage::BasicStore {
 public:
  std::string uri_of(std::string_view key) const override { return fmt::format("{}{}", kSideScheme, key); }
  void stat(std::string key, const CallContext&, storage::StatCallback done) override {
    done(storage::no_such_object(uri_of(key)));
  }
  std::unique_ptr<storage::ListStream> open_list(storage::ListRequest) override {
    return std::make_unique<NothingListed>();
  }
  void read(storage::ReadRequest request, const CallContext&, storage::ReadCallback done) override {
    done(storage::no_such_object(uri_of(request.key)));
  }
  void write(std::string key, Bytes content, storage::WriteOptions, const CallContext&,
             storage::StatCallback done) override {
    done(storage::ObjectStat{
        .key = std::move(key), .size_bytes = content.size(), .version = std::string(kSideVersion)});
  }
  Result<std::unique_ptr<storage::ObjectWriter>> open_writer(std::string key,
                                                             storage::WriteOptions) override {
    return unimplemented("{}: side data is written as a whole", uri_of(key));
  }
  void remove(std::string, const CallContext&, storage::StatusCallback done) override { done(ok_status()); }
};

/// Asks for the one version, so that the cache need not find out from upstream which there is.
class SideReads final : public storage::ForwardingStore {
 public:
  explicit SideReads(std::shared_ptr<storage::ObjectStore> cached) : ForwardingStore(std::move(cached)) {}

  void read(storage::ReadRequest request, const CallContext& context, storage::ReadCallback done) override {
    request.if_version = kSideVersion;
    inner().read(std::move(request), context, std::move(done));
  }
};

}  // namespace

std::shared_ptr<storage::ObjectStore> side_upstream() {
  static auto* const store = new std::shared_ptr<storage::ObjectStore>(std::make_shared<SideUpstream>());
  return *store;
}

storage::ObjectAddress side_address(std::shared_ptr<storage::ObjectStore> cached,
                                    const storage::ObjectStore& store, std::string_view key,
                                    std::string_view version, std::string_view kind) {
  const ObjectId id = object_of(store, key, std::string(version)).id;
  return {std::make_shared<SideReads>(std::move(cached)),
          fmt::format("{}/{:016x}{:016x}", kind, id.high, id.low)};
}

}  // namespace forebay::cache
