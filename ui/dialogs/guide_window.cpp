// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/guide_window.h"

#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/parameter_editor.h"

#include <QAction>
#include <QBoxLayout>
#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QImageReader>
#include <QLineEdit>
#include <QListWidget>
#include <QScreen>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextTable>
#include <QTimer>
#include <QToolButton>
#include <QUrl>

#include <algorithm>

namespace ui {
namespace {

/// The pages of the guide in their order. They are shown as one document, where each begins with a heading of level 1.
constexpr const char* guidePages[] = {"start.md",   "import.md", "algorithms.md",   "charts.md",   "components.md",
                                      "predict.md", "sweep.md",  "command-line.md", "reference.md"};

/// All pages of the guide where the file is one of them, else the file alone.
QStringList filesShownWith(const QString& file)
{
    QStringList pages;
    for (const char* page : guidePages)
        pages += QFileInfo(file).dir().filePath(QLatin1String(page));
    return pages.contains(file) ? pages : QStringList(file);
}

/// "Read the charts" → "read-the-charts", as links within Markdown name sections.
QString slug(const QString& heading)
{
    QString text;
    for (const QChar c : heading.toLower())
        if (c.isLetterOrNumber())
            text += c;
        else if (c == QLatin1Char(' ') || c == QLatin1Char('-'))
            text += QLatin1Char('-');
    return text;
}

} // namespace

QString guideHeading(GuideTopic topic)
{
    switch (topic) {
    case GuideTopic::Open:
        return QStringLiteral("Open a tensor");
    case GuideTopic::Data:
        return QStringLiteral("Look at the data");
    case GuideTopic::Convergence:
        return QStringLiteral("Read the charts");
    case GuideTopic::Compare:
        return QStringLiteral("Compare runs");
    case GuideTopic::Factors:
        return QStringLiteral("Explain the components");
    case GuideTopic::Predict:
        return QStringLiteral("Predict");
    case GuideTopic::Sweep:
        return QStringLiteral("Sweep");
    case GuideTopic::Run:
        return QStringLiteral("Settings of a run");
    case GuideTopic::Find:
        return QStringLiteral("Find entries");
    case GuideTopic::Generate:
        return QStringLiteral("Generate a tensor");
    case GuideTopic::Export:
        return QStringLiteral("Export");
    case GuideTopic::Continue:
        return QStringLiteral("Pause, stop and continue");
    case GuideTopic::Hands:
        return QStringLiteral("Keys and help");
    case GuideTopic::Import:
        return QStringLiteral("Import a table");
    }
    return {};
}

QString GuideWindow::installedGuide()
{
    return QDir::cleanPath(QCoreApplication::applicationDirPath() + QStringLiteral("/../share/doc/polyad/guide/start.md"));
}

GuideWindow::GuideWindow(const QString& file, QWidget* parent)
    : QWidget(parent, Qt::Window)
    , m_contents(new QListWidget(this))
    , m_text(new QTextBrowser(this))
{
    setWindowTitle(tr("Polyad: user guide"));
    setAttribute(Qt::WA_DeleteOnClose);
    setAttribute(Qt::WA_QuitOnClose, false); // the program ends with its own window
    resize(QSize(1060, 760).boundedTo(screen()->availableSize()));
    setMinimumSize(640, 400);
    m_contents->setObjectName(QStringLiteral("guideContents"));
    m_contents->setAccessibleName(tr("Contents"));
    whenZoomed(m_contents, [this] { m_contents->setFixedWidth(zoomed(230)); });
    m_contents->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_text->setObjectName(QStringLiteral("guideText"));
    m_text->setAccessibleName(tr("Guide"));
    m_text->setOpenLinks(false);
    m_text->setFrameShape(QFrame::NoFrame);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    setUpBar();
    auto* both = new QHBoxLayout;
    both->setSpacing(0);
    both->addWidget(m_contents);
    both->addWidget(m_text, 1);
    layout->addLayout(both, 1);
    connect(m_text, &QTextBrowser::anchorClicked, this, &GuideWindow::follow);
    connect(m_contents, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0 && m_contents->hasFocus())
            goTo(m_headings[static_cast<std::size_t>(row)]);
    });
    connect(m_contents, &QListWidget::itemClicked, this,
            [this](QListWidgetItem* item) { goTo(m_headings[static_cast<std::size_t>(m_contents->row(item))]); });
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        const int scroll = m_text->verticalScrollBar()->value(), row = m_contents->currentRow();
        load(m_files.first());
        m_contents->setCurrentRow(row);
        m_text->verticalScrollBar()->setValue(scroll);
    });
    load(file);
    m_text->setFocus();
}

void GuideWindow::setUpBar()
{
    auto* bar = new QFrame(this);
    bar->setObjectName(QStringLiteral("guideBar"));
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(10, 8, 10, 8);
    m_back = makeIconButton("previous", tr("Back (Alt+Left)"), bar);
    m_search = new QLineEdit(bar);
    m_search->setPlaceholderText(tr("Find in the guide (Ctrl+F)"));
    m_search->setAccessibleName(tr("Find in the guide"));
    m_search->setFixedWidth(300);
    auto* next = makeIconButton("next", tr("Next place (F3)"), bar);
    row->addWidget(m_back);
    row->addStretch(1);
    row->addWidget(m_search);
    row->addWidget(next);
    static_cast<QVBoxLayout*>(layout())->addWidget(bar);
    connect(m_back, &QToolButton::clicked, this, &GuideWindow::goBack);
    connect(next, &QToolButton::clicked, this, [this] { search(false); });
    connect(m_search, &QLineEdit::returnPressed, this, [this] { search(false); });
    connect(m_search, &QLineEdit::textEdited, this, [this] { markInvalid(m_search, false); });
    const auto shortcut = [this](const char* keys, auto&& does) {
        auto* action = new QAction(this);
        action->setShortcut(QKeySequence(QLatin1String(keys)));
        connect(action, &QAction::triggered, this, does);
        addAction(action);
    };
    shortcut("Ctrl+F", [this] {
        m_search->setFocus(Qt::ShortcutFocusReason);
        m_search->selectAll();
    });
    shortcut("F3", [this] { search(false); });
    shortcut("Shift+F3", [this] { search(true); });
    shortcut("Alt+Left", [this] { goBack(); });
    shortcut("Esc", [this] { close(); });
    shortcut("Ctrl+W", [this] { close(); });
}

void GuideWindow::load(const QString& path)
{
    m_files = filesShownWith(path);
    m_text->document()->setBaseUrl(QUrl::fromLocalFile(path));
    QByteArray text;
    QString missing;
    for (const QString& each : m_files) {
        QFile file(each);
        if (file.open(QIODevice::ReadOnly))
            text += file.readAll() + "\n\n";
        else
            missing = each;
    }
    if (missing.isEmpty())
        m_text->document()->setMarkdown(QString::fromUtf8(text));
    else
        m_text->setPlainText(tr("The guide is not where it was installed: %1").arg(missing));
    style();
    fillContents();
    placePictures();
    m_back->setEnabled(!m_before.empty());
}

/// Markdown brings no looks: headings, code and tables get those of the window.
void GuideWindow::style()
{
    const Tokens& t = tokens();
    QTextDocument& document = *m_text->document();
    document.setDocumentMargin(24);
    QTextCursor cursor(&document);
    cursor.beginEditBlock();
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        cursor.setPosition(block.position());
        cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        QTextBlockFormat format = block.blockFormat();
        QTextCharFormat letters;
        if (const int level = format.headingLevel(); level > 0) {
            letters.setFontWeight(QFont::DemiBold);
            letters.setProperty(QTextFormat::FontPixelSize, level == 1 ? 26 : level == 2 ? 19 : 15);
            cursor.setCharFormat(letters); // in place of a size that is told relative to the text's
            format.setTopMargin(level <= 2 ? 28 : 14);
            format.setBottomMargin(8);
        } else if (format.hasProperty(QTextFormat::BlockCodeFence)) {
            format.setBackground(t.background);
            format.setLeftMargin(10);
            format.setNonBreakableLines(false);
            letters.setProperty(QTextFormat::FontPixelSize, 12);
            cursor.mergeCharFormat(letters);
        } else if (!cursor.currentTable()) {
            format.setLineHeight(130, QTextBlockFormat::ProportionalHeight);
            format.setTopMargin(std::max(6.0, format.topMargin()));
        }
        cursor.setBlockFormat(format);
    }
    cursor.endEditBlock();
    styleTables();
}

void GuideWindow::styleTables()
{
    for (QTextFrame* frame : m_text->document()->rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (!table)
            continue;
        QTextTableFormat format = table->format();
        format.setTopMargin(8);
        format.setBottomMargin(8);
        format.setBorder(1);
        format.setBorderCollapse(true);
        format.setBorderBrush(tokens().line);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setCellPadding(5);
        format.setCellSpacing(0);
        table->setFormat(format);
    }
}

void GuideWindow::fillContents()
{
    m_headings.clear();
    m_contents->clear();
    for (QTextBlock block = m_text->document()->begin(); block.isValid(); block = block.next())
        if (const int level = block.blockFormat().headingLevel(); level > 0) {
            m_headings.push_back({block.text(), level, block.position()});
            m_contents->addItem(QString(static_cast<qsizetype>(level - 1) * 4, QLatin1Char(' ')) + block.text());
        }
}

/// Pictures get their places at once, by the sizes in their heads, and are read on a thread.
void GuideWindow::placePictures()
{
    constexpr int widest = 740;
    std::vector<Picture> pictures;
    const QDir folder = QFileInfo(m_files.first()).dir();
    QTextCursor cursor(m_text->document());
    cursor.beginEditBlock();
    for (QTextBlock block = m_text->document()->begin(); block.isValid(); block = block.next())
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            QTextImageFormat format = part.fragment().charFormat().toImageFormat();
            if (!format.isValid())
                continue;
            const QString file = folder.filePath(format.name());
            const QSize size = QImageReader(file).size();
            if (!size.isValid())
                continue;
            const QSize shown = size.width() > widest ? size.scaled(widest, size.height(), Qt::KeepAspectRatio) : size;
            format.setWidth(shown.width());
            format.setHeight(shown.height());
            cursor.setPosition(part.fragment().position());
            QTextBlockFormat paragraph = block.blockFormat();
            paragraph.setLineHeight(100, QTextBlockFormat::ProportionalHeight); // air between lines would be a share of the picture
            cursor.setBlockFormat(paragraph);
            cursor.setPosition(part.fragment().position() + part.fragment().length(), QTextCursor::KeepAnchor);
            const QUrl url = m_text->document()->baseUrl().resolved(QUrl(format.name()));
            if (m_pictures.contains(file)) {
                m_text->document()->addResource(QTextDocument::ImageResource, url, m_pictures[file]);
            } else {
                QImage empty(1, 1, QImage::Format_RGB32);
                empty.fill(tokens().background);
                m_text->document()->addResource(QTextDocument::ImageResource, url, empty);
                pictures.push_back({format.name(), file, shown});
            }
            cursor.setCharFormat(format);
            break; // a picture stands alone in its paragraph
        }
    cursor.endEditBlock();
    readPictures(std::move(pictures));
}

void GuideWindow::readPictures(std::vector<Picture> pictures)
{
    m_picturesDone = false;
    m_reading.start([this, pictures = std::move(pictures), ratio = devicePixelRatioF()](kernels::Progress& progress) {
        auto read = std::make_shared<std::vector<QImage>>();
        for (const Picture& each : pictures) {
            progress.throwIfCancelled();
            read->push_back(QImage(each.file).scaled(each.size * ratio, Qt::IgnoreAspectRatio, Qt::SmoothTransformation));
        }
        return app::BackgroundJob::Finish([this, pictures, read] {
            QTextDocument& document = *m_text->document();
            for (std::size_t i = 0; i < pictures.size(); ++i) {
                m_pictures[pictures[i].file] = read->at(i);
                document.addResource(QTextDocument::ImageResource, document.baseUrl().resolved(QUrl(pictures[i].name)), read->at(i));
            }
            m_picturesDone = true;
            m_text->viewport()->update();
        });
    });
}

void GuideWindow::goTo(const Heading& heading)
{
    remember();
    scrollTo(heading.position);
}

void GuideWindow::scrollTo(int position)
{
    m_shownPosition = position;
    QTextCursor cursor(m_text->document());
    cursor.setPosition(position);
    m_text->setTextCursor(cursor);
    const QRect at = m_text->cursorRect(cursor);
    m_text->verticalScrollBar()->setValue(m_text->verticalScrollBar()->value() + at.top() - 16);
}

/// Only now the text has its width, and with it every line its place.
void GuideWindow::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    QTimer::singleShot(0, this, [this] { scrollTo(m_shownPosition); });
}

bool GuideWindow::showHeading(const QString& heading)
{
    const auto at = std::find_if(m_headings.begin(), m_headings.end(), [&](const Heading& each) { return each.text == heading; });
    if (at == m_headings.end())
        return false;
    m_contents->setCurrentRow(static_cast<int>(at - m_headings.begin()));
    goTo(*at);
    return true;
}

QString GuideWindow::headingInView() const
{
    const int top = m_text->cursorForPosition(QPoint(30, 24)).position();
    QString found;
    for (const Heading& each : m_headings)
        if (each.position <= top)
            found = each.text;
    return found;
}

void GuideWindow::follow(const QUrl& link)
{
    const QUrl whole = m_text->document()->baseUrl().resolved(link);
    if (!whole.isLocalFile()) {
        QDesktopServices::openUrl(whole);
        return;
    }
    const QString file = QDir::cleanPath(whole.toLocalFile());
    const bool isShown = m_files.contains(file);
    if (!isShown && (QFileInfo(file).suffix() != QLatin1String("md") || !QFileInfo::exists(file)))
        return;
    remember();
    if (!isShown)
        load(file);
    if (const Heading* heading = headingOf(file, whole.fragment()))
        scrollTo(heading->position);
}

/// The heading that a link to a shown file names, else the file's first one. Null: there is none.
const GuideWindow::Heading* GuideWindow::headingOf(const QString& file, const QString& section) const
{
    auto page = m_files.indexOf(file);
    auto at = m_headings.begin();
    while (at != m_headings.end() && (at->level > 1 || page-- > 0))
        ++at;
    if (!section.isEmpty())
        at = std::find_if(at, m_headings.end(), [&](const Heading& each) { return slug(each.text) == section; });
    return at == m_headings.end() ? nullptr : &*at;
}

void GuideWindow::remember()
{
    m_before.push_back({m_files.first(), m_text->verticalScrollBar()->value()});
    m_back->setEnabled(true);
}

void GuideWindow::goBack()
{
    if (m_before.empty())
        return;
    const Place place = m_before.back();
    m_before.pop_back();
    if (place.file != m_files.first())
        load(place.file);
    m_text->verticalScrollBar()->setValue(place.scroll);
    m_back->setEnabled(!m_before.empty());
}

/// From the cursor on, and round the end.
void GuideWindow::search(bool backward)
{
    const QString wanted = m_search->text();
    if (wanted.isEmpty())
        return;
    const QTextDocument::FindFlags flags = backward ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    bool found = m_text->find(wanted, flags);
    if (!found) {
        QTextCursor edge(m_text->document());
        edge.movePosition(backward ? QTextCursor::End : QTextCursor::Start);
        m_text->setTextCursor(edge);
        found = m_text->find(wanted, flags);
    }
    markInvalid(m_search, !found);
}

} // namespace ui
