/** `npm run verify -- --audit`: checks an export of the audit trail line by line, in the same memory however long it is. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { checkExported, type ExportedEntry } from '../ledger/audit-chain.ts';
import { UsageError } from './arguments.ts';
import { count } from './output.ts';

const SHOWN = 1_000;
const NOT_AN_EXPORT = 'This is not an export of the audit trail: see `npm run audit -- --help`.';

export async function verifyTrail(path: string, json: boolean): Promise<void> {
  const last = new Map<number, ExportedEntry['link']>();
  let [entries, problems, gaps, lineNumber] = [0, 0, 0, 0];
  /** The export is of one organization: the links between its entries belong to others. */
  let partial = false;
  /** The number of entries stated by the last line; null: there was none. */
  let exported: number | null = null;
  const complain = (what: string) => {
    problems += 1;
    if (problems > SHOWN) return;
    console.log(json ? JSON.stringify({ line: lineNumber, what }) : `line ${lineNumber}: ${what}`);
  };
  try {
    for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
      lineNumber += 1;
      if (lineNumber === 1) {
        partial = isPartial(text);
        continue;
      }
      exported = endIn(text);
      if (exported !== null) continue;
      const line = lineIn(text);
      if (line === null) {
        complain('is not an entry of an export');
        continue;
      }
      const { link } = line;
      const before = last.get(link.volume) ?? null;
      const wrong = wrongWith(line, before);
      if (wrong !== null) complain(wrong);
      else if (before !== null && link.number > before.number + 1) {
        if (partial) gaps += 1;
        else complain('the link before it is missing');
      }
      last.set(link.volume, link);
      entries += 1;
    }
    if (lineNumber === 0) throw new UsageError(NOT_AN_EXPORT);
    if (exported === null) complain('the last line of the export is missing: the file was cut off');
    else if (exported !== entries) complain(`${exported} entries were exported, and ${entries} are in the file`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(code === 'ENOENT' ? `File not found: ${path}.` : `${path} cannot be read (${code}).`);
  }
  if (problems > 0) process.exitCode = 1;
  const heads = [...last].sort(([a], [b]) => a - b).map(([volume, { number, hash }]) => ({ volume, number, hash }));
  if (json) {
    console.log(JSON.stringify({ entries, gaps, heads, complaints: problems }));
    return;
  }
  console.log(`${entries.toLocaleString('en-US')} entries in ${heads.length} volumes.`);
  if (gaps > 0) console.log(`${count(gaps, 'gap')} between links: entries of other organizations.`);
  // A whole file can be forged; only the service can confirm its links.
  for (const { volume, number, hash } of heads) console.log(`Volume ${volume} ends with link ${number}: ${hash}.`);
  console.log(problems === 0 ? 'No problems found.' : `${count(problems, 'problem')}.`);
}

function isPartial(header: string): boolean {
  try {
    const { audit } = JSON.parse(header) as { audit: { organizationId: string | null } };
    return audit.organizationId !== null;
  } catch {
    throw new UsageError(NOT_AN_EXPORT);
  }
}

/** The number of exported entries, if the line is the last one; null: it is another line. */
function endIn(text: string): number | null {
  if (!text.startsWith('{"end":')) return null;
  try {
    const { end } = JSON.parse(text) as { end: { entries: unknown } };
    return Number.isSafeInteger(end.entries) ? (end.entries as number) : null;
  } catch {
    return null;
  }
}

function lineIn(text: string): ExportedEntry | null {
  try {
    const { entry, link } = JSON.parse(text) as Partial<ExportedEntry>;
    const isLink = Number.isSafeInteger(link?.volume) && Number.isSafeInteger(link?.number);
    return entry !== undefined && link !== undefined && isLink ? { entry, link } : null;
  } catch {
    return null;
  }
}

/** Values that cannot be hashed are not those of an entry. */
function wrongWith(line: ExportedEntry, last: ExportedEntry['link'] | null): string | null {
  try {
    return checkExported(line, last);
  } catch {
    return 'the entry or its link was changed';
  }
}
