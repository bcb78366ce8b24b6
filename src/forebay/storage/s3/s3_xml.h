// S3's answers, which are XML. What is larger or stranger than an answer can be is data_loss; no text from
// outside is copied into an error but S3's own code and message, cut short.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/storage/http/service_error.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/token_list.h"

namespace forebay::storage {

/// Limit of a page of a listing: a thousand keys of a thousand bytes, each byte written as "%XX".
inline constexpr size_t kMaxListBytes = 8 << 20;
inline constexpr size_t kMaxEntriesOfPage = 1000;
/// Limit of every other answer.
inline constexpr size_t kMaxXmlBytes = 256 << 10;

/// A failure as S3 describes it. All fields may be empty.
struct S3Failure {
  std::string code;  // "NoSuchKey"
  std::string message;
  std::string region;  // of the bucket, where the request went to another one
};

/// An empty failure for what is no description of one.
S3Failure parse_s3_failure(std::string_view xml);
/// Whether the document is a failure: S3 reports some of them with status 200.
bool is_s3_failure(std::string_view xml);

/// A page of ListObjectsV2. Names are decoded; versions are entity tags without quotes.
Result<TokenPage> parse_s3_list(std::string_view xml);

/// The UploadId of CreateMultipartUpload.
Result<std::string> parse_s3_upload_id(std::string_view xml);

/// The entity tag in the answer to CopyObject, UploadPartCopy or CompleteMultipartUpload, without quotes.
Result<std::string> parse_s3_etag(std::string_view xml);

/// An object that DeleteObjects did not remove.
struct S3NotRemoved {
  std::string key;
  S3Failure failure;
};
/// Limit of an answer to DeleteObjects: 1000 failures.
inline constexpr size_t kMaxRemovedBytes = 8 << 20;

/// The body of DeleteObjects, which asks for failures only. Keys must fit XML; see fits_xml().
std::string remove_objects_xml(const std::vector<std::string>& keys);
/// The failures that the answer to it names.
Result<std::vector<S3NotRemoved>> parse_s3_not_removed(std::string_view xml);

/// The body of CompleteMultipartUpload; tags of parts 1, 2, ... without quotes.
std::string complete_upload_xml(const std::vector<std::string>& etags);

}  // namespace forebay::storage
