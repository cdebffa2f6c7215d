/** The statement of a loan: its transactions and changes of terms, with the journal lines of each. */

import { Type } from 'typebox';
import { amountText } from '../../core/decimal.ts';
import { CLOSED_BY, METHODS, PURPOSES, RETURN_CODES } from '../../core/loan.ts';
import { endedBy, statementOf, unwrittenOf } from '../../loans/reads/figures.ts';
import type { LoanView } from '../../loans/reads/view.ts';
import { paidExample } from '../loans/payment.ts';
import { actorOf } from '../shared/actor.ts';
import { amountTexts, inColumns } from '../shared/figures.ts';
import { noSuchLoan } from '../shared/ids.ts';
import { about, shape } from '../shared/named.ts';
import { grouped, money } from '../shared/numbers.ts';
import { envelope, operation } from '../shared/operation.ts';
import { loanIdOf, okText, reading, seen, shown, viewOptions } from '../shared/read.ts';
import {
  Allocation,
  date,
  hashExample,
  LoanIdOut,
  loanExample,
  maybe,
  postedLine,
  TransactionHash,
  ViewQuery,
} from '../shared/shapes.ts';
import { referenceOut, sentences, wordOut } from '../shared/texts.ts';

const StatementLine = shape('StatementLine', 'A general ledger line that belongs to a row of the statement.', {
  ...postedLine,
  transactionHash: maybe(
    TransactionHash,
    'The transaction that posted it; null until the next transaction of the loan or the nightly cycle posts it.',
  ),
});

const HistoryAnswer = envelope(
  shape('Statement', 'The statement of a loan.', {
    loanId: LoanIdOut,
    asOf: date('The date of the statement.'),
    closedBy: maybe(Type.Enum([...CLOSED_BY]), 'How the loan was closed; null while it is open.'),
    rows: Type.Array(
      shape('StatementRow', 'A transaction or a change of terms.', {
        date: date('The date on which it took effect.'),
        kind: wordOut('The type of row: `payment`, `fee`, `waived`, `rateChange` and so on.'),
        reference: maybe(referenceOut('A reference.'), 'The reference of the payment, fee, refund or quote.'),
        detail: sentences('Details as text; may be empty.'),
        amount: grouped('signed', 'The amount; negative where something was taken back.'),
        allocation: about(Allocation, 'How the amount was applied.'),
        balance: money('Principal owed afterwards.'),
        running: shape('RunningTotals', 'Totals after a row of the statement.', {
          fees: money('Unpaid fees.'),
          credit: money('Credit of the borrower.'),
          received: money('Total of payments received and not returned.'),
        }),
        purpose: maybe(Type.Enum([...PURPOSES]), 'The purpose of a payment.'),
        method: maybe(Type.Enum([...METHODS]), 'How a payment was made.'),
        trace: maybe(sentences('A text.'), 'The bank’s or processor’s reference for a payment.'),
        code: maybe(Type.Enum([...RETURN_CODES]), 'The reason for which a payment was returned.'),
        journal: Type.Array(StatementLine, { description: 'The lines that it posted to the general ledger.' }),
      }),
      { description: 'Transactions and changes of terms, in the order in which they took effect.' },
    ),
    otherLines: Type.Array(StatementLine, {
      description:
        'Lines that belong to no row: the start of non-accrual, a late fee that has since been reversed, or a transaction that was undone and ' +
        'its correction.',
    }),
  }),
  {
    loanId: loanExample,
    asOf: '2026-02-15',
    closedBy: null,
    rows: [
      {
        date: '2026-02-15',
        kind: 'payment',
        reference: 'ACH-2026-02-0001',
        detail: '',
        amount: '575.50',
        ...{ allocation: paidExample.allocation, balance: paidExample.remainingBalance },
        running: { fees: '0', credit: '0', received: '575.50' },
        purpose: 'installment',
        method: 'ach',
        trace: '091000010000001',
        code: null,
        journal: [
          {
            entry: 'receipt',
            account: 'cashClearing',
            debit: '575.50',
            credit: '0',
            dateEffective: '2026-02-15',
            datePosted: '2026-02-15',
            priorPeriod: false,
            transactionHash: hashExample,
          },
        ],
      },
    ],
    otherLines: [],
  },
);

export const readHistory = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/history',
  id: 'readHistory',
  summary: 'Get the statement of a loan',
  description:
    'Transactions and changes of terms with the journal lines of each, as known now: a returned payment is shown with nothing applied. A correction in the journal is with ' +
    'the row that caused it.',
  scopes: ['loans:read'],
  query: ViewQuery,
  answer: HistoryAnswer,
  problems: ['not_found'],
  async handle(call) {
    const options = viewOptions(call.query);
    const actor = await actorOf(call);
    const view = seen(await call.services.loans.reads.read(actor, loanIdOf(call), options));
    const journal = (await call.services.loans.ledger.journal(actor, loanIdOf(call))) ?? noSuchLoan();
    // A long history takes about 20 ms to fold and as long again to render: yield to the event loop in between.
    await nextTurn();
    const lines = { journal, unwritten: unwrittenOf(view) };
    await nextTurn();
    return shown(call, view, ['history', options], (plain) => okText(historyOf(view, lines, plain)));
  },
});

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

function historyOf(view: LoanView, lines: Parameters<typeof statementOf>[1], plain: boolean) {
  const { rows, others } = statementOf(view, lines);
  const lineShown = (line: (typeof others)[number]) => {
    const { entry, dateEffective, datePosted, priorPeriod, transactionHash } = line;
    return { entry, ...inColumns(line, plain), dateEffective, datePosted, priorPeriod, transactionHash };
  };
  return {
    loanId: view.loanId,
    asOf: view.loan.on,
    closedBy: endedBy(view.loan),
    rows: rows.map(({ date, kind, reference, detail, ...row }) => ({
      date,
      kind,
      reference,
      detail,
      amount: amountText(row.amount, plain),
      allocation: amountTexts(row.allocation, plain),
      balance: amountText(row.balance, plain),
      running: amountTexts(row.running, plain),
      ...row.facts,
      journal: row.journal.map(lineShown),
    })),
    otherLines: others.map(lineShown),
  };
}
