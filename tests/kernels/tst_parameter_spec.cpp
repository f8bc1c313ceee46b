// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/base/parameter_spec.h"

#include <QtTest>

#include <limits>

using namespace kernels;

namespace {

const std::vector<ParameterSpec>& schema()
{
    static const std::vector<ParameterSpec> all{
        {"rate", "Rate", "", ParameterType::Real, 0.5, 0, 10, "", {}, false},
        {"batch", "Batch", "", ParameterType::Integer, std::int64_t{8}, 1, 64, "entries", {}, false},
        {"clip", "Clip", "", ParameterType::Boolean, false, 0, 0, "", {}, false},
        {"start", "Start", "", ParameterType::Choice, std::string("a"), 0, 0, "", {"a", "b"}, false},
    };
    return all;
}

std::string refusalOf(std::size_t parameter, const char* text)
{
    try {
        parseParameter(schema()[parameter], text);
    } catch (const Error& e) {
        return e.kind() == ErrorKind::BadArgument ? e.what() : "";
    }
    return {};
}

} // namespace

class ParameterSpecTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textBecomesTheParametersType()
    {
        QCOMPARE(std::get<double>(parseParameter(schema()[0], "1e-3")), 0.001);
        QCOMPARE(std::get<std::int64_t>(parseParameter(schema()[1], "64")), 64);
        QCOMPARE(std::get<bool>(parseParameter(schema()[2], "on")), true);
        QCOMPARE(std::get<bool>(parseParameter(schema()[2], "0")), false);
        QCOMPARE(std::get<std::string>(parseParameter(schema()[3], "b")), std::string("b"));
    }

    void badTextIsRefusedWithNameAndRange_data()
    {
        QTest::addColumn<int>("parameter");
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"", "abc", "1x", " 1", "11", "-0.1", "nan", "inf", "0x10", "1,5"})
            QTest::addRow("real '%s'", text) << 0 << QByteArray(text);
        for (const char* text : {"", "1.5", "0", "65", "99999999999999999999"})
            QTest::addRow("integer '%s'", text) << 1 << QByteArray(text);
        for (const char* text : {"", "2", "TRUE "})
            QTest::addRow("boolean '%s'", text) << 2 << QByteArray(text);
        for (const char* text : {"", "c", "A"})
            QTest::addRow("choice '%s'", text) << 3 << QByteArray(text);
    }
    void badTextIsRefusedWithNameAndRange()
    {
        QFETCH(int, parameter);
        QFETCH(QByteArray, text);
        const std::string sentence = refusalOf(std::size_t(parameter), text.constData());
        QVERIFY2(sentence.find("parameter " + schema()[std::size_t(parameter)].id) != std::string::npos, sentence.c_str());
        QVERIFY2(sentence.find("expected") != std::string::npos, sentence.c_str());
    }

    void textOfAValueParsesBack()
    {
        for (const double value : {0.1, 1.0 / 3, 1e-9, 10.0})
            QCOMPARE(std::get<double>(parseParameter(schema()[0], toString(ParameterValue{value}))), value);
    }

    void defaultsAreOverlaidByChoices()
    {
        const ParameterMap map = withDefaults(schema(), {{"rate", 2.0}, {"start", std::string("b")}});
        QCOMPARE(map.size(), std::size_t{4});
        QCOMPARE(realParameter(map, "rate"), 2.0);
        QCOMPARE(integerParameter(map, "batch"), 8);
        QCOMPARE(choiceParameter(map, "start"), std::string("b"));
    }

    void wholeNumbersServeAsRealOnes() { QCOMPARE(realParameter(withDefaults(schema(), {{"rate", std::int64_t{3}}}), "rate"), 3.0); }

    void unknownIdsAndWrongTypesAreRefused()
    {
        QVERIFY_EXCEPTION_THROWN(withDefaults(schema(), {{"ratio", 1.0}}), Error);
        QVERIFY_EXCEPTION_THROWN(withDefaults(schema(), {{"batch", 2.0}}), Error);
        QVERIFY_EXCEPTION_THROWN(withDefaults(schema(), {{"rate", std::numeric_limits<double>::quiet_NaN()}}), Error);
    }
};

QTEST_GUILESS_MAIN(ParameterSpecTest)
#include "tst_parameter_spec.moc"
