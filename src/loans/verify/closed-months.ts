/**
 * Months that are closed, compared with what the histories of loans and books post by their ends, what nobody has written down yet
 * included. Memory is a number for each organization, month, lender and account.
 */
import { lastOfMonth, type PlainDate } from '../../core/calendar.ts';
import { hashOf } from '../../ledger/chain.ts';
import type { DatedLine } from '../../ledger/journal.ts';
import type { readClosedPeriods } from '../../store/books/periods.ts';
import type { LenderBalances } from '../books/day.ts';
import { monthAfter } from '../books/months.ts';

type Period = Awaited<ReturnType<typeof readClosedPeriods>>[number];
type Owner = { readonly organizationId: string; readonly lenderId: string };
/** By lender and account, debits positive. */
type Held = Map<string, number>;
type Organization = {
  readonly through: PlainDate;
  readonly months: Map<string, Held>;
  /** The first day on which a loan was recorded; null: none was. */
  first: PlainDate | null;
  sound: boolean;
};
type TellOfMonth = (what: string, compared?: { expected: unknown; found: unknown }) => void;

export type ClosedMonths = {
  /** The last day of an organization's last closed month; null: it has closed none. */
  through(organizationId: string): PlainDate | null;
  /** A loan was first recorded on this day: the month of the first of them is the first to be closed, whatever it posts. */
  recorded(organizationId: string, day: PlainDate): void;
  add(owner: Owner, lines: Iterable<Pick<DatedLine, 'account' | 'amount' | 'datePosted'>>): void;
  /** Something of the organization is damaged, so that nothing follows for its months. */
  damaged(organizationId: string): void;
  check(tell: TellOfMonth): void;
};

/** `periods` in order, by organization. */
export function openClosedMonths(periods: readonly Period[]): ClosedMonths {
  const organizations = new Map<string, Organization>();
  for (const { organizationId, period } of periods) {
    const through = lastOfMonth(`${period}-01` as PlainDate);
    organizations.set(organizationId, { through, months: new Map(), first: null, sound: true });
  }
  return {
    through: (organizationId) => organizations.get(organizationId)?.through ?? null,
    recorded(organizationId, day) {
      const organization = organizations.get(organizationId);
      if (organization === undefined) return;
      if (organization.first === null || day < organization.first) organization.first = day;
    },
    add({ organizationId, lenderId }, lines) {
      const organization = organizations.get(organizationId);
      if (organization === undefined) return;
      for (const { account, amount, datePosted } of lines) {
        if (datePosted > organization.through) continue;
        const month = datePosted.slice(0, 7);
        const held = organization.months.get(month) ?? new Map<string, number>();
        organization.months.set(month, held);
        const name = `${lenderId} ${account}`;
        held.set(name, (held.get(name) ?? 0) + amount);
      }
    },
    damaged(organizationId) {
      const organization = organizations.get(organizationId);
      if (organization !== undefined) organization.sound = false;
    },
    check(tell) {
      for (const [organizationId, organization] of organizations) {
        checkOrganization(
          periods.filter((one) => one.organizationId === organizationId),
          organization,
          tell,
        );
      }
    },
  };
}

function checkOrganization(
  periods: readonly Period[],
  { months, first, sound }: Organization,
  tell: TellOfMonth,
): void {
  const posted = [...months.keys()].sort();
  const held: Held = new Map();
  let next = sound ? (first?.slice(0, 7) ?? 'none') : null;
  for (const { organizationId, period, balances, hash } of periods) {
    const name = `${organizationId} ${period}`;
    if (next !== null && period !== next) {
      tell(`${name}: is not the next month`, { expected: next, found: period });
    }
    next = monthAfter(period);
    for (const month of posted.splice(0, posted.findLastIndex((one) => one <= period) + 1)) {
      for (const [account, amount] of months.get(month) ?? []) held.set(account, (held.get(account) ?? 0) + amount);
    }
    const found = hashOf(balances);
    if (found !== hash) tell(`${name}: its balances were changed: their hash`, { expected: hash, found });
    else if (sound) compareBalances(name, held, JSON.parse(balances) as LenderBalances[], tell);
  }
}

function compareBalances(name: string, held: Held, lenders: readonly LenderBalances[], tell: TellOfMonth): void {
  const stored: Held = new Map(
    lenders.flatMap(({ lenderId, accounts }) =>
      accounts.map(({ account, balance }): [string, number] => [`${lenderId} ${account}`, balance]),
    ),
  );
  for (const account of [...new Set([...held.keys(), ...stored.keys()])].sort()) {
    const [expected, found] = [held.get(account) ?? 0, stored.get(account) ?? 0];
    if (expected !== found)
      tell(`${name} ${account}: does not match what was posted by the end of the month`, { expected, found });
  }
}
