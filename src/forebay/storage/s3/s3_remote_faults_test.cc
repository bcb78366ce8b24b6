// The suite of failing servers, for S3.

#include "forebay/storage/testing/remote_faults.h"
#include "forebay/storage/testing/scripted_s3.h"

namespace forebay::storage {
namespace {

struct S3Service {
  static std::string answer(const std::string& request, const SimulatedObject& object) {
    const std::string etag = "\"v" + std::to_string(object.version) + "\"";
    if (request.starts_with("GET /b?")) {
      const std::string entry = "<Contents><Key>k</Key><Size>10</Size><ETag>&quot;v" +
                                std::to_string(object.version) + "&quot;</ETag></Contents>";
      return reply("200 OK", "",
                   "<ListBucketResult><IsTruncated>false</IsTruncated>" + (object.is_there ? entry : "") +
                       "</ListBucketResult>");
    }
    if (!object.is_there) {
      return request.starts_with("HEAD") ? "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
                                         : failure("404 Not Found", "NoSuchKey");
    }
    const bool is_conditional = request.find("\r\nIf-Match: ") != std::string::npos;
    if (is_conditional && request.find("\r\nIf-Match: " + etag) == std::string::npos &&
        !object.ignores_conditions) {
      return failure("412 Precondition Failed", "PreconditionFailed");
    }
    const std::string headers = "ETag: " + etag + "\r\n";
    return request.starts_with("HEAD") ? "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n" + headers + "\r\n"
                                       : part_reply(request, object.content, headers);
  }
  static std::shared_ptr<ObjectStore> open(const std::string& url, net::HttpClient& client,
                                           const RetryOptions& retries) {
    const S3Options options = {.endpoint = url, .retries = retries};
    const Environment nothing = [](const std::string&) { return std::nullopt; };
    return std::make_shared<S3Store>(std::make_shared<S3Connection>(
        "b", options, *configure_s3(options, nothing, {}), std::make_shared<CountingKeys>(), client));
  }
};
INSTANTIATE_TYPED_TEST_SUITE_P(S3, RemoteFaults, S3Service);

}  // namespace
}  // namespace forebay::storage
