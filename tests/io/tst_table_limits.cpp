// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/table/recipe.h"
#include "io/table/table_format.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <set>

using test::load;
using test::sentenceOf;

namespace {

io::ReadOptions by(const std::string& modes, const std::string& value, const std::string& aggregate)
{
    io::ReadOptions options;
    options.recipe.emplace();
    options.recipe->modes = io::table::parseModes(modes);
    options.recipe->value = value;
    options.recipe->aggregate = io::table::parseAggregate(aggregate);
    return options;
}

std::vector<std::string> labels(const io::LoadedTensor& loaded, unsigned mode) { return loaded.tensor.modes.at(mode).labels; }

bool areDistinct(const std::vector<std::string>& labels) { return std::set(labels.begin(), labels.end()).size() == labels.size(); }

} // namespace

/// Tables whose numbers are very large, very close or all equal, and whose labels nearly meet.
class TestTableLimits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void equalValuesAreNotScaled()
    {
        io::ReadOptions options = by("a,b", "v", "mean");
        options.recipe->transforms = {io::table::parseTransform("scale")};
        const auto loaded = load(m_files.write("equal.csv", "a,b,v\nx,k,0.1\ny,k,0.1\nz,k,0.1\n"), options);
        QCOMPARE(static_cast<float>(loaded.tensor.value(0)), 0.1f);
        QCOMPARE(loaded.recipe->transforms[0].high, 1.0);
    }

    void aCellThatIsTooLargeIsNamed()
    {
        const std::string path = m_files.write("large.csv", "a,b,v\nx,k,1e308\nx,k,1e308\ny,k,1\n");
        const std::string sentence = sentenceOf([&] { load(path, by("a,b", "v", "sum")); });
        QVERIFY2(sentence.find("the sum of the cell x, k is too large") != std::string::npos, sentence.c_str());
    }

    void binsOfAllNumbersHaveEdges()
    {
        const std::string path = m_files.write("wide.csv", "a,b\n-1e308,k\n0,k\n1e308,k\n");
        const auto loaded = load(path, by("bins(a,4),b", "", "count"));
        for (const double edge : loaded.recipe->modes[0].edges)
            QVERIFY(std::isfinite(edge));
        QCOMPARE(loaded.recipe->modes[0].edges.size(), std::size_t{5});
        const auto same = load(m_files.write("same.csv", "a,b\n1e17,k\n1e17,l\n"), by("bins(a,4),b", "", "count"));
        QVERIFY(areDistinct(labels(same, 0)));
    }

    void binsOfLongNumbersReadDifferently()
    {
        std::string text = "a,b\n";
        for (int n = 0; n <= 10; ++n)
            text += std::to_string(10'000'000 + n) + ",k\n";
        const auto loaded = load(m_files.write("long.csv", QByteArray::fromStdString(text)), by("bins(a,5),b", "", "count"));
        QVERIFY(areDistinct(labels(loaded, 0)));
        QCOMPARE(labels(loaded, 0).front(), std::string("10000000 to 10000002"));
        const auto plain = load(m_files.write("plain.csv", "a,b\n0,k\n10,k\n"), by("bins(a,4),b", "", "count"));
        QCOMPARE(labels(plain, 0).front(), std::string("0 to 2.5"));
    }

    void othersJoinALabelOfTheirName()
    {
        const std::string path = m_files.write("others.csv", "a,b\n(other),k\n(other),k\n(other),l\nx,k\nx,l\ny,k\nz,k\n");
        const auto loaded = load(path, by("top(a,2),b", "", "count"));
        QCOMPARE(labels(loaded, 0), (std::vector<std::string>{"(other)", "x"}));
        double sum = 0;
        for (kernels::Count e = 0; e < loaded.tensor.entries(); ++e)
            sum += loaded.tensor.value(e);
        QCOMPARE(sum, 7.0);
    }

    void replacedBytesMakeOneLabel()
    {
        io::ReadOptions options = by("a,b", "", "count");
        options.recipe->dialect.encoding = "utf-8";
        const auto loaded = load(m_files.write("bytes.csv",
                                               "a,b\nk\xfe,x\nk\xfe"
                                               "b,x\nk\xff,x\n"),
                                 options);
        QVERIFY(areDistinct(labels(loaded, 0)));
        QCOMPARE(labels(loaded, 0).size(), std::size_t{2});
    }

    void meansBelongToLabels()
    {
        io::ReadOptions options = by("u,i", "v", "mean");
        options.recipe->transforms = {io::table::parseTransform("centre:u")};
        const auto first = load(m_files.write("first.csv", "u,i,v\nbob,a,10\nbob,b,12\ncid,a,2\ncid,b,4\n"), options);
        options.recipe = first.recipe;
        const auto second = load(m_files.write("second.csv", "u,i,v\nann,a,100\nann,b,102\nbob,a,9\nbob,b,11\n"), options);
        for (kernels::Count e = 0; e < second.tensor.entries(); ++e)
            QCOMPARE(std::abs(second.tensor.value(e)), 1.0);
    }

    void knownLabelsAreFoundAsTextAndAsNumber()
    {
        const auto texts = load(m_files.write("texts.csv", "u,i\n1.0,a\nabc,a\n2.0,b\n"), by("u,i", "", "count"));
        io::ReadOptions options = by("u,i", "", "count");
        options.knownModes = texts.tensor.modes;
        const auto numbers = load(m_files.write("numbers.csv", "u,i\n1.0,a\n2.0,b\n"), options);
        QCOMPARE(labels(numbers, 0), labels(texts, 0));

        const auto whole = load(m_files.write("whole.csv", "u,i\n1,a\n2,b\n"), by("u,i", "", "count"));
        options.knownModes = whole.tensor.modes;
        const auto mixed = load(m_files.write("mixed.csv", "u,i\n1.0,a\nabc,a\n"), options);
        QCOMPARE(labels(mixed, 0), (std::vector<std::string>{"1", "2", "abc"}));
    }

    void aChosenSummaryTakesTheProposedValue()
    {
        const std::string path = m_files.write("ratings.csv", "user,item,rating\na,x,1.5\na,x,2.5\nb,y,3.5\n");
        io::ReadOptions options;
        options.recipe.emplace();
        options.recipe->aggregate = io::table::Aggregate::Max;
        QCOMPARE(load(path, options).tensor.value(0), 2.5);
        options.recipe->aggregate = io::table::Aggregate::Count;
        options.recipe->countsRows = true;
        const auto counted = load(path, options);
        QVERIFY(counted.recipe->value.empty());
        QCOMPARE(counted.tensor.value(0), 2.0);
    }

private:
    test::TemporaryFiles m_files;
};

QTEST_GUILESS_MAIN(TestTableLimits)
#include "tst_table_limits.moc"
