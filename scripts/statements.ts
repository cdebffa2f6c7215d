/**
 * The last check of `npm test`: every statement that code of `src` sent while the tests ran is one that Citus takes (`test/support/judge`), and
 * so is every statement of a function of the migrations.
 */
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { complaintsAbout, statementsOfFunctions } from '../test/support/judge/judge.ts';
import { tablesIn } from '../test/support/judge/tables.ts';
import type { Recorded } from '../test/support/recorder.ts';

const root = dirname(import.meta.dirname);

/** Fewer than these, of fewer files, and they were not recorded as they should be. */
const FEWEST = { statements: 800, sharded: 200, files: 50 };

/**
 * TEMPORARY: statements that Citus refuses and that are being rewritten, by file and beginning. To be
 * emptied with the last of them.
 */
const REFUSED: readonly (readonly [file: string, beginning: string])[] = [
  ['src/store/door/loans.ts', 'SELECT organization_id FROM organizations o WHERE EXISTS (SELECT 1 FROM loans l'],
  ['src/store/feed/feed.ts', 'SELECT t.number AS tick, v.volume, (SELECT last_block FROM feed_marks m'],
  ['src/store/feed/feed.ts', 'SELECT c.volume, c.block, c.position, c.organization_id AS recorded_for'],
  ['src/store/people/erasure.ts', 'SELECT key_id FROM unnest($1::text[]) AS asked (key_id) WHERE EXISTS'],
  ['src/store/reads/reads.ts', 'SELECT coalesce(s.file, a.file) AS file, '],
  ['src/store/reads/reads.ts', 'SELECT l.loan_id, l.organization_id, l.lender_id, '],
  ['src/store/reports/portfolio.ts', 'INSERT INTO position_sums ('],
  ['src/store/reports/roll-rates.ts', 'SELECT slice, way / 10 AS place_from'],
  ['src/store/verify/verify.ts', 'SELECT v.volume, h.number AS head, '],
];

/** Has the threads of this process record, from now on; the folder that they write to. */
export function recordStatements(): string {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-statements-'));
  process.env.TEST_STATEMENTS = folder;
  return folder;
}

/** Judges what was recorded, says what is wrong, and removes the folder. */
export function judgeStatements(folder: string): boolean {
  const started = performance.now();
  const found = judge(recordedIn(folder));
  rmSync(folder, { recursive: true });
  for (const line of found.complaints) console.log(line);
  const passed = found.complaints.length === 0;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const count = `${found.statements.toLocaleString('en')} of ${found.files} files, ${seconds} s`;
  console.log(`${'statements'.padEnd(12)} ${passed ? 'ok' : 'FAILED'} (${count})`);
  return passed;
}

function recordedIn(folder: string): Recorded[] {
  return readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Recorded),
  );
}

/** Complaints, each with its file and statement, and how much was judged. */
function judge(recorded: readonly Recorded[]): { complaints: string[]; statements: number; files: number } {
  const tables = tablesIn(readFileSync(join(root, 'migrations/schema.sql'), 'utf8'));
  const texts = new Map(recorded.map((one) => [`${one.sharded} ${one.text}`, one]));
  const all = [...texts.values(), ...ofFunctions()];
  const complaints = all.flatMap(({ text, file, sharded }) => {
    const found = complaintsAbout(text, tables, { sharded });
    const isKnown = REFUSED.some(([where, beginning]) => where === file && oneLine(text).startsWith(beginning));
    if (found.length === 0 || isKnown) return [];
    return [`${file}: ${found.join('; ')}\n  ${oneLine(text)}`];
  });
  const statements = new Set(all.map(({ text }) => text)).size;
  const files = new Set(all.map(({ file }) => file)).size;
  const sharded = all.filter((one) => one.sharded).length;
  if (statements < FEWEST.statements || files < FEWEST.files || sharded < FEWEST.sharded) {
    complaints.push(
      `Only ${statements} statements of ${files} files were recorded, ${sharded} of them for sharded tables: at least ${FEWEST.statements}, ${FEWEST.files} and ${FEWEST.sharded} are expected.`,
    );
  }
  return { complaints: [...new Set(complaints)], statements, files };
}

function ofFunctions(): Recorded[] {
  return globSync('migrations/*.sql', { cwd: root, exclude: ['migrations/schema.sql'] }).flatMap((file) =>
    statementsOfFunctions(readFileSync(join(root, file), 'utf8')).map((text) => ({ text, file, sharded: true })),
  );
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

// By hand, for the folder of a run with TEST_STATEMENTS: `node scripts/statements.ts FOLDER` judges it and leaves it.
if (import.meta.main) {
  const { complaints, statements, files } = judge(recordedIn(process.argv[2] ?? ''));
  console.log(`${complaints.join('\n')}\n${statements} statements of ${files} files`);
}
