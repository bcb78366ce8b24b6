// The kernel's side of FUSE: what is said on /dev/fuse, in protocol 7.31 and later (Linux 5.5), as far as
// this folder needs it. The layouts are part of the kernel's interface to programs, so they never change; all
// numbers are the machine's own. docs/design/fuse.md says why they stand here and do not come from a library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace forebay::fuse {

inline constexpr uint32_t kMajor = 7;
inline constexpr uint32_t kMinor = 38;
inline constexpr uint32_t kLeastMinor = 31;

inline constexpr uint64_t kRootNode = 1;
/// Longer names are refused by kernels before 6.14, for whole directories.
inline constexpr size_t kMostNameBytes = 1024;

/// The kernel refuses to be read from with less.
inline constexpr size_t kLeastRequestBytes = 8192;

enum class Opcode : uint32_t {
  kLookup = 1,
  kForget = 2,  // is not answered
  kGetAttributes = 3,
  kSetAttributes = 4,
  kReadLink = 5,
  kSymlink = 6,
  kMakeNode = 8,
  kMakeDirectory = 9,
  kUnlink = 10,
  kRemoveDirectory = 11,
  kRename = 12,
  kLink = 13,
  kOpen = 14,
  kRead = 15,
  kWrite = 16,
  kStatFileSystem = 17,
  kRelease = 18,
  kSync = 20,
  kSetXattr = 21,
  kGetXattr = 22,
  kListXattr = 23,
  kRemoveXattr = 24,
  kFlush = 25,
  kInit = 26,
  kOpenDirectory = 27,
  kReadDirectory = 28,
  kReleaseDirectory = 29,
  kAccess = 34,
  kCreate = 35,
  kInterrupt = 36,  // is not answered, unless its request is not known
  kDestroy = 38,
  kBatchForget = 42,  // is not answered
  kAllocate = 43,
  kReadDirectoryPlus = 44,
  kRename2 = 45,
  kCopyFileRange = 47,
  kTemporaryFile = 51,
};

/// Flags of InitIn and InitOut.
enum InitFlag : uint32_t {
  kAsyncRead = 1u << 0,  // several reads of one file at once
  kDoReadDirectoryPlus = 1u << 13,
  kReadDirectoryPlusAuto = 1u << 14,  // only while names are looked up, too
  kAsyncDirectIo = 1u << 15,
  kParallelDirectoryOperations = 1u << 18,
  kMaxPages = 1u << 22,  // InitOut::max_pages counts
  kInitExt = 1u << 30,   // `flags2` counts
};

/// Flags of InitIn2 and InitOut::flags2.
enum InitFlag2 : uint32_t {
  kPassthrough = 1u << 5,  // Linux 6.9; InitOut::max_stack_depth counts
};

/// Flags of OpenOut.
enum OpenFlag : uint32_t {
  kKeepCache = 1u << 1,    // the kernel's pages of this node stay
  kNoFlush = 1u << 5,      // closing it asks nobody
  kOpenBacking = 1u << 7,  // OpenOut::backing_id names the file that serves it
};

/// Before each request; `bytes` counts this header, too.
struct InHeader {
  uint32_t bytes;
  uint32_t opcode;
  uint64_t unique;
  uint64_t node;
  uint32_t uid;
  uint32_t gid;
  uint32_t pid;
  uint16_t extension_words;  // of 8 bytes each, at the end of the request
  uint16_t padding;
};
static_assert(sizeof(InHeader) == 40);

/// Before each answer; `error` is 0 or a negative errno.
struct OutHeader {
  uint32_t bytes;
  int32_t error;
  uint64_t unique;
};
static_assert(sizeof(OutHeader) == 16);

struct InitIn {
  uint32_t major;
  uint32_t minor;
  uint32_t max_readahead;
  uint32_t flags;
};
static_assert(sizeof(InitIn) == 16);

/// Behind it, in 7.36 and later.
struct InitIn2 {
  uint32_t flags2;
  uint32_t unused[11];
};
static_assert(sizeof(InitIn2) == 48);

struct InitOut {
  uint32_t major;
  uint32_t minor;
  uint32_t max_readahead;
  uint32_t flags;
  uint16_t max_background;
  uint16_t congestion_threshold;
  uint32_t max_write;
  uint32_t time_granularity_ns;
  uint16_t max_pages;
  uint16_t map_alignment;
  uint32_t flags2;
  uint32_t max_stack_depth;
  uint32_t unused[6];
};
static_assert(sizeof(InitOut) == 64);

struct Attributes {
  uint64_t inode;
  uint64_t size;
  uint64_t blocks;  // of 512 bytes
  uint64_t access_s;
  uint64_t modified_s;
  uint64_t changed_s;
  uint32_t access_ns;
  uint32_t modified_ns;
  uint32_t changed_ns;
  uint32_t mode;
  uint32_t links;
  uint32_t uid;
  uint32_t gid;
  uint32_t device;
  uint32_t block_bytes;
  uint32_t flags;
};
static_assert(sizeof(Attributes) == 88);

/// The answer to a lookup. Node 0: there is no such name, and that may be remembered.
struct EntryOut {
  uint64_t node;
  uint64_t generation;
  uint64_t entry_valid_s;
  uint64_t attributes_valid_s;
  uint32_t entry_valid_ns;
  uint32_t attributes_valid_ns;
  Attributes attributes;
};
static_assert(sizeof(EntryOut) == 128);

struct AttributesOut {
  uint64_t valid_s;
  uint32_t valid_ns;
  uint32_t padding;
  Attributes attributes;
};
static_assert(sizeof(AttributesOut) == 104);

struct ForgetIn {
  uint64_t lookups;
};
static_assert(sizeof(ForgetIn) == 8);

struct BatchForgetIn {
  uint32_t count;
  uint32_t padding;
};
static_assert(sizeof(BatchForgetIn) == 8);

struct ForgetOne {
  uint64_t node;
  uint64_t lookups;
};
static_assert(sizeof(ForgetOne) == 16);

/// Of files and directories.
struct OpenIn {
  uint32_t flags;  // as of open(2)
  uint32_t open_flags;
};
static_assert(sizeof(OpenIn) == 8);

struct OpenOut {
  uint64_t handle;
  uint32_t flags;
  int32_t backing_id;
};
static_assert(sizeof(OpenOut) == 16);

/// Of files and directories, where `offset` is the one of the last entry that was taken.
struct ReadIn {
  uint64_t handle;
  uint64_t offset;
  uint32_t size;
  uint32_t read_flags;
  uint64_t lock_owner;
  uint32_t flags;
  uint32_t padding;
};
static_assert(sizeof(ReadIn) == 40);

struct ReleaseIn {
  uint64_t handle;
  uint32_t flags;
  uint32_t release_flags;
  uint64_t lock_owner;
};
static_assert(sizeof(ReleaseIn) == 24);

struct StatFileSystemOut {
  uint64_t blocks;
  uint64_t blocks_free;
  uint64_t blocks_available;
  uint64_t files;
  uint64_t files_free;
  uint32_t block_bytes;
  uint32_t name_bytes;
  uint32_t fragment_bytes;
  uint32_t padding;
  uint32_t spare[6];
};
static_assert(sizeof(StatFileSystemOut) == 80);

struct GetXattrIn {
  uint32_t size;
  uint32_t padding;
};
static_assert(sizeof(GetXattrIn) == 8);

struct GetXattrOut {
  uint32_t size;
  uint32_t padding;
};
static_assert(sizeof(GetXattrOut) == 8);

struct AccessIn {
  uint32_t mask;
  uint32_t padding;
};
static_assert(sizeof(AccessIn) == 8);

struct InterruptIn {
  uint64_t unique;
};
static_assert(sizeof(InterruptIn) == 8);

/// An entry of a directory: its name follows, and zeros up to a multiple of 8 bytes.
struct DirectoryEntry {
  uint64_t inode;
  uint64_t offset;  // to go on behind it
  uint32_t name_bytes;
  uint32_t type;  // as of readdir(3)
};
static_assert(sizeof(DirectoryEntry) == 24);

/// For the ioctl of /dev/fuse by which the kernel opens a file that is to serve others.
struct BackingMap {
  int32_t file;
  uint32_t flags;
  uint64_t padding;
};
static_assert(sizeof(BackingMap) == 16);
inline constexpr int kDeviceIoctls = 229;
inline constexpr int kOpenBackingIoctl = 1;   // with a BackingMap; returns the number of the backing file
inline constexpr int kCloseBackingIoctl = 2;  // with its number

}  // namespace forebay::fuse
