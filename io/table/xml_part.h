// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace io::table {

/// What is done with the elements of an XML text. Names come without their prefix.
class XmlHandler {
public:
    virtual ~XmlHandler() = default;
    virtual void start(std::string_view name, const char** attributes) = 0;
    virtual void end(std::string_view name) = 0;
    virtual void text(std::string_view) = 0; ///< a text may come in several pieces
};

/// The value of an attribute; null data: there is none.
std::string_view attributeOf(const char** attributes, std::string_view name);

/// A zip archive of XML texts. Throws io::Error.
class XmlArchive {
public:
    XmlArchive(const std::string& path, std::string fileName);
    ~XmlArchive();
    XmlArchive(const XmlArchive&) = delete;
    XmlArchive& operator=(const XmlArchive&) = delete;

    const std::string& fileName() const { return m_fileName; }
    void parse(const std::string& part, XmlHandler&) const; ///< all of it
    [[noreturn]] void failDamaged(const std::string& found) const;

private:
    friend class XmlPart;
    void* m_zip = nullptr;
    std::string m_fileName;
};

/// One text of the archive, which is parsed block by block. It lives no longer than the archive and the handler.
class XmlPart {
public:
    XmlPart(const XmlArchive&, const std::string& part, XmlHandler&);
    ~XmlPart();
    XmlPart(const XmlPart&) = delete;
    XmlPart& operator=(const XmlPart&) = delete;

    bool parseBlock(); ///< false: nothing is left
    double shareDone() const; ///< 0 to 1, by what the archive says of its size

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace io::table
