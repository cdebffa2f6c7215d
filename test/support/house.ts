/**
 * Checks a source tree against the plan of the house: which room imports which, no cycles, nothing dead, every dependency
 * pinned and used. A pure function over the texts of the files, so that `house.test.ts` can show it trees that are
 * wrong and expect exactly the complaint. Every kind of import counts: types, side effects, re-exports, `import()`,
 * `import('…').Type` and `new URL('…', import.meta.url)`.
 */
import { posix } from 'node:path';
import { parseSync } from 'vite';
import { circlesIn, type Division, folderComplaints, isTest, unusedPermissions } from './house-folders.ts';

/** Paths from the project's root with `/`, and what is in them. */
export type Tree = ReadonlyMap<string, string>;

export type Room = {
  /** Rooms, or single files of a room (`core/money`), that this one may import. Itself is understood. */
  imports: readonly string[];
  /** Rooms of which it may import types only. */
  types?: readonly string[];
  /** Packages and `node:` modules. */
  packages?: readonly string[];
  /** Names of `habits` it must not have. */
  never?: readonly string[];
};

/** A package of its own. Its files import each other, and no file outside of it but those that it states. */
export type Workspace = {
  /** The files that ship. They import the packages in `dependencies` of its own package.json, and no `node:` module. */
  ships: RegExp;
  /** Folders, or single files without `.ts`, outside of it (`src/core`, `src/bureau/random`) that its files may import. */
  imports?: readonly string[];
  /** Further ones that its tests may import. */
  testImports?: readonly string[];
  /** Rooms of `src` that may import its files; absent: none. With rooms, its files follow the rules of `src` for dead and long files. */
  importedBy?: readonly string[];
  /** Names of `habits` that the files that ship must not have. */
  never?: readonly string[];
};

export type House = {
  /** By folder of `src`, or file name without `.ts` for a file directly in it. `'*'` in a list means anything. */
  rooms: Readonly<Record<string, Room>>;
  /**
   * Rooms that no other room imports. Running starts in their file, or in the `main.ts` of their folder; with `otherRoots` that is
   * where the search for dead files starts.
   */
  doors: readonly string[];
  /** By folder. */
  workspaces: Readonly<Record<string, Workspace>>;
  /** The names of capabilities: each has a folder of this name wherever it has code. */
  capabilities: readonly string[];
  /** By path of a room or another place. */
  divided: Readonly<Record<string, Division>>;
  /**
   * Folders of what tests compare the service with. Their files import each other and nothing else, no types either: an arithmetic that took
   * anything from the service would agree with its mistakes.
   */
  oracles: readonly string[];
  /** Outside of `src`: where running starts. */
  otherRoots: RegExp;
  /** Habits that a room may be forbidden: the forms (as `formsOf` names them) that show each. */
  habits: Readonly<Record<string, readonly string[]>>;
  /** Imports and habits of some files beyond those of their room: rooms, packages, `node:` modules, names of habits. */
  exceptions: readonly { where: RegExp; may: readonly string[] }[];
  /** Finished files whose caller is not built yet. Once something that runs imports one, it must leave this list. */
  awaited: readonly string[];
  /** Lines of a file of `src` that need no reason; beyond, its first comment says why it is "longer than" others. */
  longest: number;
  /** Words that no comment begins with: it begins with the thing that it is about, or with a verb. */
  openings: readonly string[];
  /** Dependencies that are run rather than imported. */
  tools: RegExp;
};

export type Sources = { readonly files: ReadonlyMap<string, SourceFile>; readonly complaints: readonly string[] };

/** The source files of a tree, and complaints about those that cannot be parsed. */
export function sourcesIn(tree: Tree): Sources {
  const files = new Map<string, SourceFile>();
  const complaints: string[] = [];
  for (const [path, text] of tree) {
    if (!/\.(ts|tsx|mjs)$/.test(path)) continue;
    const file = readSource(path, text);
    if (typeof file === 'string') complaints.push(file);
    else files.set(path, file);
  }
  return { files, complaints };
}

/** Rules that permit what nothing uses. */
export function looseRules(house: House, { files }: Sources): string[] {
  return unusedPermissions(house, files);
}

export function checkHouse(house: House, tree: Tree, sources: Sources = sourcesIn(tree)): string[] {
  const { files } = sources;
  const complaints = [...sources.complaints];
  for (const file of files.values()) {
    complaints.push(
      ...lostImports(house, tree, file),
      ...roomComplaints(house, tree, file),
      ...oracleComplaints(house, file),
      ...unfinished(house, file),
      ...tooLong(house, file),
      ...riddles(house, file),
    );
  }
  const unreached = deadFiles(house, files);
  const dead = unreached.filter((path) => !house.awaited.includes(path));
  for (const path of house.awaited) {
    if (files.has(path) && !unreached.includes(path))
      complaints.push(`${path}: awaited no longer, take it off the list`);
  }
  complaints.push(
    ...cycles(files),
    ...folderComplaints(house, files),
    ...dead.map((path) => `${path}: dead, nothing that runs imports it`),
    ...deadExports(house, files, dead),
    ...dependencyComplaints(house, tree, files),
    ...scriptComplaints(tree),
    ...lockComplaints(tree),
  );
  return [...new Set(complaints)].sort();
}

/** The contents of a room of `src` without its tests, and the rooms it imports: `types` where nothing but types. */
export type DrawnRoom = { lines: number; folders: Set<string>; imports: Map<string, 'code' | 'types'> };

/** The rooms as they are, whatever the plan says: for the drawing. */
export function roomsOf(tree: Tree): Map<string, DrawnRoom> {
  const rooms = new Map<string, DrawnRoom>();
  for (const [path, text] of tree) {
    const name = roomOf(path);
    if (name === undefined || !path.endsWith('.ts') || isTest(path)) continue;
    const file = readSource(path, text);
    if (typeof file === 'string') throw new Error(file);
    const room = rooms.get(name) ?? { lines: 0, folders: new Set(), imports: new Map() };
    rooms.set(name, room);
    room.lines += text.split('\n').length - 1;
    const folder = /^src\/[^/]+\/([^/]+)\//.exec(path)?.[1];
    if (folder !== undefined) room.folders.add(folder);
    for (const { target, typeOnly } of file.imports) {
      const other = target === undefined ? undefined : roomOf(target);
      if (other === undefined || other === name) continue;
      if (!typeOnly || !room.imports.has(other)) room.imports.set(other, typeOnly ? 'types' : 'code');
    }
  }
  return rooms;
}

function oracleComplaints({ oracles }: House, { path, imports, computed }: SourceFile): string[] {
  const folder = oracles.find((one) => path.startsWith(`${one}/`));
  if (folder === undefined) return [];
  const others = imports.filter(({ target }) => target === undefined || !target.startsWith(`${folder}/`));
  return [
    ...others.map(({ from }) => `${path}: an oracle imports nothing but its own folder (${from})`),
    ...(computed ? [`${path}: an oracle imports nothing but its own folder (a computed path)`] : []),
  ];
}

type Import = {
  /** As written. */
  from: string;
  /** Path in the tree for a relative import, else undefined. */
  target: string | undefined;
  typeOnly: boolean;
  /** The names it takes; `'*'` for all of them. */
  names: readonly string[];
};

export type SourceFile = {
  path: string;
  text: string;
  imports: readonly Import[];
  /** Whether it imports a path that is not written down. */
  computed: boolean;
  exports: readonly string[];
  /** The exports that are declared in the file itself. */
  declares: readonly string[];
  /** Exported types that the file itself mentions beyond declaring them: they describe its other exports. */
  ownTypes: ReadonlySet<string>;
  /** The forms of the syntax tree that `habits` names: `async`, `await`, `new Date`, `Math.random`, `fetch`. */
  forms: ReadonlySet<string>;
};

type Node = { type: string; [key: string]: unknown };

/** The file, or the complaint that it does not exist. */
function readSource(path: string, text: string): SourceFile | string {
  const { module, program, errors } = parseSync(path, text);
  if (errors[0]) return `${path}: cannot be parsed (${errors[0].message})`;
  const imports: Import[] = [];
  const exports: string[] = [];
  const declares: string[] = [];
  const types: string[] = [];
  const add = (from: string, names: readonly string[], typeOnly: boolean) => {
    const target = /^\.\.?\//.test(from) ? posix.normalize(posix.join(posix.dirname(path), from)) : undefined;
    imports.push({ from, target, names, typeOnly });
  };
  for (const { moduleRequest, entries } of module.staticImports) {
    const names = entries.map(({ importName }) => nameOf(importName));
    add(moduleRequest.value, names, entries.length > 0 && entries.every(({ isType }) => isType));
  }
  for (const entry of module.staticExports.flatMap(({ entries }) => entries)) {
    if (entry.moduleRequest) add(entry.moduleRequest.value, [nameOf(entry.importName)], entry.isType);
    if (entry.exportName.kind !== 'None') exports.push(nameOf(entry.exportName));
    if (!entry.moduleRequest && entry.exportName.kind === 'Name') declares.push(nameOf(entry.exportName));
    if (entry.isType && entry.localName.name) types.push(entry.localName.name);
  }
  const forms = new Set<string>();
  const mentions = new Map<string, number>();
  let computed = false;
  walk(program as unknown as Node, (node) => {
    if (node.type === 'Identifier') mentions.set(String(node.name), (mentions.get(String(node.name)) ?? 0) + 1);
    for (const form of formsOf(node)) forms.add(form);
    const loaded = loadedBy(node);
    if (loaded === undefined) return;
    const from = literal(loaded.source);
    if (from === undefined) computed = true;
    else add(from, ['*'], loaded.typeOnly);
  });
  const ownTypes = new Set(types.filter((name) => (mentions.get(name) ?? 0) > 1));
  return { path, text, imports, computed, exports, declares, ownTypes, forms };
}

/** `default` for the default, `*` for a namespace or a star. */
function nameOf({ kind, name }: { kind: string; name?: string | null | undefined }): string {
  return kind === 'Name' && name ? name : kind === 'Default' ? 'default' : '*';
}

function loadedBy(node: Node): { source: unknown; typeOnly: boolean } | undefined {
  if (node.type === 'ImportExpression') return { source: node.source, typeOnly: false };
  if (node.type === 'TSImportType') return { source: node.source ?? node.argument, typeOnly: true };
  if (node.type !== 'NewExpression' || (node.callee as Node).name !== 'URL') return undefined;
  const [source, base] = node.arguments as Node[];
  const isFile = /^\.\.?\/.*\.(ts|mjs)$/.test(literal(source) ?? '');
  return isFile && base?.type === 'MemberExpression' && (base.object as Node).type === 'MetaProperty'
    ? { source, typeOnly: false }
    : undefined;
}

function literal(node: unknown): string | undefined {
  const inner = (node as Node | undefined)?.type === 'TSLiteralType' ? (node as Node).literal : node;
  const value = (inner as Node | undefined)?.value;
  return typeof value === 'string' ? value : undefined;
}

function formsOf(node: Node): string[] {
  switch (node.type) {
    case 'AwaitExpression':
      return ['await'];
    case 'ForOfStatement':
      return node.await === true ? ['await'] : [];
    case 'NewExpression': {
      const { name } = node.callee as Node;
      return [(node.arguments as unknown[]).length === 0 ? `new ${name}()` : `new ${name}(…)`];
    }
    case 'MemberExpression': {
      const object = node.object as Node;
      const property = node.property as Node;
      return node.computed !== true && object.type === 'Identifier' ? [`${object.name}.${property.name}`] : [];
    }
    case 'Identifier':
      return [String(node.name)];
    default:
      return node.async === true ? ['async'] : [];
  }
}

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const [key, value] of Object.entries(node)) {
    // `x.process` and `{ process: 1 }` name a property; only the object and the value can be the global.
    if (key === 'property' && node.computed !== true) continue;
    if (key === 'key' && node.computed !== true) continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === 'object' && child !== null && typeof child.type === 'string') walk(child as Node, visit);
    }
  }
}

function lostImports(house: House, tree: Tree, { path, imports, computed }: SourceFile): string[] {
  const missing = imports.filter(({ target }) => target !== undefined && !tree.has(target));
  return [
    ...missing.map(({ from }) => `${path}: imports ${from}, which does not exist`),
    ...(computed && !exceptionsOf(house, path).includes('a computed path')
      ? [`${path}: imports a computed path, which cannot be checked`]
      : []),
  ];
}

function exceptionsOf(house: House, path: string): readonly string[] {
  return house.exceptions.filter(({ where }) => where.test(path)).flatMap(({ may }) => may);
}

/** `core` for `src/core/money.ts`, `main` for `src/main.ts`, undefined outside of `src`. */
function roomOf(path: string): string | undefined {
  return /^src\/([^/.]+)/.exec(path)?.[1];
}

function roomComplaints(house: House, tree: Tree, file: SourceFile): string[] {
  const { path } = file;
  const name = roomOf(path);
  if (name === undefined) {
    return workspaceComplaints(house, tree, file);
  }
  const room = house.rooms[name];
  if (!room) return [`${path}: the house has no room ${name}`];
  // A test may import anything.
  if (isTest(path)) return [];
  const exceptions = exceptionsOf(house, path);
  const complaints: string[] = [];
  for (const { from, target, typeOnly } of file.imports) {
    if (target === undefined) {
      if (!permits([...(room.packages ?? []), ...exceptions], packageOf(from))) {
        complaints.push(`${path}: ${name} may not import ${packageOf(from)}`);
      }
    } else if (tree.has(target) && !mayImport(house, room, name, target, typeOnly, exceptions)) {
      const other = roomOf(target) ?? target;
      complaints.push(`${path}: ${name} may not import ${isTest(target) ? target : other} (${from})`);
    }
  }
  const never = (room.never ?? []).filter((habit) => !exceptions.includes(habit));
  return [...complaints, ...habitComplaints(house, file, name, never)];
}

function habitComplaints(house: House, { path, forms }: SourceFile, name: string, never: readonly string[]): string[] {
  return never.flatMap((habit) => {
    const form = house.habits[habit]?.find((candidate) => forms.has(candidate));
    return form ? [`${path}: ${name} has no ${habit} (${form})`] : [];
  });
}

/** The workspace that a file belongs to. */
function workspaceOf(house: House, path: string): string | undefined {
  return Object.keys(house.workspaces).find((name) => path.startsWith(`${name}/`));
}

/** A file of the service: of `src`, or of a workspace that `src` imports. */
function isOfService(house: House, path: string): boolean {
  return path.startsWith('src/') || house.workspaces[workspaceOf(house, path) ?? '']?.importedBy !== undefined;
}

function workspaceComplaints(house: House, tree: Tree, file: SourceFile): string[] {
  const { path, imports } = file;
  const name = workspaceOf(house, path);
  const workspace = house.workspaces[name ?? ''];
  if (name === undefined || workspace === undefined) return [];
  const isShipped = workspace.ships.test(path);
  const stated = [...(workspace.imports ?? []), ...(isTest(path) ? (workspace.testImports ?? []) : [])];
  // Only files that run while it is built can have an exception.
  const may = isShipped ? [] : exceptionsOf(house, path).map((file) => `src/${file}.ts`);
  const isStated = (target: string) =>
    may.includes(target) ||
    stated.some((one) => target === `${one}.ts` || (target.startsWith(`${one}/`) && !isTest(target)));
  const outside = imports.filter(
    ({ target }) => target !== undefined && !target.startsWith(`${name}/`) && !isStated(target),
  );
  const ships = isShipped && !isTest(path);
  const own = Object.keys(manifestAt(tree, `${name}/package.json`).dependencies ?? {});
  const packages = ships && !isTest(path) ? imports.filter(isPackage).map(({ from }) => packageOf(from)) : [];
  return [
    ...outside.map(({ target }) =>
      stated.length === 0
        ? `${path}: imports ${target}; what ships to other machines never does`
        : `${path}: imports ${target}, which ${name} does not state`,
    ),
    ...packages
      .filter((from) => !own.includes(from))
      .map((from) => `${path}: imports ${from}, which does not ship with ${name}`),
    ...(ships ? habitComplaints(house, file, name, workspace.never ?? []) : []),
  ];
}

/** Neither a file nor a module that the bundler makes (`virtual:…`). */
function isPackage({ from, target }: Import): boolean {
  return target === undefined && !from.startsWith('virtual:');
}

type Manifest = Record<string, Record<string, string> | undefined>;

function manifestAt(tree: Tree, path: string): Manifest {
  return JSON.parse(tree.get(path) ?? '{}') as Manifest;
}

function mayImport(
  house: House,
  room: Room,
  name: string,
  target: string,
  typeOnly: boolean,
  exceptions: readonly string[],
): boolean {
  const other = roomOf(target);
  if (isTest(target)) return false;
  if (other === undefined)
    return house.workspaces[workspaceOf(house, target) ?? '']?.importedBy?.includes(name) === true;
  if (other === name) return true;
  if (house.doors.includes(other)) return false;
  const allowed = [...room.imports, ...exceptions, ...(typeOnly ? (room.types ?? []) : [])];
  return permits(allowed, other) || allowed.includes(target.slice('src/'.length, -'.ts'.length));
}

function permits(list: readonly string[], name: string): boolean {
  return list.includes(name) || list.includes('*');
}

/** `@fastify/swagger` for `@fastify/swagger/types`; a `node:` module is its own. */
function packageOf(from: string): string {
  if (from.startsWith('node:')) return from;
  return from.split('/', from.startsWith('@') ? 2 : 1).join('/');
}

function unfinished(house: House, { path, text }: SourceFile): string[] {
  const word = isOfService(house, path) ? /\b(TODO|FIXME)\b/.exec(text) : null;
  return word ? [`${path}: says ${word[0]}`] : [];
}

/** A comment that begins with a relative clause or an attribute makes its reader wait for the subject. */
function riddles({ openings }: House, { path, text }: SourceFile): string[] {
  const opening = new RegExp(`^\\s*(?:/\\*\\*|//|\\*) (${openings.join('|')}) `, 'gm');
  return [...text.matchAll(opening)].map(([, word]) => `${path}: a comment begins with "${word}"`);
}

/** A file of the service has one topic; where that takes more lines, its first comment says why. */
function tooLong(house: House, { path, text }: SourceFile): string[] {
  const lines = text.split('\n').length - 1;
  if (!isOfService(house, path) || isTest(path) || lines <= house.longest) return [];
  const opening = /^\s*\/\*\*.*?\*\//s.exec(text)?.[0] ?? '';
  return /\blonger than\b/i.test(opening)
    ? []
    : [`${path}: has ${lines} lines, and its first comment does not say why`];
}

/** Depth first: the files on the path are the stack, and reaching one of them again is a cycle. */
function cycles(files: ReadonlyMap<string, SourceFile>): string[] {
  const next = new Map(
    [...files].map(([path, { imports }]) => [
      path,
      imports.flatMap(({ target = '' }) => (files.has(target) ? [target] : [])),
    ]),
  );
  return circlesIn(next).map((circle) => `cycle: ${circle.join(' → ')}`);
}

function isRoot(house: House, path: string): boolean {
  const room = roomOf(path);
  if (room === undefined) return house.otherRoots.test(path);
  return house.doors.includes(room) && (path === `src/${room}.ts` || path === `src/${room}/main.ts`);
}

/**
 * A file of the service that only tests reach is dead too: nothing runs it. Any other file has to be a root, or be reached from any file
 * that is.
 */
function deadFiles(house: House, files: ReadonlyMap<string, SourceFile>): string[] {
  const paths = [...files.keys()];
  const running = reach(
    files,
    paths.filter((path) => isRoot(house, path) && !isTest(path)),
  );
  const tested = reach(
    files,
    paths.filter((path) => isRoot(house, path) || isTest(path)),
  );
  return paths.filter((path) => !isTest(path) && !(isOfService(house, path) ? running : tested).has(path));
}

function reach(files: ReadonlyMap<string, SourceFile>, roots: readonly string[]): Set<string> {
  const reached = new Set(roots);
  // Iterating a set includes members that are added meanwhile.
  for (const path of reached) for (const { target } of files.get(path)?.imports ?? []) if (target) reached.add(target);
  return reached;
}

function deadExports(house: House, files: ReadonlyMap<string, SourceFile>, dead: readonly string[]): string[] {
  const used = new Set<string>();
  for (const { imports } of files.values()) {
    for (const { target, names } of imports) for (const name of names) used.add(`${target} ${name}`);
  }
  return [...files.values()]
    .filter(({ path }) => !isTest(path) && (path.startsWith('src/') || !isRoot(house, path)))
    .filter(({ path }) => !used.has(`${path} *`) && !dead.includes(path))
    .flatMap(({ path, exports, ownTypes }) =>
      exports
        .filter((name) => name !== '*' && !ownTypes.has(name) && !used.has(`${path} ${name}`))
        .map((name) => `${path}: nothing imports its export ${name}`),
    );
}

const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

function dependencyComplaints(house: House, tree: Tree, files: ReadonlyMap<string, SourceFile>): string[] {
  if (!tree.has('package.json')) return [];
  const manifest = manifestAt(tree, 'package.json');
  const list = (key: string) => Object.entries(manifest[key] ?? {});
  const ofWorkspace = (name: string) => {
    const { dependencies, devDependencies } = manifestAt(tree, `${name}/package.json`);
    return Object.entries({ ...dependencies, ...devDependencies });
  };
  const workspaces = Object.keys(house.workspaces);
  const service = list('dependencies').concat(list('optionalDependencies'));
  // An override pins a package that comes with another one, which counts as listing it.
  const development = list('devDependencies').concat(list('overrides'));
  const complaints = ['', ...workspaces.map((name) => `${name}/`)].flatMap((folder) =>
    (folder === '' ? [...service, ...development] : ofWorkspace(folder.slice(0, -1)))
      .filter(([, version]) => !EXACT.test(version))
      .map(([name, version]) => `${folder}package.json: ${name} is not pinned (${version})`),
  );

  const inService = new Set(service.map(([name]) => name));
  // A workspace is listed by its name, wherever a test imports it.
  const named = workspaces.map((name) => String(manifestAt(tree, `${name}/package.json`).name));
  const listed = new Set([...service, ...development].map(([name]) => name).concat(named));
  const imported = new Set<string>();
  for (const { path, imports } of files.values()) {
    for (const { from, typeOnly } of imports.filter(isPackage)) {
      const name = packageOf(from);
      if (name.startsWith('node:')) continue;
      imported.add(name);
      const workspace = workspaceOf(house, path);
      const own = workspace === undefined ? [] : ofWorkspace(workspace).map(([other]) => other);
      if (!listed.has(name) && !own.includes(name))
        complaints.push(`${path}: imports ${name}, which package.json does not list`);
      else if (path.startsWith('src/') && !isTest(path) && !typeOnly && !inService.has(name)) {
        complaints.push(`${path}: imports ${name}, which is there for development only`);
      }
    }
  }
  const unused = ([name]: [string, string]) => {
    const subject = name.startsWith('@types/') ? name.slice('@types/'.length) : name;
    return !imported.has(subject) && !house.tools.test(name);
  };
  const told =
    (folder: string) =>
    ([name]: [string, string]) =>
      `${folder}package.json: nothing imports ${name}`;
  return [
    ...complaints,
    ...[...service, ...list('devDependencies')].filter(unused).map(told('')),
    ...workspaces.flatMap((name) =>
      ofWorkspace(name)
        .filter(unused)
        .map(told(`${name}/`)),
    ),
  ];
}

/**
 * A shell remembers where it found `node`, so a line that installs the packages and then runs `node` runs the
 * machine's own. What installs has to be a `pre…` script, which npm gives a shell of its own; what follows it there names
 * the packaged Node by its path.
 */
function scriptComplaints(tree: Tree): string[] {
  const { scripts = {} } = JSON.parse(tree.get('package.json') ?? '{}') as { scripts?: Record<string, string> };
  const install = 'sh scripts/packages.sh';
  const installs = /^sh scripts\/packages\.sh( && node_modules\/\.bin\/node scripts\/[\w.-]+)?$/;
  return Object.entries(scripts).flatMap(([name, line]) => {
    if (!installs.test(line) && line.includes(install)) return [`package.json: ${name} installs and runs in one line`];
    const isPre = name.startsWith('pre') && name.slice(3) in scripts;
    return isPre || installs.test(scripts[`pre${name}`] ?? '')
      ? []
      : [`package.json: ${name} needs pre${name}: ${install}`];
  });
}

/** A lock file without addresses installs from whatever registry the machine is set up for. */
function lockComplaints(tree: Tree): string[] {
  const text = tree.get('package-lock.json');
  if (text === undefined) return [];
  const { packages } = JSON.parse(text) as { packages: Record<string, { resolved?: string }> };
  return Object.entries(packages)
    .filter(([, { resolved }]) => resolved?.includes('://'))
    .map(([name, { resolved }]) => `package-lock.json: ${name} names a host (${new URL(resolved ?? '').host})`);
}
