// Names that take long to look up: getaddrinfo() of this program, which libcurl calls, waits for the test.
#include <dlfcn.h>
#include <netdb.h>

#include <semaphore>
#include <stop_token>
#include <string_view>

#include "forebay/net/testing/http_client_test_base.h"
#include "forebay/net/testing/scripted_server.h"

namespace forebay::net {
namespace {

constexpr std::string_view kSlowName = "slow.invalid";

// Never destroyed: the thread that looks a name up may outlast the test.
struct SlowLookup {
  std::binary_semaphore has_begun{0};
  std::binary_semaphore may_end{0};
  std::binary_semaphore has_ended{0};
};

SlowLookup& slow_lookup() {
  static auto* const lookup = new SlowLookup;
  return *lookup;
}

}  // namespace
}  // namespace forebay::net

extern "C" __attribute__((visibility("default"))) int getaddrinfo(const char* name, const char* service,
                                                                  const addrinfo* hints, addrinfo** found) {
  using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  if (name == nullptr || name != forebay::net::kSlowName) {
    return real(name, service, hints, found);
  }
  forebay::net::slow_lookup().has_begun.release();
  forebay::net::slow_lookup().may_end.acquire();
  forebay::net::slow_lookup().has_ended.release();
  return EAI_NONAME;
}

namespace forebay::net {
namespace {

using HttpNamesTest = testing::HttpClientTestBase;

TEST_F(HttpNamesTest, ASlowLookupKeepsNobodyElseWaiting) {
  testing::ScriptedServer server([](testing::ScriptedConnection& connection, int) {
    if (!connection.read_request().empty()) {
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    }
  });
  std::stop_source stop;
  std::binary_semaphore answered(0);
  StatusCode code = StatusCode::kOk;
  client_.send({.url = "http://" + std::string(kSlowName) + "/", .cancellation = stop.get_token()},
               [&](const Result<HttpResponse>& answer) {
                 code = answer.status().code();
                 answered.release();
               });
  slow_lookup().has_begun.acquire();
  stop.request_stop();
  answered.acquire();
  EXPECT_EQ(code, StatusCode::kCancelled);
  const Result<HttpResponse> other = get(server.url());
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(other->body, "ok");
  slow_lookup().may_end.release();
  slow_lookup().has_ended.acquire();
}

}  // namespace
}  // namespace forebay::net
