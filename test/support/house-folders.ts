/**
 * The second level of the house: the folders of a room. Their names come from one list of capabilities; a divided room states which folder
 * imports which; no folders of a room import each other in a circle; an exported name is unique in its room; and no rule permits what
 * nothing uses.
 */

/** A room, or another place, that is divided into folders by capability. */
export type Division = {
  /** Folders that have no capability's name: what several capabilities share, and what only this place has. */
  own: readonly string[];
  /**
   * By folder, the folders that it imports beside the common ones and its namesakes: of its room (`reads`), or of another divided room
   * (`store/cycle`); or a single file of an assembly (`loans/open`). Absent for a place where only the names are stated.
   */
  imports?: Readonly<Record<string, readonly string[]>>;
  /** Folders that every folder may import. */
  common?: readonly string[];
  /** Files directly in the room, which put it together, with their greatest lengths. They import every folder; no folder of the room imports them. */
  assembly?: Readonly<Record<string, number>>;
};

/** The part of the plan that these rules read. */
type Plan = {
  readonly rooms: Readonly<Record<string, Permissions>>;
  /** The names of capabilities: each has a folder of this name wherever it has code. */
  readonly capabilities: readonly string[];
  /** By path of a room or another place. */
  readonly divided: Readonly<Record<string, Division>>;
};

type Permissions = {
  readonly imports: readonly string[];
  readonly types?: readonly string[];
  readonly packages?: readonly string[];
};

/** A source file: its imports, as written and as paths of the tree, and the exported names that it declares. */
type Source = {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly { readonly from: string; readonly target: string | undefined }[];
  readonly declares: readonly string[];
};

type Files = ReadonlyMap<string, Source>;

export function folderComplaints(house: Plan, files: Files): string[] {
  return [
    ...Object.entries(house.divided).flatMap(([place, division]) => divisionComplaints(house, place, division, files)),
    ...Object.keys(house.rooms).flatMap((room) => circles(room, files)),
    ...Object.keys(house.rooms).flatMap((room) => namesTwice(room, files)),
  ];
}

export const isTest = (path: string) => path.endsWith('.test.ts');

/** `reads` for `src/loans/reads/list.ts` in `src/loans`; null for a file directly in it, undefined outside of it. */
function folderIn(place: string, path: string): string | null | undefined {
  if (!path.startsWith(`${place}/`)) return undefined;
  const [first, ...rest] = path.slice(place.length + 1).split('/');
  return rest.length === 0 ? null : first;
}

function divisionComplaints(house: Plan, place: string, division: Division, files: Files): string[] {
  const { own, imports, assembly = {} } = division;
  const complaints: string[] = [];
  for (const { path, text, imports: found } of files.values()) {
    const folder = folderIn(place, path);
    if (folder === undefined) continue;
    if (folder !== null && !own.includes(folder) && !house.capabilities.includes(folder)) {
      complaints.push(`${place}/${folder}: no capability has this name`);
    }
    if (imports === undefined || isTest(path)) continue;
    if (folder === null) {
      const most = assembly[path.slice(place.length + 1, -'.ts'.length)];
      const lines = text.split('\n').length - 1;
      if (most === undefined) complaints.push(`${path}: belongs in a folder of ${place}`);
      else if (lines > most) complaints.push(`${path}: has ${lines} lines, and putting together takes at most ${most}`);
      continue;
    }
    for (const { target } of found) {
      const other = target === undefined ? null : placeOf(house, place, target);
      if (other !== null && !mayImport(division, folder, other)) {
        complaints.push(`${path}: ${folder} may not import ${other} (${target})`);
      }
    }
  }
  return complaints;
}

/** A file as `imports` of the division would name it: `reads`, `store/cycle`, `loans/open`. Null: not of a divided room. */
function placeOf(house: Plan, from: string, target: string): string | null {
  for (const [place, { imports }] of Object.entries(house.divided)) {
    const folder = imports === undefined ? undefined : folderIn(place, target);
    if (folder === undefined) continue;
    const name = folder ?? target.slice(place.length + 1, -'.ts'.length);
    return place === from ? name : `${place.slice('src/'.length)}/${name}`;
  }
  return null;
}

function mayImport({ imports = {}, common = [] }: Division, folder: string, other: string): boolean {
  const isNamesake = other === folder || other.endsWith(`/${folder}`);
  return isNamesake || common.includes(other) || imports[folder]?.includes(other) === true;
}

function circles(room: string, files: Files): string[] {
  const place = `src/${room}`;
  const next = new Map<string, Set<string>>();
  for (const { path, imports } of files.values()) {
    const folder = isTest(path) ? null : folderIn(place, path);
    if (folder === null || folder === undefined) continue;
    for (const { target = '' } of imports) {
      const other = folderIn(place, target);
      if (typeof other !== 'string' || other === folder) continue;
      next.set(folder, (next.get(folder) ?? new Set()).add(other));
    }
  }
  return circlesIn(next).map((circle) => `${place}: folders in a circle: ${circle.join(' → ')}`);
}

/** Circles of a graph, each once, from its first node in the alphabet back to it, whichever way it was found. */
export function circlesIn(next: ReadonlyMap<string, Iterable<string>>): string[][] {
  const found = new Map<string, string[]>();
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (node: string) => {
    const at = way.indexOf(node);
    if (at >= 0) {
      const circle = way.slice(at);
      const first = circle.indexOf(circle.toSorted()[0] ?? '');
      const turned = [...circle.slice(first), ...circle.slice(0, first + 1)];
      found.set(turned.join(), turned);
      return;
    }
    if (done.has(node)) return;
    way.push(node);
    for (const other of next.get(node) ?? []) visit(other);
    way.pop();
    done.add(node);
  };
  for (const node of next.keys()) visit(node);
  return [...found.values()];
}

function namesTwice(room: string, files: Files): string[] {
  const paths = new Map<string, string[]>();
  for (const { path, declares } of files.values()) {
    if (isTest(path) || !path.startsWith(`src/${room}/`)) continue;
    for (const name of new Set(declares)) paths.set(name, [...(paths.get(name) ?? []), path]);
  }
  return [...paths].flatMap(([name, twice]) =>
    twice.length > 1 ? [`${name}: exported twice in ${room}: ${twice.toSorted().join(', ')}`] : [],
  );
}

/** Permissions that nothing uses: packages and rooms of a room, and folders of a division. */
export function unusedPermissions(house: Plan, files: Files): string[] {
  return [
    ...Object.entries(house.rooms).flatMap(([name, room]) => unusedOfRoom(name, room, files)),
    ...Object.entries(house.divided).flatMap(([place, division]) => unusedOfDivision(house, place, division, files)),
  ];
}

function unusedOfRoom(name: string, room: Permissions, files: Files): string[] {
  const own = [...files.values()].filter(
    ({ path }) => !isTest(path) && (path === `src/${name}.ts` || path.startsWith(`src/${name}/`)),
  );
  const imports = own.flatMap((file) => file.imports);
  const uses = (permitted: string) =>
    permitted === '*' ||
    imports.some(({ from, target }) =>
      target === undefined
        ? from === permitted || from.startsWith(`${permitted}/`)
        : target === `src/${permitted}.ts` || target.startsWith(`src/${permitted}/`),
    );
  const permitted = [...room.imports, ...(room.types ?? []), ...(room.packages ?? [])];
  return permitted.filter((one) => !uses(one)).map((one) => `${name}: may import ${one}, which nothing there does`);
}

function unusedOfDivision(house: Plan, place: string, division: Division, files: Files): string[] {
  const { imports = {}, common = [], own } = division;
  const used = new Set<string>();
  const folders = new Set<string>();
  for (const file of files.values()) {
    const folder = folderIn(place, file.path);
    if (typeof folder !== 'string') continue;
    folders.add(folder);
    if (isTest(file.path)) continue;
    for (const { target } of file.imports) {
      const other = target === undefined ? null : placeOf(house, place, target);
      if (other !== null) used.add(`${folder} ${other}`).add(other);
    }
  }
  return [
    ...own.filter((name) => !folders.has(name)).map((name) => `${place}: has no folder ${name}`),
    ...common
      .filter((name) => !used.has(name))
      .map((name) => `${place}: everything may import ${name}, which nothing does`),
    ...Object.entries(imports).flatMap(([folder, others]) =>
      others
        .filter((other) => !used.has(`${folder} ${other}`))
        .map((other) => `${place}/${folder}: may import ${other}, which nothing there does`),
    ),
  ];
}
