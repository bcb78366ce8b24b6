// Declares what a mutex guards, in a form that clang can check; tools/check_thread_safety.py runs the check.
// Other compilers ignore the annotations.
//
// A lambda that runs with a mutex held, for example a condition to wait for, needs its own annotation,
// because the analysis looks at it separately: `[&]() FOREBAY_REQUIRES(mutex_) { return is_done_; }`.
//
// Source: Hutchins, Ballman and Sutherland, C/C++ Thread Safety Analysis, SCAM 2014;
// https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
#pragma once

#if defined(__clang__)
#define FOREBAY_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define FOREBAY_THREAD_ANNOTATION(x)
#endif

/// A class whose objects can be locked and unlocked. `what` names it in messages, for example "mutex".
#define FOREBAY_CAPABILITY(what) FOREBAY_THREAD_ANNOTATION(capability(what))
/// A class whose objects hold a mutex during their lifetime.
#define FOREBAY_SCOPED_CAPABILITY FOREBAY_THREAD_ANNOTATION(scoped_lockable)

/// A field that may only be accessed with the mutex held; for PT, what the pointer points to.
#define FOREBAY_GUARDED_BY(mutex) FOREBAY_THREAD_ANNOTATION(guarded_by(mutex))
#define FOREBAY_PT_GUARDED_BY(mutex) FOREBAY_THREAD_ANNOTATION(pt_guarded_by(mutex))

/// A function that must be called with the mutexes held; EXCLUDES: without them, because it locks them
/// itself.
#define FOREBAY_REQUIRES(...) FOREBAY_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define FOREBAY_EXCLUDES(...) FOREBAY_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))

/// A function that locks mutexes and keeps them locked; that unlocks them; that locks them if it returns the
/// first argument.
#define FOREBAY_ACQUIRE(...) FOREBAY_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define FOREBAY_RELEASE(...) FOREBAY_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define FOREBAY_TRY_ACQUIRE(...) FOREBAY_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))

/// A function that returns a reference to the mutex.
#define FOREBAY_RETURN_CAPABILITY(mutex) FOREBAY_THREAD_ANNOTATION(lock_returned(mutex))
/// After this call the mutex counts as held. For what the analysis cannot follow; give the reason next to it.
#define FOREBAY_ASSERT_HELD(mutex) FOREBAY_THREAD_ANNOTATION(assert_capability(mutex))
/// Exempts a function from the analysis; give the reason next to it.
#define FOREBAY_NO_THREAD_SAFETY_ANALYSIS FOREBAY_THREAD_ANNOTATION(no_thread_safety_analysis)
