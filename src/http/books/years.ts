/** The end of a year: income and expense are closed to retained earnings. */
import { Type } from 'typebox';
import type { ClosedYear } from '../../loans/books/entries.ts';
import { shape } from '../shared/named.ts';
import { closed, envelope } from '../shared/operation.ts';
import { date, hashExample, JournalLine, maybe, TransactionHash, time } from '../shared/shapes.ts';
import { referenceOut } from '../shared/texts.ts';
import { dryRunShown, write } from '../shared/writing.ts';
import { askerOf, given } from './books.ts';
import { Recorder, shownLines } from './entries.ts';
import { keeping } from './periods.ts';

const shownYear = ({ lenders, ...year }: ClosedYear) => ({
  ...year,
  lenders: lenders.map(({ lines, transactionHash, ...one }) => ({
    ...one,
    transactionHash: transactionHash === '' ? null : transactionHash,
    lines: shownLines(lines),
  })),
});

export const closeYear = write({
  ...keeping,
  at: 'POST /ledger/close-year',
  id: 'closeYear',
  summary: 'Close a year',
  description:
    'Closes the income and expense accounts of each lender to `retainedEarnings`. All months of the year must be closed, and the year before. It takes ' +
    'effect on the last day of the year, and is posted on the first day of the next one, as `priorPeriod`; where that month is closed already, today. ' +
    'A year is closed once: closing it again returns the same response. Later entries of the year are posted to a later month and belong to the income of ' +
    'the year in which they are posted.',
  body: closed(
    { year: Type.Integer({ minimum: 1900, maximum: 2199, description: 'The year.' }) },
    { examples: [{ year: 2026 }] },
  ),
  answer: envelope(
    shape('YearClose', 'A closed year.', {
      ...dryRunShown,
      year: Type.Integer({ description: 'The year.' }),
      datePosted: date('The date on which it is posted.'),
      closedAt: time('When the year was closed.'),
      closedBy: Recorder,
      lenders: Type.Array(
        shape('YearLender', 'The closing of a lender.', {
          lenderId: referenceOut('The lender.'),
          transactionHash: maybe(TransactionHash, 'The transaction; null in a dry run.'),
          lines: Type.Array(JournalLine, { description: 'The lines; debits equal credits.' }),
        }),
        { description: 'The lenders that had income or expense.' },
      ),
    }),
    {
      year: 2026,
      datePosted: '2027-01-01',
      closedAt: '2027-01-12T14:00:00.000Z',
      closedBy: { clientId: 'client_8r3k2m5t7x', userId: 'user_4k2m8r3t5x' },
      lenders: [
        {
          lenderId: 'L-1',
          transactionHash: hashExample,
          lines: [
            { account: 'interestIncome', debit: '81,204.11', credit: '0' },
            { account: 'retainedEarnings', debit: '0', credit: '81,204.11' },
          ],
        },
      ],
    },
  ),
  problems: ['conflict'],
  hasDryRun: true,
  hasAmounts: true,
  async write(call, how) {
    return given(await call.services.loans.books.closeYear(askerOf(call), call.body.year, how));
  },
  subject: ({ year }) => String(year),
  shows: shownYear,
  approval: {
    preview: ({ year, lenders }) => ({
      year,
      lenders: lenders.map(({ lenderId, lines }) => ({ lenderId, lines: shownLines(lines) })),
    }),
  },
});
