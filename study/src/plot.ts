/**
 * Charts as SVG text: ranges by row, and lines. Written by hand, so that the same figures give the same bytes, and readable on a light and
 * on a dark page. Lines differ by dashes as well as by colour, and carry their names.
 */
export type RangeRow = {
  readonly label: string;
  /** The published or expected range. */
  readonly low: number;
  readonly high: number;
  /** The model's figure. */
  readonly value: number;
};

export type RangeChart = {
  readonly title: string;
  readonly unit: string;
  readonly rows: readonly RangeRow[];
  /** In ascending order; the first and the last are the ends of the scale. */
  readonly ticks: readonly number[];
  readonly scale: 'even' | 'logarithmic';
  readonly rangeSays: string;
  readonly valueSays: string;
};

export type Line = { readonly name: string; readonly points: readonly (readonly [x: number, y: number])[] };

export type LineChart = {
  readonly title: string;
  readonly xSays: string;
  readonly ySays: string;
  /** At most five; the ends of a scale are its first and last tick. */
  readonly lines: readonly Line[];
  readonly xTicks: readonly number[];
  readonly yTicks: readonly number[];
  /** Vertical bars at an x: published ranges. */
  readonly ranges: readonly {
    readonly x: number;
    readonly low: number;
    readonly high: number;
    readonly says: string;
  }[];
};

const WIDTH = 760;
const [LEFT, RIGHT, TOP, BOTTOM] = [116, 24, 66, 48];
const ROW = 34;

export function rangeChart({ title, unit, rows, ticks, scale, rangeSays, valueSays }: RangeChart): string {
  const height = TOP + rows.length * ROW + BOTTOM;
  const place = scaleOf(ticks, [LEFT, WIDTH - RIGHT], scale);
  const shapes = ticks.map(
    (tick) =>
      `<path class="grid" d="M${at(place(tick))} ${TOP - 4}V${height - BOTTOM}"/>` +
      text('tick middle', place(tick), height - BOTTOM + 18, numeral(tick)),
  );
  rows.forEach(({ label, low, high, value }, n) => {
    const y = TOP + n * ROW + ROW / 2;
    const [from, to] = [place(low), place(high)];
    const outside = value < low || value > high;
    shapes.push(
      text('label end', LEFT - 14, y + 4, label),
      `<rect class="range" x="${at(from)}" y="${y - 8}" width="${at(Math.max(2, to - from))}" height="16" rx="3"><title>${label}: ${numeral(low)} to ${numeral(high)} ${unit}</title></rect>`,
      `<circle class="dot${outside ? ' outside' : ''}" cx="${at(place(value))}" cy="${y}" r="5.5"><title>${label}: ${numeral(value)} ${unit}</title></circle>`,
    );
  });
  const legend = [
    `<rect class="range" x="${LEFT}" y="38" width="26" height="12" rx="3"/>`,
    text('tick', LEFT + 34, 48, rangeSays),
    `<circle class="dot" cx="${LEFT + 60 + rangeSays.length * 6.4}" cy="44" r="5.5"/>`,
    text('tick', LEFT + 72 + rangeSays.length * 6.4, 48, valueSays),
  ];
  const axis = scale === 'logarithmic' ? `${unit}, logarithmic scale` : unit;
  return svg(title, height, [...shapes, ...legend, text('tick end', WIDTH - RIGHT, height - 10, axis)]);
}

const LINE_HEIGHT = 400;
/** The left end of the lines, and the width of their names on the right. */
const AXIS = 64;
const NAMES = 128;

export function lineChart({ title, xSays, ySays, lines, xTicks, yTicks, ranges }: LineChart): string {
  const [floor, edge] = [LINE_HEIGHT - BOTTOM, WIDTH - RIGHT - NAMES];
  const across = scaleOf(xTicks, [AXIS, edge], 'even');
  const up = scaleOf(yTicks, [floor, TOP], 'even');
  const shapes = [
    ...yTicks.map(
      (tick) =>
        `<path class="grid" d="M${AXIS} ${at(up(tick))}H${edge}"/>` +
        text('tick end', AXIS - 8, up(tick) + 4, numeral(tick)),
    ),
    ...xTicks.map((tick) => text('tick middle', across(tick), floor + 18, numeral(tick))),
    ...ranges.map(
      ({ x, low, high, says }) =>
        `<rect class="range" x="${at(across(x) - 5)}" y="${at(up(high))}" width="10" height="${at(up(low) - up(high))}" rx="3"><title>${says}</title></rect>`,
    ),
    ...lines.map(
      ({ points, name }, n) =>
        `<path class="line line${n}" d="M${points.map(([x, y]) => `${at(across(x))} ${at(up(y))}`).join('L')}"><title>${name}</title></path>`,
    ),
  ];
  // Names at the ends of the lines, from the top down and never closer than a line of text.
  const ends = lines.map(({ name, points }, n) => ({ n, name, y: up(points.at(-1)?.[1] ?? 0) + 4 }));
  let lowest = Number.NEGATIVE_INFINITY;
  for (const { n, name, y } of ends.sort((a, b) => a.y - b.y)) {
    lowest = Math.max(y, lowest + 17);
    shapes.push(
      `<path class="line line${n}" d="M${edge + 8} ${at(lowest - 4)}h24"/>`,
      text('label', edge + 38, lowest, name),
    );
  }
  shapes.push(text('tick', 24, TOP - 16, ySays), text('tick end', edge, LINE_HEIGHT - 10, xSays));
  return svg(title, LINE_HEIGHT, shapes);
}

function scaleOf(ticks: readonly number[], [from, to]: readonly [number, number], kind: RangeChart['scale']) {
  const position = kind === 'even' ? (value: number) => value : (value: number) => Math.log(value);
  const [first, last] = [position(ticks[0] as number), position(ticks.at(-1) as number)];
  return (value: number): number => {
    const share = (position(value) - first) / (last - first);
    // A value beyond the scale is drawn at its end.
    return from + Math.min(1, Math.max(0, share)) * (to - from);
  };
}

/** To tenths of a pixel: enough to see, and the same on every machine. */
const at = (value: number): string => String(Math.round(value * 10) / 10);

const numeral = (value: number): string => String(Math.round(value * 100) / 100);

function text(style: string, x: number, y: number, words: string): string {
  return `<text class="${style}" x="${at(x)}" y="${at(y)}">${escaped(words)}</text>`;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The chart with the command that writes its file, in a comment at its top. */
export function writtenBy(command: string, chart: string): string {
  return chart.replace('\n', `\n<!-- Written by \`${command}\`; do not edit. -->\n`);
}

function svg(title: string, height: number, shapes: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">
<title id="title">${escaped(title)}</title>
${STYLE}
<rect class="ground" width="${WIDTH}" height="${height}"/>
${text('title', 24, 26, title)}
${shapes.join('\n')}
</svg>
`;
}

const STYLE = `<style>
  svg { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
  .ground { fill: #ffffff; }
  .title { font-size: 15px; font-weight: 600; fill: #111827; }
  .label { font-size: 13px; fill: #1f2937; }
  .tick { font-size: 12px; fill: #4b5563; }
  .middle { text-anchor: middle; }
  .end { text-anchor: end; }
  .grid { stroke: #e5e7eb; }
  .range { fill: #b9d3ee; }
  .dot { fill: #1d4f86; stroke: #ffffff; stroke-width: 1.5; }
  .outside { fill: #b42318; }
  .line { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
  .line0 { stroke: #1d4f86; }
  .line1 { stroke: #2f7d4f; stroke-dasharray: 9 3; }
  .line2 { stroke: #a3540b; stroke-dasharray: 5 3; }
  .line3 { stroke: #7a3fa0; stroke-dasharray: 2 3; }
  .line4 { stroke: #4b5563; stroke-dasharray: 12 3 2 3; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; }
    .title { fill: #f0f3f6; }
    .label { fill: #dde3ea; }
    .tick { fill: #a9b3bf; }
    .grid { stroke: #262d37; }
    .range { fill: #29486b; }
    .dot { fill: #8fc0f4; stroke: #0d1117; }
    .outside { fill: #ff8a7a; }
    .line0 { stroke: #8fc0f4; }
    .line1 { stroke: #74c999; }
    .line2 { stroke: #f0a868; }
    .line3 { stroke: #cba6ee; }
    .line4 { stroke: #a9b3bf; }
  }
</style>`;
