// A server that a test starts: a real program on the loopback interface, on a port that the kernel chose. It
// ends with the thread that started it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace forebay::storage {

/// Where a server's file is: in the folder of $FOREBAY_TEST_SERVERS, else in the `servers` beside this
/// program's build (tools/servers.sh makes it). Empty if it is not there; tests skip themselves by name then.
std::string server_file(const std::string& name);

/// The program of that name in PATH; empty if there is none.
std::string program_in_path(const std::string& name);

class ServerProcess {
 public:
  /// `words` begin with the program's path; `settings` are its whole environment. Its output goes nowhere.
  ServerProcess(const std::vector<std::string>& words, const std::vector<std::string>& settings);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// The first port on which it listens; waits for that. Aborts if the server ends before.
  int wait_for_port() const;
  /// Waits until `file` ends with `text`. Aborts if the server ends before.
  void wait_for_text(const std::string& file, const std::string& text) const;

 private:
  bool has_ended() const;

  pid_t process_ = -1;
  int ended_ = -1;  // a descriptor that can be read once the process has ended
};

}  // namespace forebay::storage
