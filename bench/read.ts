/**
 * The speed of reading a loan: the full record (60 deals, over 1,136 bureau members, PDF, CSV) with token, key, decryption, a fresh state
 * and its durable audit entry, and the public one; each compared with the same bytes from a bare `node:http` server in the same run.
 * Warm: the record is cached; at least 0.2. Cold: every record is fetched, decrypted and decompressed, none is found in the cache; at
 * least 0.05. Public: at least 0.4. All of it with a token and a key, and again with the session of a person, at the same limits. It ends by
 * counting the audit entries: one for every answer.
 *   npm run bench:read            (BENCH_SECONDS=3 BENCH_CONNECTIONS=64 BENCH_ROUNDS=5; BENCH_BY=token: no session)
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDb } from '../src/store/db/db.ts';
import { startPostgres } from '../src/store/db/embedded.ts';
import { openVolumes } from '../src/store/db/volumes.ts';
import { fullBody } from '../test/support/full-body.ts';
import { atItsDatabase, signedIn } from '../test/support/people.ts';
import { call, startService } from '../test/support/service.ts';
import { TRAIL } from '../test/support/trail.ts';
import { fetchOnce, startBare } from './bare.ts';
import { beside } from './beside.ts';
import { CREDENTIALS } from './filled.ts';
import { end, whole } from './measure.ts';

/** More than the service caches (64 MB), so that reading them in turn never hits the cache. */
const COLD_LOANS = 120;
const WARM_LOANS = 8;

const dir = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
const dataDir = join(dir, 'data');
const service = await startService({ dataDir, credentials: CREDENTIALS, env: { RATE_LIMIT: '0' }, patience: 300_000 });
const server = await startPostgres({ dataDir, own: false });
const db = openDb(server.connection);
await openVolumes(db, null);
try {
  const token = await service.token();
  const loanIds: string[] = [];
  for (let n = 1; n <= COLD_LOANS; n++) loanIds.push(await liveLoan(n, token));
  let ok = await measure(loanIds, 'token', { Authorization: `Bearer ${token}`, key: CREDENTIALS.apiKey });
  if (process.env.BENCH_BY !== 'token') {
    const { cookie } = await atItsDatabase({ DATA_DIR: dataDir }, (at) => signedIn(at, ['auditor']));
    ok = (await measure(loanIds, 'session', { Cookie: cookie.cookie, purpose: 'benchmark' })) && ok;
  }
  end(ok);
} finally {
  await db.close();
  await service.stop();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}

async function measure(loanIds: string[], by: string, headers: Record<string, string>): Promise<boolean> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n`;
  const fullPath = (loanId: string) => `/v2/chain/loans/${loanId}`;
  const publicPath = (loanId: string) => `/v2/chain/loan-data/${loanId}`;

  const first = loanIds[0] as string;
  const [full, part] = [
    await fetchOnce(service.port, fullPath(first), headers),
    await fetchOnce(service.port, publicPath(first), headers),
  ];
  check(full.body);
  const bares = [];
  for (const [name, seen] of [['full', full] as const, ['public', part] as const]) {
    writeFileSync(join(dir, name), seen.body);
    bares.push(await startBare(seen.headers, join(dir, name)));
  }
  const [bareFull, barePublic] = bares.map((bare) => bare.port) as [number, number];
  const kb = (bytes: Buffer) => `${whole(bytes.length / 1024)} KiB`;
  const port = service.port;
  const before = await looks();
  let ok = await beside({
    what: `GET /loans/{id} with a ${by}, warm`,
    size: kb(full.body),
    limit: 0.2,
    port,
    barePort: bareFull,
    request: loanIds.slice(0, WARM_LOANS).map((id) => head(fullPath(id))),
  });
  const cold = {
    what: `GET /loans/{id} with a ${by}, cold`,
    size: kb(full.body),
    limit: 0.05,
    port,
    barePort: bareFull,
  };
  ok = (await beside({ ...cold, request: loanIds.map((id) => head(fullPath(id))) })) && ok;
  const after = await looks();
  const open = {
    what: `GET /loan-data/{id} with a ${by}`,
    size: kb(part.body),
    limit: 0.4,
    port,
    barePort: barePublic,
  };
  ok = (await beside({ ...open, request: loanIds.slice(0, WARM_LOANS).map((id) => head(publicPath(id))) })) && ok;
  for (const bare of bares) bare.stop();

  const last = await fetchOnce(service.port, fullPath(first), headers);
  if (!last.body.equals(full.body)) throw new Error('The record changed during the run.');
  const entries = after - before;
  console.log(`\n${whole(entries)} audit entries were written for the full reads.`);
  if (entries === 0) throw new Error('Reads left no audit entries.');
  return ok;
}

async function liveLoan(n: number, token: string): Promise<string> {
  const asked = { token, key: CREDENTIALS.apiKey };
  const post = async (path: string, body: object) => {
    const answer = await call(service.url, 'POST', `/v2/chain/${path}`, { ...asked, body });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
    return answer.body;
  };
  const { loanId } = await post('loans', fullBody(n));
  await post('start-underwriting', { loanId });
  await post('complete-underwriting', { loanId, approved: true, reason: 'benchmark' });
  await post('initiate-repayment', { loanId });
  for (let payment = 1; payment <= 3; payment++)
    await post('loan-repay', { loanId, amount: '10', refId: `P-${payment}` });
  return loanId;
}

function check(body: Buffer): void {
  const { Underwriting } = JSON.parse(body.toString('utf8')).data;
  const bureau = Object.keys(Underwriting.PrimaryCreditInfo).length;
  if (Underwriting.DealTermsInfo.length !== 60 || bureau <= 1_136 || Underwriting.PrimaryCreditBureauPDF === '') {
    throw new Error('The record is incomplete.');
  }
}

async function looks(): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `SELECT count(*) AS count FROM ${TRAIL} WHERE kind = 'saw' AND subject = 'record'`,
  );
  return Number(row?.count);
}
