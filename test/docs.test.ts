/** What the documents say of the service is compared with the service: settings, commands, problems, scopes, rooms, links. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SCOPES } from '../src/access/scopes.ts';
import { OPTIONS } from '../src/cli/arguments.ts';
import { TOPICS } from '../src/cli/topics.ts';
import { VARIABLES } from '../src/config.ts';
import { REFUSALS, refuse } from '../src/core/refusal.ts';
import { operations } from '../src/http/routes.ts';
import { PROBLEMS } from '../src/http/shell/problems.ts';
import { refusedProblem } from '../src/http/shell/refusal-problems.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');
const documents = new Map(
  globSync(['*.md', 'docs/**/*.md'], { cwd: root }).map((path) => [path.replaceAll('\\', '/'), read(path)]),
);
const running = documents.get('docs/running.md') ?? '';
const api = documents.get('docs/api.md') ?? '';

/** The cells of every table row of a section, or of the whole text. */
function rows(text: string, heading?: string): string[][] {
  const part = heading === undefined ? text : (text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '');
  return [...part.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | '));
}

/** The words in backticks that begin a row, in order. */
const named = (cells: string[][], column = 0) =>
  cells.flatMap((row) => /^`([^`]+)`$/.exec(row[column] ?? '')?.[1] ?? []);

test('docs/running.md lists every setting, in the order of --help, and no other', () => {
  expect(named(rows(running, 'Settings'))).toEqual(VARIABLES.map(([name]) => name));
});

test('docs/api.md lists what every operation costs that costs more than one unit', () => {
  const listed = rows(api, 'Quotas').flatMap(([names = '', units]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => `${name} ${units}`),
  );
  const costly = operations.filter(({ cost = 1, id }) => cost > 1 && !/Alias\d?$/.test(id));
  expect(listed.sort()).toEqual(costly.map(({ method, path, cost }) => `${method} ${path} ${cost}`).sort());
});

test('docs/running.md names every command of package.json', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const commands = Object.keys(scripts).filter((name) => !/^(pre|post)/.test(name));
  expect(commands).toContain('start');
  const missing = commands.filter((name) => {
    const typed = name === 'start' || name === 'test' ? `npm ${name}` : `npm run ${name}`;
    return !new RegExp(`\`${typed}[\` ]`).test(running);
  });
  expect(missing).toEqual([]);
});

test('no document names a command that package.json does not have', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const unknown = [...documents].flatMap(([path, text]) =>
    [...text.matchAll(/npm run ([\w:-]+)/g)]
      .filter(([, name = '']) => !(name in scripts))
      .map(([typed]) => `${path}: ${typed}`),
  );
  expect(unknown).toEqual([]);
});

test('docs/running.md names every subcommand and option of the command line', async () => {
  const topics = await Promise.all(Object.entries(TOPICS).map(async ([topic, load]) => [topic, await load()] as const));
  const subcommands = topics.flatMap(([topic, { commands }]) =>
    Object.keys(commands)
      .filter((verb) => verb !== '')
      .map((verb) => `npm run ${topic} -- ${verb}`),
  );
  const options = Object.keys(OPTIONS).map((name) => `--${name}`);
  expect(subcommands.length).toBeGreaterThanOrEqual(10);
  expect(options).toContain('--json');
  expect([...subcommands, ...options].filter((text) => !running.includes(text))).toEqual([]);
});

describe('docs/refusals.md', () => {
  const refusals = documents.get('docs/refusals.md') ?? '';

  test('lists every problem with its status, in the order of the source, and no other', () => {
    const listed = rows(refusals, 'Problem codes').slice(1);
    expect(listed.map(([status, code]) => [Number(status), code])).toEqual(
      Object.entries(PROBLEMS).map(([code, { status }]) => [status, `\`${code}\``]),
    );
  });

  test('lists every refusal with the problem it becomes, in the order of the source, and no other', () => {
    const listed = rows(refusals, 'Refusal reasons').slice(1);
    expect(listed.map(([refusal, code]) => [refusal, code])).toEqual(
      REFUSALS.map((refusal) => {
        const { code } = refusedProblem(refuse(refusal, ''));
        return [`\`${refusal}\``, `\`${code}\``];
      }),
    );
  });

  test('lists every code of an entry of errors that is not a refusal, and no other', () => {
    const files = globSync(['src/boarding/*.ts', 'src/core/reader.ts', 'src/http/**/*.ts'], { cwd: root });
    const used = files
      .filter((path) => !/\.test\.ts$|document\.ts$/.test(path))
      .flatMap((path) => [...read(path).matchAll(/\bcode: '([a-z_]+)'/g)].map(([, code = '']) => code))
      .filter((code) => !(REFUSALS as readonly string[]).includes(code) && !(code in PROBLEMS));
    const listed = rows(refusals, 'Codes in `errors`').flatMap(([codes = '']) =>
      [...codes.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => code),
    );
    expect(listed.filter((code) => code !== 'code').sort()).toEqual([...new Set(used)].sort());
  });
});

test('docs/api.md lists every scope', () => {
  const listed = named(rows(api, 'Authentication'));
  expect(listed).toEqual([...SCOPES]);
});

test('docs/architecture.md lists every room of the plan, with the rooms it may import', () => {
  const plan = read('test/house.test.ts').split('\n  rooms: {\n')[1]?.split('\n  doors: ')[0] ?? '';
  const quoted = (text: string) => [...text.replace('...HTTP_CORE', "'core'").matchAll(/'([\w-]+|\*)[/']/g)];
  const planned = plan.split(/^ {4}(?=[\w'-]+: \{)/m).filter((text) => text !== '');
  const rooms = planned.map((text) => {
    const lists = [...text.matchAll(/\b(?:imports|types): \[(.*?)\]/gs)].map(([, list = '']) => list);
    return [/[\w-]+/.exec(text)?.[0], lists.flatMap((list) => quoted(list).map(([, name]) => name))] as const;
  });
  const listed = rows(documents.get('docs/architecture.md') ?? '', 'Rooms')
    .filter(([room = '']) => room.startsWith('`'))
    .map(([room = '', , cell = '']): [string, string[]] => [
      room.replaceAll('`', ''),
      cell === 'everything' ? ['*'] : [...cell.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name),
    ]);
  const sorted = (pairs: readonly (readonly [string | undefined, readonly (string | undefined)[]])[]) =>
    Object.fromEntries(pairs.map(([room, names]) => [room, [...new Set(names)].sort()]));
  expect(listed.length).toBeGreaterThan(10);
  expect(sorted(listed)).toEqual(sorted(rooms));
});

describe('links', () => {
  /** Outside of code blocks: `[text](target)`. */
  const prose = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, '');
  /** The anchors of a document: its headings in lower case, without punctuation, with hyphens. */
  const anchors = (text: string) =>
    [...prose(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );

  function deadLinks(path: string, text: string): string[] {
    return [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
      if (/^[a-z]+:/.test(link)) return [];
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? join(root, path) : resolve(root, dirname(path), file);
      if (!existsSync(target)) return [`${path}: ${link}`];
      if (anchor === undefined || anchors(readFileSync(target, 'utf8')).includes(anchor)) return [];
      return [`${path}: ${link}`];
    });
  }

  test('every relative link leads somewhere', () => {
    expect([...documents].flatMap(([path, text]) => deadLinks(path, text))).toEqual([]);
  });

  test('every file that a document names in backticks exists', () => {
    const lost = [...documents].flatMap(([path, text]) =>
      [...prose(text).matchAll(/`((?:src|test|scripts|bench|migrations|docs)\/[\w./-]+\.\w+)`/g)]
        .filter(([, file = '']) => !existsSync(join(root, file)))
        .map(([, file]) => `${path}: ${file}`),
    );
    expect(lost).toEqual([]);
  });

  test('a dead link, a dead anchor and a good one are told apart', () => {
    const text =
      '# Some heading: here\n[a](README.md) [b](none.md) [c](#some-heading-here) [d](#none) [e](https://x.example)';
    expect(deadLinks('CHANGELOG.md', text.replace('#some-heading-here', 'docs/running.md#logs'))).toEqual([
      'CHANGELOG.md: none.md',
      'CHANGELOG.md: #none',
    ]);
  });
});
