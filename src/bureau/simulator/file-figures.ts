/** The figures of families that do not concern one kind of account: the file as a whole, its parts, months, trends and shares. */
import { type Account, KINDS } from './accounts.ts';
import {
  at,
  count,
  type Facts,
  type Figure,
  ifEver,
  type Measure,
  most,
  type Population,
  percent,
  sum,
  used,
} from './facts.ts';
import { everyAccount, isBankCard, isOf, isRevolving, isStoreAccount } from './family-figures.ts';
import type { CreditFile } from './file.ts';
import { against, byMonth, MONTHS, REVOLVING_TREND, spent, TREND, two } from './trend-figures.ts';

const { auto, lease, mortgage } = KINDS;

export type Special = {
  /** Its figures describe the whole file, so they exist even without accounts. */
  readonly ofFile?: true;
  readonly prefix: string;
  readonly about: string;
  readonly population: Population;
  readonly figures: readonly Measure[];
};

/** Shares of the balance, the largest first. */
const shareOf =
  (rank: number) =>
  (facts: Facts): Figure =>
    facts.open.length === 0
      ? 'noneOpen'
      : percent(facts.open.map(({ balance }) => balance).sort((a, b) => b - a)[rank] ?? 0, facts.balance);
/** Mostly pays the whole balance. */
const paysInFull = ({ paid, balances }: Account): boolean =>
  sum(paid.slice(0, 6)) > 0.9 * sum(balances.slice(1, 7)) && (balances[0] as number) > 0;

const inquiriesWithin =
  (days: number, kind?: string) =>
  ({ file }: Facts): number =>
    file.inquiries.filter((inquiry) => inquiry.daysAgo <= days && (kind === undefined || inquiry.kind === kind)).length;
const isUnpaid = ({ balance }: { readonly balance: number }): boolean => balance > 0;
const owedOn = (collections: CreditFile['collections']): number => sum(collections.map(({ balance }) => balance));
const latest = (ages: readonly number[]): Figure => ifEver(Math.min(Number.POSITIVE_INFINITY, ...ages));

const GENERAL: readonly Measure[] = [
  ['001S', 'months 30 to 59 days late in the last 12, all accounts', ({ times }) => at(times[0] as number[], 1)],
  ['002S', 'months 60 to 89 days late in the last 12, all accounts', ({ times }) => at(times[1] as number[], 1)],
  ['003S', 'months 90 and more days late in the last 12, all accounts', ({ times }) => at(times[2] as number[], 1)],
  ['004S', 'months late in the last 24, all accounts', ({ times }) => sum(times.map((counts) => at(counts, 2)))],
  ['005S', 'months late in the last 84, all accounts', ({ times }) => sum(times.map((counts) => at(counts, 3)))],
  ['020S', 'inquiries in the last 30 days', inquiriesWithin(30)],
  ['021S', 'inquiries in the last 3 months', inquiriesWithin(91)],
  ['022S', 'inquiries in the last 6 months', inquiriesWithin(182)],
  ['023S', 'inquiries in the last 12 months', inquiriesWithin(365)],
  ['024S', 'inquiries in the last 24 months', inquiriesWithin(730)],
  ['025S', 'inquiries of auto lenders in the last 6 months', inquiriesWithin(182, 'auto')],
  ['026S', 'inquiries of auto lenders in the last 12 months', inquiriesWithin(365, 'auto')],
  ['027S', 'inquiries of banks in the last 12 months', inquiriesWithin(365, 'bank')],
  ['028S', 'inquiries of stores in the last 12 months', inquiriesWithin(365, 'retail')],
  ['029S', 'inquiries of finance companies in the last 12 months', inquiriesWithin(365, 'finance')],
  ['030S', 'days since the last inquiry', ({ file }) => latest(file.inquiries.map(({ daysAgo }) => daysAgo))],
  ['057S', 'accounts past due now', ({ accounts }) => count(accounts, ({ pastDue }) => pastDue > 0)],
  ['058S', 'open accounts 30 days late or more', ({ open }) => count(open, ({ late }) => late >= 1)],
  ['059S', 'open accounts 60 days late or more', ({ open }) => count(open, ({ late }) => late >= 2)],
  ['060S', 'open accounts 90 days late or more', ({ open }) => count(open, ({ late }) => late >= 3)],
  ['091S', 'repossessions', ({ accounts }) => count(accounts, ({ ending }) => ending === 'repossessed')],
  ['092S', 'accounts charged off', ({ accounts }) => count(accounts, ({ ending }) => ending === 'charged off')],
  ['093S', 'public records', ({ file }) => file.bankruptcies.length],
  ['094S', 'bankruptcies', ({ file }) => file.bankruptcies.length],
  ['095S', 'months since the last bankruptcy', ({ file }) => latest(file.bankruptcies.map(({ age }) => age))],
  [
    '096S',
    'bankruptcies that are not discharged',
    ({ file }) => file.bankruptcies.filter(({ discharged }) => !discharged).length,
  ],
  ['210S', 'collections', ({ file }) => file.collections.length],
  ['211S', 'collections that are unpaid', ({ file }) => file.collections.filter(isUnpaid).length],
  ['212S', 'months since the last collection', ({ file }) => latest(file.collections.map(({ age }) => age))],
  ['213S', 'balance of collections', ({ file }) => owedOn(file.collections)],
  [
    '214S',
    'collections that were paid',
    ({ file }) => file.collections.filter((collection) => !isUnpaid(collection)).length,
  ],
];

const medical = ({ file }: Facts) => file.collections.filter(({ about }) => about === 'medical');
const MEDICAL: readonly Measure[] = [
  ['01S', 'medical collections', (facts) => medical(facts).length],
  ['02S', 'medical collections that are unpaid', (facts) => medical(facts).filter(isUnpaid).length],
  [
    '20S',
    'months since the oldest medical collection',
    (facts) => (medical(facts).length === 0 ? 'nothing' : Math.max(...medical(facts).map(({ age }) => age))),
  ],
  ['21S', 'months since the newest medical collection', (facts) => latest(medical(facts).map(({ age }) => age))],
  ['33S', 'balance of medical collections', (facts) => owedOn(medical(facts))],
];

const SUMMARY: readonly Measure[] = [
  ['001S', 'kinds of accounts in file', ({ accounts }) => new Set(accounts.map(({ kind }) => kind.type)).size],
  ['002S', 'creditors in file', ({ accounts }) => new Set(accounts.map(({ lender }) => lender)).size],
  ['003S', 'creditors of open accounts', ({ open }) => new Set(open.map(({ lender }) => lender)).size],
  [
    '004S',
    'balance of everything except mortgages',
    ({ accounts }) => sum(accounts.filter(({ kind }) => kind !== mortgage).map(({ balance }) => balance)),
  ],
  [
    '005S',
    'monthly payments of everything except mortgages',
    ({ open }) => sum(open.filter(({ kind }) => kind !== mortgage).map(({ payment }) => payment)),
  ],
  ['006S', 'percent of the accounts that are open', ({ accounts, open }) => percent(open.length, accounts.length)],
  [
    '007S',
    'percent of the accounts that are revolving',
    ({ accounts }) => percent(count(accounts, isRevolving), accounts.length),
  ],
  [
    '008S',
    'available credit on open revolving accounts',
    ({ open }) => sum(open.filter(isRevolving).map(({ limit, balance }) => Math.max(0, limit - balance))),
  ],
  [
    '009S',
    'open revolving accounts above their limit',
    ({ open }) => count(open, (account) => isRevolving(account) && used(account) > 1),
  ],
  [
    '010S',
    'open revolving accounts without a balance',
    ({ open }) => count(open, (account) => isRevolving(account) && account.balance === 0),
  ],
  ['061S', 'months since an account was last 60 days late', ({ since }) => ifEver(at(since, 1))],
  ['062S', 'months since an account was last 90 days late', ({ since }) => ifEver(at(since, 2))],
  [
    '063S',
    'months since the last charge-off, repossession or bankruptcy',
    ({ accounts }) =>
      latest(accounts.flatMap(({ ending, ageClosed }) => (ending === null || ageClosed === null ? [] : [ageClosed]))),
  ],
  [
    '064S',
    'balance of charged-off, repossessed or bankrupt accounts',
    ({ accounts }) => sum(accounts.filter(({ ending }) => ending !== null).map(({ balance }) => balance)),
  ],
  [
    '065S',
    'unpaid collections of 500 dollars or more',
    ({ file }) => file.collections.filter(({ balance }) => balance >= 500).length,
  ],
  [
    '114S',
    'inquiries in the last 6 months, those of auto lenders within 14 days counted once',
    ({ file }) => deduplicated(file),
  ],
];

/** Several inquiries while shopping for one car count as one. */
function deduplicated({ inquiries }: CreditFile): number {
  let counted = 0;
  let lastAuto = Number.NEGATIVE_INFINITY;
  for (const { kind, daysAgo } of inquiries) {
    if (daysAgo > 182) break;
    if (kind === 'auto' && daysAgo - lastAuto <= 14) continue;
    if (kind === 'auto') lastAuto = daysAgo;
    counted += 1;
  }
  return counted;
}

export const SPECIALS: readonly Special[] = [
  { prefix: 'G', ofFile: true, about: 'the whole file', population: everyAccount, figures: GENERAL },
  { prefix: 'S', ofFile: true, about: 'summary of the file', population: everyAccount, figures: SUMMARY },
  { prefix: 'MD', ofFile: true, about: 'medical collections', population: everyAccount, figures: MEDICAL },
  {
    prefix: 'CV',
    about: 'open accounts and their kinds',
    population: ({ ageClosed }) => ageClosed === null,
    figures: [
      ['01', 'available credit in percent, revolving', ({ open }) => freeLimits(open)],
      ['02', 'debts except mortgages in months of their payments', ({ open }) => inMonths(open)],
      [
        '03',
        'payments of loans in percent of all payments',
        ({ open, payment }) =>
          percent(sum(open.filter(({ term }) => term > 0).map((account) => account.payment)), payment),
      ],
      [
        '04',
        'auto payment in percent of all payments',
        ({ open, payment }) => percent(sum(open.filter(isOf(auto, lease)).map((account) => account.payment)), payment),
      ],
      [
        '10',
        'months until the first open loan is paid',
        ({ open }) => latest(open.flatMap(({ left }) => (left > 0 ? [left] : []))),
      ],
      ['11', 'months until the last open loan is paid', ({ open }) => most(open, ({ left }) => left)],
      ['12', 'paid part of the open loans in percent', ({ open }) => paidPart(open)],
    ],
  },
  {
    prefix: 'AGG',
    about: 'all accounts, month by month',
    population: everyAccount,
    figures: [
      ...byMonth(101, 'balance', ({ balances }, month) => at(balances, month)),
      ...byMonth(201, 'amount paid', ({ paid }, month) => at(paid, month)),
      ...byMonth(301, 'limits and amounts lent', ({ limits }, month) => at(limits, month)),
    ],
  },
  {
    prefix: 'AGGS',
    about: 'revolving accounts, month by month',
    population: isRevolving,
    figures: [
      ...byMonth(101, 'balance', ({ balances }, month) => at(balances, month)),
      ...byMonth(201, 'newly spent', spent),
      ...byMonth(301, 'use of the limits in percent', ({ balances, limits }, month) =>
        percent(at(balances, month), at(limits, month)),
      ),
    ],
  },
  { prefix: 'TRD', about: 'how balances move, all accounts', population: everyAccount, figures: TREND },
  { prefix: 'TRV', about: 'how revolving accounts are used', population: isRevolving, figures: REVOLVING_TREND },
  {
    prefix: 'INDEX',
    about: 'balances of all accounts, 100 at the beginning',
    population: everyAccount,
    figures: [1, 3, 6, 12, 24].map(
      (months): Measure => [two(months), `balance against ${months} months ago`, (facts) => against(facts, months)],
    ),
  },
  {
    prefix: 'RVDEX',
    about: 'balances of revolving accounts, 100 at the beginning',
    population: isRevolving,
    figures: [1, 3, 6, 12, 24].map(
      (months): Measure => [two(months), `balance against ${months} months ago`, (facts) => against(facts, months)],
    ),
  },
  {
    prefix: 'PAYMNT',
    about: 'what was paid on revolving accounts',
    population: isRevolving,
    figures: byMonth(
      1,
      'percent of the balance that was paid',
      ({ balances, paid }, month) => percent(at(paid, month), at(balances, month + 1)),
      MONTHS.slice(0, 12),
    ).map(([number, ...rest]): Measure => [two(Number(number)), ...rest]),
  },
  {
    prefix: 'RVLR',
    about: 'whether revolving accounts are paid in full',
    population: isRevolving,
    figures: [
      ['01', 'open accounts that are mostly paid in full', ({ open }) => count(open, paysInFull)],
      [
        '02',
        'open accounts that carry a balance',
        ({ open }) => count(open, (account) => account.balance > 0 && !paysInFull(account)),
      ],
      [
        '03',
        'balance of the accounts that carry one',
        ({ open }) => sum(open.filter((account) => !paysInFull(account)).map(({ balance }) => balance)),
      ],
      [
        '04',
        'percent of the balance on those that carry one',
        ({ open, balance }) =>
          percent(sum(open.filter((account) => !paysInFull(account)).map((account) => account.balance)), balance),
      ],
      [
        '05',
        'percent of the open accounts that carry one',
        ({ open }) =>
          percent(
            count(open, (account) => account.balance > 0 && !paysInFull(account)),
            open.length,
          ),
      ],
    ],
  },
  {
    prefix: 'RETS',
    about: 'charge accounts of stores among all',
    population: everyAccount,
    figures: amongAll(isStoreAccount),
  },
  { prefix: 'REVS', about: 'revolving accounts among all', population: everyAccount, figures: amongAll(isRevolving) },
  { prefix: 'WALSHR', about: 'which bank card carries how much', population: isBankCard, figures: shares() },
  {
    prefix: 'WALSRTS',
    about: 'which charge account of a store carries how much',
    population: isStoreAccount,
    figures: shares(),
  },
  { prefix: 'WALSRVS', about: 'which revolving account carries how much', population: isRevolving, figures: shares() },
];

function freeLimits(open: readonly Account[]): Figure {
  const revolving = open.filter(isRevolving);
  const limit = sum(revolving.map((account) => account.limit));
  return percent(sum(revolving.map((account) => Math.max(0, account.limit - account.balance))), limit);
}

function inMonths(open: readonly Account[]): Figure {
  const debts = open.filter(({ kind }) => kind !== mortgage);
  const payment = sum(debts.map((account) => account.payment));
  return payment === 0 ? 'nothing' : sum(debts.map(({ balance }) => balance)) / payment;
}

function paidPart(open: readonly Account[]): Figure {
  const loans = open.filter(({ term }) => term > 0);
  const lent = sum(loans.map(({ limit }) => limit));
  return percent(lent - sum(loans.map(({ balance }) => balance)), lent);
}

function amongAll(is: (account: Account) => boolean): Measure[] {
  const part = (figure: (account: Account) => number) => (accounts: readonly Account[]) =>
    percent(sum(accounts.filter(is).map(figure)), sum(accounts.map(figure)));
  const [ofNumber, ofBalance, ofPayment, ofPastDue] = [
    part(() => 1),
    part(({ balance }) => balance),
    part(({ payment }) => payment),
    part(({ pastDue }) => pastDue),
  ];
  return [
    ['1', 'percent of the accounts', ({ accounts }) => ofNumber(accounts)],
    ['2', 'percent of the open accounts', ({ open }) => ofNumber(open)],
    ['3', 'percent of the balance', ({ accounts }) => ofBalance(accounts)],
    ['4', 'percent of the monthly payments', ({ open }) => ofPayment(open)],
    ['5', 'percent of the amount past due', ({ accounts }) => ofPastDue(accounts)],
  ];
}

function shares(): Measure[] {
  return ['largest', 'second', 'third'].map((which, rank) => [
    String(rank + 1),
    `percent of the balance on the open account with the ${which} balance`,
    shareOf(rank),
  ]);
}
