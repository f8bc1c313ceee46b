// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/messages.h"

#include "kernels/base/error.h"

#include <QCoreApplication>

#include <new>

namespace app {

QString messageFor(const std::exception& failure)
{
    if (dynamic_cast<const std::bad_alloc*>(&failure))
        return QCoreApplication::translate(
            "messages", "The machine has no memory left for this. Close other programs, or choose a smaller tensor or rank.");
    const QString text = QString::fromUtf8(failure.what()).trimmed();
    return text.isEmpty() ? QCoreApplication::translate("messages", "Something failed and did not say what.") : text;
}

QString messageForCurrentException()
{
    try {
        throw;
    } catch (const std::exception& failure) {
        return messageFor(failure);
    } catch (const kernels::Cancelled&) {
        return QCoreApplication::translate("messages", "Stopped on request.");
    } catch (...) {
        return QCoreApplication::translate("messages", "Something failed and did not say what.");
    }
}

} // namespace app
