// A bare program of libcurl: as many connections as Forebay has, each of which takes one object after the
// other.
#include <curl/curl.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "harness/contender.h"

namespace {

constexpr size_t kConnections = 64;
constexpr int kPatienceMs = 1000;

size_t count_bytes(char*, size_t size, size_t count, void* received) {
  *static_cast<double*>(received) += static_cast<double>(size * count);
  return size * count;
}

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

/// Takes the next URL, or gives the handle back.
class Downloads {
 public:
  Downloads(CURLM* multi, std::vector<std::string> urls) : multi_(multi), urls_(std::move(urls)) {}

  void start(CURL* handle) {
    if (next_ == urls_.size()) {
      curl_easy_cleanup(handle);
      return;
    }
    curl_easy_setopt(handle, CURLOPT_URL, urls_[next_++].c_str());
    curl_easy_setopt(handle, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(handle, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, 256L << 10);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &count_bytes);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &received_);
    curl_multi_add_handle(multi_, handle);
  }

  void take_finished() {
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE || message->data.result != CURLE_OK) {
        fail("a download failed");
      }
      CURL* const handle = message->easy_handle;
      curl_multi_remove_handle(multi_, handle);
      start(handle);
    }
  }

  double received() const { return received_; }

 private:
  CURLM* const multi_;
  const std::vector<std::string> urls_;
  size_t next_ = 0;
  double received_ = 0;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

double download_all(std::vector<std::string> urls) {
  CURLM* const multi = curl_multi_init();
  Downloads downloads(multi, std::move(urls));
  for (size_t i = 0; i < kConnections; ++i) {
    downloads.start(curl_easy_init());
  }
  for (int running = 1; running > 0;) {
    curl_multi_perform(multi, &running);
    downloads.take_finished();
    curl_multi_perform(multi, &running);  // what was started now
    if (running > 0) {
      curl_multi_poll(multi, nullptr, 0, kPatienceMs, nullptr);
    }
  }
  curl_multi_cleanup(multi);
  return downloads.received();
}

}  // namespace

int main(int argc, char** argv) {
  contender::Task task = contender::read_task(argc, argv);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::map<std::string, std::string> versions = {
      {"libcurl", curl_version_info(CURLVERSION_NOW)->version}};
  std::vector<std::string> urls = lines_of(contender::read_file(task.text["urls"]));
  const double objects = static_cast<double>(urls.size());
  const double cpu_before = contender::cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  const double received = download_all(std::move(urls));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (received != task.number["bytes"]) {
    fail("not all bytes came");
  }
  contender::report(task, versions,
                    {{"mb_per_second", received / seconds / 1e6},
                     {"objects_per_second", objects / seconds},
                     {"own_cpu_seconds", contender::cpu_seconds() - cpu_before}});
}
