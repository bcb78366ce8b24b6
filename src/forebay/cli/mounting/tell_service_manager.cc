#include "forebay/cli/mounting/tell_service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "forebay/base/file_descriptor.h"

namespace forebay::cli {

void tell_service_manager_ready() {
  constexpr std::string_view kReady = "READY=1";
  const char* const given = std::getenv("NOTIFY_SOCKET");
  const std::string path = given == nullptr ? "" : given;
  sockaddr_un address{};
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return;
  }
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  if (path.front() == '@') {
    address.sun_path[0] = '\0';  // an abstract name
  }
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  [[maybe_unused]] const ssize_t sent = ::sendto(socket.get(), kReady.data(), kReady.size(), MSG_NOSIGNAL,
                                                 reinterpret_cast<sockaddr*>(&address), length);
}

}  // namespace forebay::cli
