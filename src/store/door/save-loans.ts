/**
 * Saves a batch of the write path with one statement: a single statement is a single transaction and one round trip to the server,
 * however many tables it fills.
 */
import type { BookFigures } from '../../core/books.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { Accruing } from '../../ledger/accrue.ts';
import type { DatedLine } from '../../ledger/journal.ts';
import type { Characteristics } from '../../portfolio/characteristics.ts';
import type { Flows, Standing } from '../../portfolio/position.ts';
import type { ApprovalSave } from '../approvals/approvals.ts';
import { bytes, hexOf } from '../db/bytes.ts';
import { asText, FLOWS, parameters, STANDING } from '../db/columns.ts';
import type { Sql } from '../db/db.ts';
import { volumeOf } from '../db/volumes.ts';
import type { PartyChangeRow } from '../people/parties.ts';
import { columnsOf } from './loans.ts';
import { ACT, ACTED, columnsOfActs, type SavedAct } from './save-acts.ts';
import type { TransferSave } from './save-transfers.ts';

export type Summary = {
  status: string;
  pastDueFrom: PlainDate | null;
  delinquentFrom: PlainDate | null;
  /** `pastDueFrom` for the order of lists: `infinity` when there is none. */
  nextDue: PlainDate | 'infinity';
  loanAmount: number;
  principal: number;
  published: boolean;
  recordedOn: PlainDate;
  closedBy: string | null;
  /** The figures that the books show of it until `booksChangeOn`, and how its interest accrues until then. */
  figures: BookFigures;
  accruing: Accruing | null;
  booksChangeOn: PlainDate | null;
  /** The first day on which something happens because of the date alone (a late fee, a bucket). */
  changesOn: PlainDate | null;
  /** The month end from which a hold requires the charge-off. */
  chargeOffBy: PlainDate | null;
  /** For reports: what the loan is, and the flows of the last month in which something happened to it, by the month's first day. */
  standing: Standing;
  flowMonth: PlainDate;
  flows: Flows;
};

export type NewLoanRow = {
  organizationId: string;
  applicationId: string;
  borrowerId: string;
  lenderId: string;
  primaryServicerId: string;
  secondaryServicerId: string;
  loanType: string;
  file: string;
  publicPart: Uint8Array;
  keyId: string;
  wrappedKey: Uint8Array;
  sealed: Uint8Array;
  blindIndex: readonly { kind: string; digest: Uint8Array }[];
  characteristics: Characteristics;
};

export type SavedEvent = {
  sequence: number;
  hash: string;
  type: string;
  /** Set for a payment. */
  refId: string | null;
  body: string;
  note: Uint8Array | null;
  /** The organization that the loan is offered or transferred to by it; null: none. */
  nextOrganizationId: string | null;
  lines: readonly DatedLine[];
};

/** Everything that one command saves. */
export type Save = {
  loanId: string;
  /** The organization that owns the loan. */
  organizationId: string;
  /** The hash of the loan's last event when it was read; null: the loan is new. */
  expected: string | null;
  version: number;
  /** The moments at which the loan was created and the last of its events was recorded, by its owner's clock. */
  createdAt: Date;
  recordedAt: Date;
  summary: Summary;
  created: NewLoanRow | null;
  clientId: string;
  /** The person who acted through the client; null: none. */
  userId: string | null;
  events: readonly SavedEvent[];
  /** For the audit trail; null: the end of a day, for which the cycle has one entry for all loans of an organization. */
  act: SavedAct | null;
  idempotency: { keyHash: string; requestHash: string; forever: boolean; answer: string } | null;
  /** The record parts of an underwriting run, which replace those the loan was created with from the run's first event on. */
  assessed: AssessedParts | null;
  /** New contact data of a party. */
  partyChange: PartyChangeRow | null;
  transfer?: TransferSave;
  /** The approval by which it is carried out: it is saved only if that is still pending, and decides it. */
  approval?: ApprovalSave;
};

/** The moment at which a batch was decided, and until when, by the database's clock, it may be saved; null: no limit. */
export type Moment = { readonly at: Date; readonly until: Date | null };

export type AssessedParts = {
  file: string;
  publicPart: Uint8Array;
  sealed: Uint8Array;
  modelVersion: string;
  policyVersion: string;
  characteristics: Characteristics;
};

const FIGURES = {
  version: 'int',
  last_hash: 'bytea',
  recorded_at: 'timestamptz',
  status: 'text',
  past_due_from: 'date',
  delinquent_from: 'date',
  next_due: 'date',
  loan_amount: 'bigint',
  principal: 'bigint',
  published: 'boolean',
  recorded_on: 'date',
  closed_by: 'text',
  book_principal: 'bigint',
  book_interest: 'bigint',
  book_fees: 'bigint',
  book_credits: 'bigint',
  accrues_per_unit: 'numeric',
  accrues_divisor: 'bigint',
  accrues_from: 'int',
  accrues_scale: 'smallint',
  accrues_half_even: 'boolean',
  books_change_on: 'date',
  changes_on: 'date',
  charge_off_by: 'date',
  funded_on: 'date',
  vintage: 'date',
  original: 'bigint',
  rate: 'numeric',
  remaining: 'int',
  flow_month: 'date',
  opening_principal: 'bigint',
  disbursed: 'bigint',
  principal_received: 'bigint',
  interest_received: 'bigint',
  fees_received: 'bigint',
  unscheduled_principal: 'bigint',
  charged_off: 'bigint',
  recovered: 'bigint',
  forgiven: 'bigint',
  scheduled: 'bigint',
  scheduled_principal: 'bigint',
};
/** The columns of `loans` that a write sets, in the order of `FIGURES`; only the time is called otherwise there. */
export const STORED_SUMMARY = Object.keys(FIGURES).map((name) => (name === 'recorded_at' ? 'updated_at' : name));
/** `a = u.a, …` for a statement that changes loans. */
export const CHANGED = Object.keys(FIGURES)
  .map((name, i) => `${STORED_SUMMARY[i]} = u.${name}`)
  .join(', ');
export const FRESH = {
  loan_id: 'bytea',
  organization_id: 'text',
  lender_id: 'text',
  primary_servicer_id: 'text',
  secondary_servicer_id: 'text',
  created_at: 'timestamptz',
  grade: 'text',
  state: 'text',
  predicted_yield: 'numeric',
  predicted_loss: 'numeric',
  ...FIGURES,
};
export const KNOWN = { loan_id: 'bytea', expected: 'bytea', ...FIGURES };
export const EVENT = {
  loan_id: 'bytea',
  sequence: 'int',
  hash: 'bytea',
  type: 'text',
  body: 'text',
  client_id: 'text',
  user_id: 'text',
  note: 'bytea',
  next_organization_id: 'text',
};
export const LINE = {
  loan_id: 'bytea',
  sequence: 'int',
  line: 'smallint',
  entry: 'text',
  account: 'text',
  amount: 'bigint',
  date_effective: 'date',
  date_posted: 'date',
};
export const ANSWER = {
  loan_id: 'bytea',
  key_hash: 'bytea',
  request_hash: 'bytea',
  forever: 'boolean',
  answer: 'text',
};

/**
 * The whole save. The heads of the batch's volumes are locked first, in their order, and held to the end: so the blocks of a volume are
 * numbered in the order of their commits, whatever process they are of, and no two batches can wait for each other's loans. A loan whose
 * last event is no longer the expected one is left out with everything that belongs to it; the result is what was saved, and a volume in
 * which nothing was saved gets no block. The event's hash is compared, not its number: a database that was restored from a copy counts
 * the same numbers again.
 *
 * `until` is the fence between days (`src/loans/door/fence.ts`): once the database's clock has passed it, nothing is saved. It is compared
 * after the head is locked, so a process that locks the head later knows that every save with an earlier `until` is committed or was left out.
 */
const SAVE = saveStatement();

function saveStatement(): string {
  const given = parameters();
  const count = given.one('int');
  const volumes = given.one('smallint[]');
  const until = given.one('timestamptz');
  const at = given.one('timestamptz');
  return `
WITH held AS MATERIALIZED (
  SELECT volume, number + ${count} AS number FROM ledger_heads WHERE volume = ANY(${volumes}) ORDER BY volume FOR UPDATE
), head AS MATERIALIZED (
  SELECT volume, number FROM held WHERE coalesce(clock_timestamp() < ${until}, true)
), created AS (
  INSERT INTO loans (volume, loan_id, organization_id, lender_id, primary_servicer_id, secondary_servicer_id, created_at,
    grade, state, predicted_yield, predicted_loss, first_recorded_on, ${STORED_SUMMARY.join(', ')})
  SELECT n.volume, n.loan_id, n.organization_id, n.lender_id, n.primary_servicer_id, n.secondary_servicer_id, n.created_at,
    n.grade, n.state, n.predicted_yield, n.predicted_loss, n.recorded_on, ${Object.keys(FIGURES)
      .map((name) => `n.${name}`)
      .join(', ')}
  FROM ${given.rows('n', { volume: 'smallint', ...FRESH })} JOIN head USING (volume)
  RETURNING volume, loan_id, organization_id, lender_id
), changed AS (
  UPDATE loans l SET ${CHANGED}
  FROM ${given.rows('u', { volume: 'smallint', ...KNOWN })} JOIN head USING (volume)
  WHERE l.volume = u.volume AND l.loan_id = u.loan_id AND l.last_hash = u.expected
  RETURNING l.volume, l.loan_id, l.organization_id, l.lender_id
), saved AS (
  SELECT s.*, head.number
  FROM (SELECT volume, loan_id, organization_id, lender_id FROM created
    UNION ALL SELECT volume, loan_id, organization_id, lender_id FROM changed) s
  JOIN head USING (volume)
), moved AS (
  UPDATE ledger_heads h SET number = s.number FROM (SELECT DISTINCT volume, number FROM saved) s WHERE h.volume = s.volume
), new_events AS (
  INSERT INTO events (volume, loan_id, sequence, hash, block, position, type, body, client_id, user_id, note, organization_id,
    next_organization_id)
  SELECT saved.volume, e.loan_id, e.sequence, e.hash, saved.number, e.position, e.type, e.body, e.client_id, e.user_id, e.note,
    saved.organization_id, e.next_organization_id
  FROM ${given.rows('e', EVENT, 'position')}
  JOIN saved USING (loan_id)
), new_lines AS (
  INSERT INTO journal (volume, loan_id, sequence, line, organization_id, lender_id, block, entry, account, amount, date_effective, date_posted)
  SELECT saved.volume, j.loan_id, j.sequence, j.line, saved.organization_id, saved.lender_id, saved.number, j.entry, j.account, j.amount, j.date_effective, j.date_posted
  FROM ${given.rows('j', LINE)}
  JOIN saved USING (loan_id)
), new_answers AS (
  INSERT INTO answers (volume, loan_id, key_hash, kept, request_hash, answer)
  SELECT saved.volume, i.loan_id, i.key_hash, CASE WHEN i.forever THEN 'infinity' ELSE current_date END, i.request_hash, i.answer
  FROM ${given.rows('i', ANSWER)}
  JOIN saved USING (loan_id)
), new_acts AS (
  INSERT INTO audit_waiting (volume, at, kind, outcome, ${ACTED})
  SELECT saved.volume, ${at}, 'did', 'done', a.* FROM ${given.rows('a', ACT)} JOIN saved USING (loan_id)
)
SELECT loan_id, number FROM saved`;
}

/** On a plain server: the loans that were saved, each with its block. */
export async function saveLoans(db: Sql, saves: readonly Save[], moment: Moment): Promise<Map<string, number>> {
  const values = saveValues(db, saves, moment);
  const rows = await db.query<{ loan_id: Uint8Array; number: bigint }>(SAVE, values, 'save_batch');
  return new Map(rows.map(({ loan_id, number }) => [hexOf(loan_id), Number(number)]));
}

function saveValues(db: Sql, saves: readonly Save[], { at, until }: Moment): unknown[] {
  const { fresh, known, events, lines, answers, acts } = columnsOfSaves(saves, at);
  const volumesOf = (some: readonly Save[]) => some.map(({ loanId }) => volumeOf(db, loanId));
  const all = [
    volumesOf(fresh.saves),
    ...fresh.columns,
    volumesOf(known.saves),
    ...known.columns,
    ...events,
    ...lines,
    ...answers,
    ...acts,
  ];
  return [db.volumes.count, [...new Set(volumesOf(saves))], until, at, ...all.map(asText)];
}

/** All that a batch saves, as columns in the order of `FRESH`, `KNOWN`, `EVENT`, `LINE`, `ANSWER` and `ACT`. */
export function columnsOfSaves(saves: readonly Save[], at: Date) {
  const fresh = saves.filter(({ created }) => created !== null);
  const known = saves.filter(({ created }) => created === null);
  const lastHash = ({ events }: Save) => bytes((events.at(-1) as SavedEvent).hash);
  const summaries = (some: readonly Save[]) => [
    some.map(({ version }) => version),
    some.map(lastHash),
    some.map(({ recordedAt }) => recordedAt),
    ...columnsOf(
      some.map(({ summary }) => summary),
      'status',
      'pastDueFrom',
      'delinquentFrom',
      'nextDue',
      'loanAmount',
      'principal',
      'published',
      'recordedOn',
      'closedBy',
    ),
    some.map(({ summary }) => summary.figures.loanPrincipal),
    some.map(({ summary }) => summary.figures.interestReceivable),
    some.map(({ summary }) => summary.figures.feeReceivable),
    some.map(({ summary }) => summary.figures.borrowerCredits),
    ...(['perUnit', 'divisor', 'from', 'scale', 'halfEven'] as const).map((name) =>
      some.map(({ summary }) => summary.accruing?.[name] ?? null),
    ),
    some.map(({ summary }) => summary.booksChangeOn),
    some.map(({ summary }) => summary.changesOn),
    some.map(({ summary }) => summary.chargeOffBy),
    ...columnsOf(
      some.map(({ summary }) => summary.standing),
      ...STANDING,
    ),
    some.map(({ summary }) => summary.flowMonth),
    ...columnsOf(
      some.map(({ summary }) => summary.flows),
      ...FLOWS,
    ),
  ];
  const events: unknown[][] = Array.from({ length: 9 }, () => []);
  const lines: unknown[][] = Array.from({ length: 8 }, () => []);
  for (const { loanId, clientId, userId, events: happened } of saves) {
    const id = bytes(loanId);
    for (const event of happened) {
      const note = event.note === null ? null : `\\x${Buffer.from(event.note).toString('hex')}`;
      const { sequence, hash, type, body, nextOrganizationId } = event;
      push(events, id, sequence, bytes(hash), type, body, clientId, userId, note, nextOrganizationId);
      event.lines.forEach(({ entry, account, amount, dateEffective, datePosted }, i) => {
        push(lines, id, event.sequence, i + 1, entry, account, amount, dateEffective, datePosted);
      });
    }
  }
  const answers: unknown[][] = Array.from({ length: 5 }, () => []);
  for (const { loanId, idempotency } of saves) {
    if (idempotency === null) continue;
    const { keyHash, requestHash, forever, answer } = idempotency;
    push(answers, bytes(loanId), bytes(keyHash), bytes(requestHash), forever, answer);
  }
  return {
    fresh: {
      saves: fresh,
      columns: [
        fresh.map(({ loanId }) => bytes(loanId)),
        fresh.map(({ created }) => created?.organizationId),
        fresh.map(({ created }) => created?.lenderId),
        fresh.map(({ created }) => created?.primaryServicerId || null),
        fresh.map(({ created }) => created?.secondaryServicerId || null),
        fresh.map(({ createdAt }) => createdAt),
        ...(['grade', 'state', 'predictedYield', 'predictedLoss'] as const).map((name) =>
          fresh.map(({ created }) => created?.characteristics[name] ?? null),
        ),
        ...summaries(fresh),
      ],
    },
    known: {
      saves: known,
      columns: [
        known.map(({ loanId }) => bytes(loanId)),
        known.map(({ expected }) => bytes(expected ?? '0x')),
        ...summaries(known),
      ],
    },
    events,
    lines,
    answers,
    acts: columnsOfActs(saves, at),
  };
}

export function push(into: unknown[][], ...values: unknown[]): void {
  values.forEach((value, i) => {
    into[i]?.push(value);
  });
}
