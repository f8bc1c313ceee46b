// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/sha256.h"

#include "io/file_format.h"
#include "io/input_stream.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <future>
#include <new>
#include <vector>

namespace io {

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256()
    : m_context(EVP_MD_CTX_new())
{
    if (!m_context || EVP_DigestInit_ex(m_context.get(), EVP_sha256(), nullptr) != 1)
        throw std::bad_alloc();
}

void Sha256::add(std::string_view bytes) { EVP_DigestUpdate(m_context.get(), bytes.data(), bytes.size()); }

std::string Sha256::hex()
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
    unsigned length = 0;
    EVP_DigestFinal_ex(m_context.get(), sum.data(), &length);
    std::string text;
    for (unsigned i = 0; i < length; ++i)
        text += fmt::format("{:02x}", sum[i]);
    return text;
}

std::string sha256OfFile(const std::string& path, kernels::Progress& progress)
{
    constexpr std::size_t pieceBytes = std::size_t{8} << 20;
    InputFile file(path, &progress);
    progress.begin("checksum", file.bytes());
    std::vector<char> piece(pieceBytes), next(pieceBytes);
    const auto read = [&file](std::vector<char>& to) { return file.read(to.data(), to.size()); };
    Sha256 sum;
    std::size_t got = read(piece);
    while (got > 0) {
        progress.throwIfCancelled();
        // Reading takes a third as long as the sum; small files are not worth a thread.
        std::future<std::size_t> more;
        if (got == pieceBytes)
            more = std::async(std::launch::async, [&] { return read(next); });
        sum.add({piece.data(), got});
        progress.advance(got);
        got = more.valid() ? more.get() : read(next);
        piece.swap(next);
    }
    return sum.hex();
}

} // namespace io
