/**
 * Bandwidth and processor time of ten common reads, as they are and in each coding: bytes of the body, and milliseconds of the service's
 * process (all its threads) for one answer. The limit is measured in the same run: over all reads together, a coding may add at most 1.5
 * times what compressing the same bytes takes without a service, and half a millisecond an answer. It ends by decoding the last answer of
 * each and comparing it with the plain one, byte for byte.
 *   npm run bench:compression     (BENCH_TIMES=100 BENCH_LOANS=40)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CODINGS, type Coding } from '../src/http/shared/coding.ts';
import { compressNow } from '../src/http/shared/compress.ts';
import { fullBody } from '../test/support/full-body.ts';
import { decodedBody, rawAnswer } from '../test/support/raw-answer.ts';
import { call, startService } from '../test/support/service.ts';
import { startCpu } from './cpu.ts';
import { CREDENTIALS } from './filled.ts';
import { end, report, setting, whole } from './measure.ts';

const times = setting('BENCH_TIMES', 100);
const loans = setting('BENCH_LOANS', 40);
/** Turns of all forms, so that what else the machine does falls on each of them alike. */
const TURNS = 5;
const ADDED = 1.5;
const ADDED_MS = 0.5;
const FORMS = ['plain', ...CODINGS] as const;
type Form = (typeof FORMS)[number];

const dir = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
const env = { RATE_LIMIT: '0', DEMO: 'off', LOG_LEVEL: 'warn' };
const service = await startService({ dataDir: join(dir, 'data'), credentials: CREDENTIALS, env, patience: 300_000 });
const token = await service.token();
const headers = { authorization: `Bearer ${token}`, key: CREDENTIALS.apiKey, purpose: 'benchmark' };
let isGood = true;
try {
  const loanId = await filled();
  const reads = ['me', 'loans?limit=25', 'loans?limit=100', `loans/${loanId}`, `loan-data/${loanId}`].concat(
    ['payoff', 'schedule', 'history', 'timeline'].map((part) => `loans/${loanId}/${part}`),
    'events?limit=100',
  );
  await measure(reads, (path) => path.replace(loanId, '{id}'));
} finally {
  await service.stop();
  rmSync(dir, { recursive: true, force: true });
}
end(isGood);

async function measure(reads: string[], named: (path: string) => string): Promise<void> {
  console.log(`bytes of the body, and ms of the processor for one answer; ${times} of each, in ${TURNS} turns\n`);
  console.log(`| Read | ${FORMS.join(' | ')} | CPU, ms: ${FORMS.join(' / ')} |`);
  console.log(`|---|${FORMS.map(() => '--:').join('|')}|---|`);
  const all = new Map<Form, number>(FORMS.map((form) => [form, 0]));
  const bare = new Map<Coding, number>(CODINGS.map((coding) => [coding, 0]));
  let bytes = 0;
  for (const path of reads) {
    const plain = await ask(path, 'plain');
    const sizes = [];
    for (const form of FORMS) {
      const { bytes: sent, ...answer } = await ask(path, form);
      const whole = decodedBody({ ...answer, bytes: sent });
      if (!whole.equals(plain.bytes)) throw new Error(`${path} in ${form} is not what it is without.`);
      sizes.push(sent.length);
      if (form !== 'plain' && answer.headers['content-encoding'] === form) {
        bare.set(form, (bare.get(form) ?? 0) + bareMs(plain.bytes, form));
      }
    }
    const ms = await timesOf(path);
    for (const form of FORMS) all.set(form, (all.get(form) ?? 0) + (ms.get(form) ?? 0));
    bytes += plain.bytes.length;
    const shown = FORMS.map((form) => (ms.get(form) ?? 0).toFixed(2)).join(' / ');
    console.log(`| \`GET /${named(path)}\` | ${sizes.map(whole).join(' | ')} | ${shown} |`);
    for (const form of FORMS) {
      const last = await ask(path, form);
      if (!decodedBody(last).equals(plain.bytes)) throw new Error(`${path} in ${form} changed during the run.`);
    }
  }
  console.log(`\n${whole(bytes)} bytes in all`);
  for (const coding of CODINGS) {
    const added = (all.get(coding) ?? 0) - (all.get('plain') ?? 0);
    const limit = ADDED * (bare.get(coding) ?? 0) + ADDED_MS * reads.length;
    const ok = added <= limit;
    isGood &&= ok;
    report({ [`compression, ${coding}`]: [limit / Math.max(added, 0.1)] });
    console.log(
      `${coding.padEnd(5)} adds ${added.toFixed(1)} ms to the ${reads.length} reads together; bare ${(bare.get(coding) ?? 0).toFixed(1)}, ` +
        `limit ${limit.toFixed(1)}: ${ok ? 'ok' : 'TOO SLOW'}`,
    );
  }
}

/** Milliseconds of each form, measured in turn. */
async function timesOf(path: string): Promise<Map<Form, number>> {
  const used = new Map<Form, number>();
  const each = Math.ceil(times / TURNS);
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const form of FORMS) {
      const cpu = startCpu({ server: service.process.pid ?? null, postgres: process.pid, beside: [] });
      for (let n = 0; n < each; n += 1) await ask(path, form);
      const { main, threads } = cpu() ?? { main: null, threads: null };
      const ms = ((main ?? 0) + (threads ?? 0)) / 1_000 / each / TURNS;
      used.set(form, (used.get(form) ?? 0) + ms);
    }
  }
  return used;
}

/** Compressing these bytes, and nothing else. */
function bareMs(bytes: Buffer, coding: Coding): number {
  compressNow(bytes, coding);
  const before = process.cpuUsage();
  const turns = bytes.length > 100_000 ? 10 : 200;
  for (let n = 0; n < turns; n += 1) compressNow(bytes, coding);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / turns;
}

async function ask(path: string, form: Form) {
  const answer = await rawAnswer(`${service.url}/v2/chain/${path}`, {
    headers: form === 'plain' ? headers : { ...headers, 'accept-encoding': form },
  });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.bytes.toString().slice(0, 300)}`);
  return answer;
}

/** A portfolio, and the loan that is read: the full record, with payments. */
async function filled(): Promise<string> {
  const post = async (path: string, body: object) => {
    const answer = await call(service.url, 'POST', `/v2/chain/${path}`, { token, key: CREDENTIALS.apiKey, body });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
    return answer.body;
  };
  let first = '';
  for (let n = 1; n <= loans; n += 1) {
    const { loanId } = await post('loans', fullBody(n));
    first ||= loanId;
    await post('start-underwriting', { loanId });
    await post('complete-underwriting', { loanId, approved: true, reason: 'benchmark' });
    await post('initiate-repayment', { loanId });
    for (let paid = 1; paid <= (n === 1 ? 24 : 3); paid += 1)
      await post('loan-repay', { loanId, amount: '10', refId: `P-${paid}` });
  }
  return first;
}
