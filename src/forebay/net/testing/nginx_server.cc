#include "forebay/net/testing/nginx_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/base/testing/wait_for_child.h"
#include "forebay/net/testing/listening_socket.h"

namespace forebay::net::testing {
namespace {

constexpr char kConfiguration[] = R"(
daemon off;
user root;
worker_processes 1;
pid {0}/pid;
error_log {0}/error.log error;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  default_type application/octet-stream;
  client_body_temp_path {0}/body;
  proxy_temp_path {0}/proxy;
  fastcgi_temp_path {0}/fastcgi;
  uwsgi_temp_path {0}/uwsgi;
  scgi_temp_path {0}/scgi;
  client_max_body_size 0;
  server {{
    listen 127.0.0.1:{1}{2};
    root {0}/root;
    {3}
  }}
}}
)";

std::string program(const char* name) {
  for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/"}) {
    if (::access((std::string(folder) + name).c_str(), X_OK) == 0) {
      return std::string(folder) + name;
    }
  }
  return {};
}

/// Starts a program that ends with this thread. `kept` is a descriptor that it inherits, or -1.
pid_t start(std::vector<std::string> words, std::vector<std::string> environment, int kept) {
  std::vector<char*> arguments;
  std::vector<char*> settings;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  for (std::string& setting : environment) {
    settings.push_back(setting.data());
  }
  arguments.push_back(nullptr);
  settings.push_back(nullptr);
  const pid_t starter = ::getpid();
  const pid_t process = ::fork();
  FOREBAY_CHECK(process >= 0);
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // which nginx passes on to its worker
    if (::getppid() != starter || (kept >= 0 && ::fcntl(kept, F_SETFD, 0) != 0)) {
      ::_exit(126);
    }
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::execve(arguments[0], arguments.data(), settings.data());
    ::_exit(127);
  }
  return process;
}

}  // namespace

void make_certificate(const std::string& directory) {
  const pid_t process =
      start({program("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
             "-nodes", "-keyout", directory + "/key.pem", "-out", directory + "/certificate.pem", "-days",
             "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-batch"},
            {}, -1);
  int status = 0;
  FOREBAY_CHECK(wait_for_child(process, &status) == process && status == 0);
}

bool NginxServer::is_installed() {
  return !program("nginx").empty();
}

bool NginxServer::has_tls() {
  return !program("openssl").empty();
}

// The socket exists before the server does, which takes it over as from a former nginx: whoever connects
// meanwhile waits, and nobody asks again and again.
NginxServer::NginxServer(const NginxOptions& options) : uses_tls_(options.uses_tls) {
  const ListeningSocket socket = listen_on_loopback();
  port_ = socket.port;
  std::filesystem::create_directory(root());
  if (uses_tls_) {
    make_certificate(directory_.path());
  }
  write_configuration(options);
  process_ = start({program("nginx"), "-p", directory_.path(), "-c", directory_ / "nginx.conf", "-e",
                    directory_ / "start.log"},
                   {fmt::format("NGINX={};", socket.descriptor)}, socket.descriptor);
  ::close(socket.descriptor);
}

NginxServer::~NginxServer() {
  stop();
}

void NginxServer::write_configuration(const NginxOptions& options) const {
  std::string lines = options.server_lines;
  if (uses_tls_) {
    lines += fmt::format("\nssl_certificate {0}/certificate.pem;\nssl_certificate_key {0}/key.pem;",
                         directory_.path());
  }
  std::ofstream(directory_ / "nginx.conf")
      << fmt::format(kConfiguration, directory_.path(), port_, uses_tls_ ? " ssl" : "", lines);
}

std::string NginxServer::url(const std::string& path) const {
  return fmt::format("{}://{}:{}{}", uses_tls_ ? "https" : "http", kLoopback, port_, path);
}

void NginxServer::put(const std::string& name, const std::string& content) {
  const std::filesystem::path path = root() + "/" + name;
  std::filesystem::create_directories(path.parent_path());
  const std::string draft = directory_ / "draft";
  std::ofstream(draft, std::ios::binary) << content;
  const timespec times[] = {{next_second_, 0}, {next_second_, 0}};
  ++next_second_;
  FOREBAY_CHECK(::utimensat(AT_FDCWD, draft.c_str(), times, 0) == 0);
  std::filesystem::rename(draft, path);
}

void NginxServer::remove(const std::string& name) {
  std::filesystem::remove(root() + "/" + name);
}

void NginxServer::stop() {
  if (process_ > 0) {
    end_child(process_);
    process_ = -1;
  }
}

}  // namespace forebay::net::testing
