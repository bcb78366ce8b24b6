// LISTSTATUS_BATCH and LISTSTATUS.

#include <utility>

#include "forebay/storage/http/service_error.h"
#include "forebay/storage/local/local_file.h"
#include "forebay/storage/webhdfs/webhdfs_json.h"
#include "forebay/storage/webhdfs/webhdfs_object.h"

namespace forebay::storage {
namespace {

/// The listing of one folder, batch by batch.
class WebhdfsFolder : public std::enable_shared_from_this<WebhdfsFolder> {
 public:
  using Done = absl::AnyInvocable<void(Result<FolderEntries>)>;

  WebhdfsFolder(std::shared_ptr<WebhdfsConnection> connection, std::string folder, CallContext context,
                Done done)
      : connection_(std::move(connection)),
        folder_(std::move(folder)),
        context_(std::move(context)),
        done_(std::move(done)) {}

  void ask() {
    ServiceRequest request = webhdfs_request("GET", by_batches_ ? "LISTSTATUS_BATCH" : "LISTSTATUS", folder_);
    request.max_body_bytes = kMaxWebhdfsListBytes;
    if (!start_after_.empty()) {
      request.query.emplace_back("startAfter", start_after_);
    }
    connection_->send(
        std::move(request), context_,
        [self = shared_from_this()](const Result<net::HttpResponse>& answer) { self->take(answer); });
  }

 private:
  static constexpr size_t kMaxEntries = size_t{8} << 20;  // HDFS itself allows 6.4 million

  std::string uri() const { return connection_->uri_of(folder_); }

  void take(const Result<net::HttpResponse>& answer) {
    const StatusCode code = answer.status().code();
    const bool is_unknown = code == StatusCode::kInvalidArgument || code == StatusCode::kUnimplemented;
    if (is_unknown && by_batches_ && start_after_.empty()) {
      by_batches_ = false;
      ask();
    } else if (code == StatusCode::kNotFound) {
      done_(std::move(entries_));
    } else if (!answer.ok()) {
      done_(answer.status());
    } else if (const Result<bool> is_last = add(answer->body); !is_last.ok()) {
      done_(annotate(is_last.status(), uri()));
    } else if (*is_last) {
      done_(std::move(entries_));
    } else {
      ask();
    }
  }

  Result<bool> add(const std::string& body) {
    FOREBAY_ASSIGN_OR_RETURN(const WebhdfsListing listing, parse_webhdfs_list(body));
    for (const WebhdfsStatus& entry : listing.entries) {
      if (!entry.name.starts_with(kTemporaryPrefix)) {
        entries_.push_back(entry.stat(folder_ + entry.name + (entry.is_folder ? "/" : "")));
      }
    }
    if (entries_.size() > kMaxEntries) {
      return resource_exhausted("the folder has more than {} entries", kMaxEntries);
    }
    if (!listing.is_last && listing.last_name == start_after_) {
      return data_loss("the listing does not get on: it begins where it began before");
    }
    start_after_ = listing.last_name;
    return listing.is_last;
  }

  const std::shared_ptr<WebhdfsConnection> connection_;
  const std::string folder_;
  const CallContext context_;
  Done done_;
  bool by_batches_ = true;
  std::string start_after_;
  FolderEntries entries_;
};

}  // namespace

void list_webhdfs_folder(const std::shared_ptr<WebhdfsConnection>& connection, const std::string& folder,
                         const CallContext& context, absl::AnyInvocable<void(Result<FolderEntries>)> done) {
  std::make_shared<WebhdfsFolder>(connection, folder, context, std::move(done))->ask();
}
}  // namespace forebay::storage
