/**
 * One loan of the book, checked against itself: its chain of transactions, what they fold to, what they post, and what was handed over
 * with it. Nothing here asks the database. A complaint never holds a personal value: of what could be one it only says that it does not
 * match.
 */
import { amortizedIn, bookFiguresAsOf } from '../../core/books.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { LoanEvent } from '../../core/event.ts';
import type { Loan } from '../../core/loan.ts';
import { partiesOf } from '../../core/ownership.ts';
import { eventsInForce } from '../../core/undo.ts';
import { type DatedLine, journalOf } from '../../ledger/journal.ts';
import { followed } from '../../policy/impact.ts';
import { columnIn, columnsOf, LOAN_COLUMN_NAMES } from '../../portfolio/loan-columns.ts';
import { declaredValue } from '../../store/db/columns.ts';
import type { CheckedBook, StoredLine } from '../../store/verify/verify.ts';
import { unwrittenLines } from '../books/unwritten.ts';
import type { Timelines } from '../door/policy-timelines.ts';
import { withNextPolicy } from '../door/saved-transfers.ts';

import { checkApprovals } from './approvals.ts';
import {
  type Committed,
  checkHistory,
  type InVolume,
  noteHashesOf,
  objectOf,
  type Transaction,
  transactionsOf,
} from './chain.ts';
import { rows, type Tell } from './complaint.ts';
import { checkCharacteristics } from './positions.ts';
import type { CommittedChange } from './sealed-parts.ts';
import { checkTransfers } from './transfers.ts';

export type CheckedLoan = {
  readonly transactions: number;
  /** Those of its transactions in blocks after the last sealed one. */
  readonly unsealed: number;
  /** The postings of its history, by transaction; null when the history is damaged, so that nothing follows from it. */
  readonly posted: readonly Posting[] | null;
  /** The journal as the database would write it, one line each. */
  readonly journal: string | null;
  /** The accrued interest on a day and what its stretch amortizes, as known at the end of that day; null when the history is damaged. */
  readonly accruedOn: ((day: PlainDate) => AccruedSums) | null;
  /** The amounts that accrued or fell due up to a date and are not posted by an event; null when the history is damaged. */
  readonly unwrittenOn: ((day: PlainDate) => readonly DatedLine[]) | null;
  /** The commitments to the submitted record in its creation; null when that transaction is damaged. */
  readonly commitments: Committed | null;
  /** The commitments to changes of its parties; null when the history is damaged. */
  readonly partyChanges: readonly CommittedChange[] | null;
  /** The owners of the loan and their times, in order; the present owner last. */
  readonly owners: readonly Owned[];
  /** With the policies that it follows; null when the history is damaged. */
  readonly events: readonly LoanEvent[] | null;
};

export type Owner = { readonly organizationId: string; readonly lenderId: string };

/** `until`: the first day on which it was another's; null: the present owner. */
export type Owned = Owner & {
  readonly from: PlainDate;
  readonly until: PlainDate | null;
  /** The transaction by which it ended. */
  readonly through: number | null;
};

function ownersOf(row: CheckedBook, events: readonly LoanEvent[]): Owned[] {
  const { formerOwners, ownedSince } = partiesOf(events);
  const first = events[0]?.recordedOn ?? row.first_recorded_on;
  const present = { organizationId: row.organization_id, lenderId: row.loan_lender };
  return [
    ...formerOwners.map(({ organizationId, lenderId, from, until, events: before }) => ({
      ...{ organizationId, lenderId, from: from ?? first, until, through: before + 1 },
    })),
    { ...present, from: ownedSince ?? first, until: null, through: null },
  ];
}

/** In whose books a line of a transaction is. */
export function ownerOf(owners: readonly Owned[], sequence: number, line: Pick<DatedLine, 'enters' | 'former'>): Owner {
  const at =
    line.former ??
    owners.findIndex(
      ({ through }) => through === null || sequence < through || (sequence === through && line.enters !== true),
    );
  const { organizationId, lenderId } = owners[at] as Owned;
  return { organizationId, lenderId };
}

export type Posting = {
  readonly sequence: number;
  readonly block: number;
  readonly lines: readonly DatedLine[];
};

/** In cents, of one loan or of all of a lender's. */
export type AccruedSums = Record<'interest' | 'fees' | 'costs' | 'discount', number>;

const NOTHING = { events: null, posted: null, journal: null, accruedOn: null, unwrittenOn: null };

/** Everything but the journal and the sealed part, which the caller reads. */
export function checkLoan(row: CheckedBook, at: InVolume, policies: Timelines, tell: Tell): CheckedLoan {
  const transactions = transactionsOf(row);
  const history = checkHistory(row, transactions, at, tell);
  checkNotes(row, history, tell);
  checkApplication(row, transactions, history.events, tell);
  checkApprovals(row, transactions, tell);
  if (row.stray_index > 0) tell('blind_index', null, `${rows(row.stray_index)} of another organization`);
  let unsealed = 0;
  for (const { block } of transactions) if (block > at.sealed) unsealed += 1;
  const partyChanges = history.events && committedChanges(history.events);
  const owners = ownersOf(row, history.events ?? []);
  const { commitments } = history;
  const checked = { transactions: transactions.length, unsealed, commitments, partyChanges, owners };
  if (history.events === null) return { ...checked, ...NOTHING };
  const events = followed(history.events, policies.of(row.loan_lender));
  const folded = foldHistory(events);
  if (folded === null) {
    tell('events', null, 'its history cannot be replayed');
    return { ...checked, ...NOTHING };
  }
  checkFigures(row, folded.loan, { events, policies }, tell);
  const accruedOn = (day: PlainDate) => {
    const figures = bookFiguresAsOf(events, day);
    return { interest: figures.accruedInterest, ...amortizedIn(figures) };
  };
  const { on } = folded.loan;
  const booksChangeOn = columnIn(columnsOf(folded.loan), 'books_change_on');
  const unwrittenOn = (day: PlainDate) =>
    booksChangeOn === null || booksChangeOn > day ? [] : unwrittenLines(events, on, day);
  return { ...checked, events, accruedOn, unwrittenOn, ...postingsOf(transactions, folded.lines) };
}

/** A transaction names the hash of the sealed reason beside it; an erasure leaves both, and destroys the key alone. */
function checkNotes(row: CheckedBook, { notes, events }: ReturnType<typeof checkHistory>, tell: Tell): void {
  const stored = noteHashesOf(row);
  for (const [sequence, hash] of notes) {
    const found = stored.get(sequence);
    stored.delete(sequence);
    if (found === undefined) tell('events', sequence, 'note is missing');
    else if (found !== hash) tell('events', sequence, 'note was changed');
  }
  // The reason that a damaged transaction named is not known.
  if (events === null) return;
  for (const sequence of stored.keys()) tell('events', sequence, 'note was added');
}

function committedChanges(events: readonly LoanEvent[]): CommittedChange[] {
  return events.flatMap((event, i) =>
    event.type === 'partyUpdated' ? [{ sequence: i + 1, commitment: event.commitment }] : [],
  );
}

// ---- the submitted record, besides the sealed parts ----

/** The columns that repeat the file. Their values may point to a person. */
const COLUMNS = {
  applicationId: 'application_id',
  borrowerId: 'borrower_id',
  lenderId: 'lender_id',
  primaryServicerId: 'primary_servicer_id',
  secondaryServicerId: 'secondary_servicer_id',
  loanType: 'loan_type',
} as const satisfies Record<string, keyof CheckedBook>;

function checkApplication(
  row: CheckedBook,
  transactions: readonly Transaction[],
  events: readonly LoanEvent[] | null,
  tell: Tell,
): void {
  if (row.file === null) {
    tell('applications', null, 'is missing');
    return;
  }
  checkParties(row, events ?? [], tell);
  if (!row.same_creation) tell('applications', null, 'created_at does not match the loan');
  if (events !== null && row.id_is_free !== eventsInForce(events).some(({ type }) => type === 'boardingCancelled')) {
    tell('applications', null, 'id_is_free does not match its history');
  }
  const file = objectOf(row.file);
  for (const [member, column] of Object.entries(COLUMNS)) {
    if (file !== null && file[member] !== row[column as keyof CheckedBook]) {
      tell('applications', null, `${column} does not match its file`);
    }
  }
  if (file !== null && row.applied !== (file.isApplication === true)) {
    tell('applications', null, 'applied does not match its file');
  }
  const first = transactions[0];
  if (first?.sequence === 1 && first.block !== Number(row.start_block)) {
    tell('applications', null, 'start_block does not match the block of its creation', {
      expected: first.block,
      found: row.start_block,
    });
  }
  if (events !== null) checkTimes(row, events, tell);
}

/** The loan has the parties it was created with, or those of its transfers. */
function checkParties(row: CheckedBook, events: readonly LoanEvent[], tell: Tell): void {
  const parties = partiesOf(events);
  const { formerOwners } = parties;
  const first = formerOwners[0]?.organizationId ?? row.organization_id;
  if (row.first_organization !== first) tell('applications', null, 'organization_id does not match the loan');
  if ((parties.organizationId ?? row.organization_id) !== row.organization_id) {
    tell('loans', null, 'organization_id does not match its history');
  }
  if ((parties.lenderId ?? row.lender_id) !== row.loan_lender) {
    tell('applications', null, 'lender_id does not match the loan');
  }
  const primary = parties.primaryServicerId ?? row.primary_servicer_id;
  const secondary = parties.secondaryServicerId ?? row.secondary_servicer_id;
  if (primary !== row.loan_servicer || secondary !== row.loan_second_servicer) {
    tell('applications', null, 'the servicers do not match the loan');
  }
  const lines = formerOwners.map(({ organizationId, lenderId, from, until, events: before }, i) => {
    const next = formerOwners[i + 1]?.organizationId ?? row.organization_id;
    return [before + 1, organizationId, lenderId, from ?? events[0]?.recordedOn, until, next, first].join(' ');
  });
  if (lines.join('\n') !== (row.former ?? '')) tell('former_owners', null, 'do not match its history');
  checkTransfers(row, events, first, tell);
}

/** A creation is sealed before it queues, so its row may be that much younger; clocks may be set in between. */
const QUEUED_MS = 3_600_000;

function checkTimes({ created_at, updated_at }: CheckedBook, events: readonly LoanEvent[], tell: Tell): void {
  const recorded = Date.parse((events[0] as LoanEvent).recordedAt);
  if (!(Math.abs(created_at.getTime() - recorded) <= QUEUED_MS)) {
    const [expected, found] = [(events[0] as LoanEvent).recordedAt, created_at.toISOString()];
    tell('loans', null, 'created_at does not match the time of its creation', { expected, found });
  }
  const { recordedAt } = events.at(-1) as LoanEvent;
  if (updated_at.getTime() !== Date.parse(recordedAt)) {
    const compared = { expected: recordedAt, found: updated_at.toISOString() };
    tell('loans', null, 'updated_at does not match the time of its last transaction', compared);
  }
}

// ---- what the history gives ----

/** Null: this is no history of a loan. */
function foldHistory(events: readonly LoanEvent[]): { lines: DatedLine[][]; loan: Loan } | null {
  try {
    return journalOf(events);
  } catch {
    return null;
  }
}

function checkFigures(
  row: CheckedBook,
  loan: Loan,
  { events, policies }: { readonly events: readonly LoanEvent[]; readonly policies: Timelines },
  tell: Tell,
): void {
  const figures = withNextPolicy(columnsOf(loan), events.slice(-1));
  const compare = (column: string, expected: unknown, found: unknown) => {
    if (expected !== found) tell('loans', null, `${column} does not match its history`, { expected, found });
  };
  for (const column of LOAN_COLUMN_NAMES) {
    if (column !== 'books_change_on' && column !== 'changes_on')
      compare(column, columnIn(figures, column), declaredValue(row, column));
  }
  compare('erased', row.erased, row.marked_erased);
  compare('first_recorded_on', partiesOf(events).ownedSince ?? events[0]?.recordedOn, row.first_recorded_on);
  // A version of the policy that was recorded later than the row is entered into it in a while.
  const unmarked = columnsOf({ ...loan, policyChangesOn: null });
  for (const column of ['books_change_on', 'changes_on'] as const) {
    const [found, without] = [row[column], columnIn(unmarked, column)];
    const isMark = policies.versions.some(({ figuresFrom }) => figuresFrom === found && figuresFrom > loan.on);
    if (found === without || (isMark && (without === null || (found as PlainDate) < without))) continue;
    compare(column, columnIn(figures, column), found);
  }
  checkCharacteristics(row, tell);
}

function postingsOf(
  transactions: readonly Transaction[],
  lines: readonly (readonly DatedLine[])[],
): { posted: Posting[]; journal: string } {
  let journal = '';
  const posted: Posting[] = [];
  for (let i = 0; i < transactions.length; i++) {
    const own = lines[i] as readonly DatedLine[];
    if (own.length === 0) continue;
    const { sequence, block } = transactions[i] as Transaction;
    posted.push({ sequence, block, lines: own });
    for (let n = 0; n < own.length; n++) {
      const { entry, account, amount, dateEffective, datePosted } = own[n] as DatedLine;
      const line = `${entry} ${account} ${amount} ${dateEffective} ${datePosted}`;
      journal += `${journal === '' ? '' : '\n'}${sequence} ${n + 1} ${block} ${line}`;
    }
  }
  return { posted, journal };
}

/** A journal that is not the text that the history gives, line by line. */
export function checkLines(
  stored: readonly StoredLine[],
  posted: readonly Posting[] | null,
  owners: readonly Owned[],
  tell: Tell,
): void {
  if (posted === null) {
    checkBalance(stored, tell);
    return;
  }
  const nameOf = (line: { sequence: number; line: number }) => `${line.sequence} ${line.line}`;
  const expected = new Map<string, StoredLine>();
  for (const { lines, ...of } of posted) {
    lines.forEach(({ enters, former, ...line }, i) => {
      const owner = ownerOf(owners, of.sequence, {
        ...(enters === true ? { enters } : {}),
        ...(former === undefined ? {} : { former }),
      });
      const one = { ...of, ...line, line: i + 1, ...owner };
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
