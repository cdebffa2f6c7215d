/** Families of accounts and the figures that each of them has: `AT33S` is the balance of all accounts, `BC33S` that of bank cards. */
import { type Account, KINDS } from './accounts.ts';
import {
  at,
  count,
  ifEver,
  least,
  type Measure,
  most,
  type Population,
  percent,
  reaches,
  sum,
  used,
  WINDOWS,
} from './facts.ts';

/** For a family without accounts, counts are 0 and every other figure is "no account". */
export const COUNTS: readonly Measure[] = [
  ['01', 'accounts', ({ accounts }) => accounts.length],
  ['02', 'open accounts', ({ open }) => open.length],
  ['03', 'open accounts that are paid as agreed', ({ open }) => count(open, ({ late }) => late === 0)],
  ['04', 'closed accounts', ({ accounts, open }) => accounts.length - open.length],
  ['05', 'accounts opened in the last 3 months', ({ accounts }) => count(accounts, ({ age }) => age < 3)],
  ['06', 'accounts opened in the last 6 months', ({ accounts }) => count(accounts, ({ age }) => age < 6)],
  ['07', 'accounts opened in the last 12 months', ({ accounts }) => count(accounts, ({ age }) => age < 12)],
  ['09', 'accounts opened in the last 24 months', ({ accounts }) => count(accounts, ({ age }) => age < 24)],
  [
    '11',
    'accounts closed in the last 12 months',
    ({ accounts }) => count(accounts, ({ ageClosed }) => (ageClosed ?? 99) < 12),
  ],
  ['12', 'open accounts with a balance', ({ open }) => count(open, ({ balance }) => balance > 0)],
];

export const FIGURES: readonly Measure[] = [
  ['20', 'months since the oldest account was opened', ({ accounts }) => most(accounts, ({ age }) => age)],
  ['21', 'months since the newest account was opened', ({ accounts }) => least(accounts, ({ age }) => age)],
  [
    '22',
    'average age of the accounts in months',
    ({ accounts }) => sum(accounts.map(({ age }) => age)) / accounts.length,
  ],
  [
    '24',
    'months since an account was last closed',
    ({ accounts }) => ifEver(least(accounts, ({ ageClosed }) => ageClosed ?? Number.POSITIVE_INFINITY)),
  ],
  ['33', 'balance of all accounts', ({ owed }) => owed],
  ['36', 'months since an account was last 30 days late', ({ since }) => ifEver(at(since, 0))],
  ['37', 'months since an account was last 60 days late', ({ since }) => ifEver(at(since, 1))],
  ['38', 'months since an account was last 90 days late', ({ since }) => ifEver(at(since, 2))],
  ['50', 'accounts that were never late', ({ accounts, ever }) => accounts.length - at(ever, 0)],
  ['51', 'accounts that were ever 30 days late', ({ ever }) => at(ever, 0)],
  ['52', 'accounts that were ever 60 days late', ({ ever }) => at(ever, 1)],
  ['53', 'accounts that were ever 90 days late', ({ ever }) => at(ever, 2)],
  [
    '54',
    'accounts charged off, repossessed or in bankruptcy',
    ({ accounts }) => count(accounts, ({ ending }) => ending !== null),
  ],
  ['55', 'accounts with an amount past due', ({ accounts }) => count(accounts, ({ pastDue }) => pastDue > 0)],
  ['57', 'amount past due', ({ pastDue }) => pastDue],
  ['59', 'largest amount past due of an account', ({ accounts }) => most(accounts, ({ pastDue }) => pastDue)],
  ...[30, 60, 90].flatMap((days, level) =>
    WINDOWS.map(
      (months, window): Measure => [
        String(60 + level * WINDOWS.length + window),
        `months ${days === 90 ? '90 and more' : `${days} to ${days + 29}`} days late in the last ${months}`,
        ({ times }) => at(times[level] as number[], window),
      ],
    ),
  ),
  ['85', 'worst lateness in the last 12 months: 0 none, 1 30 days, 2 60 days, …', ({ worst }) => at(worst, 1)],
  ['86', 'worst lateness in the last 24 months', ({ worst }) => at(worst, 2)],
  ['87', 'worst lateness in the last 84 months', ({ worst }) => at(worst, 3)],
  ['101', 'balance 12 months ago', (facts) => (reaches(facts, 12) ? at(facts.trends().balances, 12) : 'nothing')],
  [
    '103',
    'percent of the accounts that were never late',
    ({ accounts, ever }) => percent(accounts.length - at(ever, 0), accounts.length),
  ],
  [
    '104',
    'percent of the accounts that were opened in the last 24 months',
    ({ accounts }) =>
      percent(
        count(accounts, ({ age }) => age < 24),
        accounts.length,
      ),
  ],
  ['109', 'highest balance of an account', ({ accounts }) => most(accounts, ({ highBalance }) => highBalance)],
];

/** Figures of the open accounts only: "none open" where all are closed. */
export const OPEN_FIGURES: readonly Measure[] = [
  ['23', 'average age of the open accounts in months', ({ open }) => sum(open.map(({ age }) => age)) / open.length],
  ['28', 'limits of the open accounts, or amounts lent', ({ limit }) => limit],
  ['29', 'largest limit or amount lent of an open account', ({ open }) => most(open, (account) => account.limit)],
  [
    '30',
    'percent of the open accounts above half of their limit',
    ({ open }) =>
      percent(
        count(open, (account) => used(account) > 0.5),
        open.length,
      ),
  ],
  [
    '31',
    'percent of the open accounts above three quarters of their limit',
    ({ open }) =>
      percent(
        count(open, (account) => used(account) > 0.75),
        open.length,
      ),
  ],
  ['32', 'largest balance of an open account', ({ open }) => most(open, ({ balance }) => balance)],
  ['34', 'balance of the open accounts in percent of their limits', ({ balance, limit }) => percent(balance, limit)],
  ['35', 'average balance of the open accounts', ({ balance, open }) => balance / open.length],
  ['40', 'monthly payments of the open accounts', ({ payment }) => payment],
  ['41', 'largest monthly payment of an open account', ({ open }) => most(open, (account) => account.payment)],
  ['102', 'average limit or amount lent of the open accounts', ({ limit, open }) => limit / open.length],
];

type Family = readonly [prefix: string, accounts: string, population: Population];
export const isOf =
  (...kinds: readonly { readonly type: string }[]) =>
  ({ kind }: Account): boolean =>
    kinds.some(({ type }) => type === kind.type);
/** Populations shared by several families are one function, so that their facts are computed once. */
export const everyAccount: Population = () => true;
export const isBankCard: Population = isOf(KINDS.card);
export const isStoreAccount: Population = isOf(KINDS.retail);
export const isRevolving: Population = ({ kind }) => kind.portfolio === 'revolving';
const { card, creditLine, homeLine, auto, lease, student, mortgage, homeLoan, personal, finance, recreation, utility } =
  KINDS;

/** A card with a limit of 10,000 dollars or more. */
const PREMIUM_LIMIT = 10_000;
/** A loan is close to being paid off when it has at most this many installments left. */
const SOON_PAID = 12;

export const FAMILIES: readonly Family[] = [
  ['AT', 'all accounts', everyAccount],
  ['AU', 'auto loans and leases', isOf(auto, lease)],
  ['BC', 'bank cards', isBankCard],
  ['BR', 'revolving accounts of banks: cards, home equity lines', isOf(card, homeLine)],
  ['FC', 'accounts of finance companies', isOf(finance, creditLine)],
  ['FI', 'loans of finance companies', isOf(finance)],
  ['FR', 'revolving accounts of finance companies', isOf(creditLine)],
  ['HI', 'home equity loans', isOf(homeLoan)],
  ['HR', 'home equity lines', isOf(homeLine)],
  ['IN', 'installment loans except mortgages', ({ kind }) => kind.portfolio === 'installment'],
  ['JT', 'joint accounts', ({ joint }) => joint],
  ['LM', `open loans with at most ${SOON_PAID} installments left`, ({ left }) => left > 0 && left <= SOON_PAID],
  ['MT', 'first mortgages', isOf(mortgage)],
  ['OF', 'open-end accounts paid in full: utilities, telephone', isOf(utility)],
  [
    'PB',
    'bank cards with a limit of 10,000 dollars or more',
    (account) => isBankCard(account) && account.limit >= PREMIUM_LIMIT,
  ],
  ['RE', 'revolving accounts', isRevolving],
  ['RP', 'recreational vehicles', isOf(recreation)],
  ['RT', 'charge accounts of stores', isStoreAccount],
  ['SE', 'secured loans', isOf(auto, lease, recreation, mortgage, homeLoan)],
  ['ST', 'student loans', isOf(student)],
  ['US', 'unsecured loans', isOf(personal, finance)],
];
