// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/stored_numbers.h"
#include "kernels/base/progress.h"
#include "kernels/base/types.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace io::numpy {

/// The bytes of one array: an ordinary file, or a member of an archive.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    virtual std::size_t read(char* to, std::size_t size) = 0; ///< fills `to` unless the data ends
    virtual std::uint64_t bytes() const = 0; ///< that it can really hold
};

struct ArrayHeader : StoredNumbers {
    bool fortranOrder = false;
    std::vector<std::uint64_t> shape;
    std::uint64_t elements = 1, headerBytes = 0;
    std::string typeName; ///< "float64"
};

/// Understands the text of a header: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }. Throws io::Error.
ArrayHeader parseHeader(std::string_view text, const std::string& where);

/// One array in the format of .npy. Opening it reads the header and compares it with the bytes that are there.
class ArrayReader {
public:
    ArrayReader(std::unique_ptr<ByteSource>, std::string where); ///< where: "ratings.npz:coords"

    const ArrayHeader& header() const { return m_header; }
    const std::string& where() const { return m_where; }

    template <class Number> using Take = std::function<void(std::uint64_t begin, std::span<const Number>)>;
    /// All elements in their order on the disk, once. Progress advances by bytes.
    void doubles(kernels::Progress&, const Take<double>&);
    /// The same for integers, and for floats that are whole; throws io::Error for others.
    void wholes(kernels::Progress&, const Take<std::int64_t>&);
    std::string text(); ///< a short one, such as b'csr'

private:
    template <class Body> void forEachBlock(kernels::Progress&, const Body&);

    std::unique_ptr<ByteSource> m_source;
    std::string m_where;
    ArrayHeader m_header;
};

/// "3 x 4 x 5"
std::string shapeText(const std::vector<std::uint64_t>& shape);

} // namespace io::numpy
