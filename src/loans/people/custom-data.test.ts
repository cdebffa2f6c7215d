/** Custom data is its owner's: what a sale of the loan does with it, and changes that meet in two processes. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ACTOR, PERSONAL, PLAIN, type TestLoans, testLoans, testMasterKeys } from '../../../test/support/loans.ts';
import { addDays, date } from '../../core/calendar.ts';
import type { Command } from '../../core/decide/decide.ts';
import type { Actor } from '../door/actor.ts';
import type { OpenLoans } from '../open.ts';
import { verifyBook } from '../verify/book.ts';

let room: TestLoans;
beforeEach(async () => {
  room = await testLoans();
});
afterEach(() => room.close());

const BUYER: Actor = { ...ACTOR, organizationId: 'org_other', clientId: 'buyer' };
const NOW = { asOf: null, knownAt: null };

const update = async (
  loanId: string,
  set: Record<string, string | null>,
  actor = ACTOR,
  loans: OpenLoans = room.loans,
) => {
  const command = { do: 'update-custom-data', set: Object.entries(set), reasoned: false } as const;
  return (await loans.write(actor, { loanId, command, reason: null, answer: () => '{}' }, PLAIN)).kind;
};
const shown = async (
  loanId: string,
  actor = ACTOR,
  how = NOW as { asOf: null | ReturnType<typeof date>; knownAt: string | null },
) => {
  const found = await room.loans.people.customData(actor, loanId, how);
  return found === null || found === 'before' ? found : Object.fromEntries(found.members);
};
const found = async (members: Record<string, string>, actor = ACTOR) =>
  (await room.loans.reads.search(actor, { customData: Object.entries(members) })).items.map(({ loanId }) => loanId);

async function sell(loanId: string, day: string, from: Actor, to: Actor): Promise<void> {
  room.on(addDays(date(day), -1));
  const target = { organizationId: to.organizationId, lenderId: 'L-9' };
  const offer: Command = {
    ...{
      do: 'transfer',
      transferId: `T-${day}`,
      what: 'owner',
      to: target,
      date: date(day),
      reason: 'sale',
      from: null,
    },
  };
  expect((await room.write(loanId, offer, { actor: from })).kind).toBe('done');
  expect((await room.write(loanId, { do: 'accept-transfer', servicerId: '' }, { actor: to })).kind).toBe('done');
  room.on(day, 0.1);
  for (const { organizationId } of [ACTOR, BUYER]) {
    await room.loans.cycle.runCyclesThrough(organizationId, addDays(date(day), -1));
  }
  expect(await room.loans.transfers.carryOutDue()).toBe(1);
}

test('a new owner begins with none and finds none; the former one reads what it had; each finds its own again when the loan returns', async () => {
  room.on('2026-01-15');
  const loanId = await room.live();
  expect(await update(loanId, { dealRoom: 'Seller’s' })).toBe('done');
  const before = new Date(room.clock.now + 1_000).toISOString();
  // Its last change on the last day, and the buyer's first one on the next.
  room.on('2026-01-19');
  expect(await update(loanId, { price: '98.5' })).toBe('done');
  await sell(loanId, '2026-01-20', ACTOR, BUYER);
  const sellers = { dealRoom: 'Seller’s', price: '98.5' };
  for (const how of [NOW, { asOf: date('2026-01-16'), knownAt: null }, { asOf: null, knownAt: before }]) {
    expect(await shown(loanId, BUYER, how), JSON.stringify(how)).toEqual({});
  }
  expect(await found({ dealRoom: 'Seller’s' }, BUYER)).toEqual([]);
  expect(await found({ dealRoom: 'Seller’s' })).toEqual([]);
  expect(await shown(loanId)).toEqual(sellers);
  expect(await shown(loanId, ACTOR, { asOf: date('2026-01-16'), knownAt: null })).toEqual({ dealRoom: 'Seller’s' });
  expect(await update(loanId, { dealRoom: null })).toBe('denied');

  expect(await update(loanId, { pool: 'Buyer’s', dealRoom: 'Buyer’s' }, BUYER)).toBe('done');
  const buyers = { pool: 'Buyer’s', dealRoom: 'Buyer’s' };
  expect(await shown(loanId, BUYER)).toEqual(buyers);
  expect(await found({ pool: 'Buyer’s' }, BUYER)).toEqual([loanId]);
  expect(await shown(loanId)).toEqual(sellers);
  // With a grant the former owner sees what the present one keeps, and neither of them finds the loan by what the other kept.
  const granted: Actor = {
    ...ACTOR,
    grants: [{ ownerOrganizationId: BUYER.organizationId, access: 'read', servicerId: null }] as never,
  };
  expect(await shown(loanId, granted)).toEqual(buyers);
  expect(await found({ price: '98.5' }, granted)).toEqual([]);
  expect(await found({ pool: 'Buyer’s' }, granted)).toEqual([loanId]);
  expect(await found({ pool: 'Buyer’s', price: '98.5' }, granted)).toEqual([]);

  await sell(loanId, '2026-02-02', BUYER, ACTOR);
  expect(await shown(loanId)).toEqual(sellers);
  expect(await found({ price: '98.5', dealRoom: 'Seller’s' })).toEqual([loanId]);
  expect(await found({ pool: 'Buyer’s' })).toEqual([]);
  expect(await shown(loanId, BUYER)).toEqual(buyers);
  expect(await update(loanId, { price: '99' })).toBe('done');
  expect(await shown(loanId)).toEqual({ ...sellers, price: '99' });
  while ((await room.loans.ledger.seal()) > 0);
  expect((await verifyBook({ db: room.db, masterKeys: testMasterKeys })).complaints).toEqual([]);
});

test('changes that meet in two processes are all kept, and the index has what is kept', async () => {
  const loanId = await room.create();
  const other = room.another();
  const names = Array.from({ length: 16 }, (_, i) => `n${i}`);
  const outcomes = await Promise.all(
    names.map((name, i) => update(loanId, { [name]: 'x', all: name }, ACTOR, i % 2 === 0 ? room.loans : other)),
  );
  expect(new Set(outcomes)).toEqual(new Set(['done']));
  const members = (await shown(loanId)) as Record<string, string>;
  expect(Object.keys(members).sort()).toEqual([...names, 'all'].sort());
  for (const name of names) expect(await found({ all: name }), name).toEqual(members.all === name ? [loanId] : []);
});

test('a search says when more loans match than it lists', async () => {
  const personal = { ...PERSONAL, customData: [['campaign', 'many']] as const };
  for (let made = 0; made < 101; made += 1) await room.create({}, { personal });
  const asked = (value: string) => room.loans.reads.search(ACTOR, { customData: [['campaign', value]] });
  const { items, more } = await asked('many');
  expect([items.length, more]).toEqual([100, true]);
  expect(await asked('none')).toEqual({ items: [], more: false });
});
