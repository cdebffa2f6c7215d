/** The books loan by loan: balances on a day, and what each loan added to the interest of a day. */
import { Type } from 'typebox';
import type { PlainDate } from '../../core/calendar.ts';
import { ACCOUNT_NAMES } from '../../loans/books/books.ts';
import type { LoanBalances } from '../../loans/books/loan-balances.ts';
import { csvFigure, csvLine, csvText } from '../../loans/exports/csv.ts';
import { ledger } from '../ledger/ledger.ts';
import { negotiated, notAcceptable } from '../shared/accept.ts';
import { actorOf, header } from '../shared/actor.ts';
import { shape } from '../shared/named.ts';
import { numbersOf } from '../shared/numbers.ts';
import { type Answer, type Call, closed, envelope, ok, operation } from '../shared/operation.ts';
import { missing, REVALIDATED, tagged } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { account, date, day, hash, hashExample, Limit, NextCursor } from '../shared/shapes.ts';
import { begun } from '../shared/stream.ts';
import { referenceOut } from '../shared/texts.ts';
import { askerOf, given, Lender, lenderIn, signed, signedMoney } from './books.ts';

const CSV = 'text/csv';
const JSON_TYPE = 'application/json';
const FORMATS = { json: JSON_TYPE, csv: CSV } as const;
const LOAN = '^0x[0-9a-f]{64}$';
/** Loans whose lines a file reads at once. */
const AT_ONCE = 500;

const Cursor = Type.Optional(Type.String({ pattern: LOAN, description: '`nextCursor` of the previous page.' }));

export const listLedgerLoans = operation({
  ...ledger,
  at: 'GET /ledger/loans',
  id: 'listLedgerLoans',
  cost: 5,
  media: [JSON_TYPE, CSV],
  summary: 'List the balances of loans on the books',
  description:
    'The balance of every account that a loan has on the books at the end of a date, as known then, in the order of loan ids. Together they are the trial ' +
    'balance of that date, without the entries by hand. A loan that was transferred has balances with each of its lenders; one without a balance is left out, so ' +
    'a page may be short. With `Accept: text/csv` or `format=csv` a file of all of them, a column for each account, with plain amounts.',
  query: closed({
    asOf: Type.Optional(day('The books at the end of this date; default: today.')),
    lenderId: Lender,
    limit: Limit(),
    cursor: Cursor,
    format: Type.Optional(
      Type.Enum(['csv', 'json'], { description: 'The format; default: by the header `Accept`, otherwise JSON.' }),
    ),
  }),
  answer: envelope(
    shape('LedgerLoanPage', 'A page of loans on the books.', {
      asOf: date('The date.'),
      items: Type.Array(
        shape('LedgerLoan', 'The balances of a loan in the books of a lender.', {
          loanId: hash('The loan.'),
          lenderId: referenceOut('The lender in whose books they are.'),
          accounts: Type.Array(
            shape('LedgerLoanAccount', 'The balance of an account.', {
              account,
              balance: signedMoney('The balance at the end of the date.'),
            }),
            { description: 'The accounts with a balance.' },
          ),
        }),
        { description: 'In the order of loan ids.' },
      ),
      nextCursor: NextCursor,
    }),
    {
      asOf: '2026-02-15',
      items: [{ loanId: hashExample, lenderId: 'L-1', accounts: [{ account: 'loanPrincipal', balance: '28,473.33' }] }],
      nextCursor: null,
    },
  ),
  problems: [],
  async handle(call): Promise<Answer> {
    const { services, query, headers } = call;
    const { plain, headers: applied } = numbersOf(call);
    const { limit = 25, cursor = null } = query;
    const read = new RequestReader();
    const asOf = query.asOf === undefined ? null : read.date(query, 'asOf', '');
    const lenderId = lenderIn(read, query);
    read.done();
    const types = query.format === undefined ? [JSON_TYPE, CSV] : [FORMATS[query.format]];
    const type = negotiated(header(headers, 'accept'), types);
    if (type === null) throw notAcceptable(types);
    if (type === CSV) return file(call, { asOf, lenderId });
    const asked = { asOf, lenderId, after: cursor, limit };
    const { next, items, asOf: of } = given(await services.loans.books.loanBalances(askerOf(call), asked));
    const shown = items.map(({ accounts, ...loan }) => ({
      ...loan,
      accounts: accounts.map((one) => ({ account: one.account, balance: signed(one.balance, plain) })),
    }));
    return tagged(call, ok({ asOf: of, items: shown, nextCursor: next }), applied);
  },
});

type FileCall = Call & { caller: Parameters<typeof askerOf>[0]['caller'] };
type Asked = { readonly asOf: PlainDate | null; readonly lenderId: string | null };

const pageOf = async (call: FileCall, asked: Asked & { readonly after: string | null }) =>
  given(await call.services.loans.books.loanBalances(askerOf(call), { ...asked, limit: AT_ONCE }));

/** The first page is read before anything is sent, so that a refusal is an answer of its own. */
async function file(call: FileCall, asked: Asked): Promise<Answer> {
  const actor = await actorOf(call);
  const first = await pageOf(call, { ...asked, after: null });
  async function* text(): AsyncGenerator<string> {
    yield csvLine(['asOf', 'lenderId', 'loanId', ...ACCOUNT_NAMES].map(csvText));
    for (let page = first; ; page = await pageOf(call, { ...asked, asOf: first.asOf, after: page.next })) {
      if (page.items.length > 0) yield page.items.map((one) => rowOf(one, first.asOf)).join('');
      if (page.next === null) return;
    }
  }
  const about = {
    'Cache-Control': REVALIDATED,
    Vary: 'Authorization, Accept',
    'Content-Type': `${CSV}; charset=utf-8`,
  };
  return { stream: await begun(text()), readAs: actor, headers: about };
}

function rowOf({ loanId, lenderId, accounts }: LoanBalances, asOf: string): string {
  const held = new Map(accounts.map(({ account: of, balance }) => [of, balance]));
  const balances = ACCOUNT_NAMES.map((of) => {
    const balance = held.get(of);
    return csvFigure(balance === undefined ? '0' : signed(balance, true));
  });
  return csvLine([csvFigure(asOf), csvText(lenderId), csvFigure(loanId), ...balances]);
}

export const listEntryLoans = operation({
  ...ledger,
  at: 'GET /ledger/entries/{id}/loans',
  id: 'listEntryLoans',
  cost: 5,
  summary: 'List what each loan added to the interest of a day',
  description:
    'The loans that changed the interest accrued in a lender’s book on a day, in the order of loan ids: the amounts add up to that of the entry. A payment that ends ' +
    'a stretch takes its interest out of the entry, because the entry of the loan then has it. Only entries of `interestAccrued` have loans (404 otherwise).',
  params: { id: Type.String({ description: 'The `transactionHash` of the entry.' }) },
  query: closed({ limit: Limit(), cursor: Cursor }),
  answer: envelope(
    shape('EntryLoanPage', 'A page of what loans added to an entry.', {
      lenderId: referenceOut('The lender.'),
      date: date('The date of the entry.'),
      items: Type.Array(
        shape('EntryLoan', 'What a loan added.', {
          loanId: hash('The loan.'),
          amount: signedMoney('The change of its accrued interest.'),
          amortized: signedMoney(
            'The change of what its present accrual period amortizes of deferred fees and costs, a discount or a premium; income is positive.',
          ),
        }),
        { description: 'In the order of loan ids.' },
      ),
      nextCursor: NextCursor,
    }),
    {
      lenderId: 'L-1',
      date: '2026-02-15',
      items: [{ loanId: hashExample, amount: '2.96', amortized: '0.41' }],
      nextCursor: null,
    },
  ),
  problems: ['not_found'],
  async handle(call) {
    const { services, query, params } = call;
    const { plain, headers: applied } = numbersOf(call);
    const { limit = 25, cursor = null } = query;
    const found = await services.loans.books.accrualByLoan(askerOf(call), (params.id ?? '').toLowerCase(), {
      after: cursor,
      limit,
    });
    if (found === null) return missing('entry of interest');
    const { next, items, ...of } = found;
    const shown = items.map(({ loanId, amount, amortized }) => ({
      loanId,
      amount: signed(amount, plain),
      amortized: signed(amortized, plain),
    }));
    return tagged(call, ok({ ...of, items: shown, nextCursor: next }), applied);
  },
});
