// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/sha256.h"

#include "io/file_format.h"
#include "io/input_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace io {
namespace {

constexpr std::array<std::uint32_t, 64> roundConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t bigEndian(const unsigned char* p)
{
    return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | std::uint32_t{p[3]};
}

} // namespace

void Sha256::block(const unsigned char* bytes)
{
    std::array<std::uint32_t, 64> w;
    for (std::size_t t = 0; t < 16; ++t)
        w[t] = bigEndian(bytes + 4 * t);
    for (std::size_t t = 16; t < 64; ++t) {
        const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
        const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = m_state;
    for (std::size_t t = 0; t < 64; ++t) {
        const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + roundConstants[t] + w[t];
        const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const std::array<std::uint32_t, 8> sums{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < sums.size(); ++i)
        m_state[i] += sums[i];
}

void Sha256::add(std::string_view text)
{
    m_bytes += text.size();
    while (!text.empty()) {
        if (m_buffered == 0 && text.size() >= m_buffer.size()) {
            block(reinterpret_cast<const unsigned char*>(text.data()));
            text.remove_prefix(m_buffer.size());
            continue;
        }
        const std::size_t taken = std::min(text.size(), m_buffer.size() - m_buffered);
        std::copy_n(text.begin(), taken, m_buffer.begin() + static_cast<std::ptrdiff_t>(m_buffered));
        m_buffered += taken;
        text.remove_prefix(taken);
        if (m_buffered == m_buffer.size()) {
            block(m_buffer.data());
            m_buffered = 0;
        }
    }
}

std::string Sha256::hex()
{
    const std::uint64_t bits = m_bytes * 8;
    std::string padding(1, '\x80');
    padding.resize(1 + (119 - m_bytes % 64) % 64, '\0'); // up to 8 bytes before the end of a block
    for (int shift = 56; shift >= 0; shift -= 8)
        padding += static_cast<char>(bits >> shift);
    add(padding);
    std::string text;
    for (const std::uint32_t word : m_state)
        text += fmt::format("{:08x}", word);
    return text;
}

std::string sha256OfFile(const std::string& path, kernels::Progress& progress)
{
    constexpr std::size_t pieceBytes = std::size_t{1} << 20;
    InputFile file(path, &progress);
    progress.begin("checksum", file.bytes());
    std::vector<char> piece(pieceBytes);
    Sha256 sum;
    while (const std::size_t got = file.read(piece.data(), piece.size())) {
        progress.throwIfCancelled();
        sum.add({piece.data(), got});
        progress.advance(got);
    }
    return sum.hex();
}

} // namespace io
