// Names that take long to look up: getaddrinfo() of this program, which libcurl calls, waits for the test.
#include <dlfcn.h>
#include <netdb.h>

#include <chrono>
#include <semaphore>
#include <string_view>

#include "forebay/base/clock.h"
#include "forebay/base/units.h"
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
  HttpRequest slow = {.url = "http://" + std::string(kSlowName) + "/"};
  slow.deadline_ns = steady_clock().now_ns() + kSecond / 10;
  const Status past = send(std::move(slow)).status();
  ASSERT_EQ(past.code(), StatusCode::kDeadlineExceeded) << past;
  ASSERT_TRUE(slow_lookup().has_begun.try_acquire_for(std::chrono::seconds(60)));
  const Result<HttpResponse> other = get(server.url());
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(other->body, "ok");
  slow_lookup().may_end.release();
  slow_lookup().has_ended.acquire();
}

}  // namespace
}  // namespace forebay::net
