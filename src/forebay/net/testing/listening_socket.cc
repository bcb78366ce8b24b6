#include "forebay/net/testing/listening_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "forebay/base/check.h"

namespace forebay::net::testing {

ListeningSocket listen_on_loopback() {
  ListeningSocket made;
  made.descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  FOREBAY_CHECK(made.descriptor >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const general = reinterpret_cast<sockaddr*>(&address);
  FOREBAY_CHECK(::bind(made.descriptor, general, size) == 0);
  FOREBAY_CHECK(::listen(made.descriptor, 511) == 0);
  FOREBAY_CHECK(::getsockname(made.descriptor, general, &size) == 0);
  made.port = ntohs(address.sin_port);
  return made;
}

}  // namespace forebay::net::testing
