/** Lists of loans: the list with its filters, and the search by personal data. */

import { type Static, Type } from 'typebox';
import { parseDate } from '../../core/calendar.ts';
import { checkCustomMembers } from '../../core/custom-data.ts';
import { amountText, countText } from '../../core/decimal.ts';
import { CLOSED_BY, type LoanStatus, STATUSES } from '../../core/loan.ts';
import { BUCKETS } from '../../loans/reads/figures.ts';
import { type ListFilter, type LoanSummary, type LoanTerms, SORTS } from '../../loans/reads/list.ts';
import { actorOf } from '../shared/actor.ts';
import { CustomDataSearched } from '../shared/custom-data.ts';
import { named, shape } from '../shared/named.ts';
import { grouped, money, numbersOf } from '../shared/numbers.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { badCursor } from '../shared/pages.ts';
import { tagged } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import {
  date,
  day,
  Limit,
  LoanIdOut,
  loanExample,
  maybe,
  NextCursor,
  personalHeaders,
  readHeaders,
  Status,
  time,
  Version,
} from '../shared/shapes.ts';
import { dateOrNone, referenceOrNone, referenceOut, sentences } from '../shared/texts.ts';

export const Bucket = named(
  'DelinquencyBucket',
  Type.Enum([...BUCKETS], { description: 'Days past due today, as a range.' }),
);

const Summary = shape('Loan', 'A loan in a list, without personal data.', {
  loanId: LoanIdOut,
  applicationId: referenceOut('Your id of the application.'),
  borrowerId: referenceOut('Your id of the borrower.'),
  lenderId: referenceOut('Your id of the lender.'),
  primaryServicerId: referenceOrNone('Your id of the servicer; may be empty.'),
  secondaryServicerId: referenceOrNone('Your id of a second servicer; may be empty.'),
  loanType: sentences('The type of loan, such as `AutoLoan`.'),
  loanStatus: Status,
  loanAmount: money('The amount financed.'),
  remainingBalance: money(
    'Principal that the borrower owes; before funding, the loan amount; 0 for rejected, cancelled and closed loans.',
  ),
  balance: money('Principal that the borrower owes; 0 before funding.'),
  delinquentDays: grouped('count', 'Days past due today, by the clock of the loan’s owner.'),
  bucket: maybe(Bucket, 'Null for loans that are not being serviced: before funding, charged off, or ended.'),
  nextPaymentDate: dateOrNone('Due date of the oldest unpaid installment; empty if there is none.'),
  published: Type.Boolean({ description: 'Whether every client with `public:read` may read the public record.' }),
  createdAt: time('When the loan was created.'),
  version: Version,
  closedBy: maybe(Type.Enum([...CLOSED_BY]), 'How the loan was closed; null while it is open.'),
  chargeOffGroundGone: Type.Boolean({
    description: 'Whether the nightly cycle charged it off for days past due that are not found any more.',
  }),
  credit: money('Money owed back to the borrower.'),
  creditSince: maybe(date('A date.'), 'The date on which the credit last rose from zero; null: there is none.'),
  nonAccrualSince: maybe(
    date('A date.'),
    'The date from which the books count interest only when it is received; null: they accrue it.',
  ),
});

const summaryExample = {
  loanId: loanExample,
  applicationId: 'APP-1001',
  borrowerId: 'B-77',
  lenderId: 'L-1',
  primaryServicerId: 'SRV-12',
  secondaryServicerId: '',
  loanType: 'AutoLoan',
  loanStatus: 'Current',
  loanAmount: '28,875',
  remainingBalance: '28,473.33',
  balance: '28,473.33',
  delinquentDays: '0',
  bucket: 'current',
  nextPaymentDate: '2026-03-15',
  published: false,
  createdAt: '2026-01-15T12:00:00.000Z',
  version: 6,
  closedBy: null,
  chargeOffGroundGone: false,
  credit: '0',
  creditSince: null,
  nonAccrualSince: null,
};

const listed = (what: string) => Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$', description: what }));
const days = (what: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000, description: what }));
const amount = (what: string) => Type.Optional(Type.String({ maxLength: 64, description: what }));

const ORDERS = SORTS.flatMap((name) => [name, `-${name}`] as const);

/** Conditions on the loans of a list; all apply together. */
const conditions = {
  status: Type.Optional(
    Type.String({
      maxLength: 400,
      description: `One or more, separated by commas: ${STATUSES.map((status) => `\`${status}\``).join(', ')}.`,
    }),
  ),
  bucket: Type.Optional(
    Type.Enum([...BUCKETS, '120-plus'], {
      description:
        'Range of days past due today; only loans that are being serviced. `120-plus` means `120+`, whose plus sign must be encoded in a URL.',
    }),
  ),
  lenderId: listed('Your id of the lender.'),
  servicerId: listed('Your id of the primary or secondary servicer.'),
  borrowerId: listed('Your id of the borrower.'),
  applicationId: listed('Your id of the application.'),
  createdFrom: Type.Optional(day('Created on this date or later.')),
  createdTo: Type.Optional(day('Created on this date or earlier.')),
  dueFrom: Type.Optional(day('The oldest unpaid installment is due on this date or later.')),
  dueTo: Type.Optional(day('The oldest unpaid installment is due on this date or earlier.')),
  minDaysPastDue: days('At least this many days past due today; includes charged-off loans.'),
  maxDaysPastDue: days('At most this many days past due today; 0 for loans with nothing past due.'),
  minCreditDays: days('A credit has been owed back for at least this many days today; 0 for all credits.'),
  maxCreditDays: days('A credit has been owed back for at most this many days today.'),
  nonAccrual: Type.Optional(
    Type.Enum(['true', 'false'], {
      description: '`true`: the books count interest only when it is received; `false`: they accrue it.',
    }),
  ),
  chargeOffGroundGone: Type.Optional(
    Type.Enum(['true', 'false'], {
      description:
        '`true`: charged off by the nightly cycle for days past due that are not found any more, because a payment or a change of terms became known since.',
    }),
  ),
  minBalance: amount('Principal owed is at least this amount.'),
  maxBalance: amount('Principal owed is at most this amount; it is 0 before funding.'),
  q: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._:-]{1,66}$',
      description: 'A loan id, or a prefix of an application id or borrower id.',
    }),
  ),
};

export const LoanFilter = shape(
  'LoanFilter',
  'Loans by the filters of `GET /loans`; all of them together.',
  conditions,
  { minProperties: 1, additionalProperties: false },
);

const ListQuery = closed({
  ...conditions,
  limit: Limit(),
  cursor: Type.Optional(Type.String({ maxLength: 400, description: '`nextCursor` of the previous page.' })),
  sort: Type.Optional(
    Type.Enum([...ORDERS], {
      description:
        'With `-` for descending order; `-createdAt`, newest first, when absent. By `nextDueDate` loans without one come last; ' +
        '`-daysPastDue` begins with the loan that is longest past due. `creditSince`, the oldest credit first, needs `minCreditDays` or `maxCreditDays`.',
    }),
  ),
});

const ListAnswer = envelope(
  shape('LoanPage', 'A page of loans.', {
    items: Type.Array(Summary, { description: 'The loans of this page, in the order of `sort`.' }),
    nextCursor: NextCursor,
    total: Type.Integer({ description: 'Number of matching loans on all pages, up to 10,000.' }),
    totalExact: Type.Boolean({ description: 'Whether `total` is exact; if false, there are at least that many.' }),
  }),
  { items: [summaryExample], nextCursor: null, total: 1, totalExact: true },
);

const SearchRequest = closed(
  {
    ssn: Type.Optional(
      Type.String({ maxLength: 20, description: 'Social security number: nine digits, with or without hyphens.' }),
    ),
    email: Type.Optional(Type.String({ minLength: 3, maxLength: 254, description: 'E-mail address.' })),
    phone: Type.Optional(Type.String({ minLength: 7, maxLength: 32, description: 'Telephone number.' })),
    vin: Type.Optional(Type.String({ minLength: 5, maxLength: 32, description: 'Vehicle identification number.' })),
    lastName: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Last name; together with `dateOfBirth`.' }),
    ),
    dateOfBirth: Type.Optional(
      Type.String({ maxLength: 10, description: 'Date of birth, YYYYMMDD or YYYY-MM-DD; together with `lastName`.' }),
    ),
    customData: Type.Optional(CustomDataSearched),
  },
  {
    minProperties: 1,
    examples: [{ lastName: 'Sample', dateOfBirth: '19850412' }],
  },
);

const SearchAnswer = envelope(
  shape('LoanList', 'The loans that were found.', {
    items: Type.Array(Summary, { description: 'The newest loans that match all criteria, at most 100.' }),
    more: Type.Boolean({ description: 'Whether more loans match than are listed.' }),
  }),
  { items: [summaryExample], more: false },
);

export const listLoans = operation({
  at: 'GET /loans',
  id: 'listLoans',
  aliases: ['applications'],
  tag: 'Reading',
  summary: 'List loans',
  description:
    'The organization’s own loans and those shared by grants, newest first. Summaries without personal data. Paging is stable while loans are added.',
  scopes: ['loans:read'],
  key: 'checked',
  query: ListQuery,
  conditional: true,
  requestHeaders: readHeaders.requestHeaders,
  answerHeaders: { ETag: readHeaders.answerHeaders.ETag },
  answer: ListAnswer,
  problems: [],
  async handle(call) {
    const { services, query } = call;
    const { plain, headers: applied } = numbersOf(call);
    const { limit = 25, cursor = null, sort = '-createdAt' } = query;
    const filter = { ...conditionsIn(query), limit, cursor, sort };
    checkOrder(filter);
    const found = await services.loans.reads.list(await actorOf(call), filter);
    if (found === 'bad_cursor') return badCursor('Must be the nextCursor of a previous page with the same sort.');
    const { items, ...page } = found;
    return tagged(call, ok({ items: items.map((item) => summary(item, plain)), ...page }), applied);
  },
});

/** Loans without a credit have no place in the order of credits. */
function checkOrder({ sort, minCreditDays, maxCreditDays }: ListFilter): void {
  if (!sort.endsWith('creditSince') || (minCreditDays ?? maxCreditDays) !== undefined) return;
  const read = new RequestReader();
  read.note('/sort', { code: 'contradiction', detail: 'Send minCreditDays with it, 0 for all credits.' });
  read.done();
}

/** `at` is where they are in the request. */
export function conditionsIn(
  query: Partial<Static<typeof LoanFilter>>,
  at = '',
): Omit<ListFilter, 'limit' | 'cursor' | 'sort'> {
  const { status, bucket } = query;
  const read = new RequestReader();
  const sent = Object.keys(query);
  /** Without the members that were not sent. */
  const given = <T>(names: readonly string[], value: (name: string) => T) =>
    Object.fromEntries(names.filter((name) => sent.includes(name)).map((name) => [name, value(name)]));
  const filter = {
    // No loan has a reference like a social security number, and a URL must not hold one.
    ...given(['lenderId', 'servicerId', 'borrowerId', 'applicationId', 'q'], (name) => read.reference(query, name, at)),
    ...given(['createdFrom', 'createdTo', 'dueFrom', 'dueTo'], (name) => read.date(query, name, at)),
    ...given(['minBalance', 'maxBalance'], (name) => read.amount(query, name, at)),
    ...given(
      ['minDaysPastDue', 'maxDaysPastDue', 'minCreditDays', 'maxCreditDays'],
      (name) => query[name as 'minDaysPastDue'],
    ),
    ...given(['nonAccrual', 'chargeOffGroundGone'], (name) => query[name as 'nonAccrual'] === 'true'),
    ...given(['status'], () => statusesIn(status ?? '', read, at)),
    ...given(['bucket'], () => (bucket === '120-plus' ? '120+' : bucket)),
  } as Omit<ListFilter, 'limit' | 'cursor' | 'sort'>;
  read.done();
  for (const [least, most] of RANGES) {
    const [from, to] = [filter[least], filter[most]];
    if (from !== undefined && to !== undefined && from > to) {
      read.note(`${at}/${least}`, { code: 'contradiction', detail: `Must not be more than ${most}.` });
    }
  }
  read.done();
  return filter;
}

const RANGES = [
  ['createdFrom', 'createdTo'],
  ['dueFrom', 'dueTo'],
  ['minDaysPastDue', 'maxDaysPastDue'],
  ['minCreditDays', 'maxCreditDays'],
  ['minBalance', 'maxBalance'],
] as const;

export function statusesIn(text: string, read: RequestReader, at: string): LoanStatus[] {
  const known: readonly string[] = STATUSES;
  const asked = text.split(',').map((one) => one.trim());
  if (asked.some((one) => !known.includes(one))) {
    const detail = `Must be one or more of these, separated by commas: ${STATUSES.join(', ')}.`;
    read.note(`${at}/status`, { code: 'enum', detail });
  }
  return [...new Set(asked)] as LoanStatus[];
}

export const searchLoans = operation({
  at: 'POST /search-loans',
  id: 'searchLoans',
  cost: 5,
  tag: 'Reading',
  summary: 'Search loans by personal data and custom data',
  description:
    'Finds loans that match all criteria exactly, the newest first. The criteria are in the body because URLs are often logged. Every loan found is recorded as a ' +
    'disclosure; so is a search without a result.',
  scopes: ['loans:read_pii'],
  key: 'required',
  body: SearchRequest,
  requestHeaders: {
    Prefer: readHeaders.requestHeaders.Prefer,
    purpose: personalHeaders.requestHeaders.purpose,
  },
  answer: SearchAnswer,
  problems: [],
  async handle(call) {
    const { services, body } = call;
    const { plain, headers: applied } = numbersOf(call);
    const terms = searchTerms(body);
    const { items, more } = await services.loans.reads.search(await actorOf(call), terms);
    return { ...ok({ items: items.map((item) => summary(item, plain)), more }), headers: applied };
  },
});

function summary(loan: LoanSummary, plain: boolean) {
  const { loanAmount, remainingBalance, balance, credit, delinquentDays, nextPaymentDate, createdAt } = loan;
  return {
    ...loan,
    loanAmount: amountText(loanAmount, plain),
    remainingBalance: amountText(remainingBalance, plain),
    balance: amountText(balance, plain),
    credit: amountText(credit, plain),
    delinquentDays: countText(delinquentDays, plain),
    nextPaymentDate: nextPaymentDate ?? '',
    createdAt: new Date(createdAt).toISOString(),
  };
}

function isEmail(text: string): boolean {
  const at = text.indexOf('@');
  return at > 0 && at < text.length - 1 && !/\s/.test(text);
}

function searchTerms(body: {
  ssn?: string;
  email?: string;
  phone?: string;
  vin?: string;
  lastName?: string;
  dateOfBirth?: string;
  customData?: Record<string, string>;
}): LoanTerms {
  const { ssn, email, phone, vin, lastName, dateOfBirth } = body;
  const customData = Object.entries(body.customData ?? {});
  const read = new RequestReader();
  const expect = (name: string, right: boolean, detail: string) => {
    if (!right) read.note(`/${name}`, { code: 'format', detail });
  };
  expect('ssn', ssn === undefined || /^\d{3}-?\d{2}-?\d{4}$/.test(ssn), 'Must be nine digits.');
  expect('email', email === undefined || isEmail(email.trim()), 'Must be an e-mail address.');
  expect('phone', phone === undefined || phone.replaceAll(/\D/g, '').length >= 7, 'Must have at least seven digits.');
  expect('vin', vin === undefined || /^[A-Za-z0-9]{5,32}$/.test(vin.trim()), 'Must be letters and digits.');
  const day = dateOfBirth?.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  expect('dateOfBirth', day === undefined || parseDate(day) !== null, 'Must be a date, YYYYMMDD or YYYY-MM-DD.');
  if ((lastName === undefined) !== (dateOfBirth === undefined)) {
    const absent = lastName === undefined ? 'lastName' : 'dateOfBirth';
    read.note(`/${absent}`, { code: 'required', detail: 'Send lastName and dateOfBirth together.' });
  }
  checkCustomMembers(read, customData, '/customData');
  read.done();
  return {
    ...(ssn === undefined ? {} : { ssn }),
    ...(email === undefined ? {} : { email }),
    ...(phone === undefined ? {} : { phone: [phone] }),
    ...(vin === undefined ? {} : { vin }),
    ...(lastName === undefined ? {} : { lastName }),
    ...(dateOfBirth === undefined ? {} : { dateOfBirth }),
    customData,
  };
}
