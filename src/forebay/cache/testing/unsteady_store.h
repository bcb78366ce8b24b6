// A store whose writes fail as a test says: before they are done, or with their answer lost.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "forebay/storage/forwarding_store.h"

namespace forebay::cache::testing {

/// Hooks are set before it is used, and called by any thread.
class UnsteadyStore final : public storage::ForwardingStore {
 public:
  using Hook = std::function<Status(const std::string& key)>;

  explicit UnsteadyStore(std::shared_ptr<storage::ObjectStore> inner) : ForwardingStore(std::move(inner)) {}

  Hook before_write;  // an error: nothing is written
  Hook after_write;   // an error: it is written, and nobody hears of it
  Hook before_stat;

  void stat(std::string key, const storage::CallContext& context, storage::StatCallback done) override {
    const Status error = call(before_stat, key);
    if (error.ok()) {
      inner().stat(std::move(key), context, std::move(done));
    } else {
      done(error);
    }
  }
  void write(std::string key, Bytes content, storage::WriteOptions options,
             const storage::CallContext& context, storage::StatCallback done) override {
    if (const Status error = call(before_write, key); !error.ok()) {
      done(error);
      return;
    }
    inner().write(key, content, std::move(options), context,
                  [this, key, done = std::move(done)](Result<storage::ObjectStat> stat) mutable {
                    const Status error = stat.ok() ? call(after_write, key) : ok_status();
                    done(error.ok() ? std::move(stat) : error);
                  });
  }
  Result<std::unique_ptr<storage::ObjectWriter>> open_writer(std::string key,
                                                             storage::WriteOptions options) override {
    FOREBAY_RETURN_IF_ERROR(call(before_write, key));
    return inner().open_writer(std::move(key), std::move(options));
  }

 private:
  static Status call(const Hook& hook, const std::string& key) { return hook ? hook(key) : ok_status(); }
};

}  // namespace forebay::cache::testing
