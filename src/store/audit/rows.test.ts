/** Records of rows: what a transaction changed is in its entry, in the order of the changes, and a payment records nothing. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import { verifyBook } from '../../loans/verify/book.ts';
import { insertOrganization } from '../access/access.ts';
import { insertGrant, revokeGrant } from '../access/grants.ts';
import { putRole, removeRole } from '../access/users.ts';
import type { Sql } from '../db/db.ts';
import { recordAudit } from './audit.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

const at = new Date('2026-01-01T12:00:00Z');
const role = (tx: Sql, name: string, scopes = ['loans:read']) =>
  putRole(tx, { organization_id: 'org_test', name, scopes, limits: '{}', changed_at: at });
const contents = async () => {
  const rows = await room.db.query<{ operation: string; organization_id: string; content: string }>(
    `SELECT operation, organization_id, content FROM audit_waiting WHERE content IS NOT NULL ORDER BY (content::json ->> 'number')::int`,
  );
  return rows.map(({ content, ...row }) => ({
    ...row,
    ...(JSON.parse(content) as { number: number; rows: object[] }),
  }));
};
const complaints = async () => (await verifyBook({ db: room.db, masterKeys: testMasterKeys })).complaints;

test('a transaction writes what it left into its entry; one without an entry makes its own', async () => {
  const entry = { kind: 'did', outcome: 'done', organizationId: 'org_test', clientId: 'c', requestId: null } as const;
  await room.db.transaction(async (tx) => {
    await role(tx, 'desk');
    await recordAudit(tx, [{ ...entry, at, operation: 'put-role' }]);
    await role(tx, 'desk', ['loans:write']);
  });
  await room.db.transaction((tx) => removeRole(tx, 'org_test', 'desk'));
  const [put, removed] = await contents();
  expect(put).toMatchObject({ operation: 'put-role', rows: [{ table: 'roles', key: 'org_test desk' }] });
  expect(put?.rows).toHaveLength(1);
  expect(removed).toMatchObject({ operation: 'record-rows', organization_id: '', rows: [{ hash: null }] });
  expect(await complaints()).toEqual([]);
});

test('one that is rolled back records nothing, and outside of a transaction nothing is changed', async () => {
  const before = await contents();
  const failing = room.db.transaction(async (tx) => {
    await role(tx, 'night');
    throw new Error('failed');
  });
  await expect(failing).rejects.toThrow('failed');
  await expect(role(room.db, 'night')).rejects.toThrow('within a transaction');
  expect(await contents()).toEqual(before);
  expect(await room.db.query("SELECT 1 FROM roles WHERE name = 'night'")).toEqual([]);
});

test('of two changes of a row the later one counts, whatever the clocks of their processes show', async () => {
  const entry = { kind: 'did', outcome: 'done', organizationId: 'org_test', clientId: 'c', requestId: null } as const;
  const change = (scopes: string[], clock: string) =>
    room.db.transaction(async (tx) => {
      await role(tx, 'shift', scopes);
      await recordAudit(tx, [{ ...entry, at: new Date(clock), operation: 'put-role' }]);
    });
  await change(['loans:read'], '2026-01-01T12:00:09Z');
  await change(['loans:write'], '2026-01-01T12:00:01Z');
  while ((await room.loans.ledger.seal()) > 0);
  expect(await complaints()).toEqual([]);
});

test('rows that change while the book is verified are no complaint', async () => {
  await room.db.transaction(async (tx) => {
    const made = { created_at: at, rate_limit_per_minute: null, time_zone: 'UTC', clock_kind: 'live' } as const;
    await insertOrganization(tx, { ...made, organization_id: 'org_grantee', name: 'Grantee' });
  });
  let writing = true;
  const writes = (async () => {
    for (let n = 0; writing; n++) {
      const grant = { owner_organization_id: 'org_test', grantee_organization_id: 'org_grantee' };
      await room.db.transaction(async (tx) => {
        await insertGrant(tx, {
          ...grant,
          grant_id: `grant_${n}`,
          access: 'read',
          servicer_id: null,
          created_at: at,
          accepted_at: null,
        });
        await role(tx, 'busy', [`loans:${n}`]);
      });
      await room.db.transaction(async (tx) => {
        await revokeGrant(tx, `grant_${n}`, at);
        await removeRole(tx, 'org_test', 'busy');
      });
      if (n % 5 === 0) await room.loans.ledger.seal();
    }
  })();
  for (let n = 0; n < 4; n++) expect(await complaints()).toEqual([]);
  writing = false;
  await writes;
});

test('a payment sends no further statement, and its entry has no list', async () => {
  const loanId = await room.live();
  const before = await contents();
  const sent: string[] = [];
  const query: Sql['query'] = (text, ...more) => {
    sent.push(text);
    return room.db.query(text, ...more);
  };
  const transaction: TestLoans['db']['transaction'] = (work) =>
    room.db.transaction((tx) =>
      work({
        ...tx,
        query: (text, ...more) => {
          sent.push(text);
          return tx.query(text, ...more);
        },
      }),
    );
  const other = room.another({ db: { ...room.db, query, transaction } });
  const pay = (refId: string) =>
    other.write(ACTOR, { loanId, command: repay(refId, 1_000), reason: null, answer: () => '{}' }, PLAIN);
  await pay('first');
  sent.length = 0;
  expect((await pay('second')).kind).toBe('done');
  expect(sent.filter((text) => /row_changes|content\b/.test(text))).toEqual([]);
  expect(sent.filter((text) => /\b(INSERT|UPDATE|DELETE)\b/.test(text))).toHaveLength(1);
  expect(await contents()).toEqual(before);
});
