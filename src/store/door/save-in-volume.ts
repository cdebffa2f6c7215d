/**
 * The save of a batch where the tables are spread over servers by volume: all its loans are of one, every statement names it as a
 * constant, and so one server carries them all out. There several small statements take a quarter of the time of one large one, whose
 * parts such a server cannot pass on. The rules are those of `saveLoans`.
 */

import { hexOf } from '../db/bytes.ts';
import { asText, parameters } from '../db/columns.ts';
import type { Sql } from '../db/db.ts';
import { volumeOf } from '../db/volumes.ts';
import { ACT, ACTED } from './save-acts.ts';
import {
  ANSWER,
  CHANGED,
  columnsOfSaves,
  EVENT,
  FRESH,
  KNOWN,
  LINE,
  type Moment,
  type Save,
  STORED_SUMMARY,
} from './save-loans.ts';

type Given = ReturnType<typeof parameters>;

/** $1 is the volume. */
function inVolume(text: (given: Given, volume: string) => string): string {
  const given = parameters();
  const volume = given.one('smallint');
  return text(given, volume);
}

const SUMMARY_COLUMNS = STORED_SUMMARY.join(', ');

const CREATE = inVolume(
  (given, volume) => `
INSERT INTO loans (volume, first_recorded_on, loan_id, organization_id, lender_id, primary_servicer_id,
  secondary_servicer_id, created_at, grade, state, predicted_yield, predicted_loss, ${SUMMARY_COLUMNS})
SELECT ${volume}, n.recorded_on, n.* FROM ${given.rows('n', FRESH)}`,
);

const CHANGE = inVolume(
  (given, volume) => `
UPDATE loans l SET ${CHANGED}
FROM ${given.rows('u', KNOWN)}
WHERE l.volume = ${volume} AND l.loan_id = u.loan_id AND l.last_hash = u.expected
RETURNING l.loan_id, l.organization_id, l.lender_id`,
);

const EVENTS = inVolume((given, volume) => {
  const block = given.one('bigint');
  const rows = given.rows('e', { ...EVENT, organization_id: 'text' }, 'position');
  return `INSERT INTO events (volume, block, loan_id, sequence, hash, type, body, client_id, user_id, note, next_organization_id,
  organization_id, position)
SELECT ${volume}, ${block}, e.* FROM ${rows}`;
});

const LINES = inVolume((given, volume) => {
  const block = given.one('bigint');
  const rows = given.rows('j', { ...LINE, organization_id: 'text', lender_id: 'text' });
  return `INSERT INTO journal (volume, block, loan_id, sequence, line, entry, account, amount, date_effective, date_posted, organization_id,
  lender_id)
SELECT ${volume}, ${block}, j.* FROM ${rows}`;
});

const ANSWERS = inVolume(
  (given, volume) => `
INSERT INTO answers (volume, loan_id, key_hash, kept, request_hash, answer)
SELECT ${volume}, i.loan_id, i.key_hash, CASE WHEN i.forever THEN 'infinity' ELSE current_date END, i.request_hash, i.answer
FROM ${given.rows('i', ANSWER)}`,
);

const ACTS = inVolume((given, volume) => {
  const at = given.one('timestamptz');
  return `INSERT INTO audit_waiting (volume, at, kind, outcome, ${ACTED})
SELECT ${volume}, ${at}, 'did', 'done', a.* FROM ${given.rows('a', ACT)}`;
});

/** Within a transaction. */
export async function saveInVolume(
  tx: Sql,
  saves: readonly Save[],
  { at, until }: Moment,
): Promise<Map<string, number>> {
  const volume = volumeOf(tx, saves[0]?.loanId ?? '');
  if (saves.some(({ loanId }) => volumeOf(tx, loanId) !== volume)) throw new Error('A batch of several volumes.');
  const [head] = await tx.query<{ number: bigint }>('SELECT number FROM ledger_heads WHERE volume = $1 FOR UPDATE', [
    volume,
  ]);
  const block = Number(head?.number) + tx.volumes.count;
  if (until !== null) {
    const [now] = await tx.query<{ late: boolean }>('SELECT clock_timestamp() >= $1::timestamptz AS late', [until]);
    if (now?.late !== false) return new Map();
  }

  const { fresh, known } = columnsOfSaves(saves, at);
  if (fresh.saves.length > 0) await tx.query(CREATE, [volume, ...fresh.columns.map(asText)], 'create_in_volume');
  const changed =
    known.saves.length === 0
      ? []
      : await tx.query<{ loan_id: Uint8Array; organization_id: string; lender_id: string }>(
          CHANGE,
          [volume, ...known.columns.map(asText)],
          'change_in_volume',
        );
  const owners = new Map(
    changed.map(({ loan_id, organization_id: organizationId, lender_id: lenderId }) => [
      hexOf(loan_id),
      { organizationId, lenderId },
    ]),
  );
  for (const { loanId, created } of fresh.saves) if (created !== null) owners.set(loanId, created);
  const saved = saves.filter(({ loanId }) => owners.has(loanId));
  if (saved.length === 0) return new Map();

  const { events, lines, answers, acts } = columnsOfSaves(saved, at);
  const [loanIds = []] = events;
  const ownersOf = (ids: readonly unknown[], member: 'organizationId' | 'lenderId' = 'organizationId') =>
    ids.map((id) => owners.get(`0x${String(id).slice(2)}`)?.[member]);
  await tx.query(EVENTS, [volume, block, ...[...events, ownersOf(loanIds)].map(asText)], 'events_in_volume');
  if (lines[0]?.length !== 0) {
    const [ids = []] = lines;
    const owned = [...lines, ownersOf(ids), ownersOf(ids, 'lenderId')];
    await tx.query(LINES, [volume, block, ...owned.map(asText)], 'lines_in_volume');
  }
  if (answers[0]?.length !== 0) await tx.query(ANSWERS, [volume, ...answers.map(asText)], 'answers_in_volume');
  if (acts[0]?.length !== 0) await tx.query(ACTS, [volume, at, ...acts.map(asText)], 'acts_in_volume');
  await tx.query('UPDATE ledger_heads SET number = $2 WHERE volume = $1', [volume, block]);
  return new Map(saved.map(({ loanId }) => [loanId, block]));
}
