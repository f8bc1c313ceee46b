// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/file_format.h"
#include "kernels/base/error.h"

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <zlib.h>

#include <map>
#include <string>
#include <vector>

namespace test {

/// A folder that goes away with the test.
class TemporaryFiles {
public:
    std::string path(const char* name) const { return m_folder.filePath(name).toStdString(); }

    std::string write(const char* name, const QByteArray& bytes) const
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write %s", name);
        return path(name);
    }

    /// All there is, hidden files too: what a failed write left behind is among them.
    QStringList names() const
    {
        return QDir(m_folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
    }

private:
    QTemporaryDir m_folder;
};

inline QByteArray contentOf(const std::string& path)
{
    QFile file(QString::fromStdString(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline io::LoadedTensor load(const std::string& path, const io::ReadOptions& options = {})
{
    kernels::Progress progress;
    return io::readTensor(path, options, progress);
}

/// Cells by their labels.
using Cells = std::map<std::vector<std::string>, double>;

inline Cells cellsOf(const kernels::SparseTensor& tensor)
{
    Cells cells;
    for (kernels::Count e = 0; e < tensor.entries(); ++e) {
        std::vector<std::string> key;
        for (unsigned n = 0; n < tensor.order(); ++n)
            key.push_back(tensor.modes[n].labels.at(tensor.indices[n][e]));
        cells[key] = tensor.value(e);
    }
    return cells;
}

/// The sentence a person would see, or "no error".
template <class Call> std::string sentenceOf(const Call& call)
{
    try {
        call();
    } catch (const kernels::Error& error) {
        return error.what();
    }
    return "no error";
}

/// By deflate, without a head as zip archives have it, or as a gzip member.
inline QByteArray deflated(const QByteArray& bytes, int windowBits = -MAX_WBITS)
{
    z_stream z{};
    deflateInit2(&z, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
    QByteArray packed(static_cast<int>(deflateBound(&z, static_cast<uLong>(bytes.size()))), '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z.avail_in = static_cast<uInt>(bytes.size());
    z.next_out = reinterpret_cast<Bytef*>(packed.data());
    z.avail_out = static_cast<uInt>(packed.size());
    deflate(&z, Z_FINISH);
    packed.resize(static_cast<int>(z.total_out));
    deflateEnd(&z);
    return packed;
}
inline QByteArray gzipped(const QByteArray& bytes) { return deflated(bytes, 16 + MAX_WBITS); }

} // namespace test
