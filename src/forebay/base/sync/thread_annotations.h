// What a mutex guards, said so that clang can check it: tools/check_thread_safety.py does. Other compilers
// see nothing of it.
//
// A lambda that runs with a mutex held, e.g. a condition to wait for, says so, too: the analysis looks at it
// alone, `[&]() FOREBAY_REQUIRES(mutex_) { return is_done_; }`.
//
// Source: Hutchins, Ballman and Sutherland, C/C++ Thread Safety Analysis, SCAM 2014;
// https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
#pragma once

#if defined(__clang__)
#define FOREBAY_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define FOREBAY_THREAD_ANNOTATION(x)
#endif

/// A class whose objects are held and let go of: `what` is "mutex" or what messages are to call it.
#define FOREBAY_CAPABILITY(what) FOREBAY_THREAD_ANNOTATION(capability(what))
/// A class whose objects hold a mutex while they live.
#define FOREBAY_SCOPED_CAPABILITY FOREBAY_THREAD_ANNOTATION(scoped_lockable)

/// A field that is read and written with the mutex held; what a pointer points to.
#define FOREBAY_GUARDED_BY(mutex) FOREBAY_THREAD_ANNOTATION(guarded_by(mutex))
#define FOREBAY_PT_GUARDED_BY(mutex) FOREBAY_THREAD_ANNOTATION(pt_guarded_by(mutex))

/// A function that is called with the mutexes held; without them, as it takes them itself.
#define FOREBAY_REQUIRES(...) FOREBAY_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define FOREBAY_EXCLUDES(...) FOREBAY_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))

/// A function that takes mutexes and keeps them; lets go of them; takes them if it returns the first
/// argument.
#define FOREBAY_ACQUIRE(...) FOREBAY_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define FOREBAY_RELEASE(...) FOREBAY_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define FOREBAY_TRY_ACQUIRE(...) FOREBAY_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))

/// A function that returns a reference to the mutex.
#define FOREBAY_RETURN_CAPABILITY(mutex) FOREBAY_THREAD_ANNOTATION(lock_returned(mutex))
/// From its call on the mutex counts as held: for what the analysis cannot follow, with the reason beside it.
#define FOREBAY_ASSERT_HELD(mutex) FOREBAY_THREAD_ANNOTATION(assert_capability(mutex))
/// A function that is not looked at, with the reason beside it.
#define FOREBAY_NO_THREAD_SAFETY_ANALYSIS FOREBAY_THREAD_ANNOTATION(no_thread_safety_analysis)
