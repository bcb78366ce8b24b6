#include "forebay/storage/webhdfs/webhdfs_store.h"

#include <limits>

#include "forebay/storage/remote/folder_list.h"
#include "forebay/storage/remote/gathering_writer.h"
#include "forebay/storage/webhdfs/webhdfs_object.h"
#include "forebay/storage/webhdfs/webhdfs_read.h"
#include "forebay/storage/webhdfs/webhdfs_upload.h"

namespace forebay::storage {
namespace {

/// invalid_argument for keys of folders, and for those that HDFS cannot have.
Status check_webhdfs_file_key(std::string_view key, std::string_view uri) {
  return key.empty() || key.ends_with('/') ? invalid_argument("{}: a file needs a name", uri)
                                           : check_webhdfs_key(key, uri);
}

}  // namespace

void WebhdfsStore::stat(std::string key, const CallContext& context, StatCallback done) {
  stat_webhdfs(connection_, std::move(key), {}, context, std::move(done));
}

std::unique_ptr<ListStream> WebhdfsStore::open_list(ListRequest request) {
  std::string uri = uri_of(request.prefix);
  return open_folder_list(
      std::move(uri), std::move(request),
      [connection = connection_](const std::string& folder, const CallContext& context, auto done) {
        list_webhdfs_folder(connection, folder, context, std::move(done));
      });
}

void WebhdfsStore::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  read_webhdfs(connection_, costs_, std::move(request), context, std::move(done));
}

void WebhdfsStore::write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
                         StatCallback done) {
  if (const Status valid = check_webhdfs_file_key(key, uri_of(key)); !valid.ok()) {
    done(valid);
    return;
  }
  WebhdfsUploadTarget(connection_, std::move(key)).put(content, options, context, std::move(done));
}

Status WebhdfsStore::check_write(std::string_view key, bool) const {
  return check_webhdfs_file_key(key, uri_of(key));
}

Result<std::unique_ptr<ObjectWriter>> WebhdfsStore::open_writer(std::string key, WriteOptions options) {
  FOREBAY_RETURN_IF_ERROR(check_webhdfs_file_key(key, uri_of(key)));
  const GatheringOptions gathering = {.part_bytes = connection_->options().part_bytes,
                                      .parts_in_flight = 1,
                                      .largest_bytes = std::numeric_limits<uint64_t>::max()};
  return std::make_unique<GatheringWriter>(std::make_unique<WebhdfsUploadTarget>(connection_, std::move(key)),
                                           gathering, std::move(options));
}

void WebhdfsStore::remove(std::string key, const CallContext& context, StatusCallback done) {
  remove_webhdfs(connection_, std::move(key), context, std::move(done));
}

void WebhdfsStore::rename(MoveRequest request, const CallContext& context, StatCallback done) {
  rename_webhdfs(connection_, std::move(request), context, std::move(done));
}

void WebhdfsStore::make_directory(std::string key, const CallContext& context, StatusCallback done) {
  make_webhdfs_folder(connection_, std::move(key), context, std::move(done));
}

}  // namespace forebay::storage
