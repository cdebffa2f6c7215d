/** The chain of one loan's transactions, checked link by link: order, hashes, canonical text, and what they commit to. */
import type { LoanEvent } from '../../core/event.ts';
import { isCanonical } from '../../ledger/canonical-text.ts';
import { GENESIS_HASH, hashOf, isNonce } from '../../ledger/chain.ts';
import { BETWEEN_BODIES, type CheckedBook } from '../../store/verify/verify.ts';
import type { Tell } from './complaint.ts';

export type Transaction = {
  readonly sequence: number;
  readonly block: number;
  readonly type: string;
  readonly hash: string;
  readonly body: string;
};

export function transactionsOf({ heads, hashes, bodies }: CheckedBook): Transaction[] {
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

/** The hashes of what is sealed beside its transactions, by their sequence. */
export function noteHashesOf({ note_hashes }: CheckedBook): Map<number, string> {
  const lines = note_hashes?.split('\n') ?? [];
  return new Map(
    lines.map((line) => {
      const [sequence, hash] = line.split(' ');
      return [Number(sequence), `0x${hash}`];
    }),
  );
}

/** `events` null: something in the chain is damaged. */
type History = {
  readonly events: LoanEvent[] | null;
  readonly commitments: Committed | null;
  /** The hashes of sealed reasons that transactions name, by their numbers. */
  readonly notes: ReadonlyMap<number, string>;
};

/** The volume that a loan is in, of how many, and the last block that is sealed there. */
export type InVolume = { readonly volume: number; readonly volumes: number; readonly sealed: number };

export function checkHistory(
  row: CheckedBook,
  transactions: readonly Transaction[],
  { volume, volumes, sealed }: InVolume,
  tell: Tell,
): History {
  const loanId = `0x${row.loan_id}`;
  const lastHash = `0x${row.last_hash}`;
  const version = row.version as number;
  // A head that is wrong itself is one complaint and not one for every transaction.
  const head = row.head === null ? Number.POSITIVE_INFINITY : Math.max(Number(row.head), sealed);
  let sound = checkSequence(version, transactions, tell);
  const events: LoanEvent[] = [];
  const notes = new Map<number, string>();
  let commitments = null as Committed | null;
  let before: Transaction = { sequence: 0, block: 0, type: '', hash: GENESIS_HASH, body: '' };
  /** The hash of the body before: if the one beside it was changed, the next transaction names this. */
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
        if (facts?.note !== undefined) notes.set(sequence, show(facts.note));
        const given: Parts = facts?.commitments ?? {};
        if (i === 0) commitments = { given, present: given, runs: [] };
        else if (commitments !== null && facts?.commitments !== undefined) {
          commitments = { ...commitments, present: given, runs: [...commitments.runs, sequence] };
        }
      } else {
        // The next transaction contains the original hash, which shows which of the two was changed.
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
        tell('events', sequence, 'type does not match its body', { expected: show(event.type), found: type });
      }
    }
    // Only what is in a block of the chain is under a root.
    const first = volume + volumes;
    if (block < first) tell('events', sequence, 'block is before the first', { expected: first, found: block });
    else if (block % volumes !== volume) {
      tell('events', sequence, 'block belongs to another volume', { expected: volume, found: block % volumes });
    }
    if (block > head) tell('events', sequence, 'block is beyond the newest', { expected: head, found: block });
    if (block < before.block) {
      const compared = { expected: before.block, found: block };
      tell('events', sequence, 'block is before the block of the previous transaction', compared);
    }
    before = transaction;
    computedBefore = computed;
  }
  if (before.sequence === version && lastHash !== before.hash && lastHash !== computedBefore) {
    tell('loans', null, 'last_hash does not match its last transaction', { expected: before.hash, found: lastHash });
  }
  if (sound && events[0]?.type !== 'created') {
    tell('events', 1, 'the first transaction is not the creation of the loan', {
      expected: 'created',
      found: show(events[0]?.type),
    });
    sound = false;
  }
  return { events: sound ? events : null, commitments, notes };
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
  const [start, middle] = ['{"event":', `,"loanId":"${loanId}","nonce":"`];
  const end = `","previous":"${previous}","sequence":${sequence},"v":1}`;
  if (!body.startsWith(start) || !body.endsWith(end)) return null;
  const nonceAt = body.length - end.length - NONCE_LENGTH;
  const middleAt = nonceAt - middle.length;
  if (body.slice(middleAt, nonceAt) !== middle || !isNonce(body.slice(nonceAt, -end.length))) return null;
  const text = body.slice(start.length, middleAt);
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
  if (!isNonce(facts.nonce) || Object.keys(facts).some((name) => !MEMBERS.includes(name))) {
    tell('events', sequence, 'body does not have the fields of a transaction');
    sound = false;
  }
  const { previous } = facts;
  // A missing transaction leaves open what the next should name.
  if (sequence !== before.sequence + 1 || previous === before.hash || previous === computedBefore) return sound;
  if (sequence === 1) tell('events', 1, 'body.previous', { expected: before.hash, found: show(previous) });
  else {
    const compared = { expected: show(previous), found: before.hash };
    tell('events', before.sequence, 'was replaced: the next transaction names another hash', compared);
  }
  return false;
}

type Parts = Readonly<Record<string, string>>;

/** Commitments to the submitted record, to what later underwriting runs replaced it with, and the events of such runs. */
export type Committed = { readonly given: Parts; readonly present: Parts; readonly runs: readonly number[] };

const MEMBERS = ['commitments', 'event', 'loanId', 'nonce', 'note', 'previous', 'sequence', 'v'];
const NONCE_LENGTH = 36;

type Facts = Record<string, unknown> & {
  event: LoanEvent;
  commitments?: Readonly<Record<string, string>>;
  note?: unknown;
};

/** The facts in a body; null when it is not the JSON of an object with an event. */
function factsOf(body: string): Facts | null {
  const parsed = objectOf(body);
  return typeof (parsed?.event as LoanEvent | null | undefined)?.type === 'string' ? (parsed as Facts) : null;
}

export function objectOf(text: string): Record<string, unknown> | null {
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
