/** The allowance for expected losses: what is required and booked, the month's proposal, and what became of earlier ones. */
import { Type } from 'typebox';
import { parseDate } from '../../core/calendar.ts';
import { amountText } from '../../core/decimal.ts';
import { cents } from '../../core/money.ts';
import { isMistakes } from '../../core/reader.ts';
import {
  ALLOWANCE_SLICES,
  type AllowanceBooking,
  type AllowanceReport,
  type AllowanceSlice,
  type BookingAsked,
  type LenderEstimate,
  poolsOf,
} from '../../loans/allowance/allowance.ts';
import { csvFigure, csvLine, csvText } from '../../loans/exports/csv.ts';
import { askerOf, given, Lender, lenderIn, signed } from '../books/books.ts';
import { Recorder, shownLines } from '../books/entries.ts';
import { keeping } from '../books/periods.ts';
import { ledger } from '../ledger/ledger.ts';
import { AllowanceIn } from '../policies/allowance-values.ts';
import { negotiated } from '../shared/accept.ts';
import { header } from '../shared/actor.ts';
import { shape } from '../shared/named.ts';
import { decimalOut, grouped, money, numbersOf } from '../shared/numbers.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { tagged } from '../shared/read.ts';
import { mistakesProblem, RequestReader } from '../shared/request-reader.ts';
import { date, day, hashExample, JournalLine, maybe, TransactionHash, time } from '../shared/shapes.ts';
import { monthOut, referenceOut, sentences, wordOrNone, wordOut } from '../shared/texts.ts';
import { dryRunShown, write } from '../shared/writing.ts';

const CSV = 'text/csv';

export const plainly = (amount: number, plain: boolean) => signed(cents(amount), plain);

/** Percent of the principal, with four decimals; null: there is none. */
function rateText(required: number, principal: number): string | null {
  return principal === 0 ? null : String(Number(((required / principal) * 100).toFixed(4)));
}

const counted = {
  loans: Type.Integer({ description: 'The number of loans.' }),
  principal: money('Their principal; of charged-off loans, what is kept for the collateral. No interest is in it.'),
  modelled: money('The loss that the model expects of it over the life of the loans.'),
  required: money('The same with the overlays of the policy: what the allowance has to be.'),
  rate: maybe(decimalOut('A percentage.'), 'Required, in percent of the principal, as text; null: there is none.'),
};

type Counted = { loans: number; principal: number; modelled: number; required: number };

const shownCounted = ({ loans, principal, modelled, required }: Counted, plain: boolean) => ({
  loans,
  principal: amountText(cents(principal), plain),
  modelled: amountText(cents(modelled), plain),
  required: amountText(cents(required), plain),
  rate: rateText(required, principal),
});

const Overlay = shape('AllowanceOverlayCounted', 'What an overlay adds.', {
  name: sentences('Its name.'),
  reason: sentences('Its reason.'),
  amount: onCreditSide('What it adds; negative: takes off.'),
});

const estimatedBy = {
  policyId: maybe(
    referenceOut('A reference.'),
    'The policy; null: the lender has none, so the defaults apply, or another was given.',
  ),
  policyVersion: Type.Integer({ description: 'Its version; 0 without a policy.' }),
  method: wordOut('`model` or `none`.'),
  modelVersion: wordOut('The version of the model.'),
  horizon: Type.Integer({ description: 'Months that follow `macro`.' }),
  reversion: Type.Integer({ description: 'Months over which the economy returns to the average of the model.' }),
  macro: Type.Array(
    shape('AllowanceEconomy', 'The economy from a month on.', {
      fromMonth: Type.Integer({ description: 'The month ahead, from 1.' }),
      unemployment: decimalOut('Unemployment in percent.'),
      cpi: decimalOut('Inflation in percent.'),
    }),
    { description: 'The economy over the horizon.' },
  ),
  overlays: Type.Array(Overlay, { description: 'The overlays of the policy, in their order.' }),
};

const shownBy = (one: LenderEstimate, plain: boolean) => {
  const { policyId, policyVersion, method, modelVersion, horizon, reversion, macro, overlays } = one;
  return {
    ...{ policyId, policyVersion, method, modelVersion, horizon, reversion, macro },
    overlays: overlays.map(({ name, reason, amount }) => ({ name, reason, amount: plainly(amount, plain) })),
  };
};

const byExample = {
  ...{ policyId: 'standard', policyVersion: 2, method: 'model', modelVersion: 'auto-hazard-3' },
  ...{ horizon: 24, reversion: 12, macro: [{ fromMonth: 1, unemployment: '4.4', cpi: '2.7' }] },
  overlays: [{ name: 'Flood', reason: 'Vehicles in counties under water are worth less', amount: '4,000' }],
};

// ---- what is required ----

const AllowanceQuery = closed({
  asOf: Type.Optional(day('A month end, or today (the default).')),
  by: Type.Optional(
    Type.Enum([...ALLOWANCE_SLICES], {
      description:
        'What divides it: `pool` (grade and days past due, the default), `grade`, `bucket`, `vintage` or `lender`.',
    }),
  ),
  knownOn: Type.Optional(
    day('Counts what was recorded up to the end of this date; default: the date itself, as the books have it.'),
  ),
  lenderId: Lender,
});

const booked = money('What was required of it when a month was last booked.');

const countedExample = { loans: 1_204, principal: '1,000,000', modelled: '61,000', required: '65,000', rate: '6.5' };

export const readAllowance = operation({
  ...ledger,
  at: 'GET /allowance',
  id: 'readAllowance',
  cost: 20,
  media: ['application/json', CSV],
  summary: 'Get the allowance for expected losses',
  description:
    'The loss that is expected of the principal of the loans over their lives, given how many days past due they are on the date, and what the books hold ' +
    'for it; divided by pool, grade, days past due, vintage or lender, with the policy and the model that it follows from, and each booked month from ' +
    'opening to closing. The account `allowance` on the date is `booked` of the totals. As CSV with `Accept: text/csv`.',
  query: AllowanceQuery,
  answer: envelope(
    shape('AllowanceReport', 'The allowance on a date.', {
      asOf: date('The date.'),
      knownOn: maybe(
        Type.String({ format: 'date' }),
        'The last day whose records count; null: everything known when it was made.',
      ),
      by: Type.Enum([...ALLOWANCE_SLICES], { description: 'What divides it.' }),
      bookedThrough: maybe(monthOut('A month.'), 'The last month that was booked; null: none.'),
      totals: shape('AllowanceTotals', 'All loans together.', {
        ...counted,
        booked: onCreditSide('What the books hold on the date.'),
        difference: onCreditSide('What is required less what is booked.'),
      }),
      slices: Type.Array(
        shape('AllowanceSlice', 'A part of the loans.', {
          slice: Type.String({
            pattern: '^[A-Za-z0-9._:+-]{0,80}$',
            description: 'The pool (`B:30-59`), grade, bucket, vintage (`2026-10`) or lender; empty: unknown.',
          }),
          ...counted,
          booked,
          difference: onCreditSide('What is required less that.'),
        }),
        { description: 'They add up to what is required in all.' },
      ),
      lenders: Type.Array(
        shape('AllowanceOfLender', 'What a lender’s allowance follows from.', {
          lenderId: referenceOut('The lender.'),
          ...counted,
          ...estimatedBy,
        }),
        { description: 'The lenders that have loans.' },
      ),
      months: Type.Array(
        shape('AllowanceMonth', 'A booked month: opening + other − chargedOff + recovered + provision = closing.', {
          period: monthOut('The month.'),
          opening: onCreditSide('The allowance at its beginning.'),
          other: onCreditSide('Entries by hand.'),
          chargedOff: onCreditSide('Principal charged off, and losses on sales of collateral.'),
          recovered: onCreditSide('Recoveries.'),
          provision: onCreditSide('What brought it to the required level; negative: released.'),
          closing: onCreditSide('The allowance at its end: what was required.'),
        }),
        { description: 'At most the last 24, the oldest first.' },
      ),
    }),
    {
      asOf: '2026-10-31',
      knownOn: '2026-10-31',
      by: 'pool',
      bookedThrough: '2026-09',
      totals: { ...countedExample, booked: '60,000', difference: '5,000' },
      slices: [{ slice: 'B:current', ...countedExample, booked: '60,000', difference: '5,000' }],
      lenders: [{ lenderId: 'L-1', ...countedExample, ...byExample }],
      months: [
        {
          ...{ period: '2026-09', opening: '55,000', other: '0', chargedOff: '4,000' },
          ...{ recovered: '1,000', provision: '8,000', closing: '60,000' },
        },
      ],
    },
  ),
  problems: ['cycle_pending'],
  async handle(call) {
    const { query, headers } = call;
    const { plain, headers: applied } = numbersOf(call);
    const read = new RequestReader();
    const asOf = query.asOf === undefined ? null : read.date(query, 'asOf', '');
    const knownOn = query.knownOn === undefined ? null : read.date(query, 'knownOn', '');
    const lenderId = lenderIn(read, query);
    read.done();
    const by = (query.by ?? 'pool') as AllowanceSlice;
    const found = given(await call.services.loans.allowances.read(askerOf(call), { asOf, by, knownOn, lenderId }));
    const vary = { Vary: 'Authorization, Prefer, Accept' };
    if (negotiated(header(headers, 'accept'), ['application/json', CSV]) === CSV) {
      return tagged(call, { text: csvOf(found) }, { ...vary, 'Content-Type': `${CSV}; charset=utf-8` });
    }
    return tagged(call, ok(reportShown(found, plain)), { ...vary, ...applied });
  },
});

/** On the credit side, where the allowance stands. */
export function onCreditSide(description: string) {
  return grouped('signed', description);
}

function reportShown(
  { asOf, knownOn, by, bookedThrough, totals, slices, lenders, months }: AllowanceReport,
  plain: boolean,
) {
  const against = (one: Counted & { booked: number }) => ({
    ...shownCounted(one, plain),
    booked: plainly(one.booked, plain),
    difference: plainly(one.required - one.booked, plain),
  });
  return {
    ...{ asOf, knownOn, by, bookedThrough, totals: against(totals) },
    slices: slices.map(({ slice, ...one }) => ({ slice, ...against(one) })),
    lenders: lenders.map((one) => ({ lenderId: one.lenderId, ...shownCounted(one, plain), ...shownBy(one, plain) })),
    months: months.map(({ period, ...amounts }) => ({
      period,
      ...Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, plainly(amount, plain)])),
    })),
  };
}

const CSV_HEAD = [
  'asOf',
  'knownOn',
  'by',
  'slice',
  'loans',
  'principal',
  'modelled',
  'required',
  'rate',
  'booked',
  'difference',
];

function csvOf({ asOf, knownOn, by, slices }: AllowanceReport): string {
  const rows = slices.map(({ slice, booked: held, ...one }) => {
    const shown = shownCounted(one, true);
    const figures = [
      ...[shown.loans, shown.principal, shown.modelled, shown.required, shown.rate],
      ...[plainly(held, true), plainly(one.required - held, true)],
    ];
    return csvLine([csvFigure(asOf), csvFigure(knownOn), csvFigure(by), csvText(slice), ...figures.map(csvFigure)]);
  });
  return [csvLine(CSV_HEAD.map(csvText)), ...rows].join('');
}

// ---- the month ----

const Pool = shape('AllowancePool', 'Loans of one grade and days past due.', {
  grade: wordOrNone('The grade; empty: unknown.'),
  bucket: Type.String({
    pattern: '^[A-Za-z0-9+-]{1,20}$',
    description: 'Days past due, or `chargedOff`: what is kept of those loans.',
  }),
  ...counted,
});

function shownBooking({ period, date: of, bookedAt, bookedBy, lenders }: AllowanceBooking) {
  return {
    ...{ period, date: of, bookedAt, bookedBy },
    lenders: lenders.map((one) => ({
      ...{ lenderId: one.lenderId, transactionHash: one.transactionHash },
      ...partsOf(one),
      ...shownBy(one, false),
      pools: poolsOf(one.cells).map((pool) => ({
        grade: pool.grade ?? '',
        bucket: pool.bucket,
        ...shownCounted(pool, false),
      })),
    })),
  };
}

const partsOf = (one: AllowanceBooking['lenders'][number]) => ({
  ...shownCounted(one, false),
  opening: plainly(one.opening, false),
  other: plainly(one.other, false),
  chargedOff: plainly(one.chargedOff, false),
  recovered: plainly(one.recovered, false),
  provision: plainly(one.provision, false),
  lines: shownLines(
    one.lines.map(({ account, amount }) => ({
      account,
      debit: cents(Math.max(amount, 0)),
      credit: cents(Math.max(-amount, 0)),
    })),
  ),
});

export const bookAllowance = write({
  ...keeping,
  at: 'POST /allowance',
  id: 'bookAllowance',
  cost: 20,
  summary: 'Book the allowance of a month',
  description:
    'Proposes the allowance of a month that is over, for every lender, and posts it on the last day of the month once somebody else has approved it. First ' +
    'the principal that was charged off in the month, losses on sales and recoveries move from their accounts to `allowance`; then `provisionExpense` brings ' +
    'it to what is required. A month is booked once, in order, and while it is open: book it before you close it. A dry run shows the proposal, and ' +
    'may take another `policy`, such as another economy, of any month.',
  body: closed(
    {
      period: Type.String({ maxLength: 7, description: 'The month, such as `2026-10`.' }),
      policy: Type.Optional(AllowanceIn),
    },
    { examples: [{ period: '2026-10' }] },
  ),
  answer: envelope(
    shape('AllowanceBooking', 'The allowance of a month.', {
      ...dryRunShown,
      period: monthOut('The month.'),
      date: date('The date on which it is posted: the last of the month.'),
      bookedAt: time('When it was booked.'),
      bookedBy: Recorder,
      lenders: Type.Array(
        shape('LenderAllowance', 'The allowance of a lender, and the parts it is made of.', {
          lenderId: referenceOut('The lender.'),
          transactionHash: maybe(
            TransactionHash,
            'The transaction; null in a dry run, or where nothing was to be posted.',
          ),
          ...counted,
          opening: onCreditSide('The allowance at the beginning of the month.'),
          other: onCreditSide('Entries by hand in the month.'),
          chargedOff: onCreditSide('Principal charged off in the month, and losses on sales: taken off the allowance.'),
          recovered: onCreditSide('Recoveries of the month: added to it.'),
          provision: onCreditSide('What brings it to the required level; negative: released.'),
          lines: Type.Array(JournalLine, { description: 'The lines; debits equal credits.' }),
          ...estimatedBy,
          pools: Type.Array(Pool, { description: 'The pools; what they require adds up to what is required.' }),
        }),
        { description: 'The lenders that have loans, losses or an allowance.' },
      ),
    }),
    {
      period: '2026-10',
      date: '2026-10-31',
      bookedAt: '2026-11-02T14:00:00.000Z',
      bookedBy: { clientId: 'client_8r3k2m5t7x', userId: 'user_4k2m8r3t5x' },
      lenders: [
        {
          lenderId: 'L-1',
          transactionHash: hashExample,
          ...countedExample,
          ...{ opening: '60,000', other: '0', chargedOff: '3,000', recovered: '500', provision: '7,500' },
          lines: [
            { account: 'provisionExpense', debit: '7,500', credit: '0' },
            { account: 'allowance', debit: '0', credit: '7,500' },
          ],
          ...byExample,
          pools: [{ grade: 'B', bucket: 'current', ...countedExample }],
        },
      ],
    },
  ),
  problems: ['conflict', 'cycle_pending'],
  hasDryRun: true,
  hasAmounts: true,
  async write(call, how) {
    const { period, policy = null } = call.body;
    const read = new RequestReader();
    if (parseDate(`${period}-01`) === null) {
      const detail = 'Must be a month from 1900-01 to 2199-12 in the form YYYY-MM.';
      read.note('/period', { code: 'format', detail });
    }
    read.done();
    const asked = { period, policy: policy as BookingAsked['policy'] };
    const found = await call.services.loans.allowances.book(askerOf(call), asked, how);
    if (isMistakes(found)) throw mistakesProblem(found);
    return given(found);
  },
  subject: ({ period }) => period,
  shows: shownBooking,
  approval: {
    preview: ({ period, lenders }) => ({
      period,
      lenders: lenders.map((one) => ({ lenderId: one.lenderId, ...partsOf(one) })),
    }),
  },
});
