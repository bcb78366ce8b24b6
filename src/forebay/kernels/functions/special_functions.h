// Functions that the C library lacks, or that are not thread safe there.
#pragma once

namespace forebay::kernels {

/// The inverse of erf: NaN outside [-1, 1], infinite at the ends. Starts from Winitzki's closed form ("A
/// handy approximation for the error function and its inverse", 2008) and refines it by steps of Halley's
/// method.
double inverse_erf(double x);

/// The derivative of log gamma: recurrence up to 10, then the asymptotic series (Abramowitz and Stegun,
/// 6.3.5 and 6.3.18); below 0 by reflection (6.3.7). NaN at the poles.
double digamma(double x);

/// The logarithm of the absolute value of gamma. Unlike std::lgamma(), it does not store a sign in a global
/// variable.
float log_gamma(float x);
double log_gamma(double x);

}  // namespace forebay::kernels
