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
template <class T> POLYAD_RACING static inline T elementRacing(const T* p) { return *p; }
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

template <class T, unsigned... I> static inline Vector<T> filledWith(T x, Places<I...>) { return Vector<T>{(void(I), x)...}; }
template <class T> static inline Vector<T> filledWith(T x) { return filledWith(x, typename PlacesUpTo<lanes<T>>::type{}); }

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

/// Of N vectors the sums of what is H and less apart: v[i]'s in the places from i · 2H / N on.
template <class T, unsigned H, unsigned N> static inline __attribute__((always_inline)) Vector<T> foldedAll(const Vector<T> (&v)[N])
{
    if constexpr (H == 0) {
        return v[0];
    } else {
        constexpr unsigned left = N > 1 ? N / 2 : 1;
        Vector<T> sums[left];
#pragma GCC unroll 16
        for (unsigned i = 0; i < left; ++i)
            sums[i] = folded<T, H>(v[i], v[N > 1 ? i + left : i]);
        return foldedAll<T, H / 2>(sums);
    }
}

/// N elements beside each other, N a power of two; as a type of memory they need no alignment.
template <class T, unsigned N> struct FewOf {
    typedef T type __attribute__((vector_size(N * sizeof(T)), may_alias));
    typedef T loose __attribute__((vector_size(N * sizeof(T)), may_alias, aligned(sizeof(T))));
};
template <class T, unsigned N> using Few = typename FewOf<T, N>::type;
template <class T, unsigned N> static inline Few<T, N> loadFew(const T* p)
{
    return *reinterpret_cast<const typename FewOf<T, N>::loose*>(p);
}
template <class T, unsigned N> static inline void storeFew(T* p, Few<T, N> v) { *reinterpret_cast<Few<T, N>*>(p) = v; }

/// 0, 1, …
template <class T, unsigned... I> static inline auto placesOf(Places<I...>) { return Few<T, sizeof...(I)>{T(I)...}; }
template <class T, unsigned N> static inline Few<T, N> placesOf() { return placesOf<T>(typename PlacesUpTo<N>::type{}); }

template <unsigned step, class V, unsigned... I> static inline auto everyOf(V v, Places<I...>)
{
    return __builtin_shufflevector(v, v, I * step...);
}

/// Sums of so many vectors' elements, beside each other; N: a power of two, at most as many as a vector has elements.
template <class T, unsigned N> static inline __attribute__((always_inline)) Few<T, N> sumsOf(const Vector<T> (&v)[N])
{
    return everyOf<lanes<T> / N>(foldedAll<T, lanes<T> / 2>(v), typename PlacesUpTo<N>::type{});
}

/// The same of four vectors, of any length.
template <class T> static inline __attribute__((always_inline)) void sumsOf(const Vector<T> (&v)[4], T (&out)[4])
{
    if constexpr (lanes<T> >= 4) {
        const Vector<T> all = foldedAll<T, lanes<T> / 2>(v);
        for (unsigned i = 0; i < 4; ++i)
            out[i] = all[i * (lanes<T> / 4)];
    } else {
        for (unsigned i = 0; i < 4; ++i)
            out[i] = sumOf(v[i]);
    }
}

/// As many vectors as they have elements: their elements change places, v[i][j] with v[j][i].
template <unsigned H, class V, unsigned... I> static inline void exchangeBetween(V& a, V& b, Places<I...>)
{
    constexpr unsigned n = sizeof...(I);
    const V first = __builtin_shufflevector(a, b, (I & H ? (I ^ H) + n : I)...);
    b = __builtin_shufflevector(a, b, (I & H ? I + n : I | H)...);
    a = first;
}
template <class T, unsigned H> static inline __attribute__((always_inline)) void transposeFrom(Vector<T> (&v)[lanes<T>])
{
    if constexpr (H > 0) {
#pragma GCC unroll 16
        for (unsigned i = 0; i < lanes<T>; ++i)
            if (!(i & H))
                exchangeBetween<H>(v[i], v[i + H], typename PlacesUpTo<lanes<T>>::type{});
        transposeFrom<T, H / 2>(v);
    }
}
template <class T> static inline __attribute__((always_inline)) void transpose(Vector<T> (&v)[lanes<T>])
{
    transposeFrom<T, lanes<T> / 2>(v);
}

} // namespace kernels::POLYAD_ISA
