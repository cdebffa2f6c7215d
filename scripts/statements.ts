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
  for (const line of found.complaints) console.log(`Failed: statement: ${line}`);
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
    if (found.length === 0) return [];
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
