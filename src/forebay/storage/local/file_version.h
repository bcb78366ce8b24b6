// What tells the version of a file: its inode, size, and times of modification, birth and change. A hard
// link, chmod or chown moves the last alone, and leaves the bytes as they were. A file in the place of
// another may have its inode, as file systems give them again at once, but not its time of birth.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/storage/local/file_status.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// "INODE-SIZE-MODIFIED-BORN-CHANGED", in hexadecimal digits; times in nanoseconds since the Unix epoch.
/// Without BORN of a folder, and where the file system keeps no such time.
std::string file_version(const FileStatus& status);

/// Whether two versions of a file differ in the time of change at most; in nothing if one of them is without
/// the time of birth, which the other may have. A file that was written in place and
/// got its old time of modification back passes as well: nothing but its bytes tells it from one that was
/// linked.
bool has_same_content(std::string_view known, std::string_view found);

/// Whether they do not even differ in the time of change: what may be overwritten or moved if it still is as
/// it was. (A version that a journal or an index kept may be without the time of birth.)
bool is_same_version(std::string_view known, std::string_view found);

/// has_same_content() of versions of `key`, of any store: they must be equal where it is not a file of this
/// host.
bool has_same_content(const ObjectStore& store, std::string_view key, std::string_view known,
                      std::string_view found);

/// aborted if a reader who asks for `asked` must not be given the file of version `found`; any will do if
/// nothing is asked for. What is accepted although its time of change has moved is counted.
Status check_content(std::string_view asked, std::string_view found, std::string_view uri);

/// How many reads of this process were accepted although the file's time of change had moved: the counter
/// `storage_touched_reads`.
uint64_t touched_reads();

}  // namespace forebay::storage
