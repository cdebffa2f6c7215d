/**
 * Saves a batch of the write path with one statement: a single statement is a single transaction and one round trip to the server,
 * however many tables it fills.
 */
import { hexOf } from '../db/bytes.ts';
import { type Columns, columnText, columnTexts, parameters, without } from '../db/columns.ts';
import type { Sql } from '../db/db.ts';
import { PLAIN, volumeOf } from '../db/volumes.ts';
import { ACT, ACTED, actOf, actsOf } from './save-acts.ts';
import {
  ANSWER,
  changing,
  EVENT,
  isCreated,
  LINE,
  NEW_LOAN,
  ONE,
  ONE_ACT,
  ONE_ANSWER,
  ONE_CHANGE,
  ONE_EVENT,
  ONE_LINE,
  type OneRow,
  rowsOfSaves,
  type Save,
  WHOLE,
} from './saved-columns.ts';

export type { AssessedParts, NewLoanRow, Save, SavedEvent } from './saved-columns.ts';

/** The moment at which a batch was decided, and until when, by the database's clock, it may be saved; null: no limit. */
export type Moment = { readonly at: Date; readonly until: Date | null };

const VOLUME = { volume: { type: 'smallint' } } as const;
const namesIn = (columns: Columns<never>, table = '') =>
  Object.keys(columns)
    .map((name) => `${table}${name}`)
    .join(', ');

/** `a = u.a, …` for a statement that changes loans. */
export const assigned = (columns: Columns<never>): string =>
  Object.keys(columns)
    .map((name) => `${name} = u.${name}`)
    .join(', ');

const MOVED = `moved AS (
  UPDATE ledger_heads h SET number = s.number FROM (SELECT DISTINCT volume, number FROM saved) s WHERE h.volume = s.volume
)`;

const SAVE = {
  usual: usualStatement(),
  whole: saveStatement({ create: false }),
  created: saveStatement({ create: true }),
};

/** The first parameters of every save, and the heads of its volumes, locked. */
function beginning() {
  const given = parameters('plain');
  const [count, volumes] = [given.one('int'), given.one('smallint[]')];
  const [until, at] = [given.one('timestamptz'), given.one('timestamptz')];
  const heads = `held AS MATERIALIZED (
  SELECT volume, number + ${count} AS number FROM ledger_heads WHERE volume = ANY(${volumes}) ORDER BY volume FOR UPDATE
), head AS MATERIALIZED (
  SELECT volume, number FROM held WHERE coalesce(clock_timestamp() < ${until}, true)
)`;
  return { given, at, heads };
}

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
function saveStatement({ create }: { create: boolean }): string {
  const { given, at, heads } = beginning();
  const created = create
    ? `created AS (
  INSERT INTO loans (volume, ${namesIn(NEW_LOAN)})
  SELECT n.volume, ${namesIn(NEW_LOAN, 'n.')} FROM ${given.rows('n', { ...VOLUME, ...NEW_LOAN })} JOIN head USING (volume)
  RETURNING volume, loan_id, organization_id, lender_id
), `
    : '';
  return `${PLAIN}
WITH ${heads}, ${created}changed AS (
  UPDATE loans l SET ${assigned(WHOLE)}
  FROM ${given.rows('u', { ...VOLUME, ...changing(WHOLE) })} JOIN head USING (volume)
  WHERE l.volume = u.volume AND l.loan_id = u.loan_id AND l.last_hash = u.expected
  RETURNING l.volume, l.loan_id, l.organization_id, l.lender_id
), saved AS (
  SELECT s.*, head.number
  FROM (SELECT volume, loan_id, organization_id, lender_id FROM changed
    ${create ? 'UNION ALL SELECT volume, loan_id, organization_id, lender_id FROM created' : ''}) s
  JOIN head USING (volume)
), ${MOVED}, new_events AS (
  INSERT INTO events (volume, block, organization_id, ${namesIn(EVENT)})
  SELECT saved.volume, saved.number, saved.organization_id, ${namesIn(EVENT, 'e.')}
  FROM ${given.rows('e', EVENT)} JOIN saved USING (loan_id)
), new_lines AS (
  INSERT INTO journal (volume, block, organization_id, lender_id, ${namesIn(LINE)})
  SELECT saved.volume, saved.number, saved.organization_id, saved.lender_id, ${namesIn(LINE, 'j.')}
  FROM ${given.rows('j', LINE)} JOIN saved USING (loan_id)
), new_answers AS (
  INSERT INTO answers (volume, loan_id, key_hash, kept, request_hash, version, answer)
  SELECT saved.volume, i.loan_id, i.key_hash, CASE WHEN i.forever THEN 'infinity' ELSE current_date END, i.request_hash, i.version, i.answer
  FROM ${given.rows('i', ANSWER)} JOIN saved USING (loan_id)
), new_acts AS (
  INSERT INTO audit_waiting (volume, at, kind, outcome, ${ACTED})
  SELECT saved.volume, ${at}, 'did', 'done', a.* FROM ${given.rows('a', ACT)} JOIN saved USING (loan_id)
)
SELECT loan_id, number FROM saved`;
}

/**
 * The same for writes of one event each that leave the columns that seldom change, as a payment does: a loan comes with its event and its
 * entry of the audit trail as one row, so that nothing is sent or looked for twice, and lines and answers name its place in the batch.
 */
function usualStatement(): string {
  const { given, at, heads } = beginning();
  const [event, act, line] = [
    without(ONE_EVENT, 'version', 'hash'),
    without(ONE_ACT, 'acted_by'),
    without(ONE_LINE, 'position'),
  ];
  return `${PLAIN}
WITH ${heads}, saved AS (
  UPDATE loans l SET version = u.version, last_hash = u.hash, ${assigned(ONE_CHANGE)}
  FROM ${given.rows('u', { ...VOLUME, ...ONE })} JOIN head USING (volume)
  WHERE l.volume = u.volume AND l.loan_id = u.loan_id AND l.last_hash = u.expected
  RETURNING l.volume, l.loan_id, l.organization_id, l.lender_id, head.number, ${namesIn({ ...ONE_EVENT, ...ONE_ACT }, 'u.')}
), ${MOVED}, new_events AS (
  INSERT INTO events (volume, loan_id, block, organization_id, sequence, hash, ${namesIn(event)})
  SELECT volume, loan_id, number, organization_id, version, hash, ${namesIn(event)} FROM saved
), new_lines AS (
  INSERT INTO journal (volume, loan_id, block, organization_id, lender_id, sequence, ${namesIn(line)})
  SELECT s.volume, s.loan_id, s.number, s.organization_id, s.lender_id, s.version, ${namesIn(line, 'j.')}
  FROM ${given.rows('j', ONE_LINE)} JOIN saved s USING (position)
), new_answers AS (
  INSERT INTO answers (volume, loan_id, key_hash, kept, request_hash, version, answer)
  SELECT s.volume, s.loan_id, i.key_hash, CASE WHEN i.forever THEN 'infinity' ELSE current_date END, i.request_hash, s.version, i.answer
  FROM ${given.rows('i', ONE_ANSWER)} JOIN saved s USING (position)
), new_acts AS (
  INSERT INTO audit_waiting (volume, loan_id, at, kind, outcome, transaction_hash, client_id, user_id, organization_id, ${namesIn(act)})
  SELECT volume, loan_id, ${at}, 'did', 'done', hash, client_id, user_id, acted_by, ${namesIn(act)} FROM saved
  WHERE entry_id IS NOT NULL
)
SELECT loan_id, number FROM saved`;
}

/** On a plain server: the loans that were saved, each with its block. */
export async function saveLoans(db: Sql, saves: readonly Save[], moment: Moment): Promise<Map<string, number>> {
  const [kind, values] = saves.every(isUsual) ? usualValues(db, saves, moment) : wholeValues(db, saves, moment);
  const { at, until } = moment;
  const given = [db.volumes.count, [...new Set(saves.map(({ loanId }) => volumeOf(db, loanId)))], until, at, ...values];
  const rows = await db.query<{ loan_id: Uint8Array; number: bigint }>(SAVE[kind], given, `save_batch_${kind}`);
  return new Map(rows.map(({ loan_id, number }) => [hexOf(loan_id), Number(number)]));
}

type Values = readonly [kind: keyof typeof SAVE, values: readonly unknown[]];

function usualValues(db: Sql, saves: readonly Save[], { at }: Moment): Values {
  const { events, lines, answers } = rowsOfSaves(saves);
  const rows = events.map((row): OneRow => ({ ...row, acted: actOf(row.save, at) }));
  const volume = { type: 'smallint', of: ({ save }: OneRow) => volumeOf(db, save.loanId) } as const;
  const values = [columnText(volume, rows), ...columnTexts(ONE, rows)];
  return ['usual', [...values, ...columnTexts(ONE_LINE, lines), ...columnTexts(ONE_ANSWER, answers)]];
}

function wholeValues(db: Sql, saves: readonly Save[], { at }: Moment): Values {
  const created = saves.filter(isCreated);
  const changed = saves.filter((save) => !isCreated(save));
  const volume = { type: 'smallint', of: ({ loanId }: Save) => volumeOf(db, loanId) } as const;
  const { events, lines, answers } = rowsOfSaves(saves);
  const values = [
    ...(created.length > 0 ? [columnText(volume, created), ...columnTexts(NEW_LOAN, created)] : []),
    columnText(volume, changed),
    ...columnTexts(changing(WHOLE), changed),
    ...columnTexts(EVENT, events),
    ...columnTexts(LINE, lines),
    ...columnTexts(ANSWER, answers),
    ...columnTexts(ACT, actsOf(saves, at)),
  ];
  return [created.length > 0 ? 'created' : 'whole', values];
}

/** One event, and every column that it changes is one that often changes. */
function isUsual(save: Save): boolean {
  return save.events.length === 1 && leavesSeldom(save);
}

/** Whether every column that it changes is one that often changes. */
export function leavesSeldom({ before, seldom }: Save): boolean {
  return before === seldom;
}
