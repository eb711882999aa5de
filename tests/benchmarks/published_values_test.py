"""The values of benchmarks/paper/results.py, read from output that the programs gave (published/NAME.txt, cut to the
lines of interest and those most like them): each from its own line, and from no other where that is missing.

    published_values_test.py SOURCE
"""

import pathlib
import re
import sys

EXPECTED = {  # read by eye, in the order of the row's values
    "montaut2022_table1": ["5e-02", "1e-02", "2e-02", "4e-33", "2e-32", "2e-32"],
    "montaut2022_table2": ["21.90", "6.66", "38.56", "13.77", "1.17", "1.11", "0.28", "0.28", "1.72", "1.78"],
    "montaut2022_figure5": ["1.5e-03", "1.3e-07"],
    "montaut2022_figure6": ["4.8e-07", "1.9e-03"],
    "montaut2022_accuracy": ["0.0174"],
    "beker2025_figure7": ["1.26", "16.8", "4.00", "51.0", "5.60", "38.0", "1.24", "16.6", "0.08", "0.8", "0.19", "1.1"],
    "elandt2019_figure1": ["8.9e-16"],
    "elandt2019_figure3": ["1.2e-15"],
    "elandt2019_figure5": ["0.02118"],
    "elandt2019_figure6": ["15"],
    "elandt2019_section7": ["0.91"],
    "elandt2019_sphere": ["3.601"],
    "kaufman2005_sliding": ["0.6796", "4.0000"],
    "kaufman2005_pile": ["1.4353"],
    "diffcollision2026": ["96.7", "93.3", "46.7", "100.0", "60.0"],
}


def expect(held, what):
    if not held:
        sys.exit(f"published values: {what}")


def main():
    source = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(source / "benchmarks/paper"))
    import report
    from results import ROWS

    with_values = [row for row in ROWS if row.values]
    expect({row.name for row in with_values} == set(EXPECTED), "a row with values has no recorded output here")
    for row in with_values:
        lines = (source / f"tests/benchmarks/published/{row.name}.txt").read_text().splitlines()
        found = [report.printed(value, "\n".join(lines)) for value in row.values]
        expect(found == EXPECTED[row.name], f"{row.name}: reads {found}, not {EXPECTED[row.name]}")
        for value, number in zip(row.values, found):
            places = [k for k, line in enumerate(lines) if re.match(value.pattern, line)]
            for k in places:
                without = report.printed(value, "\n".join(lines[:k] + lines[k + 1:]))
                twice = report.printed(value, "\n".join(lines[:k + 1] + lines[k:]))
                expect(without in (None, number) and twice in (None, number),
                       f"{row.name}, {value.what}: reads another line where its own is missing or stands twice")
            expect(any(report.printed(value, "\n".join(lines[:k] + lines[k + 1:])) is None for k in places),
                   f"{row.name}, {value.what}: is read without its line")


main()
