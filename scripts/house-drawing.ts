/**
 * The drawing of the house (`docs/house.svg`) from the source: a box for each room with its lines of code, and an arrow for each import
 * between rooms that is not implied by others. The boxes have fixed positions here, so that a changed import moves an arrow and nothing
 * else; a room without a position and an import that points up are errors: then the positions must be chosen again.
 */
import { type DrawnRoom, roomsOf, type Tree } from '../test/support/house.ts';

type Box = { x: number; y: number; width: number; says: string; kind: 'pure' | 'plain' | 'wiring' };

const WIDTH = 1020;
const HEIGHT = 958;
const TALL = 72;
const COLUMN = 148;
/** The top of each layer of boxes, from `main` down to `core`. */
const LAYERS = [16, 138, 260, 382, 504, 626, 748, 870];
const left = (column: number) => 12 + column * 170;

/** At most two lines of text, about 24 characters per column of width; the second is used where a room has folders. */
const PLACES: Readonly<Record<string, Omit<Box, 'y'> & { layer: number }>> = {
  cli: { layer: 0, x: 268, width: COLUMN, says: 'the command line', kind: 'wiring' },
  main: { layer: 0, x: 544, width: COLUMN, says: 'starts and stops|the service', kind: 'wiring' },
  service: { layer: 1, x: 12, width: 220, says: 'the first client, signals,|waiting for the database', kind: 'plain' },
  http: {
    layer: 1,
    x: 250,
    width: 330,
    says: 'operations, schemas, problems,|by capability and by family',
    kind: 'plain',
  },
  demo: { layer: 1, x: 740, width: 200, says: 'invented loans', kind: 'plain' },
  webhooks: { layer: 2, x: 420, width: 200, says: 'deliveries of events', kind: 'plain' },
  jobs: { layer: 2, x: 640, width: 124, says: 'upkeep beside|requests', kind: 'plain' },
  'key-files': { layer: 3, x: left(0), width: COLUMN, says: 'files of master keys|and credentials', kind: 'plain' },
  access: { layer: 3, x: left(1), width: COLUMN, says: 'clients, keys, tokens,|scopes, grants', kind: 'plain' },
  loans: {
    layer: 3,
    x: 392,
    width: 300,
    says: 'the door of every write, and one|service for each capability',
    kind: 'plain',
  },
  owners: { layer: 3, x: 712, width: 152, says: 'which process owns a|volume, forwarding', kind: 'plain' },
  config: { layer: 4, x: left(0), width: COLUMN, says: 'settings', kind: 'plain' },
  vault: { layer: 4, x: left(1), width: COLUMN, says: 'seals personal data,|wraps keys', kind: 'plain' },
  store: { layer: 4, x: left(2), width: COLUMN, says: 'all SQL,|by capability', kind: 'plain' },
  workers: { layer: 5, x: 700, width: 138, says: 'threads for work|that takes long', kind: 'plain' },
  bureau: { layer: 4, x: 834, width: 174, says: 'credit bureaus', kind: 'plain' },
  portfolio: { layer: 5, x: left(2), width: 146, says: 'positions, sums,|rates, reports', kind: 'pure' },
  ledger: { layer: 6, x: left(2), width: 146, says: 'accounts, balanced|lines, hash chain', kind: 'pure' },
  boarding: { layer: 5, x: 512, width: COLUMN, says: 'what a lender hands|over becomes a loan', kind: 'pure' },
  policy: { layer: 6, x: 512, width: 146, says: 'servicing policies,|late fees by state', kind: 'pure' },
  underwriting: { layer: 6, x: 674, width: 172, says: 'score, deals, decision', kind: 'pure' },
  outbound: { layer: 5, x: 872, width: 138, says: 'the HTTP client', kind: 'plain' },
  core: {
    layer: 7,
    x: left(2),
    width: 658,
    says: 'the loan engine: schedules, payments, events, decisions',
    kind: 'pure',
  },
};

type Arrow = { from: string; to: string; typesOnly: boolean };
type Point = { x: number; y: number };

export function houseDrawing(tree: Tree): string {
  const rooms = roomsOf(tree);
  const boxes = new Map([...rooms.keys()].sort().map((name) => [name, placeOf(name)]));
  const arrows = neededArrows(rooms);
  const shapes = [
    ...routed(arrows, boxes),
    ...[...boxes].map(([name, box]) => boxShape(name, box, rooms.get(name) as DrawnRoom)),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title">
<!-- Written by \`npm run drawing\`; do not edit. -->
<title id="title">The rooms of src and their imports</title>
${STYLE}
<defs><marker id="tip" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path class="tip" d="M0 0.5 8 4 0 7.5z"/></marker></defs>
<rect class="ground" width="${WIDTH}" height="${HEIGHT}"/>
${shapes.join('\n')}
${LEGEND}
</svg>
`;
}

function placeOf(name: string): Box {
  const place = PLACES[name];
  if (place === undefined) throw new Error(`The drawing has no place for src/${name}: add it to PLACES.`);
  const { layer, ...box } = place;
  return { ...box, y: LAYERS[layer] as number };
}

/**
 * Without those implied by others. An import of code is implied by a chain of such imports; an import of types by any chain.
 */
function neededArrows(rooms: ReadonlyMap<string, DrawnRoom>): Arrow[] {
  const reaches = (from: string, to: string, kinds: readonly string[], first: boolean): boolean =>
    [...(rooms.get(from)?.imports ?? [])].some(
      ([next, kind]) =>
        kinds.includes(kind) && ((next === to && !first) || (next !== to && reaches(next, to, kinds, false))),
    );
  return [...rooms].sort(byName).flatMap(([from, { imports }]) =>
    [...imports].sort(byName).flatMap(([to, kind]): Arrow[] => {
      const kinds = kind === 'code' ? ['code'] : ['code', 'types'];
      return reaches(from, to, kinds, true) ? [] : [{ from, to, typesOnly: kind === 'types' }];
    }),
  );
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);

/** Arrows run from the bottom of one box to the top of another; where a layer lies between, they pass beside its boxes. */
function routed(arrows: readonly Arrow[], boxes: ReadonlyMap<string, Box>): string[] {
  const box = (name: string) => boxes.get(name) as Box;
  const middle = (name: string) => box(name).x + box(name).width / 2;
  const lanes = new Map<number, number[]>();
  const passages = arrows.map(({ from, to }) => {
    const [top, bottom] = [box(from).y, box(to).y];
    if (top >= bottom) throw new Error(`The drawing has ${to} above ${from}, which imports it: change PLACES.`);
    return LAYERS.filter((y) => y > top && y < bottom).map((y) => {
      const straight = middle(from) + ((middle(to) - middle(from)) * (y - top)) / (bottom - top);
      return { x: laneIn(y, straight), y };
    });
  });
  /** Evenly along the side of a box, in the order of the other ends, so that arrows of one box do not cross. */
  const port = (index: number, end: 'from' | 'to'): number => {
    const name = (arrows[index] as Arrow)[end];
    const away = (i: number) => {
      const passed = passages[i] as Point[];
      const near = end === 'from' ? passed[0] : passed.at(-1);
      return near?.x ?? middle((arrows[i] as Arrow)[end === 'from' ? 'to' : 'from']);
    };
    const mine = arrows
      .flatMap((arrow, i) => (arrow[end] === name ? [i] : []))
      .sort((a, b) => away(a) - away(b) || a - b);
    const { x, width } = box(name);
    return x + (width * (mine.indexOf(index) + 1)) / (mine.length + 1);
  };
  return arrows.map(({ from, to, typesOnly }, i) => {
    const path = [`M${at({ x: port(i, 'from'), y: box(from).y + TALL })}`];
    let last: Point = { x: port(i, 'from'), y: box(from).y + TALL };
    for (const passed of passages[i] as Point[]) {
      path.push(curve(last, passed));
      last = { x: passed.x, y: passed.y + TALL };
      path.push(`V${last.y}`);
    }
    path.push(curve(last, { x: port(i, 'to'), y: box(to).y - 2 }));
    return `<path class="arrow${typesOnly ? ' types' : ''}" d="${path.join(' ')}"><title>${from} imports ${typesOnly ? 'types of ' : ''}${to}</title></path>`;
  });

  /** The free x in a layer that is nearest to `wanted`, apart from boxes and from other arrows. */
  function laneIn(y: number, wanted: number): number {
    const taken = lanes.get(y) ?? [];
    lanes.set(y, taken);
    const free = Array.from({ length: WIDTH / 2 }, (_, i) => 2 * i).filter(
      (x) =>
        x > 8 &&
        x < WIDTH - 8 &&
        taken.every((other) => Math.abs(other - x) >= 12) &&
        [...boxes.values()].every((one) => one.y !== y || x <= one.x - 10 || x >= one.x + one.width + 10),
    );
    const x = free.sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted) || a - b)[0];
    if (x === undefined) throw new Error('The drawing has no space for an arrow between its boxes: change PLACES.');
    taken.push(x);
    return x;
  }
}

const at = ({ x, y }: Point) => `${Math.round(x)} ${Math.round(y)}`;

function curve(from: Point, to: Point): string {
  const bend = (to.y - from.y) / 2;
  return `C${at({ x: from.x, y: from.y + bend })} ${at({ x: to.x, y: to.y - bend })} ${at(to)}`;
}

function boxShape(name: string, { x, y, width, says, kind }: Box, { lines, folders }: DrawnRoom): string {
  const [first = '', second = ''] = says.split('|');
  const inside = [...folders].sort().map((folder) => `${folder}/`);
  const below = second === '' ? inside.join(' ') : second;
  const text = (style: string, dy: number, words: string, more = `x="${x + 11}"`) =>
    words === '' ? '' : `<text class="${style}" ${more} y="${y + dy}">${words}</text>`;
  return [
    `<g><rect class="box ${kind}" x="${x}" y="${y}" width="${width}" height="${TALL}" rx="7"/>`,
    text('name', 23, name),
    text('lines', 23, hundreds(lines), `x="${x + width - 10}"`),
    text('says', 43, first),
    text(second === '' ? 'folders' : 'says', 59, below),
    '</g>',
  ].join('');
}

/** Rounded to hundreds, so that most edits do not change the drawing. */
function hundreds(lines: number): string {
  return Math.max(100, Math.round(lines / 100) * 100).toLocaleString('en-US');
}

const STYLE = `<style>
  svg { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
  .ground { fill: #ffffff; }
  .box { fill: #f3f4f6; stroke: #6b7280; stroke-width: 1.2; }
  .pure { fill: #e3f4e8; stroke: #2f855a; }
  .wiring { fill: #ffffff; stroke-dasharray: 5 3; }
  .name { font-size: 15px; font-weight: 600; fill: #111827; }
  .says, .legend { font-size: 12.5px; fill: #374151; }
  .lines, .folders { font-size: 12px; fill: #6b7280; }
  .lines { text-anchor: end; }
  .arrow { fill: none; stroke: #64748b; stroke-width: 1.3; marker-end: url(#tip); }
  .types { stroke-dasharray: 5 4; }
  .tip { fill: #64748b; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; }
    .box { fill: #1c2230; stroke: #7d8590; }
    .pure { fill: #14301f; stroke: #4ca774; }
    .wiring { fill: #0d1117; }
    .name { fill: #f0f3f6; }
    .says, .legend { fill: #c9d1d9; }
    .lines, .folders { fill: #9ba4ae; }
    .arrow { stroke: #8b98a9; }
    .tip { fill: #8b98a9; }
  }
</style>`;

const LEGEND = `<g>
<rect class="box pure" x="14" y="648" width="26" height="16" rx="4"/><text class="legend" x="52" y="661">pure: no clock, no input or output</text>
<path class="arrow" d="M14 684 H38"/><text class="legend" x="52" y="688">imports</text>
<path class="arrow types" d="M14 711 H38"/><text class="legend" x="52" y="715">imports types only</text>
<text class="legend" x="14" y="744">Imports that follow from others are left out,</text>
<text class="legend" x="14" y="761">such as those of core by loans and http.</text>
<text class="legend" x="14" y="790">Numbers: lines without tests, to hundreds.</text>
</g>`;
