// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/unpacker.h"

#include "io/error.h"

#include <isa-l/igzip_lib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

namespace io {
namespace {

constexpr std::size_t packedBytes = std::size_t{256} << 10;
constexpr int largestWindow = 27; // zstd: 128 MiB, what its own program takes without being asked
constexpr const char* cutShort = "The file was cut short; copy or download it again.";
constexpr const char* copyAgain = "Copy or download the file again.";

/// Packed bytes that are not unpacked yet.
class PackedBytes {
public:
    PackedBytes(std::string_view begin, Unpacker::More more)
        : m_bytes(packedBytes)
        , m_end(begin.size())
        , m_more(std::move(more))
    {
        std::copy(begin.begin(), begin.end(), m_bytes.begin());
    }

    const char* data() const { return m_bytes.data() + m_at; }
    std::size_t size() const { return m_end - m_at; }
    void drop(std::size_t bytes) { m_at += bytes; }
    /// False: there are none left.
    bool refill()
    {
        if (size() > 0)
            return true;
        m_at = 0;
        m_end = m_more(m_bytes.data(), m_bytes.size());
        return m_end > 0;
    }

private:
    std::vector<char> m_bytes;
    std::size_t m_at = 0, m_end;
    Unpacker::More m_more;
};

/// Any number of members.
class GzipUnpacker final : public Unpacker {
public:
    GzipUnpacker(std::string_view begin, std::string fileName, More more)
        : m_fileName(std::move(fileName))
        , m_packed(begin, std::move(more))
        , m_state(std::make_unique<inflate_state>())
    {
        isal_inflate_init(m_state.get());
        m_state->crc_flag = ISAL_GZIP;
    }

    std::string_view name() const override { return "gzip"; }
    std::uint64_t bestRatio() const override { return bestDeflateRatio; }

    std::size_t read(char* to, std::size_t size) override
    {
        const std::size_t wanted = std::min<std::size_t>(size, std::numeric_limits<std::uint32_t>::max());
        m_state->next_out = reinterpret_cast<std::uint8_t*>(to);
        m_state->avail_out = static_cast<std::uint32_t>(wanted);
        while (m_state->avail_out > 0) {
            if (!m_inMember && !nextMember())
                break;
            const bool more = m_packed.refill(); // without more the rest may come from what was taken before
            const std::uint32_t room = m_state->avail_out;
            m_state->next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(m_packed.data())); // ISA-L does not write there
            m_state->avail_in = static_cast<std::uint32_t>(m_packed.size());
            const int status = isal_inflate(m_state.get());
            m_packed.drop(m_packed.size() - m_state->avail_in);
            if (status != ISAL_DECOMP_OK)
                throw Error({"the gzip data is damaged", m_fileName, reasonFor(status), {}, copyAgain});
            if (m_state->block_state == ISAL_BLOCK_FINISH)
                m_inMember = false;
            else if (!more && m_state->avail_out == room)
                throw Error({"the gzip data ends early", m_fileName, {}, {}, cutShort});
        }
        return wanted - m_state->avail_out;
    }

private:
    static constexpr char magic = '\x1f'; ///< the first byte of a header

    static std::string reasonFor(int status)
    {
        switch (status) {
        case ISAL_INCORRECT_CHECKSUM:
            return "wrong checksum";
        case ISAL_INVALID_WRAPPER:
        case ISAL_UNSUPPORTED_METHOD:
            return "not a gzip header";
        default:
            return {};
        }
    }

    /// Between members: true at the start of another one. Zeros that pad a tape or block are skipped, as gzip does.
    bool nextMember()
    {
        while (m_packed.refill()) {
            if (*m_packed.data() != 0) {
                if (*m_packed.data() != magic) // ISA-L would wait for the rest of a header
                    throw Error({"the gzip data is damaged", m_fileName, reasonFor(ISAL_INVALID_WRAPPER), {}, copyAgain});
                isal_inflate_reset(m_state.get());
                return m_inMember = true;
            }
            m_packed.drop(1);
        }
        return false;
    }

    std::string m_fileName;
    PackedBytes m_packed;
    std::unique_ptr<inflate_state> m_state;
    bool m_inMember = true;
};

/// Any number of frames.
class ZstdUnpacker final : public Unpacker {
public:
    ZstdUnpacker(std::string_view begin, std::string fileName, More more)
        : m_fileName(std::move(fileName))
        , m_packed(begin, std::move(more))
        , m_stream(ZSTD_createDStream())
    {
        if (!m_stream || ZSTD_isError(ZSTD_DCtx_setParameter(m_stream.get(), ZSTD_d_windowLogMax, largestWindow)))
            throw std::bad_alloc();
    }

    std::string_view name() const override { return "zstd"; }
    std::uint64_t bestRatio() const override { return std::uint64_t{128} << 10; } // a block that repeats a byte

    std::size_t read(char* to, std::size_t size) override
    {
        ZSTD_outBuffer out{to, size, 0};
        while (out.pos < out.size) {
            // What is held back comes before more is asked for.
            if (!m_mayHold && !m_packed.refill()) {
                if (m_inFrame)
                    throw Error({"the zstd data ends early", m_fileName, {}, {}, cutShort});
                break;
            }
            ZSTD_inBuffer in{m_packed.data(), m_packed.size(), 0};
            const std::size_t status = ZSTD_decompressStream(m_stream.get(), &out, &in);
            m_packed.drop(in.pos);
            if (ZSTD_isError(status))
                fail(status);
            m_inFrame = status != 0;
            m_mayHold = m_inFrame && out.pos == out.size;
        }
        return out.pos;
    }

private:
    [[noreturn]] void fail(std::size_t status) const
    {
        if (ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge)
            throw Error({"the zstd data needs more than 128 MiB to be unpacked", m_fileName, {}, {}, "Unpack it first: zstd -d --long=31"});
        throw Error({"the zstd data is damaged", m_fileName, ZSTD_getErrorName(status), {}, copyAgain});
    }

    struct Free {
        void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
    };

    std::string m_fileName;
    PackedBytes m_packed;
    std::unique_ptr<ZSTD_DStream, Free> m_stream;
    bool m_inFrame = true, m_mayHold = false;
};

bool isZstd(std::string_view begin)
{
    if (begin.starts_with("\x28\xb5\x2f\xfd"))
        return true;
    // A frame to skip, which parallel packers write first.
    return begin.size() >= 4 && (begin[0] & 0xf0) == 0x50 && begin.substr(1, 3) == "\x2a\x4d\x18";
}

} // namespace

std::unique_ptr<Unpacker> unpackerFor(std::string_view begin, std::string fileName, Unpacker::More more)
{
    if (begin.starts_with("\x1f\x8b"))
        return std::make_unique<GzipUnpacker>(begin, std::move(fileName), std::move(more));
    if (isZstd(begin))
        return std::make_unique<ZstdUnpacker>(begin, std::move(fileName), std::move(more));
    return nullptr;
}

} // namespace io
