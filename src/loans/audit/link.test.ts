/** Entries of the audit trail on their way into the chain. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import { ACTOR, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import { watched } from '../../../test/support/visited.ts';
import { auditLinkHash, NO_LINKS } from '../../ledger/audit-chain.ts';
import { type AuditEntry, recordAudit } from '../../store/audit/audit.ts';
import { readWaitingEntries } from '../../store/audit/chain.ts';
import { listAudit } from '../../store/audit/list.ts';
import { whileLinking } from '../../store/ledger/sealing.ts';
import { readLinkPage } from '../../store/verify/audit.ts';
import { linkEntries } from './link.ts';

const ORGANIZATION = 'org_of_payments';
const rooms: TestLoans[] = [];
let room: TestLoans;
beforeEach(async () => {
  room = await testLoans();
  rooms.push(room);
});
afterAll(() => Promise.all(rooms.map((one) => one.close())));

/** Entries as the payments of loans leave them. */
const payments = (count: number, volumeOf: (n: number) => number): AuditEntry[] =>
  Array.from({ length: count }, (_, n) => ({
    at: new Date(Date.UTC(2026, 0, 15) + n),
    organizationId: ORGANIZATION,
    clientId: 'client',
    kind: 'did',
    operation: 'loan-repay',
    outcome: 'done',
    loanId: `0x${volumeOf(n).toString(16).padStart(2, '0')}${n.toString(16).padStart(62, '0')}`,
    purpose: n % 100 === 0 ? Buffer.from(`sealed ${n}`) : null,
    requestId: `request_${n}`,
  }));

async function counts(): Promise<{ waiting: number; linked: number }> {
  const [row] = await room.db.query<{ waiting: number; linked: number }>(
    'SELECT (SELECT count(*)::int FROM audit_waiting) AS waiting, (SELECT count(*)::int FROM audit) AS linked',
  );
  return row ?? { waiting: -1, linked: -1 };
}

// The service seals every second or sooner, so what one turn links was written at most about two seconds before.
test('one turn links the entries of 2,000 payments in all volumes, and of a backlog of 6,000 in one', async () => {
  await recordAudit(
    room.db,
    payments(2_000, (n) => n % 16),
  );
  expect(await counts()).toEqual({ waiting: 2_000, linked: 0 });
  await room.loans.ledger.seal();
  expect(await counts()).toEqual({ waiting: 0, linked: 2_000 });
  await recordAudit(
    room.db,
    payments(6_000, () => 3),
  );
  await room.loans.ledger.seal();
  expect(await counts()).toEqual({ waiting: 0, linked: 8_000 });
});

test('however many entries wait, each is visited a few times, also where the statistics say that none waits', async () => {
  // Rows that were deleted leave the pages of a table that is empty, and so the statistics have it.
  await recordAudit(
    room.db,
    payments(3_000, (n) => n % 16),
  );
  await room.db.query('ALTER TABLE audit_waiting SET (autovacuum_enabled = off)');
  await room.db.query('DELETE FROM audit_waiting');
  await room.db.query('ANALYZE audit_waiting');
  await recordAudit(
    room.db,
    payments(3_000, (n) => n % 16),
  );
  const repeated: string[] = [];
  const db = watched(room.db, (line) => repeated.push(line));
  expect(await linkEntries(db)).toBe(3_000);
  expect(db.statements.size).toBe(4);
  expect(repeated).toEqual([]);
  expect(await counts()).toEqual({ waiting: 0, linked: 3_000 });
});

test('an entry is moved as it was written, behind the one before it by id, and its link is the hash of both', async () => {
  await recordAudit(room.db, payments(300, () => 5).reverse());
  const before = (await readWaitingEntries(room.db, [5], 1_000)).get(5) ?? [];
  await room.loans.ledger.seal();
  const links = await readLinkPage(room.db, { volume: 5, after: 0, through: 1_000 }, 1_000);
  expect(links.map(({ entry }) => entry)).toEqual(before);
  expect(links.map(({ number }) => number)).toEqual(before.map((_, i) => i + 1));
  const ids = before.map(({ entryId }) => entryId);
  expect(ids).toEqual([...ids].sort());
  links.forEach(({ number, hash, entry }, i) => {
    expect(hash).toBe(auditLinkHash(5, number, links[i - 1]?.hash ?? NO_LINKS.hash, entry));
  });
  // The sealed purpose moved inside the server.
  const purposes = await room.db.query<{ text: string }>(
    `SELECT convert_from(purpose, 'UTF8') AS text FROM audit WHERE purpose IS NOT NULL ORDER BY number`,
  );
  expect(purposes.map(({ text }) => text)).toEqual(['sealed 0', 'sealed 100', 'sealed 200']);
});

test('a reader sees each entry once while it is moved, before with no link', async () => {
  const read = () => listAudit(room.db, { organizationId: ORGANIZATION, before: null, limit: 500 });
  for (let round = 1; round <= 4; round++) {
    await recordAudit(
      room.db,
      payments(100, (n) => n % 16),
    );
    expect((await read()).filter(({ link }) => link === null)).toHaveLength(100);
    const pages = await Promise.all([read(), room.loans.ledger.seal().then(read), ...Array.from({ length: 12 }, read)]);
    for (const page of pages) expect(new Set(page.map(({ entryId }) => entryId)).size).toBe(round * 100);
    for (const page of pages) expect(page).toHaveLength(round * 100);
    expect(pages[1]?.every(({ link }) => link !== null)).toBe(true);
  }
});

test('when an entry disappears while it is linked, nothing is linked in that turn, and the rest in the next', async () => {
  await recordAudit(
    room.db,
    payments(3, () => 7),
  );
  await room.db.query('CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$');
  await room.db.query(
    `CREATE TRIGGER lose BEFORE DELETE ON audit_waiting FOR EACH ROW WHEN (OLD.request_id = 'request_1') EXECUTE FUNCTION lose()`,
  );
  await expect(room.loans.ledger.seal()).rejects.toThrow(
    'Entries of the audit trail disappeared while they were linked.',
  );
  expect(await counts()).toEqual({ waiting: 3, linked: 0 });
  await room.db.query('DROP TRIGGER lose ON audit_waiting');
  await room.loans.ledger.seal();
  expect(await counts()).toEqual({ waiting: 0, linked: 3 });
});

test('where one volume cannot be linked, the others are', async () => {
  await recordAudit(
    room.db,
    payments(160, (n) => n % 16),
  );
  await room.db.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'volume 3 is damaged'; END $$`,
  );
  await room.db.query(
    'CREATE TRIGGER refuse BEFORE INSERT ON audit FOR EACH ROW WHEN (NEW.volume = 3) EXECUTE FUNCTION refuse()',
  );
  await expect(room.loans.ledger.seal()).rejects.toThrow('volume 3 is damaged');
  expect(await counts()).toEqual({ waiting: 10, linked: 150 });
});

test('a volume that another process links is left to it', async () => {
  await recordAudit(
    room.db,
    payments(160, (n) => n % 16),
  );
  const theirs = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const other = whileLinking(room.db, [3, 4], async () => {
    locked.resolve();
    await theirs.promise;
  });
  await locked.promise;
  await room.loans.ledger.seal();
  expect(await counts()).toEqual({ waiting: 20, linked: 140 });
  theirs.resolve();
  await other;
  await room.loans.ledger.seal();
  expect(await counts()).toEqual({ waiting: 0, linked: 160 });
});

test('where the tables are spread over servers, each volume by itself', async () => {
  room.db.useVolumes({ count: 16, sharded: true });
  await recordAudit(
    room.db,
    payments(160, (n) => n % 16),
  );
  await room.loans.ledger.seal();
  expect(await counts()).toEqual({ waiting: 0, linked: 160 });
  const numbers = await room.db.query('SELECT volume, max(number)::int AS last FROM audit GROUP BY 1 ORDER BY 1');
  expect(numbers).toEqual(Array.from({ length: 16 }, (_, volume) => ({ volume, last: 10 })));
});

test('an operation is asked for by its name alone', async () => {
  await recordAudit(
    room.db,
    payments(3, () => 7),
  );
  const read = (operation: string) =>
    listAudit(room.db, { organizationId: ORGANIZATION, operation, before: null, limit: 10 });
  expect(await read('loan-repay')).toHaveLength(3);
  expect(await read('waive-fee')).toEqual([]);
  await expect(read(`x' OR 'a' = 'a`)).rejects.toThrow('An operation has letters, digits and hyphens.');
  await room.loans.ledger.seal();
  expect(
    await room.loans.audit.list({ ...ACTOR, organizationId: ORGANIZATION }, { limit: 5, cursor: null }),
  ).toMatchObject({
    items: [{ link: { number: 3 } }, { link: { number: 2 } }, { link: { number: 1 } }],
  });
});
