/**
 * Idempotency keys of the write path. Before a batch is decided its keys are reserved; a key that was reserved before belongs to that
 * write: its answer is repeated, or it is still under way. A process reuses at once a reservation of its own that has ended. A reservation that another one left
 * without an answer expires after a minute, or for the same request as soon as that process is gone.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Sql } from '../../store/db/db.ts';
import {
  keepAnswer,
  type Reservation,
  readAnswers,
  readReservations,
  releaseKeys,
  reserveKeys,
  type StoredAnswer,
  takeOver,
} from '../../store/door/idempotency.ts';
import type { LoanCommand } from './write.ts';

/** `forever`: the key of a money movement is kept as long as its loan. */
export type CallKey = { readonly keyHash: string; readonly requestHash: string; readonly forever: boolean };

/** A key belongs to its client. Neither it nor the request is kept, only what recognises them. */
export function callKey(
  secret: Uint8Array,
  { caller, key, request }: { caller: string; key: string; request: string },
  forever: boolean,
): CallKey {
  const mac = (text: string) => `0x${createHmac('sha256', secret).update(text).digest('hex')}`;
  return { keyHash: mac(`key\n${caller}\n${key}`), requestHash: mac(`request\n${request}`), forever };
}

type Keyed = {
  readonly loanId: string;
  readonly idempotency: CallKey | null;
  /** Whether this write holds the reservation of its key. */
  reserved: boolean;
};

const MONEY: ReadonlySet<LoanCommand['do']> = new Set([
  'fund-loan',
  'initiate-repayment',
  'loan-repay',
  'acknowledge-repayment',
  'return-repayment',
  'reverse-repayment',
  'record-recovery',
  'refund-credit',
]);
export const movesMoney = (command: LoanCommand['do']): boolean => MONEY.has(command);

/** Keys that were free until now, and the reservations that were there before, by the key's hash. */
type Reserved = { readonly fresh: ReadonlySet<string>; readonly before: ReadonlyMap<string, Reservation> };

export const NONE_RESERVED: Reserved = { fresh: new Set(), before: new Map() };

export type Keys = ReturnType<typeof openKeys>;

/** The process that reserves, and whether another process that holds a reservation is gone. If that is wrong, one write loses a race. */
export type Holder = { readonly id: string; isAway(id: string): boolean };

const nobodyKnown = (): Holder => ({ id: randomBytes(8).toString('hex'), isAway: () => false });

export function openKeys(db: Sql, { id: own, isAway }: Holder = nobodyKnown()) {
  return { reserve, answers, answersOf, release, answered, keep };

  /** Reserves the keys of these writes. */
  async function reserve(some: readonly Keyed[]): Promise<Reserved> {
    const asked = some.flatMap((one) => (one.idempotency === null || one.reserved ? [] : [keyOf(one)]));
    if (asked.length === 0) return NONE_RESERVED;
    const fresh = await reserveKeys(db, asked, own);
    for (const one of some) if (fresh.has(one.idempotency?.keyHash ?? '')) one.reserved = true;
    const others = asked.filter(({ keyHash }) => !fresh.has(keyHash)).map(({ keyHash }) => keyHash);
    return { fresh, before: others.length === 0 ? new Map() : await readReservations(db, others) };
  }

  /**
   * The answers under the keys of these writes, by the key's hash; `running`: another process has not answered yet. They must be read
   * after the loans and never beside them: another process may commit the first call under a key in between, and a decision on the loan
   * as that call left it would refuse what has succeeded.
   */
  async function answers(
    some: readonly Keyed[],
    { fresh, before }: Reserved,
  ): Promise<Map<string, StoredAnswer | 'running'>> {
    // Nobody has answered under a key that was free a moment ago.
    const keyed = some.filter(({ idempotency }) => idempotency !== null && !fresh.has(idempotency.keyHash));
    if (keyed.length === 0) return new Map();
    // A write that is decided again may find that its own key was answered in the meantime.
    const loanOf = new Map(
      keyed.map((one) => {
        const { keyHash, loanId } = keyOf(one);
        return [keyHash, before.get(keyHash) ?? { loanId }];
      }),
    );
    const found = new Map<string, StoredAnswer | 'running'>(await readAnswers(db, loanOf));
    for (const one of keyed) {
      const key = keyOf(one);
      if (one.reserved || found.has(key.keyHash)) continue;
      const held = before.get(key.keyHash);
      // A write that failed here may still be committed within a minute: until then only the same request may go on with its key.
      const mine = held?.heldBy === own && held.requestHash === key.requestHash;
      const left = held !== undefined && isLeft(held, key);
      const over = held !== undefined && (held.lapsed || mine || left);
      one.reserved = over && (await takeOver(db, key, held, own, left));
      if (!one.reserved) found.set(key.keyHash, 'running');
    }
    return found;
  }

  /** The answers that creations have left under their keys with the loans that exist, by the key's hash. */
  function answersOf(existing: ReadonlyMap<string, { loanId: string }>): Promise<Map<string, StoredAnswer>> {
    return readAnswers(db, existing);
  }

  /**
   * The process that made the reservation is gone. If it should still be running, the version of the loan, or the reference of a new
   * one, lets one of the two succeed; for another request nothing would.
   */
  function isLeft({ heldBy, requestHash }: Reservation, key: CallKey): boolean {
    return requestHash === key.requestHash && isAway(heldBy);
  }

  /** These writes have left nothing: their keys are free again. */
  async function release(some: readonly Keyed[]): Promise<void> {
    const held = some.filter(({ reserved }) => reserved);
    if (held.length === 0) return;
    await releaseKeys(
      db,
      held.map((one) => keyOf(one).keyHash),
      own,
    );
    for (const one of held) one.reserved = false;
  }

  /** The stored answer under a key. */
  async function answered(keyHash: string): Promise<StoredAnswer | undefined> {
    return (await readAnswers(db, await readReservations(db, [keyHash]))).get(keyHash);
  }

  function keep(loanId: string, key: CallKey, told: { answer: string; version: number }): Promise<void> {
    return keepAnswer(db, { loanId, ...key }, told, own);
  }
}

function keyOf({ loanId, idempotency }: Keyed) {
  return { loanId, ...(idempotency as CallKey) };
}
