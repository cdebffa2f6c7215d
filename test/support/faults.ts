/**
 * Clients of services that may be killed. Each repeats a request until its outcome is known, and afterwards all known outcomes are
 * compared with the book: by sums, hashes and links that are computed here, without the service's code.
 */
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from '../../src/store/db/db.ts';
import { openPlace } from '../../src/store/db/embedded/cluster.ts';
import { processesTitled, refer, signal } from '../../src/store/db/embedded/processes.ts';
import type { Random } from './fuzz/random.ts';
import { call, postmasterOf } from './service.ts';
import { TRAIL } from './trail.ts';

/** Access to a service; several services may share one book. */
export type Entrance = { url: string; token: string; apiKey: string };

/** Every loan of the load begins with this much. */
const PRINCIPAL = 2_500_000;
const CLIENTS = 16;
/** The time for which a client repeats a request to learn its outcome. */
const PATIENCE_MS = 60_000;

/** A request, and its outcome as far as its client knows. */
export type Sent = {
  readonly does: 'loan-repay' | 'acknowledge-repayment';
  readonly loanId: string;
  readonly refId: string;
  readonly cents: number;
  readonly key: string | null;
  known: 'acknowledged' | 'refused' | 'unknown';
  /** Once acknowledged: the transaction, and the whole answer. */
  hash: string;
  text: string;
  /** The answer is that of a repetition. */
  repeated: boolean;
  /** The time of its first answer, in milliseconds of the process. */
  at: number;
};

export type Load = {
  readonly sent: readonly Sent[];
  /** Ids of the requests that got a full record. */
  readonly fullReads: readonly string[];
  /** Answers that no client should ever get. */
  readonly trouble: readonly string[];
  /** The longest that an answer took, in milliseconds. */
  longest(): number;
  /** Ends the load once every client knows the outcome of its last request. */
  stop(): Promise<void>;
};

export function openLoad(options: {
  name: string;
  loanIds: readonly string[];
  random: Random;
  /** Requests sent for these loans before. */
  earlier?: readonly Sent[];
  /** Asked before every request. */
  entrances: () => readonly Entrance[];
  /** False: a broken connection counts as trouble. */
  mayBeCut: boolean;
  /** False: requests are not repeated; an unknown outcome stays unknown. */
  persistent?: boolean;
}): Load {
  const { name, loanIds, random, earlier = [], entrances, mayBeCut, persistent = true } = options;
  const sent: Sent[] = [];
  const fullReads: string[] = [];
  const trouble: string[] = [];
  const paidCents = new Map<string, number>();
  const sentCents = new Map<string, number>();
  for (const { loanId, known, cents } of earlier) {
    if (known !== 'acknowledged') continue;
    paidCents.set(loanId, (paidCents.get(loanId) ?? 0) + cents);
    sentCents.set(loanId, (sentCents.get(loanId) ?? 0) + cents);
  }
  let running = true;
  let longest = 0;
  let count = 0;
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  return {
    sent,
    fullReads,
    trouble,
    longest: () => longest,
    async stop() {
      running = false;
      await clients;
    },
  };

  async function client(): Promise<void> {
    while (running) {
      const next = random.weighted([
        [70, pay],
        [12, confirm],
        [4, payTooMuch],
        [14, readFull],
      ]);
      await next();
    }
  }

  async function pay(): Promise<void> {
    await untilKnown(newPayment(100 + random.int(900)));
  }

  async function payTooMuch(): Promise<void> {
    const one = newPayment(PRINCIPAL * 4);
    await untilKnown(one);
    if (one.known === 'acknowledged') trouble.push(`${one.refId} was taken though it is more than the loan`);
  }

  async function confirm(): Promise<void> {
    const payments = sent.filter(({ does, known }) => does === 'loan-repay' && known === 'acknowledged');
    if (payments.length === 0) return pay();
    const { loanId, refId } = random.pick(payments);
    if (sent.some((one) => one.does === 'acknowledge-repayment' && one.refId === refId)) return pay();
    await untilKnown(note({ does: 'acknowledge-repayment', loanId, refId, cents: 0, key: null }));
  }

  /** A full read shows everything acknowledged before it began, and nothing that was not sent. */
  async function readFull(): Promise<void> {
    const loanId = random.pick(loanIds);
    const least = paidCents.get(loanId) ?? 0;
    const answer = await ask('GET', `/loans/${loanId}`, {});
    if (answer?.status !== 200) return;
    fullReads.push(answer.headers.get('x-request-id') ?? '');
    const { repaidAmount, remainingBalance } = answer.body.data.loanDetails;
    const repaid = centsOf(repaidAmount);
    if (repaid < least || repaid > (sentCents.get(loanId) ?? 0)) {
      trouble.push(
        `a read shows ${repaid} paid where ${least} was acknowledged before and ${sentCents.get(loanId)} sent`,
      );
    }
    if (repaid + centsOf(remainingBalance) !== PRINCIPAL)
      trouble.push(`a read shows ${repaidAmount} of ${remainingBalance}`);
  }

  function newPayment(cents: number): Sent {
    count += 1;
    const refId = `${name}-${count}`;
    const loanId = random.pick(loanIds);
    if (cents < PRINCIPAL) sentCents.set(loanId, (sentCents.get(loanId) ?? 0) + cents);
    return note({ does: 'loan-repay', loanId, refId, cents, key: count % 2 === 0 ? `key-${refId}` : null });
  }

  function note(one: Omit<Sent, 'known' | 'hash' | 'text' | 'repeated' | 'at'>): Sent {
    const noted: Sent = { ...one, known: 'unknown', hash: '', text: '', repeated: false, at: 0 };
    sent.push(noted);
    return noted;
  }

  async function untilKnown(one: Sent): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (one.known === 'unknown') {
      // Some clients send a request twice at once.
      const times = (one.repeated && random.chance(0.3)) || random.chance(0.05) ? 2 : 1;
      await Promise.all(Array.from({ length: times }, () => submit(one)));
      if (one.known !== 'unknown') break;
      if (!persistent) return pause(20);
      one.repeated = true;
      if (performance.now() > end) {
        trouble.push(`${one.refId}: its outcome was still unknown after ${PATIENCE_MS} ms`);
        return;
      }
      await pause(10 + random.int(40));
    }
    if (one.does === 'loan-repay' && one.known === 'acknowledged') {
      paidCents.set(one.loanId, (paidCents.get(one.loanId) ?? 0) + one.cents);
    }
  }

  async function submit(one: Sent): Promise<void> {
    const answer = await ask('POST', `/${one.does}`, bodyOf(one), one.key);
    if (answer === null || answer.status === 503) return;
    if (answer.status === 409 && answer.body.code === 'idempotency_key_in_use') return;
    const known = answer.status === 200 ? 'acknowledged' : 'refused';
    if (one.known !== 'unknown') {
      const { transactionHash } = answer.body;
      if (known !== one.known || (known === 'acknowledged' && transactionHash !== one.hash)) {
        trouble.push(`${one.refId} was answered twice, ${one.known} ${one.hash} and ${known} ${answer.text}`);
      }
      return;
    }
    one.known = known;
    one.at = performance.now();
    if (known === 'acknowledged') {
      one.hash = answer.body.transactionHash;
      one.text = answer.text;
    } else if (one.cents < PRINCIPAL) trouble.push(`${one.does} ${one.refId}: ${answer.status} ${answer.text}`);
  }

  /** Null: the connection broke. */
  async function ask(method: string, path: string, body: object, key: string | null = null) {
    const entrance = random.pick(entrances());
    const began = performance.now();
    const answer = await send(entrance, method, path, body, key).catch((error: Error) => {
      if (!mayBeCut) trouble.push(`${path}: the connection was cut: ${error.cause ?? error}`);
      return null;
    });
    longest = Math.max(longest, performance.now() - began);
    if (answer === null) return null;
    if (answer.status >= 500 && answer.status !== 503) trouble.push(`${path}: ${answer.status} ${answer.text}`);
    if (answer.status === 503 && !/^\d+$/.test(answer.headers.get('retry-after') ?? '')) {
      trouble.push(`${path}: 503 without Retry-After`);
    }
    return answer;
  }
}

const bodyOf = ({ does, loanId, refId, cents }: Sent): object =>
  does === 'loan-repay' ? { loanId, refId, amount: (cents / 100).toFixed(2) } : { loanId, refId };

export async function send(
  { url, token, apiKey }: Entrance,
  method: string,
  path: string,
  body: object,
  key: string | null = null,
) {
  const answer = await fetch(`${url}/v2/chain${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      key: apiKey,
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      ...(key === null ? {} : { 'idempotency-key': key }),
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
}

/** The same, repeated while the service answers that it cannot serve right now. */
async function sendUntilServed(...request: Parameters<typeof send>): ReturnType<typeof send> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await send(...request);
    const later = answer.status === 503 || answer.body.code === 'idempotency_key_in_use';
    if (!later || performance.now() > end) return answer;
    await pause(50);
  }
}

/** Everything at once, pipelined over a few connections. */
export async function sendTogether(
  { url, token }: Entrance,
  path: string,
  bodies: readonly object[],
  connections = 20,
): Promise<{ status: number; head: string; body: string }[]> {
  const { hostname, port } = new URL(url);
  const requestOf = (body: object) => {
    const text = JSON.stringify(body);
    const head = [`POST /v2/chain${path} HTTP/1.1`, `Host: ${hostname}`, `Authorization: Bearer ${token}`];
    return [...head, 'Content-Type: application/json', `Content-Length: ${text.length}`, '', text].join('\r\n');
  };
  const share = Math.ceil(bodies.length / connections);
  const shares = Array.from({ length: connections }, (_, n) => bodies.slice(n * share, (n + 1) * share));
  const answers = await Promise.all(
    shares.map(async (some) => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.write(some.map(requestOf).join(''));
      const answered: { status: number; head: string; body: string }[] = [];
      let left = '';
      for await (const chunk of socket.setEncoding('utf8')) {
        left += chunk;
        for (;;) {
          const end = left.indexOf('\r\n\r\n');
          const length = Number(/content-length: (\d+)/i.exec(left.slice(0, end))?.[1]);
          if (end < 0 || left.length < end + 4 + length) break;
          const head = left.slice(0, end);
          answered.push({ status: Number(head.slice(9, 12)), head, body: left.slice(end + 4, end + 4 + length) });
          left = left.slice(end + 4 + length);
        }
        if (answered.length === some.length) break;
      }
      return answered;
    }),
  );
  return answers.flat();
}

/** Sends an acknowledged request once more; complains when the answer differs from the first. */
export async function repeat(entrance: Entrance, one: Sent): Promise<string[]> {
  const { status, headers, text, body } = await sendUntilServed(entrance, 'POST', `/${one.does}`, bodyOf(one), one.key);
  const kept = one.key === null || (headers.get('idempotent-replayed') === 'true' && text === one.text);
  return status === 200 && body.transactionHash === one.hash && kept
    ? []
    : [`${one.does} ${one.refId} again: ${status} ${text} after ${one.text}`];
}

/** Funded loans in repayment. */
export async function fundLoans(entrance: Entrance, count: number, name = 'load'): Promise<string[]> {
  const post = async (path: string, body: object) => {
    const key = createHash('sha256')
      .update(`${path} ${JSON.stringify(body)}`)
      .digest('hex');
    const answer = await sendUntilServed(entrance, 'POST', path, body, key);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const fund = async (n: number): Promise<string> => {
    const { loanId } = await post('/loans', {
      applicationId: `${name}-${n}`,
      borrowerId: `B-${n}`,
      lenderId: 'L-1',
      loanType: 'AutoLoan',
      loanAmount: (PRINCIPAL / 100).toFixed(2),
      interestRate: '7.25',
      term: 60,
    });
    await post('/start-underwriting', { loanId });
    await post('/complete-underwriting', { loanId, approved: true });
    await post('/initiate-repayment', { loanId });
    return loanId;
  };
  return Promise.all(Array.from({ length: count }, (_, n) => fund(n)));
}

/** A time zone in which it is about noon, so that no day ends, and no interest accrues, between two payments of a test. */
export function zoneAtNoon(now = new Date()): string {
  const ahead = 12 - now.getUTCHours();
  // The signs of these zones are POSIX's: Etc/GMT-3 is three hours ahead.
  return ahead === 0 ? 'Etc/GMT' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

// ---- checking the book without the service's code ----

type Row = {
  loan: string;
  sequence: number;
  hash: string;
  previous: string;
  type: string;
  body: string;
  block: bigint;
};

/** Compares everything the clients know of these loans with everything in the database. */
export async function checkBook(db: Sql, loanIds: readonly string[], sent: readonly Sent[]): Promise<string[]> {
  const complaints: string[] = [];
  const rows = await db.query<Row>(
    `SELECT encode(loan_id, 'hex') AS loan, sequence, encode(hash, 'hex') AS hash, type, body, block FROM events
     WHERE '0x' || encode(loan_id, 'hex') = ANY($1) ORDER BY loan_id, sequence`,
    [loanIds],
  );
  const byRef = new Map(sent.map((one) => [`${one.does} ${one.refId}`, one]));
  const found = new Map<string, number>();
  const paid = new Map(loanIds.map((loanId) => [loanId, 0]));
  let last: Row | null = null;
  for (const row of rows) {
    const before = last?.loan === row.loan ? last : null;
    const { event, ...body } = JSON.parse(row.body);
    const where = `${row.loan} ${row.sequence}`;
    if (createHash('sha256').update(row.body).digest('hex') !== row.hash) complaints.push(`${where}: another hash`);
    if (row.sequence !== (before?.sequence ?? 0) + 1) complaints.push(`${where}: follows ${before?.sequence}`);
    if (body.previous !== `0x${before?.hash ?? '0'.repeat(64)}`)
      complaints.push(`${where}: linked to ${body.previous}`);
    if (before !== null && row.block < before.block)
      complaints.push(`${where}: in a block before that of ${before.sequence}`);
    last = row;
    const does = DOES[row.type];
    if (does === undefined) continue;
    const name = `${does} ${event.refId}`;
    const one = byRef.get(name);
    found.set(name, (found.get(name) ?? 0) + 1);
    if (one === undefined || one.loanId !== `0x${row.loan}`) complaints.push(`${where}: no client sent ${name}`);
    else if (one.known !== 'acknowledged') complaints.push(`${where}: ${name} is there and was ${one.known}`);
    else if (one.hash !== `0x${row.hash}`) complaints.push(`${where}: ${name} was acknowledged with ${one.hash}`);
    if (does === 'acknowledge-repayment' || one === undefined) continue;
    if (event.amount !== one.cents) complaints.push(`${where}: ${name} is ${event.amount}, sent were ${one.cents}`);
    const sum = (paid.get(one.loanId) ?? 0) + event.amount;
    paid.set(one.loanId, sum);
    const told = one.text === '' ? null : JSON.parse(one.text).data.remainingBalance;
    if (told !== null && centsOf(told) !== PRINCIPAL - sum) {
      complaints.push(`${where}: ${name} was answered that ${told} remains, and it is ${PRINCIPAL - sum}`);
    }
  }
  for (const [name, one] of byRef) {
    const times = found.get(name) ?? 0;
    if (times !== (one.known === 'acknowledged' ? 1 : 0))
      complaints.push(`${name} was ${one.known} and is there ${times} times`);
  }
  return [...complaints, ...(await checkJournal(db, paid)), ...(await checkBlocks(db))];
}

const DOES: Readonly<Record<string, Sent['does']>> = {
  paymentSubmitted: 'loan-repay',
  paymentAcknowledged: 'acknowledge-repayment',
};

/** The accounts in which a loan without interest moves. */
const MOVED: ReadonlySet<string> = new Set(['loanPrincipal', 'cash', 'cashClearing']);

async function checkJournal(db: Sql, paid: ReadonlyMap<string, number>): Promise<string[]> {
  const sums = await db.query<{ loan: string; account: string; sum: bigint }>(
    `SELECT encode(loan_id, 'hex') AS loan, account, sum(amount)::bigint AS sum FROM journal GROUP BY loan_id, account`,
  );
  const sum = new Map(sums.map((row) => [`0x${row.loan} ${row.account}`, Number(row.sum)]));
  const complaints = [...paid].flatMap(([loanId, cents]) => {
    const owed = sum.get(`${loanId} loanPrincipal`);
    // Acknowledged payments are in `cash`, the others in `cashClearing`.
    const cash = (sum.get(`${loanId} cash`) ?? 0) + (sum.get(`${loanId} cashClearing`) ?? 0);
    const others = sums.some(({ loan, account }) => `0x${loan}` === loanId && !MOVED.has(account));
    return owed === PRINCIPAL - cents && cash === -owed && !others
      ? []
      : [`${loanId}: ${cents} paid; the journal has ${owed} owed and ${cash} in cash`];
  });
  const [counts] = await db.query<{ untold: bigint; askew: bigint }>(
    `SELECT (SELECT count(*) FROM events WHERE organization_id IS NULL) AS untold,
       (SELECT count(*) FROM (SELECT 1 FROM journal GROUP BY loan_id, sequence HAVING sum(amount) <> 0) one) AS askew`,
  );
  if (counts?.askew !== 0n) complaints.push(`${counts?.askew} transactions do not balance`);
  if (counts?.untold !== 0n) complaints.push(`${counts?.untold} events are in nobody’s feed`);
  return complaints;
}

async function checkBlocks(db: Sql): Promise<string[]> {
  type Row = { volume: number; number: bigint; hash: string; previous: string; count: number; there: bigint };
  const all = await db.query<Row>(
    `SELECT volume, number, encode(hash, 'hex') AS hash, encode(previous_hash, 'hex') AS previous, count,
       (SELECT count(*) FROM events e WHERE e.volume = b.volume AND e.block = b.number) AS there FROM blocks b ORDER BY number`,
  );
  const step = BigInt(db.volumes.count);
  return [...Map.groupBy(all, ({ volume }) => volume).values()].flatMap((rows) =>
    rows.flatMap(({ volume, number, previous, count, there }, i) => {
      const linked = previous === (rows[i - 1]?.hash ?? '0'.repeat(64));
      return number === BigInt(volume) + step * BigInt(i + 1) && linked && there === BigInt(count)
        ? []
        : [
            `block ${number} at place ${i + 1} of volume ${volume} counts ${count} of ${there} and is linked to ${previous}`,
          ];
    }),
  );
}

/** Every answered read of a full record has its audit entry. */
export async function checkDisclosures(db: Sql, fullReads: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `SELECT id FROM unnest($1::text[]) AS asked (id)
     WHERE (SELECT count(*) FROM ${TRAIL} WHERE kind = 'saw' AND request_id = asked.id) <> 1`,
    [fullReads],
  );
  return rows.map(({ id }) => `request ${id} does not have exactly one audit entry`);
}

/** Every block that has a number is sealed. */
export async function allSealed(db: Sql): Promise<boolean> {
  const [row] = await db.query<{ done: boolean }>(
    `SELECT NOT EXISTS (
       SELECT 1 FROM ledger_heads h
       WHERE h.number > (SELECT coalesce(max(b.number), h.volume) FROM blocks b WHERE b.volume = h.volume)
     ) AS done`,
  );
  return row?.done === true;
}

/** The same through the API: every record, and the trial balance. */
export async function checkRecords(
  entrance: Entrance,
  loanIds: readonly string[],
  sent: readonly Sent[],
): Promise<string[]> {
  const paid = sent.filter(({ does, known }) => does === 'loan-repay' && known === 'acknowledged');
  const sumOf = (some: readonly Sent[]) => some.reduce((sum, { cents }) => sum + cents, 0);
  const complaints: string[] = [];
  for (const loanId of loanIds) {
    const mine = paid.filter((one) => one.loanId === loanId);
    const { body } = await sendUntilServed(entrance, 'GET', `/loans/${loanId}`, {});
    const { repaidAmount, remainingBalance, loanPayments } = body.data.loanDetails;
    const right =
      centsOf(repaidAmount) === sumOf(mine) &&
      centsOf(remainingBalance) === PRINCIPAL - sumOf(mine) &&
      loanPayments.length === mine.length;
    if (!right)
      complaints.push(`${loanId}: ${repaidAmount} by ${loanPayments.length}, not ${sumOf(mine)} by ${mine.length}`);
  }
  const { body } = await sendUntilServed(entrance, 'GET', '/ledger/trial-balance', {});
  const { accounts, totals } = body.data;
  const owed = loanIds.length * PRINCIPAL - sumOf(paid);
  const principal = accounts.find(({ account }: { account: string }) => account === 'loanPrincipal');
  if (totals.debit !== totals.credit || centsOf(principal.debit) !== owed) {
    complaints.push(`${owed} are owed; the trial balance has ${JSON.stringify(totals)}`);
  }
  return complaints;
}

function centsOf(text: string): number {
  return Math.round(Number(text.replaceAll(',', '')) * 100);
}

// ---- faults ----

/** Sends a signal to the embedded server and all its processes, to the server alone, or to one process that serves a connection. */
export function signalDatabase(
  dataDir: string,
  which: 'all' | 'postmaster' | 'backend',
  name: NodeJS.Signals = 'SIGKILL',
): void {
  const titled = `postgres: ${openPlace(dataDir).name}: `;
  const postmaster = postmasterOf(dataDir);
  const first = postmaster === undefined ? [] : [refer(postmaster)];
  const backends = () => processesTitled(`${titled}daybook `).slice(0, 1);
  const all = () => [...first, ...processesTitled(titled)];
  const reached = which === 'backend' ? backends() : which === 'postmaster' ? first : all();
  for (const one of reached) signal(one, name);
}

export async function isReady(url: string): Promise<boolean> {
  return (await call(url, 'GET', '/readyz')).status === 200;
}
