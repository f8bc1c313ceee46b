// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// For sources that are compiled once per instruction set (cmake/PolyadRegistries.cmake, add_isa_instances); all in a namespace
// of that set's own, since the linker may keep any one copy of what is shared.
#ifndef POLYAD_ISA
#define POLYAD_ISA generic
#endif

#ifdef __AVX512F__
#define POLYAD_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define POLYAD_VECTOR_BYTES 32
#else
#define POLYAD_VECTOR_BYTES 16
#endif

/// Vectors of the width the instruction set has.
namespace kernels::POLYAD_ISA {

template <class T> struct VectorOf {
    typedef T type __attribute__((vector_size(POLYAD_VECTOR_BYTES), may_alias));
};
template <class T> using Vector = typename VectorOf<T>::type;
template <class T> constexpr unsigned lanes = POLYAD_VECTOR_BYTES / sizeof(T);

template <class T> static inline Vector<T> load(const T* p) { return *reinterpret_cast<const Vector<T>*>(p); }
template <class T> static inline void store(T* p, Vector<T> v) { *reinterpret_cast<Vector<T>*>(p) = v; }

// The same for rows that other threads may be writing: SGD tolerates a mixture of old and new. Functions of their own,
// because the thread sanitizer looks into what a function calls even where the caller is left out.
#define POLYAD_RACING __attribute__((no_sanitize("thread")))
template <class T> POLYAD_RACING static inline Vector<T> loadRacing(const T* p) { return *reinterpret_cast<const Vector<T>*>(p); }
template <class T> POLYAD_RACING static inline void storeRacing(T* p, Vector<T> v) { *reinterpret_cast<Vector<T>*>(p) = v; }

/// Sum of a vector's elements, halving it.
static inline float sumOf(const float __attribute__((vector_size(16))) v) { return (v[0] + v[2]) + (v[1] + v[3]); }
static inline double sumOf(const double __attribute__((vector_size(16))) v) { return v[0] + v[1]; }
#if POLYAD_VECTOR_BYTES >= 32
static inline float sumOf(const float __attribute__((vector_size(32))) v)
{
    return sumOf(__builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7));
}
static inline double sumOf(const double __attribute__((vector_size(32))) v)
{
    return sumOf(__builtin_shufflevector(v, v, 0, 1) + __builtin_shufflevector(v, v, 2, 3));
}
#endif
#if POLYAD_VECTOR_BYTES >= 64
static inline float sumOf(const float __attribute__((vector_size(64))) v)
{
    return sumOf(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) + __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
}
static inline double sumOf(const double __attribute__((vector_size(64))) v)
{
    return sumOf(__builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7));
}
#endif

/// 0, 1, … of a vector's elements, for shuffles.
template <unsigned... I> struct Places { };
template <unsigned N, unsigned... I> struct PlacesUpTo : PlacesUpTo<N - 1, N - 1, I...> { };
template <unsigned... I> struct PlacesUpTo<0, I...> {
    using type = Places<I...>;
};

/// Pairs H apart added up: of a where H is not in the place, of b where it is.
template <unsigned H, class V, unsigned... I> static inline V foldedBy(V a, V b, Places<I...>)
{
    constexpr unsigned n = sizeof...(I);
    return __builtin_shufflevector(a, b, (I & H ? I + n : I)...) + __builtin_shufflevector(a, b, (I & H ? (I ^ H) + n : I ^ H)...);
}
template <class T, unsigned H> static inline Vector<T> folded(Vector<T> a, Vector<T> b)
{
    return foldedBy<H>(a, b, typename PlacesUpTo<lanes<T>>::type{});
}

/// Sums of four vectors' elements, beside each other.
template <class T> static inline __attribute__((always_inline)) void sumsOf(const Vector<T> (&v)[4], T (&out)[4])
{
    constexpr unsigned n = lanes<T>;
    if constexpr (n >= 4) {
        Vector<T> all = folded<T, n / 4>(folded<T, n / 2>(v[0], v[1]), folded<T, n / 2>(v[2], v[3]));
        if constexpr (n >= 16)
            all = folded<T, 2>(all, all);
        if constexpr (n >= 8)
            all = folded<T, 1>(all, all);
        for (unsigned i = 0; i < 4; ++i)
            out[i] = all[(i & 1) * (n / 2) + (i >> 1) * (n / 4)];
    } else {
        for (unsigned i = 0; i < 4; ++i)
            out[i] = sumOf(v[i]);
    }
}

} // namespace kernels::POLYAD_ISA
