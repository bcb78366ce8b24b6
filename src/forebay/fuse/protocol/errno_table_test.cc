#include "forebay/fuse/protocol/errno_table.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "forebay/storage/errors.h"

namespace forebay::fuse {
namespace {

TEST(ErrnoTable, HasAnErrnoForEachError) {
  EXPECT_EQ(errno_for(ok_status()), 0);
  EXPECT_EQ(errno_for(storage::no_such_object("s3://b/k")), ENOENT);
  EXPECT_EQ(errno_for(permission_denied("no")), EACCES);
  EXPECT_EQ(errno_for(make_status(StatusCode::kUnauthenticated, "who?")), EACCES);
  EXPECT_EQ(errno_for(storage::version_changed("s3://b/k", "1", "2")), ESTALE);
  EXPECT_EQ(errno_for(cancelled("stopped")), EINTR);
  EXPECT_EQ(errno_for(make_status(StatusCode::kDeadlineExceeded, "late")), ETIMEDOUT);
  EXPECT_EQ(errno_for(storage::throttled("s3://b/k", 1)), EIO);
  EXPECT_EQ(errno_for(unavailable("down")), EIO);
  EXPECT_EQ(errno_for(data_loss("broken")), EIO);
  EXPECT_EQ(errno_for(out_of_range("short")), EIO);
  EXPECT_EQ(errno_for(internal_error("ours")), EIO);
  EXPECT_EQ(errno_for(failed_precondition("not now")), EIO);
  EXPECT_EQ(errno_for(invalid_argument("what?")), EINVAL);
  EXPECT_EQ(errno_for(unimplemented("not here")), EOPNOTSUPP);
  EXPECT_EQ(errno_for(already_exists("there")), EEXIST);
  EXPECT_EQ(errno_for(resource_exhausted("no memory left")), ENOMEM);
}

TEST(ErrnoTable, KeepsWhatTheFileSystemBelowSaid) {
  for (const int error :
       {ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, EACCES, EPERM, ENOSPC, ENOMEM, ESTALE, ETIMEDOUT}) {
    EXPECT_EQ(errno_for(errno_status(error, "file")), error);
    EXPECT_EQ(errno_for(annotate(errno_status(error, "file"), "mount")), error);
  }
}

TEST(ErrnoTable, SaysNothingOfSocketsAndDescriptors) {
  for (const int error : {ECONNREFUSED, EPIPE, EMFILE, ENFILE, EBADF, EAGAIN}) {
    EXPECT_EQ(errno_for(errno_status(error, "a socket")), EIO);
  }
}

TEST(ErrnoTable, AnOpenFileThatHasGoneIsStale) {
  EXPECT_EQ(errno_for_open_file(storage::no_such_object("s3://b/k")), ESTALE);
  EXPECT_EQ(errno_for_open_file(errno_status(ENOTDIR, "file")), ESTALE);
  EXPECT_EQ(errno_for_open_file(permission_denied("no")), EACCES);
  EXPECT_EQ(errno_for_open_file(unavailable("down")), EIO);
}

}  // namespace
}  // namespace forebay::fuse
