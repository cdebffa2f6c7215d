/**
 * Payments through HTTP from a separate process: `connections` sockets, one request at a time each, a new reference every time, loans
 * chosen at random. Prints what was acknowledged, so that the book can be compared with it.
 *   node bench/payments.ts '{"ports":[…],"connections":…,"seconds":…,"token":"…","loansFile":"…","run":"…"}'
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { type Cpu, cpuOfWindow, type Watched } from './cpu.ts';
import { within } from './measure.ts';

export type PaymentsJob = {
  /** The ports of the service's processes, used in turn for each connection. */
  ports: readonly number[];
  connections: number;
  /** At fixed times, and measured from the time that each was due; absent: as fast as they are answered. */
  perSecond?: number;
  seconds: number;
  /** Not counted, although acknowledged like the others. */
  warmUpSeconds: number;
  token: string;
  /** JSON list of loan ids. */
  loansFile: string;
  /** The prefix of every reference. */
  run: string;
  /** Gets what was acknowledged: `{ [loanId]: { count, cents } }`. */
  acknowledgedFile: string;
  /** The processes whose processor time is measured while payments are counted. */
  watched?: Watched;
};
export type PaymentsResult = {
  perSecond: number;
  /** All that were acknowledged, with those before the counting began. */
  acknowledged: number;
  cpu: Cpu | null;
  p50Ms: number;
  p99Ms: number;
  failures: number;
  firstFailure: string;
};

const job: PaymentsJob = JSON.parse(process.argv[2] ?? '{}');
const loans: string[] = JSON.parse(readFileSync(job.loansFile, 'utf8'));
/** The first payment of a loan covers the interest of its month, so that all change the principal, as an installment does. */
const COVERS_INTEREST = 16_000;
const acknowledged: Record<string, { count: number; cents: number }> = {};
const latencies: number[] = [];
let failures = 0;
let firstFailure = '';
let sent = 0;
/** Milliseconds between two payments of a connection. */
const every = job.perSecond === undefined ? 0 : (job.connections / job.perSecond) * 1_000;

const countFrom = performance.now() + job.warmUpSeconds * 1_000;
const end = countFrom + job.seconds * 1_000;
const counted = job.watched === undefined ? null : cpuOfWindow(job.watched, countFrom, end);
await Promise.all(
  Array.from({ length: job.connections }, (_, n) => drive(job.ports[n % job.ports.length] as number, n)),
);
writeFileSync(job.acknowledgedFile, JSON.stringify(acknowledged));
const result: PaymentsResult = {
  perSecond: latencies.length / job.seconds,
  acknowledged: Object.values(acknowledged).reduce((sum, { count }) => sum + count, 0),
  cpu: await counted,
  p50Ms: within(latencies, 0.5),
  p99Ms: within(latencies, 0.99),
  failures,
  firstFailure,
};
console.log(JSON.stringify(result));

function drive(port: number, n: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    let pending: Buffer = Buffer.alloc(0);
    let sentAt = 0;
    let due = performance.now() + (every * n) / job.connections;
    let loanId = '';
    let cents = 0;
    const send = () => {
      loanId = loans[Math.floor(Math.random() * loans.length)] as string;
      cents = (loanId in acknowledged ? 100 : COVERS_INTEREST) + Math.floor(Math.random() * 900);
      sent += 1;
      const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
      const body = `{"loanId":"${loanId}","amount":"${amount}","refId":"${job.run}-${sent}"}`;
      sentAt = every === 0 ? performance.now() : due;
      socket.write(
        `POST /v2/chain/loan-repay HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${job.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    };
    const next = () => {
      if (every === 0) return send();
      setTimeout(send, Math.max(0, due - performance.now()));
    };
    socket.on('connect', next);
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.on('data', (chunk: Buffer) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const headEnd = pending.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = pending.toString('latin1', 0, headEnd);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      if (pending.length < headEnd + 4 + length) return;
      if (head.startsWith('HTTP/1.1 200')) {
        const one = acknowledged[loanId] ?? { count: 0, cents: 0 };
        one.count += 1;
        one.cents += cents;
        acknowledged[loanId] = one;
      } else {
        failures += 1;
        firstFailure ||= pending.toString('utf8');
      }
      pending = pending.subarray(headEnd + 4 + length);
      const now = performance.now();
      if (now >= countFrom && now < end) latencies.push(now - sentAt);
      due += every;
      if (now < end) next();
      else socket.destroy();
    });
  });
}
