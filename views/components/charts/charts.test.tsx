import { expect, test } from "bun:test";
import { barAt, BarChart } from "./bar-chart";
import { bucketsOf, dayName, daysName, signed } from "./period";
import { curveOf, LineChart } from "./line-chart";
import { heightOf, placeOf, scaleAround, scaleFor, spread } from "./plot";

test.each([
  [0, { steps: 3 }, [0, 1]],
  [1, { steps: 3 }, [0, 1]],
  [3, { steps: 3 }, [0, 1, 2, 3]],
  [7, { steps: 3 }, [0, 5, 10]],
  [14, { steps: 3 }, [0, 5, 10, 15]],
  [412, { steps: 3 }, [0, 250, 500]],
  [1_094, { steps: 3 }, [0, 500, 1_000, 1_500]],
  [12_871, { steps: 3 }, [0, 5_000, 10_000, 15_000]],
  [1_000_001, { steps: 3 }, [0, 500_000, 1_000_000, 1_500_000]],
  [30, { steps: 4, below: 4 }, [-10, 0, 10, 20, 30]],
  [0, { steps: 4, below: 9 }, [-10, -5, 0]],
  [1, { steps: 4, below: 900 }, [-1_000, -500, 0, 500]],
])("an axis up to %p with %j has whole and round values", (max, options, ticks) => {
  expect(scaleFor(max, options).ticks).toEqual(ticks);
});

test.each([
  [2_700, 2_719, [2_700, 2_710, 2_720]],
  [2_840, 2_840, [2_840, 2_841]],
  [5, 21, [0, 10, 20, 30]],
  [0, 0, [0, 1]],
  [1, 2_842, [0, 1_000, 2_000, 3_000]],
])("an axis around %p to %p begins near the least", (least, most, ticks) => {
  expect(scaleAround(least, most).ticks).toEqual(ticks);
});

test("a place is a percentage, the last one the right edge", () => {
  expect([0, 1, 2].map((at) => placeOf(at, 4))).toEqual([0, 33.33, 66.67]);
  expect([placeOf(3, 4), placeOf(0, 1)]).toEqual([100, 100]);
  const scale = scaleFor(10, { steps: 4, below: 10 });
  expect([10, 0, -10].map((value) => heightOf(value, scale))).toEqual([0, 50, 100]);
  expect(barAt(1, 4, 0, 5, scale)).toEqual({ x: "30%", y: "25%", width: "15%", height: "25%" });
  expect(barAt(0, 4, -5, 0, scale)).toEqual({ x: "5%", y: "50%", width: "15%", height: "25%" });
});

test("a curve of ten years has as many points as one of four months, including both ends", () => {
  const curve = curveOf(
    Array.from({ length: 3_650 }, (_, day) => day),
    scaleFor(4_000),
  );
  expect(curve.split("L")).toHaveLength(120);
  expect(curve).toStartWith("M0 100L");
  expect(curve).toEndWith(`L100 ${heightOf(3_649, scaleFor(4_000))}`);
  expect(spread(3, 4)).toEqual([0, 1, 2]);
  expect(spread(90, 4)).toEqual([0, 30, 59, 89]);
});

test("a table has days for a month, weeks for a quarter, and then months", () => {
  const sunday = 20_779; // 22 November 2026
  const of = (days: number) => bucketsOf(sunday - days + 1, sunday);
  expect([of(30).unit, of(30).buckets.length]).toEqual(["Day", 30]);
  expect([of(90).unit, of(90).buckets.length]).toEqual(["Week of", 13]);
  expect(of(90).buckets.at(-1)).toEqual({ from: sunday - 6, to: sunday, name: "16 Nov 2026" });
  expect([of(365).unit, of(365).buckets.length]).toEqual(["Month", 13]);
  expect(of(365).buckets[0]).toEqual({ from: sunday - 364, to: sunday - 357, name: "Nov 2025" });
  expect(daysName(sunday - 89, sunday)).toBe("25 August – 22 November 2026");
  expect([daysName(sunday - 89, sunday, "en-US"), dayName(sunday, "short", "en-US")]).toEqual([
    "August 25 – November 22, 2026",
    "Nov 22",
  ]);
  expect(["short", "month", "full"].map((as) => dayName(sunday, as as "full", "en-CA"))).toEqual([
    "11-22",
    "2026-11",
    "2026-11-22",
  ]);
  expect([signed(3_440), signed(0), signed(-12)]).toEqual(["+3,440", "+0", "−12"]);
});

test("a chart has a title, a summary, names on both axes, and no style of its own", () => {
  const line = String(
    <LineChart
      id="total"
      name="Active"
      from={20_690}
      values={[5, 8, 20, 21]}
      marks={[{ index: 2, text: "Import" }]}
      about="Grew."
    />,
  );
  expect(line).toContain('role="img" aria-labelledby="total-title" aria-describedby="total-summary"');
  expect(line).toContain('<title id="total-title">Active, 25 – 28 August 2026</title>');
  expect(line).toContain('<desc id="total-summary">From 5 to 21. Grew.</desc>');
  expect([...line.matchAll(/text-anchor="end">([\d,]+)</g)].map(([, tick]) => tick)).toEqual(["0", "10", "20", "30"]);
  expect(line.match(/>\d+ Aug</g)).toEqual([">25 Aug<", ">26 Aug<", ">27 Aug<", ">28 Aug<"]);
  expect(line).toContain('<circle class="dot" cx="66.67%" cy="33.33%" r="4">');
  const since = String(
    <LineChart
      id="total"
      name="Active"
      from={20_690}
      values={[undefined, undefined, 2_840, 2_851]}
      marks={[]}
      about=""
    />,
  );
  expect(since).toContain('<desc id="total-summary">Not known before 27 August 2026. From 2,840 to 2,851.</desc>');
  expect(since).toContain('<path class="curve" d="M66.67 100L100 26.67">');
  expect(since).toContain('<rect class="unknown" width="66.67%" height="100%">');
  const bars = [3, 0, 1].map((value, i) => ({ day: 20_690 + i, value, below: i, text: `${value} <b>` }));
  const chart = String(<BarChart id="days" title="By day" summary="Four." bars={bars} to={20_692} />);
  expect(chart.match(/<rect class="one"/g)).toHaveLength(2);
  expect(chart.match(/<rect class="two"/g)).toHaveLength(2);
  expect(chart).toContain("<title>3 &lt;b&gt;</title>");
  expect(line + chart).not.toContain("style=");
  const months = String(<BarChart id="m" title="By month" summary="" bars={bars} to={20_750} isByMonth />);
  expect(months.match(/text-anchor="middle">Aug 2026</g)).toHaveLength(3);
});
