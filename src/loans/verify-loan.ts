/**
 * One loan of the book, checked against itself: its chain of transactions, what they fold to, what they post, and what was handed over
 * with it. Nothing here asks the database. A complaint never holds a personal value: of what could be one it only says that it does not
 * match.
 */
import { zstdDecompressSync } from 'node:zlib';
import type { LoanEvent } from '../core/event.ts';
import { append, type Folding, fold, foldAll, stateOn } from '../core/fold.ts';
import type { Loan } from '../core/loan.ts';
import { isCanonical } from '../ledger/canonical-text.ts';
import { GENESIS_HASH, hashOf } from '../ledger/chain.ts';
import { booksOf, type Line, NO_BOOKS, post } from '../ledger/post.ts';
import { BETWEEN_BODIES, type BookRow, type SealedPerson, type StoredLine } from '../store/verify.ts';
import { type DataKey, type MasterKeys, unwrap } from '../vault/master-keys.ts';
import { unsealNote, unsealRecord } from '../vault/seal.ts';
import { commitmentsTo } from './commitments.ts';
import { summaryOf } from './transact.ts';

/** What is wrong, and where: a table, and in it a loan, one of its transactions (from 1), or a block. */
export type BookComplaint = {
  readonly table: string;
  readonly loanId: string | null;
  readonly transaction: number | null;
  readonly block: number | null;
  readonly what: string;
  readonly expected: string | null;
  readonly found: string | null;
};

/** A complaint of a loan; `at` is the number of a transaction. */
export type Tell = (
  table: string,
  at: number | null,
  what: string,
  compared?: { readonly expected: unknown; readonly found: unknown },
) => void;

export type CheckedLoan = {
  readonly transactions: number;
  /** Of its transactions, those in blocks after the last sealed one. */
  readonly unsealed: number;
  /** What its history posts, by transaction; null when the history is damaged, so that nothing follows from it. */
  readonly posted: readonly Posting[] | null;
  /** The journal as the database would write it, one line each. */
  readonly journal: string | null;
  /** What its creation holds of what was handed over; null when that transaction is damaged. */
  readonly commitments: Committed | null;
};

export type Posting = {
  readonly sequence: number;
  readonly block: number;
  readonly dateEffective: string;
  readonly datePosted: string;
  readonly lines: readonly Line[];
};

/** Everything but the journal and the sealed part, which the caller reads. `sealed` is the last sealed block. */
export function checkLoan(row: BookRow, sealed: number, tell: Tell): CheckedLoan {
  const transactions = transactionsOf(row);
  const history = checkHistory(row, transactions, sealed, tell);
  checkApplication(row, transactions, history.events, tell);
  if (row.stray_index > 0) tell('blind_index', null, `${rows(row.stray_index)} of another organization`);
  let unsealed = 0;
  for (const { block } of transactions) if (block > sealed) unsealed += 1;
  const checked = { transactions: transactions.length, unsealed, commitments: history.commitments };
  if (history.events === null) return { ...checked, posted: null, journal: null };
  if (row.stray_outbox > 0) tell('outbox', null, `${rows(row.stray_outbox)} not of its transactions`);
  const folded = foldHistory(history.events);
  if (folded === null) {
    tell('events', null, 'its history cannot be folded');
    return { ...checked, posted: null, journal: null };
  }
  checkFigures(row, folded.loan, tell);
  return { ...checked, ...postingsOf(transactions, history.events, folded.lines) };
}

export const rows = (n: number): string => (n === 1 ? '1 row is' : `${n} rows are`);

// ---- the chain ----

type Transaction = {
  readonly sequence: number;
  readonly block: number;
  readonly type: string;
  readonly hash: string;
  readonly body: string;
};

function transactionsOf({ heads, hashes, bodies }: BookRow): Transaction[] {
  if (heads === null || hashes === null || bodies === null) return [];
  const texts = bodies.split(BETWEEN_BODIES);
  return heads.split('\n').map((head, i) => {
    const first = head.indexOf(' ');
    const second = head.indexOf(' ', first + 1);
    return {
      sequence: Number(head.slice(0, first)),
      block: Number(head.slice(first + 1, second)),
      type: head.slice(second + 1),
      hash: `0x${hashes.slice(i * 64, i * 64 + 64)}`,
      body: texts[i] as string,
    };
  });
}

/** `events` null: something in the chain is damaged. */
type History = {
  readonly events: LoanEvent[] | null;
  readonly commitments: Committed | null;
};

function checkHistory(row: BookRow, transactions: readonly Transaction[], sealed: number, tell: Tell): History {
  const loanId = `0x${row.loan_id}`;
  const lastHash = `0x${row.last_hash}`;
  const version = row.version as number;
  // Where the head itself is wrong, that is one complaint and not one for every transaction.
  const head = row.head === null ? Number.POSITIVE_INFINITY : Math.max(Number(row.head), sealed);
  let sound = checkSequence(version, transactions, tell);
  const events: LoanEvent[] = [];
  let commitments = null as Committed | null;
  let before: Transaction = { sequence: 0, block: 0, type: '', hash: GENESIS_HASH, body: '' };
  /** What the body before gives: where the hash beside it was changed, the next transaction names this. */
  let computedBefore = GENESIS_HASH;
  for (let i = 0; i < transactions.length; i++) {
    const transaction = transactions[i] as Transaction;
    const { sequence, block, type, hash, body } = transaction;
    const computed = hashOf(body);
    let event = computed === hash ? plainEvent(body, { loanId, sequence, previous: before.hash }) : null;
    if (event === null) {
      const facts = factsOf(body);
      event = facts?.event ?? null;
      const place = { loanId, sequence, before, computedBefore };
      if (computed === hash) {
        if (!isSound(facts, body, place, tell)) sound = false;
        const given: Parts = facts?.commitments ?? {};
        if (i === 0) commitments = { given, present: given, runs: [] };
        else if (commitments !== null && facts?.commitments !== undefined) {
          commitments = { ...commitments, present: given, runs: [...commitments.runs, sequence] };
        }
      } else {
        // Whoever comes next names the hash as it was; so it tells which of the two was changed.
        const next = transactions[i + 1];
        const named = next === undefined ? lastHash : next.sequence === sequence + 1 && factsOf(next.body)?.previous;
        if (named === computed && facts !== null) {
          tell('events', sequence, 'hash was changed', { expected: computed, found: hash });
        } else {
          tell('events', sequence, 'body was changed: its hash', { expected: hash, found: computed });
          sound = false;
        }
      }
    }
    if (event !== null) {
      events.push(event);
      if (event.type !== type && computed === hash) {
        tell('events', sequence, 'type is not that of its body', { expected: show(event.type), found: type });
      }
    }
    // Only what is in a block of the chain is under a root.
    if (block < 1) tell('events', sequence, 'block is before the first', { expected: 1, found: block });
    if (block > head) tell('events', sequence, 'block is beyond the newest', { expected: head, found: block });
    if (block < before.block) {
      const compared = { expected: before.block, found: block };
      tell('events', sequence, 'block is before that of the transaction before it', compared);
    }
    before = transaction;
    computedBefore = computed;
  }
  if (before.sequence === version && lastHash !== before.hash && lastHash !== computedBefore) {
    tell('loans', null, 'last_hash is not that of its last transaction', { expected: before.hash, found: lastHash });
  }
  if (sound && events[0]?.type !== 'created') {
    tell('events', 1, 'a loan begins with its creation', { expected: 'created', found: show(events[0]?.type) });
    sound = false;
  }
  return { events: sound ? events : null, commitments };
}

/** Whether they are numbered from 1 to the loan's version. Each run of missing ones is one complaint. */
function checkSequence(version: number, transactions: readonly Transaction[], tell: Tell): boolean {
  let expected = 1;
  let sound = true;
  const gap = (to: number) => {
    if (expected >= to) return;
    tell('events', expected, expected === to - 1 ? 'is missing' : `and those up to ${to - 1} are missing`);
    sound = false;
  };
  for (const { sequence } of transactions) {
    if (sequence > version) {
      gap(version + 1);
      tell('events', sequence, 'is beyond the version of the loan', { expected: version, found: sequence });
      sound = false;
    } else gap(sequence);
    expected = sequence + 1;
  }
  gap(version + 1);
  return sound;
}

/** The event of a body that is exactly the canonical text with these facts and nothing else; null: it must be looked at closely. */
function plainEvent(
  body: string,
  { loanId, sequence, previous }: { loanId: string; sequence: number; previous: string },
): LoanEvent | null {
  const [start, end] = ['{"event":', `,"loanId":"${loanId}","previous":"${previous}","sequence":${sequence},"v":1}`];
  if (!body.startsWith(start) || !body.endsWith(end)) return null;
  const text = body.slice(start.length, -end.length);
  const event = objectOf(text) as LoanEvent | null;
  return typeof event?.type === 'string' && isCanonical(text) ? event : null;
}

type Place = { loanId: string; sequence: number; before: Transaction; computedBefore: string };

/** Whether a body whose hash is right is canonical JSON and says what it must. */
function isSound(facts: Facts | null, body: string, { loanId, sequence, before, computedBefore }: Place, tell: Tell) {
  if (facts === null || !isCanonical(body)) {
    tell('events', sequence, facts === null ? 'body is not the JSON of a transaction' : 'body is not canonical JSON');
    return false;
  }
  let sound = true;
  for (const [name, expected] of Object.entries({ v: 1, loanId, sequence })) {
    if (facts[name] === expected) continue;
    tell('events', sequence, `body.${name}`, { expected, found: show(facts[name]) });
    sound = false;
  }
  if (Object.keys(facts).some((name) => !MEMBERS.includes(name))) {
    tell('events', sequence, 'body has other members than a transaction');
    sound = false;
  }
  const { previous } = facts;
  // Where one is missing there is no telling what the next should name.
  if (sequence !== before.sequence + 1 || previous === before.hash || previous === computedBefore) return sound;
  if (sequence === 1) tell('events', 1, 'body.previous', { expected: before.hash, found: show(previous) });
  else {
    const compared = { expected: show(previous), found: before.hash };
    tell('events', before.sequence, 'was replaced: the transaction after it names another hash', compared);
  }
  return false;
}

type Parts = Readonly<Record<string, string>>;

/** To what was handed over, to what an underwriting run has put in its place since, and the events of such runs. */
export type Committed = { readonly given: Parts; readonly present: Parts; readonly runs: readonly number[] };

const MEMBERS = ['commitments', 'event', 'loanId', 'previous', 'sequence', 'v'];

type Facts = Record<string, unknown> & { event: LoanEvent; commitments?: Readonly<Record<string, string>> };

/** What a body says; null when it is not the JSON of an object with an event. */
function factsOf(body: string): Facts | null {
  const parsed = objectOf(body);
  return typeof (parsed?.event as LoanEvent | null | undefined)?.type === 'string' ? (parsed as Facts) : null;
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as Facts) : null;
  } catch {
    return null;
  }
}

/** A value from a body: ids, hashes and numbers. */
function show(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 80) : typeof value;
}

// ---- what was handed over, beside what is sealed ----

/** The columns that repeat the file. What they hold may point to a person. */
const COLUMNS = {
  applicationId: 'application_id',
  borrowerId: 'borrower_id',
  lenderId: 'lender_id',
  primaryServicerId: 'primary_servicer_id',
  secondaryServicerId: 'secondary_servicer_id',
  loanType: 'loan_type',
} as const satisfies Record<string, keyof BookRow>;

function checkApplication(
  row: BookRow,
  transactions: readonly Transaction[],
  events: readonly LoanEvent[] | null,
  tell: Tell,
): void {
  if (row.file === null) {
    tell('applications', null, 'is missing');
    return;
  }
  if (!row.same_organization) tell('applications', null, 'organization_id is not that of the loan');
  if (!row.same_creation) tell('applications', null, 'created_at is not that of the loan');
  const file = objectOf(row.file);
  for (const [member, column] of Object.entries(COLUMNS)) {
    if (file !== null && file[member] !== row[column as keyof BookRow]) {
      tell('applications', null, `${column} is not what its file says`);
    }
  }
  const first = transactions[0];
  if (first?.sequence === 1 && first.block !== Number(row.start_block)) {
    tell('applications', null, 'start_block is not the block of its creation', {
      expected: first.block,
      found: row.start_block,
    });
  }
  if (events !== null) checkTimes(row, events, tell);
}

/** A creation is sealed before it queues, so its row may be that much younger; clocks may be set in between. */
const QUEUED_MS = 3_600_000;

function checkTimes({ created_at, updated_at }: BookRow, events: readonly LoanEvent[], tell: Tell): void {
  const recorded = Date.parse((events[0] as LoanEvent).recordedAt);
  if (!(Math.abs(created_at.getTime() - recorded) <= QUEUED_MS)) {
    const [expected, found] = [(events[0] as LoanEvent).recordedAt, created_at.toISOString()];
    tell('loans', null, 'created_at is not when its creation was recorded', { expected, found });
  }
  const { recordedAt } = events.at(-1) as LoanEvent;
  if (updated_at.getTime() !== Date.parse(recordedAt)) {
    const compared = { expected: recordedAt, found: updated_at.toISOString() };
    tell('loans', null, 'updated_at is not when its last transaction was recorded', compared);
  }
}

// ---- what the history gives ----

/** What each event posts, and the loan after the last of them, on the day that was recorded. Null: this is no history of a loan. */
function foldHistory(events: readonly LoanEvent[]): { lines: Line[][]; loan: Loan } | null {
  try {
    let folding: Folding | null = null;
    let loan: Loan | null = null;
    let books = NO_BOOKS;
    const lines: Line[][] = [];
    for (let i = 0; i < events.length; i++) {
      const event = events[i] as LoanEvent;
      const next: Folding | null = folding === null ? null : append(folding, [event]);
      folding = next ?? foldAll(events.slice(0, i + 1));
      loan = stateOn(folding, event.recordedOn) ?? fold(events.slice(0, i + 1), event.recordedOn);
      const after = booksOf(loan);
      lines.push(post(books, after));
      books = after;
    }
    return loan === null ? null : { lines, loan };
  } catch {
    return null;
  }
}

function checkFigures(row: BookRow, loan: Loan, tell: Tell): void {
  const figures = summaryOf(loan);
  const compare = (column: string, expected: unknown, found: unknown) => {
    if (expected !== found) tell('loans', null, `${column} is not what its history gives`, { expected, found });
  };
  compare('status', figures.status, row.status);
  compare('past_due_from', figures.pastDueFrom, row.past_due_from);
  compare('delinquent_from', figures.delinquentFrom, row.delinquent_from);
  // A date sets the mark too, on whatever day somebody looks.
  compare('late', figures.late || (row.late && figures.pastDueFrom !== null), row.late);
  compare('loan_amount', figures.loanAmount, Number(row.loan_amount));
  compare('principal', figures.principal, Number(row.principal));
  compare('published', figures.published, row.published);
}

function postingsOf(
  transactions: readonly Transaction[],
  events: readonly LoanEvent[],
  lines: readonly (readonly Line[])[],
): { posted: Posting[]; journal: string } {
  let journal = '';
  const posted: Posting[] = [];
  for (let i = 0; i < transactions.length; i++) {
    const own = lines[i] as readonly Line[];
    if (own.length === 0) continue;
    const { sequence, block } = transactions[i] as Transaction;
    const { date: dateEffective, recordedOn: datePosted } = events[i] as LoanEvent;
    posted.push({ sequence, block, dateEffective, datePosted, lines: own });
    const end = `${dateEffective} ${datePosted}`;
    for (let n = 0; n < own.length; n++) {
      const { entry, account, amount } = own[n] as Line;
      journal += `${journal === '' ? '' : '\n'}${sequence} ${n + 1} ${block} ${entry} ${account} ${amount} ${end}`;
    }
  }
  return { posted, journal };
}

/** A journal that is not the text that the history gives, line by line. */
export function checkLines(
  stored: readonly StoredLine[],
  posted: readonly Posting[] | null,
  organizationId: string,
  tell: Tell,
): void {
  if (posted === null) {
    checkBalance(stored, tell);
    return;
  }
  const nameOf = (line: { sequence: number; line: number }) => `${line.sequence} ${line.line}`;
  const expected = new Map<string, StoredLine>();
  for (const { lines, ...of } of posted) {
    lines.forEach((line, i) => {
      const one = { ...of, ...line, line: i + 1, organizationId };
      expected.set(nameOf(one), one);
    });
  }
  for (const line of stored) {
    const should = expected.get(nameOf(line));
    expected.delete(nameOf(line));
    if (should === undefined) {
      tell('journal', line.sequence, `line ${line.line} should not be there`, { expected: 'none', found: told(line) });
      continue;
    }
    for (const [member, value] of Object.entries(should)) {
      const found = line[member as keyof StoredLine];
      if (found !== value) tell('journal', line.sequence, `line ${line.line}: ${member}`, { expected: value, found });
    }
  }
  for (const line of expected.values()) {
    tell('journal', line.sequence, `line ${line.line} is missing`, { expected: told(line), found: 'none' });
  }
}

const told = ({ entry, account, amount }: StoredLine) => `${entry} ${account} ${amount}`;

/** Without a history there is still this: what is posted with a transaction adds up to zero. */
function checkBalance(stored: readonly StoredLine[], tell: Tell): void {
  const sums = new Map<number, number>();
  for (const { sequence, amount } of stored) sums.set(sequence, (sums.get(sequence) ?? 0) + amount);
  for (const [sequence, sum] of sums) {
    if (sum !== 0) tell('journal', sequence, 'the lines do not add up', { expected: 0, found: sum });
  }
}

// ---- what is sealed ----

/** The data key of a loan; null, with a complaint, when it does not open. */
export function openDataKey(loanId: string, person: SealedPerson, masterKeys: MasterKeys, tell: Tell): DataKey | null {
  const master = masterKeys.find(person.keyId);
  const key = master === null ? null : unwrap(master, person.wrappedKey, loanId);
  if (master === null) tell('people', null, 'key_id names a master key that is not there');
  else if (key === null) tell('people', null, 'wrapped_key does not open');
  return key;
}

/** What is sealed opens, and with its salt everything that was handed over or assessed gives what the ledger holds of it. */
export function checkHandedOver(
  row: BookRow,
  person: SealedPerson & { readonly key: DataKey },
  { given, present, runs }: Committed,
  tell: Tell,
): void {
  const compare = (
    table: BookComplaint['table'],
    what: string,
    found: string | null | undefined,
    expected?: string,
  ) => {
    if (found !== expected) tell(table, null, `${what} does not match its commitment`);
  };
  try {
    const { personal, record, salt } = unsealRecord(person.key, `0x${row.loan_id}`, person.sealed);
    const parts = (file: string, packed: Uint8Array): Record<string, string | null> => {
      const publicPart = unpacked(packed);
      const found = commitmentsTo(salt, { personal, record, file, publicPart: publicPart ?? '' });
      return publicPart === null ? { ...found, publicPart: null } : found;
    };
    const first = parts(row.file ?? '', row.public_part);
    compare('people', 'the record', first.record, present.record);
    compare('people', 'the details', first.details, present.details);
    if (row.file !== null) {
      compare('applications', 'file', first.file, given.file);
      compare('applications', 'public_part', first.publicPart, given.publicPart);
    }
    if ((row.runs ?? []).join() !== runs.join()) {
      const compared = { expected: runs.join(), found: (row.runs ?? []).join() };
      tell('assessments', null, 'there is not one for each event that commits to one', compared);
    } else if (row.assessed_file !== null) {
      const last = parts(row.assessed_file, row.assessed_part);
      compare('assessments', 'file', last.file, present.file);
      compare('assessments', 'public_part', last.publicPart, present.publicPart);
    }
  } catch {
    // Not only `SealBroken`: what opens and is no zstd or JSON fails in its own way, and no error's text may be repeated here.
    tell('people', null, 'sealed does not open');
  }
}

function unpacked(packed: Uint8Array): Buffer | null {
  try {
    return zstdDecompressSync(packed);
  } catch {
    return null;
  }
}

export function checkNotes(
  loanId: string,
  key: DataKey,
  notes: readonly { sequence: number; note: Uint8Array }[],
  tell: Tell,
): void {
  for (const { sequence, note } of notes) {
    try {
      unsealNote(key, loanId, note);
    } catch {
      tell('events', sequence, 'note does not open');
    }
  }
}
