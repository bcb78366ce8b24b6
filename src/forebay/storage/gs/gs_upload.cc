#include "forebay/storage/gs/gs_upload.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "forebay/net/http_fields.h"
#include "forebay/net/url.h"
#include "forebay/storage/gs/gs_json.h"
#include "forebay/storage/gs/gs_object.h"
#include "forebay/storage/http/service_error.h"

namespace forebay::storage {
namespace {

constexpr size_t kMaxGsSessionBytes = 8192;

/// How many bytes the server has, by its answer 308: "bytes=0-99", or no header for none.
Result<uint64_t> bytes_at_server(const net::HttpResponse& answer, std::string_view uri) {
  const std::string* const range = answer.header("Range");
  if (range == nullptr) {
    return 0;
  }
  const std::string_view text = *range;
  constexpr std::string_view kStart = "bytes=0-";
  const auto last = text.starts_with(kStart) ? net::parse_decimal(text.substr(kStart.size())) : std::nullopt;
  if (!last || *last >= UINT64_MAX - 1) {
    return data_loss("{}: the server does not say how much of an upload it has", uri);
  }
  return *last + 1;
}

/// The fields of "name=value&name=value".
net::AwsFields fields_of_query(std::string_view query) {
  net::AwsFields fields;
  const auto decoded = [](std::string_view text) {
    return net::percent_decoded(text).value_or(std::string(text));
  };
  while (!query.empty()) {
    const std::string_view field = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(field.size() + 1, query.size()));
    const size_t equals = std::min(field.find('='), field.size());
    fields.emplace_back(decoded(field.substr(0, equals)),
                        decoded(field.substr(std::min(equals + 1, field.size()))));
  }
  return fields;
}

}  // namespace

/// One chunk, until the server has it.
class GsChunk : public std::enable_shared_from_this<GsChunk> {
 public:
  using Answer = std::optional<ObjectStat>;
  using Callback = absl::AnyInvocable<void(Result<Answer>)>;

  GsChunk(std::shared_ptr<GsUpload> upload, Bytes content, bool is_last)
      : upload_(std::move(upload)), content_(content), is_last_(is_last), begin_(upload_->sent_bytes_) {}

  void attempt(const CallContext& context, Callback done) {
    const bool asks = std::exchange(is_in_doubt_, true);  // until there is an answer
    ServiceRequest request = {.method = "PUT",
                              .key = upload_->key_,
                              .path = upload_->session_path_,
                              .query = upload_->session_query_,
                              .headers = {{"Content-Range", asks ? question() : range()}},
                              .body = asks ? Bytes() : rest(),
                              .is_chunk = true};
    upload_->connection_->send_once(std::move(request), context,
                                    [self = shared_from_this(), context, done = std::move(done)](
                                        const Result<net::HttpResponse>& answer) mutable {
                                      self->take(answer, context, std::move(done));
                                    });
  }

 private:
  const std::string& uri() const { return upload_->uri(); }
  Bytes rest() const { return content_.subspan(upload_->sent_bytes_ - begin_); }
  std::string total() const { return is_last_ ? std::to_string(begin_ + content_.size()) : "*"; }
  std::string question() const { return fmt::format("bytes */{}", total()); }
  std::string range() const {
    const uint64_t size = rest().size();
    return size == 0 ? question()
                     : fmt::format("bytes {}-{}/{}", upload_->sent_bytes_, upload_->sent_bytes_ + size - 1,
                                   total());
  }

  void take(const Result<net::HttpResponse>& answer, const CallContext& context, Callback done) {
    if (!answer.ok()) {
      done(answer.status());
      return;
    }
    is_in_doubt_ = false;
    if (answer->status == 308) {
      go_on(*answer, context, std::move(done));
      return;
    }
    Result<ObjectStat> stat = gs_object_in(answer, uri());
    if (stat.ok() && (!is_last_ || stat->size_bytes != begin_ + content_.size())) {
      stat = data_loss("{}: the server made an object of {} bytes too early", uri(), stat->size_bytes);
    }
    upload_->made_ = stat.ok() ? std::optional(*stat) : ObjectStat();
    done(stat.ok() ? Result<Answer>(*std::move(stat)) : stat.status());
  }

  /// The server wants more, or all of the chunk is there.
  void go_on(const net::HttpResponse& answer, const CallContext& context, Callback done) {
    const Result<uint64_t> there = bytes_at_server(answer, uri());
    const uint64_t end = begin_ + content_.size();
    if (!there.ok() || *there < upload_->sent_bytes_ || *there > end) {
      done(there.ok() ? data_loss("{}: the server has {} bytes of an upload, of which {} to {} were sent",
                                  uri(), *there, upload_->sent_bytes_, end)
                      : there.status());
      return;
    }
    const bool gets_on = *there > upload_->sent_bytes_;
    upload_->sent_bytes_ = *there;
    if (*there == end && !is_last_) {
      done(Answer());
    } else if (gets_on || ++idle_answers_ <= kMaxIdleAnswers) {
      attempt(context, std::move(done));
    } else {
      done(unavailable("{}: the upload does not get on", uri()));
    }
  }

  static constexpr int kMaxIdleAnswers = 3;

  const std::shared_ptr<GsUpload> upload_;
  const Bytes content_;
  const bool is_last_;
  const uint64_t begin_;
  bool is_in_doubt_ = false;  // an answer was lost: how much the server has is not known
  int idle_answers_ = 0;
};

void GsUpload::open(const CallContext& context, StatusCallback done) {
  net::AwsFields query = {{"uploadType", "resumable"}, {"name", key_}, {"fields", kGsObjectFields}};
  const Status valid = add_gs_condition(options_, uri(), query);
  if (!valid.ok()) {
    done(valid);
    return;
  }
  connection_->send({.method = "POST",
                     .key = key_,
                     .path = connection_->upload_path(),
                     .query = query,
                     .headers = {{"X-Upload-Content-Type", "application/octet-stream"}}},
                    context, [this, done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
                      done(take_session(answer));
                    });
}

// The token goes to no other host: of the session's URL only the path and the query are used.
Status GsUpload::take_session(const Result<net::HttpResponse>& answer) {
  if (!answer.ok()) {
    return write_error(answer.status(), options_, uri());
  }
  const std::string* const location = answer->header("Location");
  const std::string_view url = location != nullptr ? std::string_view(*location) : std::string_view();
  const size_t host = url.find("://");
  const size_t path = host == std::string_view::npos ? host : url.find('/', host + 3);
  if (path == std::string_view::npos || url.size() > kMaxGsSessionBytes || !net::check_url(url).ok()) {
    return data_loss("{}: the server gave no usable URL for an upload", uri());
  }
  const std::string_view rest = url.substr(path);
  const size_t query = std::min(rest.find('?'), rest.size());
  session_path_ = rest.substr(0, query);
  session_query_ = fields_of_query(rest.substr(std::min(query + 1, rest.size())));
  return ok_status();
}

void GsUpload::send_part(Part part, StatusCallback done) {
  if (!session_path_.empty()) {
    send_chunk(part.content, part.is_last, part.context, std::move(done));
    return;
  }
  const CallContext context = part.context;
  open(context, [this, part = std::move(part), done = std::move(done)](const Status& status) mutable {
    if (status.ok()) {
      send_chunk(part.content, part.is_last, part.context, std::move(done));
    } else {
      done(status);
    }
  });
}

void GsUpload::send_chunk(Bytes content, bool is_last, const CallContext& context, StatusCallback done) {
  auto chunk =
      std::make_shared<GsChunk>(std::static_pointer_cast<GsUpload>(shared_from_this()), content, is_last);
  const auto attempt = [chunk](const CallContext& its_context, GsChunk::Callback next) {
    chunk->attempt(its_context, std::move(next));
  };
  call_with_retries<GsChunk::Answer>(
      connection_->retries(), context, attempt,
      [this, done = std::move(done)](const Result<GsChunk::Answer>& answer) mutable {
        const Status& status = answer.status();
        const bool is_lost = status.code() == StatusCode::kNotFound;
        done(is_lost ? unavailable("{}: the server has forgotten the upload; write the object again", uri())
                     : write_error(status, options_, uri()));
      });
}

void GsUpload::add_last(Bytes content, const CallContext& context, StatusCallback done) {
  enqueue({.content = content, .context = context, .is_last = true, .done = std::move(done)});
}

void GsUpload::complete(uint64_t, const WriteOptions&, const CallContext&, StatCallback done) {
  const Status failed = failure();
  done(failed.ok() ? Result<ObjectStat>(*made_) : failed);
}

// A session that is left alone ends by itself after a week, so nothing hangs on the answer.
void GsUpload::remove_parts() {
  if (!session_path_.empty() && !made_) {
    connection_->send_once({.method = "DELETE", .key = key_, .path = session_path_, .query = session_query_},
                           {}, [](const Result<net::HttpResponse>&) {});
  }
}

void GsUploadTarget::put(Bytes content, const WriteOptions& options, const CallContext& context,
                         StatCallback done) {
  put_gs_object(connection_, key_, content, options, context, std::move(done));
}

}  // namespace forebay::storage
