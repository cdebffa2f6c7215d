/** The export of a month is made while it is sent: the memory it takes does not grow with its length, and it ends when its caller disconnects. */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db, Sql } from '../../src/store/db/db.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/service.ts';
import { slowTest, WHOLE } from '../support/whole.ts';

const LENDERS = process.env.TEST_LONG ? 16_130 : WHOLE ? 1_500 : 700;
const DAYS = 31;
/** Each lender has a debit and a credit a day. */
const LINES = LENDERS * DAYS * 2;

let service: TestApp;
let token: string;
/** The number of lines that each read of a portion returned. */
let portions: number[] = [];

beforeAll(async () => {
  service = await testApp({}, async () => {
    const { db, drop } = await testDatabase();
    return { db: watched(db), drop };
  });
  token = await service.token();
  await service.call('POST', '/v2/chain/ledger/account-codes', {
    token,
    body: { codes: { cash: '1', loanPrincipal: '2' } },
  });
  for (let day = 0; day < DAYS; day++) {
    await service.db.query(
      `INSERT INTO account_days (volume, organization_id, lender_id, date_posted, entry, account, prior_period, debit, credit)
       SELECT 0, $1, 'L-' || lender, date '2025-12-01' + $3::int, 'disbursement', account, false, debit, 100 - debit
       FROM generate_series(1, $2) lender, (VALUES ('loanPrincipal', 100), ('cash', 0)) line (account, debit)`,
      [service.organizationId, LENDERS, day],
    );
  }
}, 120_000);
afterAll(() => service.close());

function watched(db: Db): Db {
  const watching = (sql: Sql): Sql => ({
    ...sql,
    get volumes() {
      return sql.volumes;
    },
    async query<R extends object>(...asked: Parameters<Sql['query']>) {
      const rows = await sql.query<R>(...asked);
      if (asked[0].includes('date_posted AS date, entry')) portions.push(rows.length);
      return rows;
    },
  });
  return {
    ...db,
    ...watching(db),
    transaction: (work, ...more) => db.transaction((tx) => work(watching(tx)), ...more),
  };
}

const EXPORT = '/v2/chain/ledger/export?period=2025-12';

/** The answer has begun, and nothing of the body has been read. */
async function begun(): Promise<{ sent: ClientRequest; answer: IncomingMessage }> {
  const sent = request(service.url + EXPORT, { agent: false, headers: { authorization: `Bearer ${token}` } });
  sent.on('error', () => {}).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.on('error', () => {});
  return { sent, answer };
}

test('it is complete and in order, holds a few thousand lines at a time, and does not block the event loop', {
  timeout: 120_000,
}, async () => {
  portions = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const before = process.memoryUsage().rss;
  let most = before;
  const { answer } = await begun();
  delay.enable();
  expect([answer.statusCode, answer.headers['content-length']]).toEqual([200, undefined]);
  let [lines, rest, last, inOrder] = [0, '', '', true];
  for await (const chunk of answer.setEncoding('utf8')) {
    const rows = (rest + chunk).split('\n');
    rest = rows.pop() as string;
    for (const row of rows) {
      const { date, lenderId, account } = JSON.parse(row);
      const place = `${date} ${lenderId} ${account}`;
      inOrder &&= last < place;
      last = place;
    }
    lines += rows.length;
    most = Math.max(most, process.memoryUsage().rss);
  }
  delay.disable();
  expect([lines, rest, inOrder]).toEqual([LINES, '', true]);
  expect(portions.reduce((sum, count) => sum + count, 0)).toBe(LINES);
  expect(Math.max(...portions)).toBeLessThanOrEqual(Math.max(16_000, LENDERS * 2));
  if (process.env.TEST_LONG) {
    console.info(
      `${lines} lines, ${Math.round((most - before) / 2 ** 20)} MiB more, ${Math.round(delay.max / 1e6)} ms at most`,
    );
    expect(most - before).toBeLessThan(300 * 2 ** 20);
  }
});

slowTest(
  'for a caller that reads nothing no data is read ahead; it may have four exports, which end when it disconnects',
  {
    timeout: 60_000,
  },
  async () => {
    portions = [];
    const stalled = await Promise.all([begun(), begun(), begun(), begun()]);
    const more = await service.call('GET', EXPORT, { token });
    expect([more.status, more.body.code]).toEqual([429, 'too_many_waiting']);
    for (const { sent } of stalled) sent.destroy();
    // Each gives its place back when its reading has ended.
    await eventually(async () => {
      const { sent, answer } = await begun();
      sent.destroy();
      return answer.statusCode === 200;
    });
    const whole = Math.ceil(LINES / 16_000);
    expect(portions.length).toBeLessThan(stalled.length * whole);
  },
);
