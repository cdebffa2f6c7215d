/**
 * Transfers and acceptances of many loans in one request. The request is stored with its loans, and a process at a time carries it out in
 * the background, each loan by a write like any other. A loan that was done before a process stopped is found done by the next: its history
 * has the transfer. Whoever ordered it is asked for at each step: it goes on with the rights that they have now, and ends when they may no
 * longer do it.
 */
import { randomUUID } from 'node:crypto';
import type { PlainDate } from '../../core/calendar.ts';
import type { Owner } from '../../core/events/transfer.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import type { Db } from '../../store/db/db.ts';
import {
  addLoans,
  countRun,
  endRun,
  gatherLoans,
  holdRun,
  type RunLoan,
  type RunRow,
  readPending,
  readRefused,
  readRun,
  releaseRun,
  saveRun,
  settleLoans,
  takeRun,
} from '../../store/transfers/runs.ts';
import { listTransfers } from '../../store/transfers/transfers.ts';
import { dataKeyOf, type MasterKeys, newDataKey, wrap } from '../../vault/master-keys.ts';
import { sealNote, unsealNote } from '../../vault/seal.ts';
import type { Actor, AskRights } from '../door/actor.ts';
import type { Writer } from '../door/door.ts';
import type { FairReads } from '../door/fair-reads.ts';
import type { HowWritten, LoanCommand, Outcome } from '../door/write.ts';
import type { ListFilter, LoanPage } from '../reads/list.ts';

export type RunRequest =
  | { readonly kind: 'accept'; readonly transferId: string; readonly servicerId: string }
  | ({ readonly kind: 'transfer'; readonly date: PlainDate; readonly filter: RunFilter | null } & RunTarget);

export type RunTarget =
  | { readonly what: 'servicer'; readonly to: string }
  | { readonly what: 'owner'; readonly to: Owner };

/** As in the list of loans. */
export type RunFilter = Omit<ListFilter, 'limit' | 'cursor' | 'sort'>;

export type RunStatus = {
  readonly transferId: string;
  readonly request: RunRequest;
  readonly dryRun: boolean;
  readonly createdAt: string;
  readonly endedAt: string | null;
  /** Whether all its loans are known; before that the counts still grow. */
  readonly gathered: boolean;
  readonly pending: number;
  readonly done: number;
  readonly refused: number;
  readonly refusals: readonly { readonly refusal: string; readonly count: number }[];
  /** The reason that it ended before its loans were done; null: it did not. */
  readonly stopped: Stopped | null;
  /** Refused loans after one of them, by id. */
  readonly items: readonly RefusedLoan[];
};

export type Stopped = { readonly refusal: string; readonly detail: string };

/** A loan of a run that was not transferred, and why. */
export type RefusedLoan = { readonly loanId: string; readonly refusal: string | null; readonly detail: string | null };

export type TransferOrder = {
  readonly request: RunRequest;
  /** Null: by the filter, or what is offered. */
  readonly loanIds: readonly string[] | null;
  readonly reason: string | null;
};

/** The reason that a transfer of many loans was not begun. */
export type TransferNotStarted = Extract<Outcome, { kind: 'refused' | 'denied' | 'unavailable' }>;

export type RunsOptions = {
  db: Db;
  reads: FairReads;
  clock: () => number;
  masterKeys: MasterKeys;
  /** Names this process. */
  holder: string;
  list: (actor: Actor, filter: ListFilter) => Promise<LoanPage | 'bad_cursor'>;
  write: Writer;
  rightsNow: AskRights | null;
};

/** Writes that are sent together; pages of the list of loans and of offered ones. */
const AT_ONCE = 32;
const PAGE = 1_000;
/** The time that a run stays one process's without a sign of it. */
const HELD_SECONDS = 60;

export function openRuns({ db, reads, clock, masterKeys, holder, list, write, rightsNow }: RunsOptions) {
  return { start, status, carryOn };

  /** Stores the request; `loanIds` null: by its filter, or what is offered. */
  async function start(actor: Actor, asked: TransferOrder, { dryRun, keep }: HowWritten): Promise<RunStatus> {
    const { request, loanIds, reason } = asked;
    const runId = `transfer-${randomUUID()}`;
    const run = {
      runId,
      organizationId: actor.organizationId,
      clientId: actor.clientId,
      userId: actor.userId ?? null,
      keyId: actor.keyId,
      scopes: [...actor.scopes],
      request: JSON.stringify(request),
      ...sealed(runId, reason),
      dryRun,
      gathered: loanIds !== null,
      createdAt: new Date(clock()),
    };
    const status = statusOf({ ...run, cursor: null, endedAt: null, refusal: null, detail: null }, [], []);
    await db.transaction(async (tx) => {
      await saveRun(tx, run);
      if (loanIds !== null) await addLoans(tx, runId, loanIds);
      await keep(tx, status);
    });
    return { ...status, pending: loanIds?.length ?? 0 };
  }

  function sealed(runId: string, reason: string | null): Pick<RunRow, 'reasonKeyId' | 'reasonKey' | 'reason'> {
    if (reason === null) return { reasonKeyId: null, reasonKey: null, reason: null };
    const [master, key] = [masterKeys.current(), newDataKey()];
    return { reasonKeyId: master.keyId, reasonKey: wrap(master, key, runId), reason: sealNote(key, runId, reason) };
  }

  function reasonOf({ runId, reasonKeyId: keyId, reasonKey: wrappedKey, reason }: RunRow): string | null {
    if (keyId === null || wrappedKey === null || reason === null) return null;
    return unsealNote(dataKeyOf(masterKeys, { keyId, wrappedKey }, runId), runId, reason);
  }

  /** Null: no such run of the actor's organization. */
  async function status(
    actor: Actor,
    runId: string,
    { after, limit }: { readonly after: string | null; readonly limit: number },
  ): Promise<RunStatus | null> {
    const sql = reads(actor);
    const run = await readRun(sql, actor.organizationId, runId);
    if (run === null) return null;
    return statusOf(run, await countRun(sql, runId), await readRefused(sql, runId, after, limit));
  }

  /** Carries out runs that no other process has, until there are none or `stopped`. Returns how many loans were settled. */
  async function carryOn(stopped: () => boolean = () => false): Promise<number> {
    let settled = 0;
    for (;;) {
      const run = stopped() || rightsNow === null ? null : await takeRun(db, holder, HELD_SECONDS);
      if (run === null || rightsNow === null) return settled;
      const done = await carryOut(run, rightsNow, stopped);
      settled += done.settled;
      // A loan that waits for room in the queue is tried at the next call, so that one run does not keep this busy.
      if (!done.ended) {
        await releaseRun(db, run.runId, holder);
        return settled;
      }
    }
  }

  async function carryOut(
    run: RunRow,
    ask: AskRights,
    stopped: () => boolean,
  ): Promise<{ settled: number; ended: boolean }> {
    const request = JSON.parse(run.request) as RunRequest;
    const reason = reasonOf(run);
    const actorNow = () => actorOf(run, request, ask);
    const why = run.gathered ? null : await gather(actorNow, run, request);
    if (why !== null) return end(run, why, { settled: 0 });
    let settled = 0;
    let waiting = false;
    let after: string | null = null;
    for (;;) {
      if (stopped() || !(await holdRun(db, run.runId, holder, HELD_SECONDS))) return { settled, ended: false };
      const loanIds: string[] = await readPending(db, run.runId, after, AT_ONCE);
      if (loanIds.length === 0) break;
      after = loanIds.at(-1) ?? null;
      const actor = await actorNow();
      if ('refusal' in actor) return end(run, actor, { settled });
      const how = { dryRun: run.dryRun, ifVersion: null, idempotency: null };
      const outcomes = await Promise.all(
        loanIds.map(async (loanId) => {
          const asked = { loanId, command: commandOf(run.runId, request, reason), reason, answer: () => '' };
          return { loanId, outcome: await write(actor, asked, how) };
        }),
      );
      const known = outcomes.flatMap(({ loanId, outcome }) => {
        const result = resultOf(outcome);
        return result === null ? [] : [{ loanId, ...result }];
      });
      waiting ||= known.length < outcomes.length;
      await settleLoans(db, run.runId, known);
      settled += known.length;
    }
    if (!waiting) await endRun(db, run.runId, new Date(clock()), null);
    return { settled, ended: !waiting };
  }

  /** The caller may no longer do it: the loans that are left are refused, and nothing more is done. */
  async function end(run: RunRow, why: Stopped, { settled }: { readonly settled: number }) {
    let refused = settled;
    for (;;) {
      const left = await readPending(db, run.runId, null, PAGE);
      await settleLoans(
        db,
        run.runId,
        left.map((loanId) => ({ loanId, ...why })),
      );
      refused += left.length;
      if (left.length < PAGE) break;
      if (!(await holdRun(db, run.runId, holder, HELD_SECONDS))) return { settled: refused, ended: false };
    }
    await endRun(db, run.runId, new Date(clock()), why);
    return { settled: refused, ended: true };
  }

  /** Null: all its loans are there. */
  async function gather(
    actorNow: () => Promise<Actor | Stopped>,
    run: RunRow,
    request: RunRequest,
  ): Promise<Stopped | null> {
    let cursor = run.cursor;
    do {
      const actor = await actorNow();
      if ('refusal' in actor) return actor;
      const page = await (request.kind === 'accept'
        ? offeredTo(actor, request.transferId, cursor)
        : listed(actor, request.filter, cursor));
      cursor = page.next;
      await gatherLoans(db, run.runId, page.loanIds, cursor);
      await holdRun(db, run.runId, holder, HELD_SECONDS);
    } while (cursor !== null);
    return null;
  }

  /** A page of the loans that are offered under a transfer; `next` null: the last one. */
  async function offeredTo({ organizationId }: Actor, transferId: string, cursor: string | null) {
    const after = cursor === null ? null : { transferId, loanId: cursor };
    const asked = { organizationId, direction: 'in', transferId, state: 'offered', after, limit: PAGE } as const;
    const loanIds = (await listTransfers(db, asked)).map(({ loanId }) => loanId);
    return { loanIds, next: loanIds.length < PAGE ? null : (loanIds.at(-1) ?? null) };
  }

  async function listed(actor: Actor, filter: RunFilter | null, cursor: string | null) {
    const page = await list(actor, { ...(filter ?? {}), limit: PAGE, cursor, sort: 'createdAt' });
    if (page === 'bad_cursor') throw new Error('The cursor of a run is not one of its list.');
    return { loanIds: page.items.map(({ loanId }) => loanId), next: page.nextCursor };
  }
}

/** The scope that a transfer of many loans needs, as that of one does. */
export function scopeOfRun(request: RunRequest): 'servicing:write' | 'loans:write' {
  return request.kind === 'transfer' && request.what === 'servicer' ? 'servicing:write' : 'loans:write';
}

/**
 * The caller that made the request, with the rights of it that they still have; or the reason that they may no longer do it. Grants are left out,
 * because only an owner transfers loans.
 */
async function actorOf(run: RunRow, request: RunRequest, ask: AskRights): Promise<Actor | Stopped> {
  const { organizationId, clientId, userId, keyId, scopes: asked, runId } = run;
  const now = await ask({ organizationId, clientId, userId, keyId });
  const who = userId === null ? 'The client' : 'The person';
  if (now === null) return { refusal: 'not_granted', detail: `${who} that ordered this transfer is no longer active.` };
  const scopes = new Set(asked.filter((scope) => now.scopes.has(scope)));
  const needed = scopeOfRun(request);
  if (!scopes.has(needed)) {
    return { refusal: 'insufficient_scope', detail: `${who} that ordered this transfer no longer has ${needed}.` };
  }
  if (keyId !== null && now.keyId === null) {
    return { refusal: 'key_required', detail: 'The API key that this transfer was ordered with was revoked.' };
  }
  return { organizationId, clientId, userId, ...now, scopes, grants: [], requestId: runId, purpose: '' };
}

function commandOf(runId: string, request: RunRequest, reason: string | null): LoanCommand {
  if (request.kind === 'accept') return { do: 'accept-transfer', servicerId: request.servicerId };
  const { filter: _, kind: __, ...terms } = request;
  return { do: 'transfer', transferId: runId, reason: reason ?? '', from: null, ...terms };
}

/** Null: it is to be tried again. */
function resultOf(outcome: Outcome): Omit<RunLoan, 'loanId'> | null {
  switch (outcome.kind) {
    case 'done':
    case 'replayed':
      return { refusal: null, detail: null };
    case 'refused':
      return { refusal: outcome.refusal.refused, detail: outcome.refusal.detail };
    case 'missing':
      return toldOf(refuse('unknown_reference', 'Your organization has no such loan.'));
    case 'denied':
      return { refusal: 'not_granted', detail: 'Your organization may not transfer this loan.' };
    case 'busy':
    case 'unavailable':
    case 'overtaken':
      return null;
    default:
      throw new Error(`A transfer had the outcome ${outcome.kind}.`);
  }
}

const toldOf = ({ refused, detail }: Refusal) => ({ refusal: refused, detail });

function statusOf(run: RunRow, counts: Awaited<ReturnType<typeof countRun>>, items: readonly RefusedLoan[]): RunStatus {
  const count = (state: string) => counts.reduce((sum, one) => sum + (one.state === state ? one.count : 0), 0);
  return {
    transferId: run.runId,
    request: JSON.parse(run.request) as RunRequest,
    dryRun: run.dryRun,
    createdAt: run.createdAt.toISOString(),
    endedAt: run.endedAt?.toISOString() ?? null,
    gathered: run.gathered,
    pending: count('pending'),
    done: count('done'),
    refused: count('refused'),
    refusals: counts.flatMap(({ refusal, count: n }) => (refusal === null ? [] : [{ refusal, count: n }])),
    stopped: run.refusal === null ? null : { refusal: run.refusal, detail: run.detail ?? '' },
    items,
  };
}
