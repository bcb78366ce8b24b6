#include "forebay/storage/http/service_connection.h"

#include <utility>

#include "forebay/storage/errors.h"
#include "forebay/storage/http/service_error.h"
#include "forebay/storage/http/urgency.h"
#include "forebay/storage/remote/doubted_call.h"
#include "forebay/storage/remote/open_stores.h"

namespace forebay::storage {

/// One attempt, with what is sent again at once.
class ServiceExchange : public std::enable_shared_from_this<ServiceExchange> {
 public:
  ServiceExchange(std::shared_ptr<ServiceConnection> connection, ServiceCall::RequestRef request,
                  CallContext context, ServiceConnection::Callback done)
      : connection_(std::move(connection)),
        request_(std::move(request)),
        call_(connection_->call_of(request_)),
        context_(std::move(context)),
        done_(std::move(done)) {}

  void start() {
    if (!is_wanted(context_)) {
      done_(not_wanted(context_, uri()));
      return;
    }
    connection_->pass(expected_bytes(), context_, [self = shared_from_this()](const Status& status) {
      if (status.ok()) {
        self->authorize();
      } else {
        self->done_(annotate(status, self->uri()));
      }
    });
  }

 private:
  std::string uri() const { return connection_->uri_of(request_->key); }
  uint64_t expected_bytes() const { return request_->body.size() + request_->expected_bytes; }

  void authorize() {
    call_->authorize(context_, [self = shared_from_this()](const Status& status) {
      Result<net::HttpRequest> http =
          status.ok() ? self->call_->http_request(self->context_) : Result<net::HttpRequest>(status);
      if (http.ok()) {
        self->send(*std::move(http));
      } else {
        self->connection_->correct(self->expected_bytes(), 0);
        self->done_(named(http.status(), self->uri()));
      }
    });
  }

  void send(net::HttpRequest http) {
    if (request_->body_target) {
      http.body_target = [self = shared_from_this()](const net::HttpResponse& head) {
        Result<net::BodyTarget> target = self->request_->body_target(head);
        self->refusal_ = target.status();
        return target;
      };
    }
    connection_->client_.send(std::move(http), [self = shared_from_this()](Result<net::HttpResponse> answer) {
      self->take(std::move(answer));
    });
  }

  void take(Result<net::HttpResponse> answer) {
    const uint64_t read_bytes = request_->body_target && answer.ok() ? answer->body_bytes : 0;
    connection_->correct(expected_bytes(), request_->body.size() + read_bytes);
    if (answer.ok() && !is_of_a_gateway(*answer)) {
      connection_->retries_->note_answer();
    }
    const Status refusal = std::exchange(refusal_, ok_status());
    if (answer.ok() && call_->is_success(*answer)) {
      done_(std::move(answer));
    } else if (call_->goes_on(answer)) {
      start();
    } else if (!refusal.ok()) {
      done_(refusal);  // as the caller said it
    } else if (answer.ok()) {
      const Status error = call_->error_of(*answer);
      done_(says_nothing_of_effect(*answer) ? in_doubt(error) : error);
    } else {
      const Status error = named(answer.status(), uri());
      done_(error.code() == StatusCode::kUnavailable ? in_doubt(error) : error);
    }
  }

  /// Perhaps of a proxy that has not found the service.
  static bool is_of_a_gateway(const net::HttpResponse& answer) {
    return answer.status == 502 || answer.status == 504;
  }

  /// Errors of a server or of something before it, after which the request may have been carried out. 503
  /// says that it was not, and so do all that are the caller's fault.
  static bool says_nothing_of_effect(const net::HttpResponse& answer) {
    return (answer.status >= 500 && answer.status != 501 && answer.status != 503) || answer.is_success();
  }

  const std::shared_ptr<ServiceConnection> connection_;
  const ServiceCall::RequestRef request_;
  const std::unique_ptr<ServiceCall> call_;
  const CallContext context_;
  ServiceConnection::Callback done_;
  Status refusal_;  // of the request's `body_target`
};

net::HttpRequest http_request_of(const ServiceRequest& request, std::string url, const CallContext& context) {
  net::HttpRequest http = {.method = request.method,
                           .url = std::move(url),
                           .body = request.body,
                           .max_body_bytes = request.max_body_bytes,
                           .follow_redirects = false,
                           .urgency = urgency_of(context.priority),
                           .stall_timeout_s = request.stall_timeout_s,
                           .cancellation = context.cancellation,
                           .deadline_ns = context.deadline_ns};
  for (const auto& [name, value] : request.headers) {
    http.headers.push_back({name, value});
  }
  return http;
}

ServiceConnection::ServiceConnection(net::HttpClient& client, const RateLimits& limits,
                                     const RetryOptions& retries, size_t small_answer_bytes)
    : client_(client),
      limiter_(limits.any() ? limiter_of_host(limits) : nullptr),
      retries_(std::make_shared<RetryPolicy>(retries)),
      small_answer_bytes_(small_answer_bytes) {
}

void ServiceConnection::attempt(ServiceCall::RequestRef request, const CallContext& context, Callback done) {
  if (request->max_body_bytes == 0) {
    request->max_body_bytes = small_answer_bytes_;
  }
  std::make_shared<ServiceExchange>(shared_from_this(), std::move(request), context, std::move(done))
      ->start();
}

void ServiceConnection::pass(uint64_t bytes, const CallContext& context, StatusCallback go) {
  if (limiter_) {
    limiter_->pass(bytes, context, std::move(go));
  } else {
    go(ok_status());
  }
}

void ServiceConnection::correct(uint64_t expected_bytes, uint64_t moved_bytes) {
  if (limiter_) {
    limiter_->correct(expected_bytes, moved_bytes);
  }
}

void ServiceConnection::send_limited(net::HttpRequest request, const CallContext& context, Callback done) {
  const uint64_t bytes = request.body.size();
  pass(bytes, context,
       [self = shared_from_this(), bytes, request = std::move(request),
        done = std::move(done)](const Status& status) mutable {
         if (!status.ok()) {
           done(status);
           return;
         }
         self->client_.send(std::move(request),
                            [self, bytes, done = std::move(done)](Result<net::HttpResponse> answer) mutable {
                              self->correct(bytes, bytes);
                              done(std::move(answer));
                            });
       });
}

void ServiceConnection::send(ServiceRequest request, const CallContext& context, Callback done) {
  if (!request.is_repeatable) {
    send_once(std::move(request), context, std::move(done));
    return;
  }
  auto start = [self = shared_from_this(), shared = std::make_shared<ServiceRequest>(std::move(request))](
                   const CallContext& its_context, Callback next) {
    if (shared->attempts) {
      ++*shared->attempts;
    }
    self->attempt(shared, its_context, std::move(next));
  };
  call_with_retries<net::HttpResponse>(retries_, context, std::move(start), std::move(done));
}

void ServiceConnection::send_once(ServiceRequest request, const CallContext& context, Callback done) {
  attempt(std::make_shared<ServiceRequest>(std::move(request)), context, std::move(done));
}

void ServiceConnection::send_removal(ServiceRequest request, const CallContext& context,
                                     StatusCallback done) {
  const auto attempts = std::make_shared<int>(0);
  request.attempts = attempts;
  send(std::move(request), context,
       [attempts, done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
         const bool may_be_gone = *attempts > 1 && answer.status().code() == StatusCode::kNotFound;
         done(may_be_gone ? ok_status() : answer.status());
       });
}

}  // namespace forebay::storage
