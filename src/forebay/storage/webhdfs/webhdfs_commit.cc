#include "forebay/storage/webhdfs/webhdfs_commit.h"

#include <utility>

#include "forebay/storage/http/service_error.h"
#include "forebay/storage/webhdfs/webhdfs_json.h"
#include "forebay/storage/webhdfs/webhdfs_object.h"

namespace forebay::storage {
namespace {

/// One commit, until the file has its name.
class WebhdfsCommit : public std::enable_shared_from_this<WebhdfsCommit> {
 public:
  WebhdfsCommit(std::shared_ptr<WebhdfsConnection> connection, std::string temporary, std::string key,
                uint64_t size_bytes, WriteOptions options, CallContext context, StatCallback done)
      : connection_(std::move(connection)),
        temporary_(std::move(temporary)),
        key_(std::move(key)),
        size_bytes_(size_bytes),
        options_(std::move(options)),
        context_(std::move(context)),
        done_(std::move(done)) {}

  /// A rename keeps inode, size and time, so the version is known before it.
  void start() {
    stat(temporary_, {}, [](WebhdfsCommit& self, Result<ObjectStat> stat) {
      if (!stat.ok()) {
        self.done_(stat.status());
      } else if (stat->size_bytes != self.size_bytes_) {
        self.done_(data_loss("{}: HDFS has {} bytes of {} that were written", self.uri(), stat->size_bytes,
                             self.size_bytes_));
      } else {
        self.stat_ = *std::move(stat);
        self.stat_.key = self.key_;
        self.look_at_destination();
      }
    });
  }

 private:
  using Take = void (*)(WebhdfsCommit& self, Result<ObjectStat> stat);

  std::string uri() const { return connection_->uri_of(key_); }

  void stat(const std::string& key, const std::string& if_version, Take take) {
    stat_webhdfs(
        connection_, key, if_version, context_,
        [self = shared_from_this(), take](Result<ObjectStat> stat) { take(*self, std::move(stat)); });
  }

  void look_at_destination() {
    if (options_.if_version.empty()) {
      rename();
      return;
    }
    stat(key_, options_.if_version, [](WebhdfsCommit& self, Result<ObjectStat> stat) {
      if (stat.ok()) {
        self.rename();
      } else {
        self.done_(stat.status());
      }
    });
  }

  void rename() {
    rename_webhdfs_file(connection_, temporary_, options_.if_absent, stat_, context_,
                        [self = shared_from_this()](Result<ObjectStat> made) {
                          self->done_(made.ok() ? std::move(made) : named(made.status(), self->uri()));
                        });
  }

  const std::shared_ptr<WebhdfsConnection> connection_;
  const std::string temporary_;
  const std::string key_;
  const uint64_t size_bytes_;
  const WriteOptions options_;
  const CallContext context_;
  StatCallback done_;
  ObjectStat stat_;
};

}  // namespace

void commit_webhdfs(const std::shared_ptr<WebhdfsConnection>& connection, std::string temporary,
                    std::string key, uint64_t size_bytes, const WriteOptions& options,
                    const CallContext& context, StatCallback done) {
  std::make_shared<WebhdfsCommit>(connection, std::move(temporary), std::move(key), size_bytes, options,
                                  context, std::move(done))
      ->start();
}

}  // namespace forebay::storage
