/** Allowances that were booked, beside what was lost of the same loans since. */
import { Type } from 'typebox';
import type { BackTest } from '../../loans/allowance/allowance.ts';
import { askerOf, given, Lender, lenderIn } from '../books/books.ts';
import { ledger } from '../ledger/ledger.ts';
import { shape } from '../shared/named.ts';
import { money, numbersOf } from '../shared/numbers.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { pageOf, wholeOrPages } from '../shared/pages.ts';
import { tagged } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { date, NextCursor } from '../shared/shapes.ts';
import { monthOut, referenceOut } from '../shared/texts.ts';
import { onCreditSide, plainly } from './allowance.ts';

const BackTestShape = shape('AllowanceBackTest', 'A booked allowance beside what was lost of the same loans since.', {
  period: monthOut('The month.'),
  lenderId: referenceOut('The lender.'),
  principal: money('The principal of its loans at the end of the month.'),
  required: money('The allowance that was booked.'),
  modelled: money('The part of it that the model expected.'),
  months: Type.Integer({ description: 'Months that have passed since.' }),
  through: date('The last month end that counts.'),
  expected: onCreditSide('Of `modelled`, what was expected to be lost by then.'),
  chargedOff: onCreditSide('Principal of these loans charged off by then.'),
  recovered: onCreditSide('Money received after their charge-offs.'),
  lost: onCreditSide('Charged off less recovered.'),
  difference: onCreditSide('Lost less expected.'),
});

const shownTest = (one: BackTest, plain: boolean) => {
  const { period, lenderId, months, through } = one;
  const lost = one.chargedOff - one.recovered;
  return {
    ...{ period, lenderId, months, through },
    principal: plainly(one.principal, plain),
    required: plainly(one.required, plain),
    modelled: plainly(one.modelled, plain),
    expected: plainly(one.expected, plain),
    chargedOff: plainly(one.chargedOff, plain),
    recovered: plainly(one.recovered, plain),
    lost: plainly(lost, plain),
    difference: plainly(lost - one.expected, plain),
  };
};

export const listAllowanceBackTests = operation({
  ...ledger,
  at: 'GET /allowance/back-tests',
  id: 'listAllowanceBackTests',
  cost: 20,
  summary: 'List the back-tests of booked allowances',
  description:
    'The last twelve months that were booked, the newest first: what was expected to be lost of their loans by the last month end, and what was. Loans ' +
    'that were made since do not count.',
  query: closed({ lenderId: Lender, ...wholeOrPages }),
  answer: envelope(
    shape('AllowanceBackTestList', 'The back-tests.', {
      items: Type.Array(BackTestShape, { description: 'The newest first.' }),
      nextCursor: NextCursor,
    }),
    {
      items: [
        {
          ...{ period: '2026-04', lenderId: 'L-1', principal: '1,000,000', required: '65,000', modelled: '61,000' },
          ...{ months: 6, through: '2026-10-31', expected: '9,000', chargedOff: '11,500', recovered: '2,000' },
          ...{ lost: '9,500', difference: '500' },
        },
      ],
      nextCursor: null,
    },
  ),
  problems: [],
  async handle(call) {
    const { plain, headers: applied } = numbersOf(call);
    const read = new RequestReader();
    const lenderId = lenderIn(read, call.query);
    read.done();
    const found = given(await call.services.loans.allowances.backTests(askerOf(call), { lenderId }));
    const items = found.map((one) => shownTest(one, plain));
    const page = pageOf(items, call.query, ({ period, lenderId: whose }) => `${period}/${whose}`);
    return tagged(call, ok(page), applied);
  },
});
