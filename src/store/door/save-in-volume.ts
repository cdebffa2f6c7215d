/**
 * The save of a batch where the tables are spread over servers by volume: all its loans are of one, every statement names it as a
 * constant, and so one server carries them all out. There several small statements take a quarter of the time of one large one, whose
 * parts such a server cannot pass on. The rules are those of `saveLoans`.
 */

import { hexOf } from '../db/bytes.ts';
import { type Columns, columnTexts, parameters } from '../db/columns.ts';
import type { Sql } from '../db/db.ts';
import { volumeOf } from '../db/volumes.ts';
import { ACT, ACTED, actsOf } from './save-acts.ts';
import { assigned, leavesSeldom, type Moment, type Save } from './save-loans.ts';
import {
  ANSWER,
  changing,
  EVENT,
  type EventRow,
  isCreated,
  LINE,
  type LineRow,
  NEW_LOAN,
  rowsOfSaves,
  USUAL,
  WHOLE,
} from './saved-columns.ts';

type Given = ReturnType<typeof parameters>;

/** $1 is the volume. */
function inVolume(text: (given: Given, volume: string) => string): string {
  const given = parameters('sharded');
  const volume = given.one('smallint');
  return text(given, volume);
}

const NEW_LOAN_NAMES = Object.keys(NEW_LOAN).join(', ');

const CREATE = inVolume(
  (given, volume) => `
INSERT INTO loans (volume, ${NEW_LOAN_NAMES})
SELECT ${volume}, n.* FROM ${given.rows('n', NEW_LOAN)}`,
);

const change = (set: Columns<Save>) =>
  inVolume(
    (given, volume) => `
UPDATE loans l SET ${assigned(set)}
FROM ${given.rows('u', changing(set))}
WHERE l.volume = ${volume} AND l.loan_id = u.loan_id AND l.last_hash = u.expected
RETURNING l.loan_id, l.organization_id, l.lender_id`,
  );
const CHANGE = { usual: change(USUAL), whole: change(WHOLE) };

type Owner = { readonly organizationId: string; readonly lenderId: string };

const OWNED_EVENT = {
  ...EVENT,
  organization_id: { type: 'text', of: ({ owner }) => owner.organizationId },
} as const satisfies Columns<EventRow & { owner: Owner }>;

const EVENT_NAMES = Object.keys(OWNED_EVENT).join(', ');

const EVENTS = inVolume((given, volume) => {
  const block = given.one('bigint');
  return `INSERT INTO events (volume, block, ${EVENT_NAMES})
SELECT ${volume}, ${block}, e.* FROM ${given.rows('e', OWNED_EVENT)}`;
});

const OWNED_LINE = {
  ...LINE,
  organization_id: { type: 'text', of: ({ owner }) => owner.organizationId },
  lender_id: { type: 'text', of: ({ owner }) => owner.lenderId },
} as const satisfies Columns<LineRow & { owner: Owner }>;

const LINE_NAMES = Object.keys(OWNED_LINE).join(', ');

const LINES = inVolume((given, volume) => {
  const block = given.one('bigint');
  return `INSERT INTO journal (volume, block, ${LINE_NAMES})
SELECT ${volume}, ${block}, j.* FROM ${given.rows('j', OWNED_LINE)}`;
});

const ANSWERS = inVolume(
  (given, volume) => `
INSERT INTO answers (volume, loan_id, key_hash, kept, request_hash, version, answer)
SELECT ${volume}, i.loan_id, i.key_hash, CASE WHEN i.forever THEN 'infinity' ELSE current_date END, i.request_hash, i.version, i.answer
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

  const created = saves.filter(isCreated);
  const known = saves.filter((save) => !isCreated(save));
  if (created.length > 0) await tx.query(CREATE, [volume, ...columnTexts(NEW_LOAN, created)], 'create_in_volume');
  const owners = new Map<string, Owner>(created.map((save) => [save.loanId, save.created]));
  for (const { loan_id, organization_id: organizationId, lender_id: lenderId } of await changedIn(tx, volume, known))
    owners.set(hexOf(loan_id), { organizationId, lenderId });
  const saved = saves.filter(({ loanId }) => owners.has(loanId));
  if (saved.length === 0) return new Map();

  const { events, lines, answers } = rowsOfSaves(saved);
  const ownerOf = (loanId: string) => owners.get(loanId) as Owner;
  const owned = events.map((row) => ({ ...row, owner: ownerOf(row.save.loanId) }));
  await tx.query(EVENTS, [volume, block, ...columnTexts(OWNED_EVENT, owned)], 'events_in_volume');
  if (lines.length > 0) {
    const posted = lines.map((row) => ({ ...row, owner: ownerOf(row.loanId) }));
    await tx.query(LINES, [volume, block, ...columnTexts(OWNED_LINE, posted)], 'lines_in_volume');
  }
  if (answers.length > 0) await tx.query(ANSWERS, [volume, ...columnTexts(ANSWER, answers)], 'answers_in_volume');
  const acts = actsOf(saved, at);
  if (acts.length > 0) await tx.query(ACTS, [volume, at, ...columnTexts(ACT, acts)], 'acts_in_volume');
  await tx.query('UPDATE ledger_heads SET number = $2 WHERE volume = $1', [volume, block]);
  return new Map(saved.map(({ loanId }) => [loanId, block]));
}

type ChangedRow = { loan_id: Uint8Array; organization_id: string; lender_id: string };

/** Those whose last event was still the expected one. */
async function changedIn(tx: Sql, volume: number, known: readonly Save[]): Promise<ChangedRow[]> {
  if (known.length === 0) return [];
  const [kind, set] = known.every(leavesSeldom) ? (['usual', USUAL] as const) : (['whole', WHOLE] as const);
  const values = [volume, ...columnTexts(changing(set), known)];
  return tx.query<ChangedRow>(CHANGE[kind], values, `change_${kind}_in_volume`);
}
