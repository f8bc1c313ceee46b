// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report_pdf.h"

#include "io/atomic_file.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgRenderer>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextLayout>
#include <QTextObjectInterface>

#include <memory>

namespace ui {
namespace {

constexpr int drawingObject = QTextFormat::UserObject + 1;
constexpr int drawingProperty = QTextFormat::UserProperty + 1;

/// Puts drawings among the lines of a document, as lines and letters.
class Drawings : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)
public:
    Drawings(const std::vector<QByteArray>& drawings, double width)
        : m_width(width)
    {
        for (const QByteArray& drawing : drawings)
            m_drawings.push_back(std::make_unique<QSvgRenderer>(drawing));
    }

    QSizeF intrinsicSize(QTextDocument*, int, const QTextFormat& format) override
    {
        const QSizeF size = of(format).defaultSize();
        return size * (m_width / size.width());
    }
    void drawObject(QPainter* painter, const QRectF& place, QTextDocument*, int, const QTextFormat& format) override
    {
        of(format).render(painter, place);
    }

private:
    QSvgRenderer& of(const QTextFormat& format) const { return *m_drawings[format.property(drawingProperty).toULongLong()]; }

    double m_width;
    std::vector<std::unique_ptr<QSvgRenderer>> m_drawings;
};

void placeDrawings(QTextDocument& document, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i) {
        QTextCursor at = document.find(app::drawingPlace(i));
        QTextCharFormat format;
        format.setObjectType(drawingObject);
        format.setProperty(drawingProperty, static_cast<qulonglong>(i));
        at.insertText(QString(QChar::ObjectReplacementCharacter), format);
    }
}

/// Of its first line: one that does not fit leaves its block's top behind on the page before.
int pageOf(const QTextBlock& block)
{
    const QTextDocument& document = *block.document();
    const double top = document.documentLayout()->blockBoundingRect(block).top();
    const double line = block.layout()->lineCount() > 0 ? block.layout()->lineAt(0).y() : 0;
    return static_cast<int>((top + line) / document.pageSize().height());
}

QFont textFont()
{
    QFont font(QStringLiteral("Inter"));
    font.setPointSizeF(9);
    return font;
}

QByteArray pagesOf(const app::Report& report, kernels::Progress& progress)
{
    constexpr int resolution = 1200; // letters are placed on its grid
    constexpr double margin = 16; // mm
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(report.title);
    writer.setCreator(QStringLiteral("Polyad"));
    writer.setResolution(resolution);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF(margin, margin, margin, margin), QPageLayout::Millimeter);
    // The document is laid out in points of 1/72 inch, the pages are scaled.
    const QSizeF room = writer.pageLayout().paintRect(QPageLayout::Point).size();
    Drawings drawings(report.drawings, room.width());
    QTextDocument document;
    document.setDefaultFont(textFont());
    document.setDocumentMargin(0);
    document.documentLayout()->registerHandler(drawingObject, &drawings);
    QImage ruler(1, 1, QImage::Format_ARGB32); // a device of 72 dots an inch
    ruler.setDotsPerMeterX(2835);
    ruler.setDotsPerMeterY(2835);
    document.documentLayout()->setPaintDevice(&ruler);
    document.setHtml(report.html);
    placeDrawings(document, report.drawings.size());
    const double footer = 18;
    document.setPageSize({room.width(), room.height() - footer});
    keepHeadings(document);
    QPainter painter(&writer);
    const double scale = resolution / 72.0;
    painter.scale(scale, scale);
    for (int page = 0; page < document.pageCount(); ++page) {
        progress.throwIfCancelled();
        if (page > 0)
            writer.newPage();
        const QRectF part(0, page * document.pageSize().height(), document.pageSize().width(), document.pageSize().height());
        painter.save();
        painter.translate(0, -part.top());
        painter.setClipRect(part);
        QAbstractTextDocumentLayout::PaintContext context;
        context.clip = part;
        context.palette.setColor(QPalette::Text, QColor(0x1b, 0x21, 0x30));
        document.documentLayout()->draw(&painter, context);
        painter.restore();
        painter.setPen(QColor(0x66, 0x70, 0x85));
        QFont font(QStringLiteral("Inter"));
        font.setPixelSize(8);
        painter.setFont(font);
        painter.drawText(QRectF(0, room.height() - footer, room.width(), footer), Qt::AlignRight | Qt::AlignBottom,
                         QStringLiteral("%1 / %2").arg(page + 1).arg(document.pageCount()));
    }
    painter.end();
    return bytes;
}

} // namespace

void keepHeadings(QTextDocument& document)
{
    const auto isHeading = [](const QTextBlock& block) { return block.blockFormat().headingLevel() > 0; };
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (!isHeading(block))
            continue;
        const QTextBlock first = block; // of several, one below the other
        while (block.next().isValid() && isHeading(block))
            block = block.next();
        if (pageOf(first) == pageOf(block))
            continue;
        QTextBlockFormat format = first.blockFormat();
        format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
        QTextCursor(first).setBlockFormat(format);
    }
}

void writePdfReport(const std::string& path, const std::vector<io::SessionRun>& runs, kernels::Progress& progress)
{
    io::AtomicFile file(path);
    const QByteArray bytes = pagesOf(app::makeReport(runs, app::Report::For::Pages, progress), progress);
    file.write({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    file.commit();
}

} // namespace ui

#include "report_pdf.moc"
