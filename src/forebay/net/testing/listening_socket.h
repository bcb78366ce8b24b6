// A socket that listens on the loopback interface, on a port that the kernel chose.
#pragma once

namespace forebay::net::testing {

inline constexpr char kLoopback[] = "127.0.0.1";

struct ListeningSocket {
  int descriptor = -1;
  int port = 0;
};

/// Aborts if there is none to be had.
ListeningSocket listen_on_loopback();

}  // namespace forebay::net::testing
