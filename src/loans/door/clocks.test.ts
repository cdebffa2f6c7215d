import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTOR, PLAIN, repay, type TestLoans, testLoans } from '../../../test/support/loans.ts';
import type { Bureau } from '../../bureau/bureau.ts';
import { simulate } from '../../bureau/simulator/simulator.ts';
import type { LoanView } from '../reads/view.ts';
import type { Actor } from './actor.ts';
import { openClocks } from './clocks.ts';
import type { LoanCommand } from './write.ts';

let room: TestLoans;
beforeAll(async () => {
  room = await testLoans();
});
afterAll(() => room.close());

const NOW = { asOf: null, knownAt: null };
const OWNER = ACTOR.organizationId;
/** Another organization that services the loans of the first. */
const SERVICER: Actor = {
  ...ACTOR,
  organizationId: 'org_other',
  grants: [{ ownerOrganizationId: OWNER, access: 'servicing', servicerId: null }],
};

test('an organization is in UTC until its zone is set, and one that does not exist has a day too', async () => {
  const now = '2026-01-01T12:00:00.000Z';
  expect(await room.loans.door.clockView(OWNER)).toEqual({
    ...{ kind: 'live', timeZone: 'UTC', today: '2026-01-01', now, advancing: null },
  });
  expect(await room.loans.door.clockView('org_nobody')).toMatchObject({ today: '2026-01-01' });
});

test('a loan follows its owner’s business date, for every caller', async () => {
  const loanId = await room.live();
  await room.db.query("UPDATE organizations SET time_zone = 'Pacific/Kiritimati' WHERE organization_id = 'org_other'");
  const loans = room.another();
  room.clock.now = Date.UTC(2026, 0, 5, 20);
  expect(await loans.door.clockView('org_other')).toMatchObject({ today: '2026-01-06' });
  const paid = await loans.write(
    SERVICER,
    { loanId, command: repay('R-1', 1_000), reason: null, answer: () => '' },
    PLAIN,
  );
  expect(paid).toMatchObject({ kind: 'done', change: { events: [{ date: '2026-01-05', recordedOn: '2026-01-05' }] } });
  expect(((await loans.reads.read(SERVICER, loanId, NOW)) as LoanView).loan.on).toBe('2026-01-05');
});

test('a list over several organizations goes by each owner’s day', async () => {
  room.clock.now = Date.UTC(2026, 0, 1, 12);
  const loans = room.another();
  const own = await room.create({ applicationId: 'SAME', borrowerId: 'B-LIST' });
  const made = await loans.origination.board(
    { ...SERVICER, grants: [] },
    room.creation({ applicationId: 'SAME', borrowerId: 'B-LIST' }),
    PLAIN,
  );
  const other = made.kind === 'done' ? made.change.loanId : '';
  const found = async (filter: object) => {
    const list = await loans.reads.list(SERVICER, {
      ...{ limit: 10, cursor: null, sort: 'createdAt', borrowerId: 'B-LIST', ...filter },
    } as never);
    return list === 'bad_cursor' ? [] : list.items.map(({ loanId }) => loanId).sort();
  };
  // At noon in London it is the second of January on Kiritimati.
  expect(await found({ createdFrom: '2026-01-02' })).toEqual([other]);
  expect(await found({ createdTo: '2026-01-01' })).toEqual([own]);
  expect(await found({})).toEqual([own, other].sort());
});

test('the zone is in force from the next day; another process knows within a second', async () => {
  room.clock.now = Date.UTC(2026, 0, 10, 18);
  const time = { now: 0 };
  const elsewhere = openClocks({ db: room.db, clock: () => room.clock.now, monotonic: () => time.now });
  expect(await elsewhere.view(OWNER)).not.toHaveProperty('next');
  const set = await room.loans.door.setTimeZone(OWNER, 'america/los_angeles');
  const next = { timeZone: 'America/Los_Angeles', from: '2026-01-11T00:00:00.000Z' };
  expect(set).toMatchObject({ timeZone: 'UTC', today: '2026-01-10', next });
  expect(await room.loans.door.clockView(OWNER)).toEqual(set);
  expect(await elsewhere.view(OWNER)).not.toHaveProperty('next');
  time.now = 1_000;
  expect(await elsewhere.view(OWNER)).toEqual(set);

  room.clock.now = Date.UTC(2026, 0, 11, 1);
  expect(await room.loans.door.clockView(OWNER)).toEqual({
    ...{ kind: 'live', timeZone: 'America/Los_Angeles', today: '2026-01-10', advancing: null },
    now: '2026-01-11T01:00:00.000Z',
  });
  // The days before stay what they were, and a change back is one more.
  expect(await room.loans.door.setTimeZone(OWNER, 'UTC')).toMatchObject({ next: { from: '2026-01-11T08:00:00.000Z' } });
  const { dayOf } = await elsewhere.one(OWNER);
  expect([Date.UTC(2026, 0, 10), Date.UTC(2026, 0, 9, 23)].map(dayOf)).toEqual(['2026-01-10', '2026-01-09']);
});

test('a read that was sent before a change in this process does not restore the old zone', async () => {
  room.clock.now = Date.UTC(2026, 0, 20, 12);
  let late: Promise<void> = Promise.resolve();
  let hold = false;
  const slow = {
    ...room.db,
    query: async (...asked: Parameters<typeof room.db.query>) => {
      const rows = await room.db.query(...asked);
      if (hold) {
        read();
        await late;
      }
      return rows;
    },
  } as typeof room.db;
  let release = () => {};
  let read = () => {};
  const hasRows = new Promise<void>((resolve) => {
    read = resolve;
  });
  late = new Promise((resolve) => {
    release = resolve;
  });
  const clocks = openClocks({ db: slow, clock: () => room.clock.now });
  hold = true;
  const before = clocks.view('org_other');
  // It has its rows, and does not get them before the change.
  await hasRows;
  hold = false;
  const set = await clocks.setTimeZone('org_other', 'Asia/Tokyo');
  release();
  expect(set).toHaveProperty('next');
  expect(await before).toEqual(set);
  expect(await clocks.view('org_other')).toEqual(set);
});

test('callers who want the same clocks at the same time read them once', async () => {
  let asked = 0;
  const query = (...one: Parameters<typeof room.db.query>) => {
    asked += 1;
    return room.db.query(...one);
  };
  const clocks = openClocks({ db: { ...room.db, query } as typeof room.db, clock: () => room.clock.now });
  const both = [OWNER, 'org_other'];
  const found = await Promise.all([clocks.one(OWNER), clocks.of(both), clocks.of(both), clocks.one('org_other')]);
  expect(asked).toBe(2);
  expect(found[2].get('org_other')).toBe(found[3]);
});

test('a zone that does not exist is refused, and so is one change too many', async () => {
  expect(await room.loans.door.setTimeZone(OWNER, 'Mars/Phobos')).toMatchObject({ refused: 'invalid_value' });
  const { now } = room.clock;
  await room.db.query(
    `INSERT INTO former_time_zones
     SELECT 'org_other', '2000-01-01'::timestamptz + n * interval '1 day', 'UTC' FROM generate_series(1, 99) n`,
  );
  await room.db.query("DELETE FROM former_time_zones WHERE organization_id = 'org_other' AND until > '2020-01-01'");
  const before = await room.another().door.clockView('org_other');
  expect(await room.another().door.setTimeZone('org_other', 'Europe/Oslo')).toMatchObject({
    refused: 'invalid_value',
    detail: expect.stringContaining('limit of 100 time zone changes'),
  });
  expect(await room.another().door.clockView('org_other')).toEqual(before);
  room.clock.now = now;
});

test('an application is created, assessed and assessed again by its owner’s day', async () => {
  const own = await testLoans();
  await own.db.query("UPDATE organizations SET time_zone = 'Pacific/Kiritimati'");
  own.clock.now = Date.UTC(2026, 2, 5, 12);
  const days: string[] = [];
  const bureau: Bureau = {
    name: 'noting',
    async pull(subject, asked) {
      days.push(asked.today);
      return simulate(subject, asked);
    },
  };
  const loans = own.another({ bureau });
  const source = JSON.stringify({
    ...{ applicationId: 'A-1', borrowerId: 'B-1', lenderId: 'L-1', loanType: 'AutoLoan' },
    ...{ loanAmount: '18000', interestRate: '9.5', term: 60 },
    Request: {
      ApplicantInfo: {
        ApplicantSSN: '666-00-0001',
        ApplicantState: 'OH',
        MonthlyGross: 6500,
        HousingMonthlyPayment: 1100,
      },
      VehicleInfo: { VehicleYear: '2024', VehicleMileage: '21000', VehicleWholesaleValue: '22000' },
    },
  });
  const created = await loans.origination.create(ACTOR, { source, answer: () => '' }, PLAIN);
  if (created.kind !== 'done') throw new Error(created.kind);
  const { loanId, events } = created.change;
  expect(events).toMatchObject([{ recordedOn: '2026-03-06' }]);
  const decidedOn = async (command: LoanCommand) => {
    const done = await loans.write(ACTOR, { loanId, command, reason: null, answer: () => '' }, PLAIN);
    expect(done.kind).toBe('done');
    const reader = { ...ACTOR, scopes: new Set([...ACTOR.scopes, 'loans:read_pii']) };
    const full = await loans.reads.readFull(reader, loanId, NOW);
    if (full === null || full === 'before') throw new Error('No such loan.');
    return /"Date":"([^"]*)","DealerID"/.exec(Buffer.concat(full.record).toString())?.[1];
  };
  expect(await decidedOn({ do: 'start-underwriting' })).toBe('2026-03-06');
  expect(days).toEqual(['2026-03-06']);

  // Another zone since, and another day: the run that is done again is of the day it was made on.
  expect(await loans.door.setTimeZone(OWNER, 'UTC')).toHaveProperty('next');
  own.clock.now = Date.UTC(2026, 2, 9, 12);
  const chosen = { do: 'complete-underwriting', approved: true, dealIndex: 7, reason: 'An officer decided' } as const;
  expect(await decidedOn(chosen)).toBe('2026-03-06');
  expect(days).toHaveLength(1);
  await own.close();
});
