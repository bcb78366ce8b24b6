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
inline constexpr size_t kMaxNameBytes = 1024;

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
  kSync = 20,  // of a file
  kSetXattr = 21,
  kGetXattr = 22,
  kListXattr = 23,
  kRemoveXattr = 24,
  kFlush = 25,
  kInit = 26,
  kOpenDirectory = 27,
  kReadDirectory = 28,
  kReleaseDirectory = 29,
  kSyncDirectory = 30,
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

/// Flags of InitIn and InitOut; the upper half is `flags2` there.
enum InitFlag : uint64_t {
  kAsyncRead = 1u << 0,           // several reads of one file at once
  kAtomicOpenTruncate = 1u << 3,  // O_TRUNC comes with the open
  kBigWrites = 1u << 5,           // of more than a page
  kDoReadDirectoryPlus = 1u << 13,
  kReadDirectoryPlusAuto = 1u << 14,  // only while names are looked up, too
  kAsyncDirectIo = 1u << 15,
  kParallelDirectoryOperations = 1u << 18,
  kMaxPages = 1u << 22,              // InitOut::max_pages counts
  kInitExtended = 1u << 30,          // `flags2` counts
  kPassthrough = uint64_t{1} << 37,  // Linux 6.9; InitOut::max_stack_depth counts
  kHasResend = uint64_t{1} << 39,    // Notification::kResend is understood (Linux 6.9)
  kOverIoUring = uint64_t{1} << 41,  // Linux 6.14, where its module's `enable_uring` is set
};

/// What the kernel sets in the number of a request that it sends again. The answer has it, too.
inline constexpr uint64_t kSentAgain = uint64_t{1} << 63;

/// What the kernel is told unasked: in OutHeader::error, with 0 for the number of a request.
enum class Notification : int32_t {
  kResend = 7,  // what has been taken and not been answered is to be sent again; has no body
};

/// Flags of OpenOut.
enum OpenFlag : uint32_t {
  kDirectIo = 1u << 0,     // reads and writes pass the kernel's pages
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

/// What kernels say behind that from 7.36 on; more of it is not needed.
struct InitInExtension {
  uint32_t flags2;
};
static_assert(sizeof(InitInExtension) == 4);

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

/// Its name follows.
struct CreateIn {
  uint32_t flags;  // as of open(2)
  uint32_t mode;
  uint32_t umask;
  uint32_t open_flags;
};
static_assert(sizeof(CreateIn) == 16);

/// Its name follows.
struct MakeNodeIn {
  uint32_t mode;
  uint32_t device;
  uint32_t umask;
  uint32_t padding;
};
static_assert(sizeof(MakeNodeIn) == 16);

/// Its name follows.
struct MakeDirectoryIn {
  uint32_t mode;
  uint32_t umask;
};
static_assert(sizeof(MakeDirectoryIn) == 8);

/// The old name follows, and then the new one.
struct RenameIn {
  uint64_t new_folder;
};
static_assert(sizeof(RenameIn) == 8);

struct Rename2In {
  uint64_t new_folder;
  uint32_t flags;  // as of renameat2(2)
  uint32_t padding;
};
static_assert(sizeof(Rename2In) == 16);

/// `size` bytes follow.
struct WriteIn {
  uint64_t handle;
  uint64_t offset;
  uint32_t size;
  uint32_t write_flags;
  uint64_t lock_owner;  // of the process that writes, whatever its descriptor was made by
  uint32_t flags;
  uint32_t padding;
};
static_assert(sizeof(WriteIn) == 40);

struct WriteOut {
  uint32_t size;
  uint32_t padding;
};
static_assert(sizeof(WriteOut) == 8);

struct FlushIn {
  uint64_t handle;
  uint32_t unused;
  uint32_t padding;
  uint64_t lock_owner;
};
static_assert(sizeof(FlushIn) == 24);

struct SyncIn {
  uint64_t handle;
  uint32_t sync_flags;
  uint32_t padding;
};
static_assert(sizeof(SyncIn) == 16);

/// Flags of SetAttributesIn: which of its fields count.
enum SetFlag : uint32_t {
  kSetMode = 1u << 0,
  kSetUser = 1u << 1,
  kSetGroup = 1u << 2,
  kSetSize = 1u << 3,
  kSetByHandle = 1u << 6,
};

struct SetAttributesIn {
  uint32_t valid;
  uint32_t padding;
  uint64_t handle;
  uint64_t size;
  uint64_t lock_owner;
  uint64_t access_s;
  uint64_t modified_s;
  uint64_t changed_s;
  uint32_t access_ns;
  uint32_t modified_ns;
  uint32_t changed_ns;
  uint32_t mode;
  uint32_t unused;
  uint32_t uid;
  uint32_t gid;
  uint32_t unused_too;
};
static_assert(sizeof(SetAttributesIn) == 88);

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

/// Over io_uring: the argument of a request, which has an own place in its headers.
inline constexpr size_t kRingArgumentBytes = 128;

/// Commands of an io_uring to /dev/fuse.
enum RingCommandCode : uint32_t {
  kRingRegister = 1,        // memory for a request of a queue
  kRingCommitAndFetch = 2,  // the answer is there, and the memory free for the next request
};

struct RingEntryHeader {
  uint64_t flags;
  uint64_t commit_id;
  uint32_t payload_bytes;
  uint32_t padding;
  uint64_t reserved;
};
static_assert(sizeof(RingEntryHeader) == 32);

struct RingHeaders {
  char in_out[128];  // an InHeader, and later an OutHeader
  char argument[kRingArgumentBytes];
  RingEntryHeader entry;
};
static_assert(sizeof(RingHeaders) == 288);

struct RingCommand {
  uint64_t flags;
  uint64_t commit_id;
  uint16_t queue;
  uint8_t padding[6];
};
static_assert(sizeof(RingCommand) == 24);
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
