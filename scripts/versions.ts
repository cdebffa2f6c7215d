/** Version numbers, the places that name the version of Daybook, and the sections of the changelog: what a release changes, as values. */

// ---- numbers ----

type Version = readonly [major: number, minor: number, patch: number, candidate: number];

/** `1.0.0`, or `1.0.0-rc.1` for a candidate of it; null: neither. */
function versionIn(text: string): Version | null {
  const match = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-rc\.([1-9]\d*))?$/.exec(text);
  if (match === null) return null;
  const [, major = '', minor = '', patch = '', candidate] = match;
  // Its candidates come before a version.
  return [Number(major), Number(minor), Number(patch), candidate === undefined ? Infinity : Number(candidate)];
}

const isCandidate = ([, , , candidate]: Version) => candidate !== Infinity;

const textOf = ([major, minor, patch, candidate]: Version): string =>
  `${major}.${minor}.${patch}${candidate === Infinity ? '' : `-rc.${candidate}`}`;

export const FIRST = '1.0.0-rc.1';

/** The versions that may follow, the usual one first. `released`: whether there has been a release. */
export function nextVersions(current: string, released: boolean): string[] {
  const version = versionIn(current);
  if (version === null)
    throw new Error(`"${current}" is not a version: package.json must have one like 1.0.0 or 1.0.0-rc.1.`);
  if (!released) return [FIRST];
  const [major, minor, patch, candidate] = version;
  if (isCandidate(version))
    return [[major, minor, patch, candidate + 1] as const, [major, minor, patch, Infinity] as const].map(textOf);
  const whole = [
    [major, minor, patch + 1, Infinity],
    [major, minor + 1, 0, Infinity],
    [major + 1, 0, 0, Infinity],
  ] as const;
  return [...whole.map(textOf), ...whole.map(([a, b, c]) => textOf([a, b, c, 1]))];
}

export type Wanted = { readonly version: string } | { readonly problem: string };

/** The version to release: the one that was asked for if it may be next, else the only sensible one. */
export function wantedVersion(asked: string | null, current: string, released: boolean): Wanted {
  const next = nextVersions(current, released);
  const after = released ? `After ${current} come` : 'The first release is';
  const choice = `${after} ${next.length === 1 ? '' : 'one of '}${next.join(', ')}`.replace(
    'come one of',
    'comes one of',
  );
  if (asked !== null) {
    if (versionIn(asked) === null) return { problem: `"${asked}" is not a version. ${choice}.` };
    return next.includes(asked) ? { version: asked } : { problem: `${asked} cannot be next. ${choice}.` };
  }
  const [usual = FIRST] = next;
  // After a whole version only a person knows how large the step is.
  const isOpen = released && next.length > 2;
  return isOpen ? { problem: `Say which version: npm run release -- <version>. ${choice}.` } : { version: usual };
}

// ---- places ----

/** A text file of the project by its path; '' when there is none. */
export type Files = (path: string) => string;

/** The packages that have the version of Daybook. Those of `test/clients` are not released. */
const WORKSPACES = ['sdk', 'web', 'study'];
const SDK = 'daybook-sdk';
/** The name that `npm pack` gives the client, in the documents that say how to install it. */
const PACKED = /daybook-sdk-(\d+(?:\.\d+)*(?:-rc\.\d+)?)\.tgz/g;
const DOCUMENTS = ['docs/sdk.md'];

type Manifest = {
  version?: string;
  workspaces?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};
type Lock = Manifest & { packages: Record<string, Manifest> };

const parsed = <T>(files: Files, path: string): T => JSON.parse(files(path) || '{}') as T;

/** Every place with the version that it names. */
export function versionsNamed(files: Files): { place: string; version: string }[] {
  const lock = parsed<Lock>(files, 'package-lock.json');
  const named = (place: string, version: string | undefined) => [{ place, version: version ?? 'none' }];
  return [
    ...named('package.json', parsed<Manifest>(files, 'package.json').version),
    ...WORKSPACES.flatMap((folder) =>
      named(`${folder}/package.json`, parsed<Manifest>(files, `${folder}/package.json`).version),
    ),
    ...named(`${SDK} in web/package.json`, parsed<Manifest>(files, 'web/package.json').dependencies?.[SDK]),
    ...named('package-lock.json', lock.version),
    ...['', ...WORKSPACES].flatMap((folder) => named(`package-lock.json, "${folder}"`, lock.packages[folder]?.version)),
    ...named(`${SDK} in package-lock.json, "web"`, lock.packages.web?.dependencies?.[SDK]),
    ...named('openapi.json', parsed<{ info: { version: string } }>(files, 'openapi.json').info.version),
    ...DOCUMENTS.flatMap((path) => [...files(path).matchAll(PACKED)].flatMap(([, version]) => named(path, version))),
  ];
}

/** The files that a new version changes, with their text then; those that are generated follow from them. */
export function withVersion(files: Files, version: string): Map<string, string> {
  const texts = new Map<string, string>();
  const change = <T>(path: string, edit: (content: T) => void) => {
    const content = parsed<T>(files, path);
    edit(content);
    texts.set(path, `${JSON.stringify(content, null, 2)}\n`);
  };
  const own = (manifest: Manifest) => {
    manifest.version = version;
    if (manifest.dependencies?.[SDK] !== undefined) manifest.dependencies[SDK] = version;
  };
  for (const folder of ['', ...WORKSPACES.map((name) => `${name}/`)]) change<Manifest>(`${folder}package.json`, own);
  change<Lock>('package-lock.json', (lock) => {
    lock.version = version;
    for (const folder of ['', ...WORKSPACES]) own(lock.packages[folder] ?? {});
  });
  for (const path of DOCUMENTS) texts.set(path, files(path).replaceAll(PACKED, `${SDK}-${version}.tgz`));
  return texts;
}

/** The differences of package-lock.json from the manifests, which `npm ci` would refuse. */
export function lockComplaints(files: Files): string[] {
  const { packages } = parsed<Lock>(files, 'package-lock.json');
  const workspaces = parsed<Manifest>(files, 'package.json').workspaces ?? [];
  return ['', ...workspaces].flatMap((folder) => {
    const path = folder === '' ? 'package.json' : `${folder}/package.json`;
    const manifest = parsed<Manifest>(files, path);
    const locked = packages[folder];
    if (locked === undefined) return [`package-lock.json does not know ${path}`];
    return (['dependencies', 'devDependencies', 'optionalDependencies'] as const)
      .filter((kind) => sortedText(manifest[kind]) !== sortedText(locked[kind]))
      .map((kind) => `${kind} of ${path} are not those of package-lock.json`);
  });
}

const sortedText = (members: Record<string, string> = {}) => JSON.stringify(Object.entries(members).sort());

// ---- the changelog ----

const UNRELEASED = '## [Unreleased]';

/** The lines that are not released yet, and whether there has been a release. */
export function unreleased(changelog: string): { lines: number; released: boolean; problem: string | null } {
  const [, after] = changelog.split(`\n${UNRELEASED}\n`);
  if (after === undefined) return { lines: 0, released: false, problem: `CHANGELOG.md has no section "${UNRELEASED}"` };
  const [section = '', ...earlier] = after.split(/^## \[/m);
  const lines = section.split('\n').filter((line) => line.startsWith('- ')).length;
  return {
    lines,
    released: earlier.length > 0,
    problem: lines === 0 ? 'CHANGELOG.md has no line under Unreleased' : null,
  };
}

/** The unreleased lines become a section of their own, and the next one is empty. */
export const withRelease = (changelog: string, version: string, day: string): string =>
  changelog.replace(`\n${UNRELEASED}\n`, `\n${UNRELEASED}\n\n## [${version}] - ${day}\n`);
