// A store whose objects are acknowledged by a journal before they are stored, and that shows those that wait
// as if they were stored.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/cache/journal/write_back.h"
#include "forebay/storage/forwarding_store.h"

namespace forebay::cache {

/// Thread safe; must be owned by a shared_ptr. Without a mount in `use` it only shows what waits, and writes
/// go through. So do removals, renames and copies, always: first what waits of their names is stored, and the
/// error of that is theirs. A version that waits is named "journal-...", and stays readable by that name
/// after it was stored, for as long as this process lives and has not stored very many since.
class WriteBackStore final : public storage::ForwardingStore,
                             public std::enable_shared_from_this<WriteBackStore> {
 public:
  /// `inner` may be a cache over `upstream`, and goes there for all that it does not know.
  WriteBackStore(std::shared_ptr<storage::ObjectStore> inner, std::shared_ptr<storage::ObjectStore> upstream,
                 std::shared_ptr<WriteBack> journal, WriteBackUse use)
      : ForwardingStore(std::move(inner)),
        upstream_(std::move(upstream)),
        journal_(std::move(journal)),
        use_(std::move(use)) {}

  storage::StoreFeatures features() const override;
  void stat(std::string key, const storage::CallContext& context, storage::StatCallback done) override;
  std::unique_ptr<storage::ListStream> open_list(storage::ListRequest request) override;
  void read(storage::ReadRequest request, const storage::CallContext& context,
            storage::ReadCallback done) override;
  void bring_many(std::vector<storage::BringRequest> requests, const storage::CallContext& context,
                  storage::BringManyCallback each) override;
  std::optional<std::string> local_file(std::string_view key) const override;
  void write(std::string key, Bytes content, storage::WriteOptions options,
             const storage::CallContext& context, storage::StatCallback done) override;
  Result<std::unique_ptr<storage::ObjectWriter>> open_writer(std::string key,
                                                             storage::WriteOptions options) override;
  void remove(std::string key, const storage::CallContext& context, storage::StatusCallback done) override;
  void remove_many(std::vector<std::string> keys, const storage::CallContext& context,
                   storage::RemoveManyCallback each) override;
  void rename(storage::MoveRequest request, const storage::CallContext& context,
              storage::StatCallback done) override;
  void copy(storage::MoveRequest request, const storage::CallContext& context,
            storage::StatCallback done) override;
  void settle(std::string key, const storage::CallContext& context, storage::StatusCallback done) override;

 private:
  /// Whether the journal can name the object.
  bool is_named(const std::string& key, const std::string& uri) const;
  /// What a version of the journal is now, where the store knows another name of it.
  std::string store_version(const std::string& version) const;
  void read_from_journal(const JournalEntryRef& entry, storage::ReadRequest request,
                         const storage::CallContext& context, storage::ReadCallback done);
  void read_stored(storage::ReadRequest request, const storage::CallContext& context,
                   storage::ReadCallback done);
  /// Calls back once nothing waits of both names.
  void when_stored(const std::string& from, const std::string& to, const storage::CallContext& context,
                   storage::StatusCallback done);
  using Move = void (storage::ObjectStore::*)(storage::MoveRequest request,
                                              const storage::CallContext& context,
                                              storage::StatCallback done);
  /// Renames or copies what is stored, once nothing waits of either name.
  void move_stored(Move move, storage::MoveRequest request, const storage::CallContext& context,
                   storage::StatCallback done);

  const std::shared_ptr<storage::ObjectStore> upstream_;
  const std::shared_ptr<WriteBack> journal_;
  const WriteBackUse use_;
};

}  // namespace forebay::cache
