/**
 * The cost of the HTTP layer: requests per second of an authenticated small read (`GET /me`) compared with the same bytes from a
 * bare `node:http` server, in the same run, in alternating rounds, with request logging off (LOG_LEVEL=warn). The result is the ratio; it must be at least 0.5,
 * with a bearer token and with the session of a person.
 *   npm run bench:http            (BENCH_SECONDS=3 BENCH_CONNECTIONS=64 BENCH_ROUNDS=5; BENCH_BY=token: no session)
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atItsDatabase, signedIn } from '../test/support/people.ts';
import { startService } from '../test/support/service.ts';
import { fetchOnce, startBare } from './bare.ts';
import { beside } from './beside.ts';
import { CREDENTIALS } from './filled.ts';
import { end } from './measure.ts';

const dir = mkdtempSync(join(tmpdir(), 'daybook bench '));
const dataDir = join(dir, 'data');
const service = await startService({ dataDir, credentials: CREDENTIALS, env: { RATE_LIMIT: '0' }, patience: 300_000 });
try {
  const token = await service.token();
  let ok = await measure('a token', { Authorization: `Bearer ${token}` });
  if (process.env.BENCH_BY !== 'token') {
    const { cookie } = await atItsDatabase({ DATA_DIR: dataDir }, (at) => signedIn(at, ['agent']));
    ok = (await measure('a session', { Cookie: cookie.cookie })) && ok;
  }
  end(ok);
} finally {
  await service.stop();
  rmSync(dir, { recursive: true, force: true });
}

async function measure(by: string, headers: Record<string, string>): Promise<boolean> {
  const seen = await fetchOnce(service.port, '/v2/chain/me', headers);
  const bodyFile = join(dir, 'body');
  writeFileSync(bodyFile, seen.body);
  const bare = await startBare(seen.headers, bodyFile);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const ok = await beside({
    what: `GET /me with ${by}`,
    size: `${seen.body.length} bytes`,
    limit: 0.5,
    port: service.port,
    barePort: bare.port,
    request: `GET /v2/chain/me HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n`,
  });
  bare.stop();
  // The last answer must still be correct.
  const last = await fetchOnce(service.port, '/v2/chain/me', headers);
  if (!last.body.equals(seen.body)) throw new Error('The answer changed during the run.');
  return ok;
}
