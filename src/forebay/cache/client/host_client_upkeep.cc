// What is asked of the daemon itself, by commands that wait for the answer.
#include <future>
#include <utility>

#include "forebay/cache/client/host_client.h"

namespace forebay::cache {

template <class Answer>
Result<Answer> HostClient::ask_now(uint64_t number, const std::string& message, const std::string& what,
                                   const storage::CallContext& context) {
  auto answer = std::make_shared<std::promise<Result<Answer>>>();
  std::future<Result<Answer>> answered = answer->get_future();
  ask(number, message, context, what, [answer](Result<net::LocalMessage> come) {
    answer->set_value(come.ok() ? decode_answer<Answer>(come->bytes) : come.status());
  });
  return answered.get();
}

Result<std::string> HostClient::statistics(const std::stop_token& stop) {
  const uint64_t number = next_number();
  return ask_now<std::string>(number, encode_header(HostMessage::kStatistics, number), "statistics",
                              {.cancellation = stop});
}

Result<std::string> HostClient::take_rules(const std::stop_token& stop) {
  const uint64_t number = next_number();
  return ask_now<std::string>(number, encode_header(HostMessage::kRules, number), "the cache's rules",
                              {.cancellation = stop});
}

Result<std::string> HostClient::backlog(const std::string& uri, bool hurries, const std::stop_token& stop) {
  const uint64_t number = next_number();
  return ask_now<std::string>(number, encode(HostBacklog{uri, hurries}, number), "what waits to be stored",
                              {.cancellation = stop});
}

Result<CacheWalked> HostClient::walk(const CacheWalk& piece, const std::stop_token& stop) {
  if (piece.uri.size() > kMaxNameBytes) {
    return invalid_argument("a name of {} bytes; the daemon takes {}", piece.uri.size(), kMaxNameBytes);
  }
  const uint64_t number = next_number();
  return ask_now<CacheWalked>(number, encode(HostWalk{piece}, number), piece.uri, {.cancellation = stop});
}

}  // namespace forebay::cache
