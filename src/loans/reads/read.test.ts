import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTOR, FILE, PERSONAL, PLAIN, repay, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import { TRAIL } from '../../../test/support/trail.ts';
import { EMPTY_RECORD } from '../../boarding/record-members.ts';
import { date } from '../../core/calendar.ts';
import { isRefusal } from '../../core/refusal.ts';
import { verifyProof } from '../../ledger/chain.ts';
import type { Db } from '../../store/db/db.ts';
import { volumeOf } from '../../store/db/volumes.ts';
import type { TrialBalance } from '../books/books.ts';
import type { ListFilter } from './list.ts';
import type { FullView, LoanView } from './view.ts';

const NOW = { asOf: null, knownAt: null };
const FIRST: ListFilter = { limit: 25, cursor: null, sort: '-createdAt' };

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

function seen<T>(view: T | 'before' | null): T {
  if (view === null || view === 'before') throw new Error(`Not to be seen: ${view}`);
  return view as T;
}

const looks = (loanId: string) =>
  room.db.query<{ what: string; purpose: Uint8Array; client_id: string; key_id: string }>(
    `SELECT subject AS what, purpose, client_id, key_id FROM ${TRAIL} WHERE loan_id = $1 AND kind = 'saw' ORDER BY entry_id`,
    [`\\x${loanId.slice(2)}`],
  );

async function balancesOf({ loans }: Pick<TestLoans, 'loans'>, asOf: ReturnType<typeof date>): Promise<TrialBalance> {
  const found = await loans.books.trialBalance(ACTOR, { asOf, lenderId: null });
  if (isRefusal(found)) throw new Error(found.detail);
  return found;
}

describe('the full record', () => {
  test('returns the submitted record, and leaves an audit entry each time', async () => {
    const loanId = await room.create();
    const full: FullView = seen(await room.loans.reads.readFull(ACTOR, loanId, NOW));
    expect(Buffer.concat(full.record).toString()).toBe(PERSONAL.record);
    const { record: _, search: __, customData: ___, ...details } = PERSONAL;
    expect(full.personal).toEqual(details);
    const { borrower, initialLender, loanServicer } = full.view.file;
    const accounts = { borrower, initialLender, loanServicer };
    expect(full.view.file).toEqual({ ...FILE, ...accounts, applicationId: full.view.file.applicationId });
    for (const account of Object.values(accounts)) expect(account).toMatch(/^0x[0-9a-fA-F]{40}$/);
    await Promise.all([1, 2, 3].map(() => room.loans.reads.readFull(ACTOR, loanId, NOW)));
    expect(await looks(loanId)).toEqual(
      Array.from({ length: 4 }, () => ({
        what: 'record',
        // Sealed under the loan's key.
        purpose: expect.any(Buffer),
        client_id: 'client',
        key_id: 'key_test',
      })),
    );
  });

  describe('once opened', () => {
    /** An instance of its own whose readings of sealed parts are counted. */
    function counting(openedBytes: number) {
      let readings = 0;
      const { db } = room;
      const counted: Db = {
        ...db,
        query(text, values, name) {
          if (name === 'read_record_parts') readings += 1;
          return db.query(text, values, name);
        },
      };
      const loans = room.another({ db: counted, memory: { loans: 100, openedBytes } });
      return async (loanId: string) => {
        const before = readings;
        expect(Buffer.concat(seen(await loans.reads.readFull(ACTOR, loanId, NOW)).record).toString()).toBe(
          PERSONAL.record,
        );
        return readings - before;
      };
    }

    test('is remembered for 30 seconds by the clock that was passed in', async () => {
      const loanId = await room.create();
      const read = counting(1_000_000);
      const start = room.clock.now;
      expect([await read(loanId), await read(loanId)]).toEqual([1, 0]);
      room.clock.now = start + 29_999;
      expect(await read(loanId)).toBe(0);
      room.clock.now = start + 30_001;
      expect([await read(loanId), await read(loanId)], 'opened anew').toEqual([1, 0]);
      room.clock.now = start;
    });

    test('makes room for others, and is not kept when there is no room', async () => {
      const [first, second] = [await room.create(), await room.create()];
      const roomForOne = counting(4_096 + PERSONAL.record.length);
      expect([await roomForOne(first), await roomForOne(first), await roomForOne(second)]).toEqual([1, 0, 1]);
      expect([await roomForOne(first), await roomForOne(first)], 'the other took its place').toEqual([1, 0]);
      const roomForNone = counting(0);
      expect([await roomForNone(first), await roomForNone(first)]).toEqual([1, 1]);
    });
  });

  test('shows what another instance has just done', async () => {
    const loanId = await room.live();
    seen(await room.loans.reads.readFull(ACTOR, loanId, NOW));
    const other = room.another();
    await other.write(ACTOR, { loanId, command: repay('E', 100_000), reason: null, answer: () => '' }, PLAIN);
    const { view } = seen(await room.loans.reads.readFull(ACTOR, loanId, NOW));
    expect(view.loan.principal).toBe(900_000);
    expect(view.paymentHashes.get('E')).toMatch(/^0x/);
    await other.close();
  });

  test('is not visible without a grant, and a refused read leaves no entry', async () => {
    const loanId = await room.create();
    expect(await room.loans.reads.readFull({ ...ACTOR, organizationId: 'org_other' }, loanId, NOW)).toBeNull();
    expect(await room.loans.reads.readFull(ACTOR, `0x${'9'.repeat(64)}`, NOW)).toBeNull();
    expect(await looks(loanId)).toEqual([]);
    await expect(room.loans.reads.readFull({ ...ACTOR, scopes: new Set() }, loanId, NOW)).rejects.toThrow(
      'scope or key',
    );
    await expect(room.loans.reads.readFull({ ...ACTOR, keyId: null }, loanId, NOW)).rejects.toThrow('scope or key');
    expect(await looks(loanId)).toEqual([]);
  });

  test('of an erased borrower has no personal part, at once', async () => {
    const loanId = await room.create();
    seen(await room.loans.reads.readFull(ACTOR, loanId, NOW));
    await room.db.query('DELETE FROM people WHERE loan_id = $1', [`\\x${loanId.slice(2)}`]);
    const full = seen<FullView>(await room.loans.reads.readFull(ACTOR, loanId, NOW));
    expect(Buffer.concat(full.record).toString()).toBe(EMPTY_RECORD);
    expect(Object.values(full.personal).join('')).toBe('');
  });

  test('reasons are sealed beside the event, and shown with the disclosures only', async () => {
    const loanId = await room.live();
    const outcome = await room.write(loanId, { do: 'cancel', reason: 'x' }, { reason: 'asked by Ann Example' });
    expect(outcome.kind).toBe('refused');
    await room.write(loanId, repay('N', 1_000), { reason: 'asked by Ann Example' });
    const [row] = await room.db.query<{ note: Uint8Array; body: string }>(
      'SELECT note, body FROM events WHERE note IS NOT NULL AND loan_id = $1',
      [`\\x${loanId.slice(2)}`],
    );
    expect(Buffer.from(row?.note ?? []).toString('latin1') + row?.body).not.toContain('Ann');
    const told = await room.loans.people.disclosures(ACTOR, loanId, { limit: 10, cursor: null });
    if (told === 'bad_cursor') throw new Error(told);
    expect(told?.reasons).toMatchObject([{ reason: 'asked by Ann Example' }]);
    expect(told?.items).toMatchObject([{ what: 'disclosures', clientId: 'client' }]);
  });
});

describe('as of a day, and as it was known', () => {
  test('a backdated payment is there as of its day, and was not known before it was recorded', async () => {
    const loanId = await room.live();
    room.clock.now = Date.UTC(2026, 2, 10, 12);
    await room.done(loanId, repay('back', 100_000, { date: '2026-02-10', reason: 'found' }));
    const read = async (asOf: string | null, knownAt: string | null): Promise<LoanView> =>
      seen(await room.loans.reads.read(ACTOR, loanId, { asOf: asOf === null ? null : date(asOf), knownAt }));
    expect((await read('2026-02-09', null)).loan.principal).toBe(1_000_000);
    expect((await read('2026-02-10', null)).loan.principal).toBeLessThan(1_000_000);
    expect((await read('2026-02-10', '2026-03-09T00:00:00Z')).loan.principal).toBe(1_000_000);
    expect((await read(null, '2026-03-10T23:00:00Z')).loan.principal).toBeLessThan(1_000_000);
    expect(await room.loans.reads.read(ACTOR, loanId, { asOf: date('2025-12-31'), knownAt: null })).toBe('before');
    expect(await room.loans.reads.read(ACTOR, loanId, { asOf: null, knownAt: '2025-12-31T00:00:00Z' })).toBe('before');
    room.clock.now = Date.UTC(2026, 0, 1, 12);
  });
});

describe('the public record', () => {
  test('is read by the owner, and once published by everyone; nothing about the person is in it', async () => {
    const loanId = await room.create();
    const stranger = { ...ACTOR, organizationId: 'org_other', scopes: new Set(['public:read']) };
    expect(await room.loans.reads.readPublic(stranger, loanId, NOW)).toBeNull();
    const own = seen(await room.loans.reads.readPublic(ACTOR, loanId, NOW));
    expect(JSON.stringify(own.view.file)).not.toContain(FILE.borrowerId);
    await room.done(loanId, { do: 'publish', published: true });
    expect(seen(await room.loans.reads.readPublic(stranger, loanId, NOW)).publicPart.toString()).toContain('loanInfo');
    expect(await room.loans.reads.readPublic({ ...stranger, scopes: new Set(['loans:read']) }, loanId, NOW)).toBeNull();
    await room.done(loanId, { do: 'publish', published: false });
    expect(await room.loans.reads.readPublic(stranger, loanId, NOW)).toBeNull();
  });
});

describe('lists', () => {
  test('pages in a stable order, each loan once, newest or oldest first', async () => {
    const own = await testLoans();
    const ids: string[] = [];
    for (let n = 0; n < 7; n++) {
      // Two share a moment: the id decides.
      if (n % 2 === 0) own.clock.now += 1_000;
      ids.push(await own.create());
    }
    for (const sort of ['-createdAt', 'createdAt'] as const) {
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await own.loans.reads.list(ACTOR, { limit: 2, cursor, sort });
        if (page === 'bad_cursor') throw new Error(page);
        found.push(...page.items.map(({ loanId }) => loanId));
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(new Set(found)).toEqual(new Set(ids));
      expect(found).toHaveLength(7);
    }
    const page = await own.loans.reads.list(ACTOR, { limit: 2, cursor: null, sort: 'createdAt' });
    const cursor = page === 'bad_cursor' ? null : page.nextCursor;
    expect(await own.loans.reads.list(ACTOR, { limit: 2, cursor, sort: '-createdAt' })).toBe('bad_cursor');
    expect(await own.loans.reads.list(ACTOR, { limit: 2, cursor: 'nonsense', sort: 'createdAt' })).toBe('bad_cursor');
    await own.close();
  });

  test('filters by status and bucket as the day has it, by parties, ids and creation', async () => {
    const own = await testLoans();
    const applied = await own.create({ lenderId: 'L-9', applicationId: 'SPECIAL-1' });
    const live = await own.live({ secondaryServicerId: 'S-7', borrowerId: 'B-77' });
    const of = async (filter: Partial<ListFilter>, actor = ACTOR) => {
      const page = await own.loans.reads.list(actor, { ...FIRST, ...filter });
      if (page === 'bad_cursor') throw new Error(page);
      return page.items.map(({ loanId }) => loanId);
    };
    expect(await of({ status: ['Current'] })).toEqual([live]);
    expect(await of({ bucket: 'current' })).toEqual([live]);
    // The first installment is due on 1 February; ten days of grace.
    own.clock.now = Date.UTC(2026, 1, 11, 12);
    expect(await of({ status: ['Delinquent'] })).toEqual([]);
    expect(await of({ bucket: '1-29' })).toEqual([live]);
    own.clock.now = Date.UTC(2026, 1, 12, 12);
    expect(await of({ status: ['Delinquent'] })).toEqual([live]);
    expect(await of({ status: ['Current'] })).toEqual([]);
    own.clock.now = Date.UTC(2026, 2, 3, 12);
    expect(await of({ bucket: '30-59' })).toEqual([live]);
    expect(await of({ bucket: '120+' })).toEqual([]);
    expect(await of({ lenderId: 'L-9' })).toEqual([applied]);
    expect(await of({ servicerId: 'S-7' })).toEqual([live]);
    expect(new Set(await of({ servicerId: 'S-1' }))).toEqual(new Set([applied, live]));
    expect(await of({ borrowerId: 'B-77' })).toEqual([live]);
    expect(await of({ applicationId: 'SPECIAL-1' })).toEqual([applied]);
    expect(await of({ q: 'SPEC' })).toEqual([applied]);
    expect(await of({ q: 'SPEC_AL' })).toEqual([]);
    expect(await of({ q: live })).toEqual([live]);
    expect(await of({ createdFrom: date('2026-01-02') })).toEqual([]);
    expect(await of({ createdFrom: date('2026-01-01'), createdTo: date('2026-01-01') })).toHaveLength(2);
    const stranger = { ...ACTOR, organizationId: 'org_other' };
    expect(await of({}, stranger)).toEqual([]);
    const granted = (servicerId: string | null) => ({
      ...stranger,
      grants: [{ ownerOrganizationId: ACTOR.organizationId, access: 'read' as const, servicerId }],
    });
    expect(await of({}, granted(null))).toHaveLength(2);
    expect(await of({}, granted('S-7'))).toEqual([live]);
    expect(await of({ servicerId: 'S-7' }, granted('S-1'))).toEqual([live]);
    expect(await of({ servicerId: 'S-8' }, granted('S-1'))).toEqual([]);
    await own.close();
  });

  test('a search by what is personal finds the loan, needs everything to match, and leaves an entry', async () => {
    const own = await testLoans();
    const loanId = await own.create();
    const find = async (terms: object, actor = ACTOR) =>
      (await own.loans.reads.search(actor, terms)).items.map((summary) => summary.loanId);
    expect(await find({ ssn: '666123456' })).toEqual([loanId]);
    expect(await find({ email: 'ann.example@EXAMPLE.org' })).toEqual([loanId]);
    expect(await find({ lastName: 'EXAMPLE', dateOfBirth: '1980-01-02' })).toEqual([loanId]);
    expect(await find({ ssn: '666123456', email: 'other@example.org' })).toEqual([]);
    expect(await find({ ssn: '666123456' }, { ...ACTOR, organizationId: 'org_other' })).toEqual([]);
    const rows = await own.db.query<{ what: string; found: boolean }>(
      `SELECT subject AS what, loan_id IS NOT NULL AS found FROM ${TRAIL} WHERE kind = 'saw' ORDER BY entry_id`,
    );
    expect(rows).toEqual([true, true, true, false, false].map((found) => ({ what: 'search', found })));
    await own.close();
  });
});

describe('the ledger', () => {
  test('a transaction has its proof once its block is sealed; blocks are linked; the trial balance counts both', async () => {
    const own = await testLoans();
    const loanId = await own.live();
    const before = (await own.loans.ledger.transactions(ACTOR, loanId)) ?? [];
    expect(before.every(({ sealed, proof }) => !sealed && proof === null)).toBe(true);
    const open = await balancesOf(own, date('2026-01-01'));
    expect(await own.loans.ledger.seal()).toBe(4);
    expect(await own.loans.ledger.seal()).toBe(0);
    expect(await balancesOf(own, date('2026-01-01'))).toEqual(open);
    const rows = (await own.loans.ledger.transactions(ACTOR, loanId)) ?? [];
    for (const { transactionHash, proof } of rows) {
      if (proof === null) throw new Error('Not sealed.');
      const { index, siblings, header } = proof;
      expect(verifyProof({ transactionHash, index, siblings, count: header.count, root: header.root })).toBe(true);
    }
    const [at, volumes] = [rows[0]?.block ?? 0, own.db.volumes.count];
    expect(at).toBe(volumes + volumeOf(own.db, loanId));
    const first = await own.loans.ledger.block(ACTOR, at);
    expect(first?.transactions).toHaveLength(first?.block?.count ?? 0);
    const stranger = { ...ACTOR, organizationId: 'org_other' };
    expect(await own.loans.ledger.block(stranger, at)).toEqual({ ...first, transactions: [] });
    const second = await own.loans.ledger.block(ACTOR, at + volumes);
    expect(second?.block?.previousHash).toBe(first?.block?.hash);
    expect(await own.loans.ledger.block(ACTOR, at + 4 * volumes)).toBeNull();
    expect(await own.loans.ledger.block(ACTOR, at - volumes)).toBeNull();
    const hash = rows[0]?.transactionHash as string;
    expect(await own.loans.ledger.transaction(ACTOR, hash)).toEqual(rows[0]);
    expect(await own.loans.ledger.transaction({ ...ACTOR, organizationId: 'org_other' }, hash)).toBeNull();
    const balance = (account: string) => open.accounts.find((one) => one.account === account);
    expect(balance('loanPrincipal')).toMatchObject({ debit: 1_000_000, credit: 0 });
    expect(balance('cash')).toMatchObject({ debit: 0, credit: 1_000_000 });
    await own.done(loanId, repay('TB', 100_000));
    const after = await balancesOf(own, date('2026-01-01'));
    expect(after.accounts.find(({ account }) => account === 'loanPrincipal')?.debit).toBe(900_000);
    expect((await balancesOf(own, date('2025-12-31'))).accounts.every(({ debit }) => debit === 0)).toBe(true);
    await own.close();
  });

  test('two instances that seal at once seal each block once', async () => {
    const own = await testLoans();
    const other = own.another();
    await Promise.all([own.live(), own.live(), own.live()]);
    for (let n = 0; n < 5; n++) await Promise.all([own.loans.ledger.seal(), other.ledger.seal()]);
    const rows = await own.db.query<{ volume: number; head: bigint; last: bigint | null; sealed: bigint }>(
      `SELECT h.volume, h.number AS head, max(b.number) AS last, count(b.number) AS sealed
       FROM ledger_heads h LEFT JOIN blocks b USING (volume) GROUP BY h.volume, h.number`,
    );
    for (const { volume, head, last, sealed } of rows) {
      expect(last ?? BigInt(volume)).toBe(head);
      expect(Number(sealed)).toBe((Number(head) - volume) / own.db.volumes.count);
    }
    await own.close();
  });
});

describe('the state of a loan without its events', () => {
  const NOW = { asOf: null, knownAt: null };
  const without = (view: Awaited<ReturnType<typeof room.loans.reads.read>>) => {
    const { events: _, ...rest } = seen(view);
    return { ...rest, history: expect.any(Function) as unknown };
  };

  test('is what the whole history folds into, also after another process has changed it', async () => {
    const loanId = await room.live();
    const there = room.another();
    expect(await there.reads.readState(ACTOR, loanId, NOW)).toEqual(
      without(await room.loans.reads.read(ACTOR, loanId, NOW)),
    );
    await room.done(loanId, repay('STATE', 100_00));
    expect(await there.reads.readState(ACTOR, loanId, NOW)).toEqual(
      without(await room.loans.reads.read(ACTOR, loanId, NOW)),
    );
    room.clock.now += 40 * 86_400_000;
    expect(await there.reads.readState(ACTOR, loanId, NOW)).toEqual(
      without(await room.loans.reads.read(ACTOR, loanId, NOW)),
    );
  });

  test('does not exist for another organization', async () => {
    const loanId = await room.live();
    expect(await room.loans.reads.readState({ ...ACTOR, organizationId: 'org_other' }, loanId, NOW)).toBeNull();
  });
});
