// The way back of an answer to the client that asked.
#pragma once

#include <memory>

#include "absl/functional/any_invocable.h"
#include "forebay/net/server/server_response.h"

namespace forebay::net {

class Exchange;

/// Answers one request, once. Movable; may outlive the server, and is used on any thread. One that is dropped
/// without an answer answers 500.
class Responder {
 public:
  explicit Responder(std::shared_ptr<Exchange> exchange);
  Responder(Responder&& other) noexcept = default;
  Responder& operator=(Responder&& other) noexcept;
  ~Responder();

  /// Later calls do nothing. Returns at once; what was given is freed when it was sent or nobody waits for
  /// it.
  void answer(ServerResponse response);

  /// Whether nobody waits for the answer: the client closed its connection or was cut off, or the server has
  /// ended. A client that closes its sending side alone waits for its answer; a "100 Continue" is sent to it,
  /// which comes back from one that has gone.
  bool is_gone() const;

  /// `callback` is called once when the client goes before it is answered: on the server's thread, or here
  /// and now if it has gone. It must not block, and owns what it uses: it may be running while answer()
  /// returns.
  void on_gone(absl::AnyInvocable<void()> callback);

 private:
  std::shared_ptr<Exchange> exchange_;
};

}  // namespace forebay::net
