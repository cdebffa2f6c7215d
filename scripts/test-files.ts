/** The test files, what each reaches through its imports, and by that what kind of test it is. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.dirname(import.meta.dirname);

/** Files that take long for what they prove: `npm test` does not run them. */
export const SLOW = 'test/slow/**/*.test.ts';
const WHOLE = 'test/support/whole.ts';
/** Files that make sense only where the tables are spread over servers. */
export const CITUS = 'test/citus/**/*.test.ts';

/** The files of `npm run test:slow`: those of `test/slow`, and those that try a part of a product in `npm test`. */
export function slowFiles(): string[] {
  const tests = globSync('{src,test}/**/*.test.ts', { cwd: ROOT });
  const isInParts = (test: string) => reachedFrom(test, isSupport).some(({ file }) => file === WHOLE);
  return tests.filter((test) => path.matchesGlob(test, SLOW) || isInParts(test));
}

const isSupport = (file: string) => file.startsWith('test/support/');
const startsProcesses = (text: string) => text.includes("from 'node:child_process';");

/** From the dearest to the cheapest: a file is of the first kind whose mark is in it, or in something that it imports. */
const KINDS = [
  { kind: 'browser', isMarked: ({ file }: Source) => file === 'test/support/browser.ts' },
  // The server of all tests, and the copy of a folder, are processes too, but no test starts them for itself.
  {
    kind: 'process',
    isMarked: ({ file, text }: Source) =>
      file === 'test/support/service.ts' ||
      (file.startsWith('test/') && file !== 'test/support/server.ts' && startsProcesses(text)) ||
      (file.endsWith('.test.ts') && (startsProcesses(text) || /\bstartPostgres\(/.test(text))),
  },
  { kind: 'app', isMarked: ({ file }: Source) => file === 'test/support/app.ts' },
  { kind: 'database', isMarked: ({ file }: Source) => file === 'test/support/database.ts' },
] as const;

export type Kind = (typeof KINDS)[number]['kind'] | 'unit';
type Source = { file: string; text: string; imports: string[] };

const IMPORTED = /(?:from |import |import\()'(\.[^']*)'/g;
const sources = new Map<string, Source>();

function sourceOf(file: string): Source {
  const known = sources.get(file);
  if (known) return known;
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  // Types alone are not run.
  const lines = text.split('\n').filter((line) => !/^(?:import|export) type /.test(line));
  const imported = lines.flatMap((line) => [...line.matchAll(IMPORTED)]);
  const imports = imported.map(([, to = '']) => path.join(path.dirname(file), to));
  const source = { file, text, imports: imports.filter((to) => to.endsWith('.ts') && existsSync(path.join(ROOT, to))) };
  sources.set(file, source);
  return source;
}

/** The file and everything that it imports, directly or through others; `src` is not entered, where everything reaches everything. */
function reachedFrom(test: string, enters: (file: string) => boolean): Source[] {
  const seen = new Set([test]);
  for (const file of seen) for (const to of sourceOf(file).imports) if (enters(to)) seen.add(to);
  return [...seen].map(sourceOf);
}

export function kindOf(test: string): Kind {
  const reached = reachedFrom(test, (file) => !file.startsWith('src/'));
  return KINDS.find(({ isMarked }) => reached.some(isMarked))?.kind ?? 'unit';
}

/** The folder whose budget a file counts in: two levels deep, and three for the slow ones. */
export function folderOf(test: string): string {
  const deep = test.startsWith('test/slow/') ? 3 : 2;
  return path.dirname(test).split('/').slice(0, deep).join('/');
}

/** The test files that reach what is given the server of the tests, or reads which one it is. */
export function filesOnTheServer(): string[] {
  // These take minutes and ask no more of the database than others do: the pages, the demonstration, clients, calculators, simulations, requests
  // that are refused before anything is read, and of the slow ones all but those that ask the database in their own way.
  const exclude = [
    'test/browser/**',
    'test/{interface,round-trip}.test.ts',
    'src/demo/**',
    'test/sign-in/**',
    'test/simulate/**',
    'test/api/{calculators,matrix,offer,roles}.test.ts',
    'test/slow/!(audit-commands|export-command|verify).test.ts',
    'test/slow/*/**',
  ];
  const tests = globSync('{src,test}/**/*.test.ts', { cwd: ROOT, exclude: [...exclude, CITUS] });
  return tests.filter(reachesServer).map((test) => path.join(ROOT, test));
}

function reachesServer(test: string): boolean {
  const usesServer = ({ text }: Source) => /inject\('server'\)|env\.TEST_DATABASE_URL/.test(text);
  return reachedFrom(test, () => true).some(usesServer);
}

/** The files of `npm run test:citus`: the API, and what stands behind it. */
export function citusFiles(): string[] {
  const files = ['test/api/**', 'test/issues/**', 'test/citus/**', 'src/{jobs,loans,portfolio,webhooks}/**'];
  const tests = globSync(
    files.map((folder) => `${folder}/*.test.ts`),
    { cwd: ROOT },
  );
  const slow = globSync('test/slow/{audit-commands,export-command,verify}.test.ts', { cwd: ROOT });
  return [...tests, ...slow].filter((test) => reachesServer(test) && !(test in NOT_ON_CITUS));
}

/** Files that ask for something that only one server has, and what. */
const NOT_ON_CITUS: Readonly<Record<string, string>> = {
  'test/issues/database-set-back.test.ts': 'copies its database, which is not possible for one that is distributed',
  'src/loans/verify/audit.test.ts': 'damages rows by statements that Citus refuses',
  'src/loans/verify/book.test.ts': 'damages rows by statements that Citus refuses',
  'test/issues/changed-in-the-database.test.ts': 'damages rows by statements that Citus refuses',
  'src/loans/audit/link.test.ts': 'has triggers, which a distributed table cannot have, and reads plans',
  'src/loans/ledger/ledger.test.ts': 'damages a volume, and reads plans',
  'src/loans/door/hot-updates.test.ts': 'waits until it is alone on the server, which Citus never is',
  'src/loans/door/fence.test.ts': 'watches the locks of one server',
  'src/loans/door/warm.test.ts': 'looks at the statements of a plain server',
  'src/loans/door/queue-faults.test.ts': 'fails at the statements of a plain server',
  'src/loans/door/usual-changes.test.ts': 'looks at the statements of a plain server',
};
