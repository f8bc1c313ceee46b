// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/rank_advice.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace app;

namespace {

double printed(double value, char format, int digits) { return QLocale::c().toString(value, format, digits).toDouble(); }
double printedMean(const std::vector<double>& values, char format, int digits)
{
    const auto spread = spreadOf(values);
    return spread ? printed(spread->mean, format, digits) : std::nan("");
}
double agreementOf(const RankEvidence& rank) { return printedMean(rank.agreements, 'f', 2); }
double consistencyOf(const RankEvidence& rank)
{
    const auto spread = spreadOf(rank.consistencies);
    return spread ? std::round(spread->mean) : std::nan("");
}
/// As tables print it: of a rank of which no run converged what they reached.
double errorOf(const RankEvidence& rank) { return printedMean(rank.values.empty() ? rank.unconverged : rank.values, 'g', 5); }

bool bearsOut(const RankEvidence& rank)
{
    const double agreement = agreementOf(rank), consistency = consistencyOf(rank);
    return !rank.values.empty() && (std::isfinite(agreement) || std::isfinite(consistency)) && !(agreement < goodAgreement)
        && !(consistency < goodConsistency);
}

/// Sweeps of all kinds, with figures at and around what decides.
class Sweeps {
public:
    explicit Sweeps(unsigned seed)
        : m_generator(seed)
    {
    }

    SweepEvidence draw()
    {
        SweepEvidence evidence;
        evidence.judge = oneOf(std::vector{Judge::TestRmse, Judge::TestRmse, Judge::TrainRmse, Judge::Fit});
        evidence.ofComponents = chance(0.6);
        const unsigned count = 1 + below(6);
        const bool known = chance(0.8);
        double level = evidence.judge == Judge::Fit ? 0.2 : uniform(0.5, 2);
        for (unsigned i = 0; i < count; ++i) {
            RankEvidence& rank = evidence.ranks.emplace_back();
            rank.rank = i + 1 + (i > 0 ? below(2) : below(3));
            rank.text = QString::number(i == 0 ? rank.rank : std::max(rank.rank, evidence.ranks[i - 1].text.toUInt() + 1));
            rank.rank = rank.text.toUInt();
            level = chance(0.1) ? 0 : level * oneOf(std::vector{1.0, 1.01, 1.0099, 1.01004, 0.99, 0.98, 0.9, 0.5, 1.3, 1.00004});
            fill(rank, level, evidence, known);
        }
        return evidence;
    }

private:
    void fill(RankEvidence& rank, double level, const SweepEvidence& evidence, bool known)
    {
        const double spread = oneOf(std::vector{0.0, 0.001, 0.1});
        const unsigned runs = chance(0.15) ? 0 : 1 + below(4);
        for (unsigned i = 0; i < runs; ++i) {
            const double value = level * (1 + spread * uniform(-1, 1));
            if (chance(0.15)) {
                rank.unconverged.push_back(value * oneOf(std::vector{1.0, 0.9, 1.1}));
            } else {
                rank.values.push_back(value);
                rank.seeds.push_back(40 + i);
            }
        }
        rank.failed = chance(0.1) ? 1 + below(2) : 0;
        rank.waiting = chance(0.1) ? 1 + below(2) : 0;
        if (!known || rank.values.empty())
            return;
        const double agreement = oneOf(std::vector{1.0, 0.9951, 0.85, 0.8501, 0.8499, 0.845, 0.8451, 0.8449, 0.6, 0.004, -0.004, -0.3});
        for (std::size_t pair = 0; pair + 1 < rank.values.size(); ++pair)
            if (chance(0.1))
                ++rank.trivial;
            else
                rank.agreements.push_back(agreement);
        const double consistency = oneOf(std::vector{100.0, 97.0, 80.0, 79.6, 79.5, 79.49, 79.4, 41.0, 0.2, -0.4, -999.7, -1000.4, -5e7});
        for (std::size_t i = 0; evidence.ofComponents && i < rank.values.size(); ++i)
            (chance(0.2) ? rank.unstable : rank.consistencies).push_back(consistency);
    }

    unsigned below(unsigned limit) { return static_cast<unsigned>(m_generator() % limit); }
    double uniform(double low, double high) { return low + (high - low) * static_cast<double>(m_generator()) / 4294967296.0; }
    bool chance(double of) { return uniform(0, 1) < of; }
    template <class T> T oneOf(const std::vector<T>& values) { return values[below(static_cast<unsigned>(values.size()))]; }

    std::mt19937 m_generator;
};

/// What a sentence says, held against the figures of the table beside it. Empty: it denies none.
class Claims {
public:
    Claims(const SweepEvidence& evidence, const RankAdvice& advice)
        : m_evidence(evidence)
        , m_advice(advice)
        , m_text(advice.text())
    {
    }

    QString denied()
    {
        figuresKeepTheirBounds();
        theBestIsTheBest();
        ranksAreThoseOfTheTable();
        whatDoesNotCountDecidesNothing();
        return m_denied.join(QStringLiteral("\n"));
    }
    unsigned checked() const { return m_checked; }

private:
    template <class Check> void each(const char* pattern, const Check& holds)
    {
        for (auto at = QRegularExpression(QLatin1String(pattern)).globalMatch(m_text); at.hasNext();) {
            const QRegularExpressionMatch match = at.next();
            ++m_checked;
            if (!holds(match))
                m_denied += QLatin1String(pattern) + QStringLiteral(": ") + match.captured(0);
        }
    }
    static double number(const QRegularExpressionMatch& match, int which = 1) { return match.captured(which).toDouble(); }
    const RankEvidence* named(const QString& rank) const
    {
        const auto at = std::find_if(m_evidence.ranks.begin(), m_evidence.ranks.end(), [&](const auto& each) { return each.text == rank; });
        return at == m_evidence.ranks.end() ? nullptr : &*at;
    }
    bool fits() const { return m_evidence.judge == Judge::Fit; }
    template <class Holds> bool all(const Holds& holds) const
    {
        return std::all_of(m_evidence.ranks.begin(), m_evidence.ranks.end(), holds);
    }
    bool noneIsBetterThan(double value) const
    {
        return all([&](const RankEvidence& rank) { return !(fits() ? errorOf(rank) > value : errorOf(rank) < value); });
    }

    void figuresKeepTheirBounds()
    {
        using Match = const QRegularExpressionMatch&;
        each(R"(replicates agree \((-?[\d.]+)\))", [](Match m) { return number(m) >= goodAgreement; });
        each(R"((?:do not agree|different spaces|too little) \((-?[\d.]+)\))", [](Match m) { return number(m) < goodAgreement; });
        each(R"(consistency is high \((-?[\d.]+) %\))", [](Match m) { return number(m) >= goodConsistency; });
        each(R"(consistency is low \((?:below )?(-?[\d.]+) %\))", [](Match m) { return number(m) < goodConsistency; });
        each(R"(no longer|-0\.00|nan|inf|;)", [](Match) { return false; });
        each(R"(is ([\d.]+) % higher)", [](Match m) { return number(m) >= 0; });
        each(R"(below 80 % wherever it counts)",
             [this](Match) { return all([](const RankEvidence& rank) { return !(consistencyOf(rank) >= goodConsistency); }); });
        each(R"(agree at no rank tried)",
             [this](Match) { return all([](const RankEvidence& rank) { return !(agreementOf(rank) >= goodAgreement); }); });
        each(R"(no agreement of replicates and no core consistency that counts)", [this](Match) {
            return all([](const RankEvidence& rank) { return std::isnan(agreementOf(rank)) && std::isnan(consistencyOf(rank)); });
        });
    }

    void theBestIsTheBest()
    {
        using Match = const QRegularExpressionMatch&;
        each(R"(RMSE is the lowest \(([\d.e+-]+)\))", [this](Match m) { return noneIsBetterThan(number(m)); });
        each(R"(, ([\d.e+-]+), is the (?:lowest|highest))", [this](Match m) { return noneIsBetterThan(number(m)); });
        each(R"(RMSE, ([\d.e+-]+), is within 1 % of the best \(([\d.e+-]+) at rank (\d+)\))", [this](Match m) {
            return number(m) <= 1.01 * number(m, 2) + 1e-12 && noneIsBetterThan(number(m, 2))
                && errorOf(*named(m.captured(3))) == number(m, 2);
        });
        each(R"(from the best \(([\d.e+-]+) at rank (\d+)\))",
             [this](Match m) { return noneIsBetterThan(number(m)) && errorOf(*named(m.captured(2))) == number(m); });
        each(R"(goes from ([\d.e+-]+) \(rank (\d+)\) to ([\d.e+-]+) \(rank (\d+)\)(, which differs by at most 1 %)?)", [this](Match m) {
            const bool range = all([&](const RankEvidence& rank) { return rank.values.empty() || !(errorOf(rank) > number(m, 3)); });
            return range && noneIsBetterThan(number(m)) && (m.captured(5).isEmpty() || number(m, 3) <= 1.01 * number(m) + 1e-12);
        });
        each(R"(still falls, to ([\d.e+-]+), by ([\d.]+) %)", [this](Match m) { return noneIsBetterThan(number(m)) && number(m, 2) >= 1; });
        each(R"(Larger ranks of which the same holds)", [this](Match) {
            const RankEvidence& chosen = m_evidence.ranks[*m_advice.choice];
            return all([&](const RankEvidence& rank) {
                const double gain = fits() ? errorOf(rank) - errorOf(chosen) : 1 - errorOf(rank) / errorOf(chosen);
                return rank.rank <= chosen.rank || !bearsOut(rank) || std::isnan(gain) || gain <= 0.01 + 1e-9;
            });
        });
    }

    void ranksAreThoseOfTheTable()
    {
        using Match = const QRegularExpressionMatch&;
        each(R"(best at rank (\d+), and there too little \((-?[\d.]+)\))", [this](Match m) {
            return agreementOf(*named(m.captured(1))) == number(m, 2)
                && all([&](const RankEvidence& rank) { return !(agreementOf(rank) > number(m, 2)); });
        });
        each(R"(From rank (\d+) on replicates do not agree)", [this](Match m) {
            return all(
                [&](const RankEvidence& rank) { return rank.rank < m.captured(1).toUInt() || !(agreementOf(rank) >= goodAgreement); });
        });
        each(R"(At rank (\d+) replicates do not agree \((-?[\d.]+)\))",
             [this](Match m) { return agreementOf(*named(m.captured(1))) == number(m, 2); });
        each(R"(At rank (\d+)\b(?! replicates| core))", [](Match) { return false; }); // without a fault
        each(R"((?:^|For predictions |\. )[Tt]ake rank (\d+))",
             [this](Match m) { return m_advice.choice && m_evidence.ranks[*m_advice.choice].text == m.captured(1); });
        each(R"(is the largest tried)", [this](Match) { return m_advice.choice == m_evidence.ranks.size() - 1; });
        each(R"(is the smallest tried)",
             [this](Match) { return m_advice.choice == 0U && (m_evidence.field != "rank" || m_evidence.ranks[0].rank > 1); });
        each(R"(Replicates would show it|Run replicates)", [this](Match) {
            return std::any_of(m_evidence.ranks.begin(), m_evidence.ranks.end(),
                               [](const RankEvidence& rank) { return rank.values.size() == 1; });
        });
    }

    void whatDoesNotCountDecidesNothing()
    {
        using Match = const QRegularExpressionMatch&;
        each(R"(can be recommended yet)", [this](Match) { return !m_advice.choice; });
        if (m_advice.choice && m_evidence.ranks[*m_advice.choice].values.empty())
            m_denied += QStringLiteral("a choice without a run that counts");
        for (const RankEvidence& rank : m_evidence.ranks)
            if (!rank.unconverged.empty() && !m_text.contains(QStringLiteral("left out: ")))
                m_denied += QStringLiteral("nothing is said of rank %1, which had not converged").arg(rank.text);
        const auto counted =
            std::count_if(m_evidence.ranks.begin(), m_evidence.ranks.end(), [](const auto& rank) { return !rank.values.empty(); });
        if (m_advice.choice && counted < 2)
            m_denied += QStringLiteral("a choice of one");
    }

    const SweepEvidence& m_evidence;
    const RankAdvice& m_advice;
    QString m_text;
    QStringList m_denied;
    unsigned m_checked = 0;
};

} // namespace

/// Whatever a sweep finds, its sentences deny none of the figures printed beside them.
class TestAdviceFigures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noSentenceDeniesItsFigures_data()
    {
        QTest::addColumn<bool>("ofRank");
        QTest::newRow("rank") << true;
        QTest::newRow("another field") << false;
    }
    void noSentenceDeniesItsFigures()
    {
        QFETCH(const bool, ofRank);
        Sweeps sweeps(7);
        unsigned checked = 0;
        for (unsigned i = 0; i < 20'000; ++i) {
            SweepEvidence evidence = sweeps.draw();
            if (!ofRank)
                evidence.field = "lambda-a";
            const RankAdvice advice =
                ofRank ? adviseRank(evidence, QLocale::c()) : adviseField(evidence, QStringLiteral("Penalty A"), QLocale::c());
            Claims claims(evidence, advice);
            const QString denied = claims.denied();
            QVERIFY2(denied.isEmpty(), qPrintable(QStringLiteral("sweep %1\n%2\n%3").arg(i).arg(advice.text(), denied)));
            checked += claims.checked();
        }
        QVERIFY2(checked > 5'000, qPrintable(QString::number(checked))); // the patterns are those of the sentences
    }
};

QTEST_GUILESS_MAIN(TestAdviceFigures)
#include "tst_advice_figures.moc"
