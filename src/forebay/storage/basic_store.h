// Base class for drivers. Optional services return `unimplemented`, and calls for many objects become many
// calls for one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

class BasicStore : public ObjectStore {
 public:
  StoreFeatures features() const override { return {}; }
  void stat_many(std::vector<std::string> keys, const CallContext& context, StatManyCallback each) override;
  void read_many(std::vector<ReadRequest> requests, const CallContext& context,
                 ReadManyCallback each) override;
  void bring_many(std::vector<BringRequest> requests, const CallContext& context,
                  BringManyCallback each) override;
  std::optional<std::string> local_file(std::string_view) const override { return std::nullopt; }
  Status check_write(std::string_view, bool) const override { return ok_status(); }
  void remove_many(std::vector<std::string> keys, const CallContext& context,
                   RemoveManyCallback each) override;
  void rename(MoveRequest request, const CallContext& context, StatCallback done) override;
  void copy(MoveRequest request, const CallContext& context, StatCallback done) override;
  void make_directory(std::string key, const CallContext& context, StatusCallback done) override;
  void settle(std::string, const CallContext&, StatusCallback done) override { done(ok_status()); }
  void advise(std::shared_ptr<ReadPlan>) override {}
  Result<ObjectAddress> derived(std::string_view key, std::string_view version,
                                std::string_view kind) override;
};

/// Implement stat_many(), read_many() and remove_many() with the store's stat(), read() and remove(), one
/// call after the other.
void stat_each(ObjectStore& store, std::vector<std::string> keys, const CallContext& context,
               StatManyCallback each);
void read_each(ObjectStore& store, std::vector<ReadRequest> requests, const CallContext& context,
               ReadManyCallback each);
/// Starts a call for each request; `each` gets their answers, never concurrently.
using BringCallback = absl::AnyInvocable<void(Result<BringOutcome>)>;
void bring_each(std::vector<BringRequest> requests, BringManyCallback each,
                absl::FunctionRef<void(BringRequest request, BringCallback done)> bring);
void remove_each(ObjectStore& store, std::vector<std::string> keys, const CallContext& context,
                 RemoveManyCallback each);

}  // namespace forebay::storage
