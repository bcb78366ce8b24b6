// nginx for one test: a real web server over a temporary directory.
#pragma once

#include <sys/types.h>

#include <string>

#include "forebay/base/testing/temporary_directory.h"

namespace forebay::net::testing {

struct NginxOptions {
  std::string server_lines;  // further lines of the configuration's server block
  bool uses_tls = false;     // with a certificate made for the test: ca_file()
};

/// Writes `certificate.pem` and `key.pem` there, for 127.0.0.1. Only where has_tls().
void make_certificate(const std::string& directory);

/// Listens on the loopback interface, on a port that the kernel chose, and ends with the thread that started
/// it. Serves the files below root(). Aborts if nginx is there but does not start.
class NginxServer {
 public:
  /// Tests call it first, and skip themselves by name where the programs are absent.
  static bool is_installed();
  /// Whether a certificate can be made.
  static bool has_tls();

  explicit NginxServer(const NginxOptions& options = {});
  ~NginxServer();
  NginxServer(const NginxServer&) = delete;
  NginxServer& operator=(const NginxServer&) = delete;

  int port() const { return port_; }
  /// The URL of `path`, which begins with "/", on this server.
  std::string url(const std::string& path = "/") const;
  std::string root() const { return directory_ / "root"; }
  std::string ca_file() const { return directory_ / "certificate.pem"; }

  /// Writes a file below root(), and its directories. Files written later have later times of modification,
  /// by seconds, so that nginx gives them another ETag.
  void put(const std::string& name, const std::string& content);
  void remove(const std::string& name);
  /// Ends the server; connections to it are refused from then on.
  void stop();

 private:
  void write_configuration(const NginxOptions& options) const;

  TemporaryDirectory directory_;
  bool uses_tls_ = false;
  int port_ = 0;
  pid_t process_ = -1;
  long next_second_ = 1'000'000'000;
};

}  // namespace forebay::net::testing
