/** The codes of the accounts in the organization's own general ledger: of every lender, or of one of them. */
import { Type } from 'typebox';
import { ACCOUNT_NAMES, PROPOSED_CODES } from '../../loans/books/books.ts';
import type { AccountCodes } from '../../loans/books/periods.ts';
import { ledger } from '../ledger/ledger.ts';
import { shape } from '../shared/named.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { pageOf, wholeOrPages } from '../shared/pages.ts';
import { tagged } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { account, NextCursor } from '../shared/shapes.ts';
import { dryRunShown, write } from '../shared/writing.ts';
import { askerOf, Lender, lenderIn } from './books.ts';
import { keeping } from './periods.ts';

const Code = Type.String({
  pattern: '^[A-Za-z0-9]([A-Za-z0-9._:/ -]{0,62}[A-Za-z0-9._:/-])?$',
  description:
    '1 to 64 letters, digits, spaces and `. _ : / -`, beginning with a letter or digit and not ending with a space.',
});

const Codes = closed(Object.fromEntries(ACCOUNT_NAMES.map((one) => [one, Type.Optional(Code)])), {
  title: 'AccountCodeChanges',
  description: 'Codes by account.',
});

const codesExample = { codes: { loanPrincipal: '1400', cash: '1010' } };

const codeOf = { account, code: Code };

export const readAccountCodes = operation({
  ...ledger,
  at: 'GET /ledger/account-codes',
  id: 'readAccountCodes',
  summary: 'Get the account codes',
  description:
    'The account codes used in exports. Accounts without a code are omitted. With `lenderId` those in the books of this lender: its own, and ' +
    'for the other accounts those of all lenders. `proposed` is a common chart, for whoever has no codes yet.',
  query: closed({ lenderId: Lender, ...wholeOrPages }),
  answer: envelope(
    shape('AccountCodeList', 'The codes of the accounts.', {
      items: Type.Array(shape('AccountCode', 'The code of an account.', codeOf), {
        description: 'In the order of the chart of accounts.',
      }),
      proposed: Type.Array(shape('ProposedCode', 'The code of an account in the proposed chart.', codeOf), {
        description: 'A common chart with a code for every account; it counts only where you set it.',
      }),
      nextCursor: NextCursor,
    }),
    {
      items: [
        { account: 'loanPrincipal', code: '1400' },
        { account: 'cash', code: '1010' },
      ],
      proposed: [{ account: 'loanPrincipal', code: '1200' }],
      nextCursor: null,
    },
  ),
  problems: [],
  async handle(call) {
    const read = new RequestReader();
    const lenderId = lenderIn(read, call.query);
    read.done();
    const codes = await call.services.loans.books.codes(askerOf(call), lenderId);
    const items = ACCOUNT_NAMES.flatMap((account) => {
      const code = codes[account];
      return code === undefined ? [] : [{ account, code }];
    });
    const proposed = ACCOUNT_NAMES.map((account) => ({ account, code: PROPOSED_CODES[account] }));
    return tagged(call, ok({ ...pageOf(items, call.query, ({ account }) => account), proposed }));
  },
});

export const setAccountCodes = write({
  ...keeping,
  at: 'POST /ledger/account-codes',
  id: 'setAccountCodes',
  summary: 'Set account codes',
  description:
    'The codes of your general ledger, used in exports: with `lenderId` in the books of this lender, otherwise of every lender that has none of its ' +
    'own for the account. Accounts that are not given keep their codes.',
  body: closed({ codes: Codes, lenderId: Lender }, { examples: [codesExample] }),
  answer: envelope(
    shape('AccountCodesUpdate', 'All codes after the change.', {
      ...dryRunShown,
      codes: Type.Record(Type.String(), Code, { description: 'Codes by account.' }),
    }),
    codesExample,
  ),
  problems: [],
  hasDryRun: true,
  write(call, how) {
    const read = new RequestReader();
    const lenderId = lenderIn(read, call.body);
    read.done();
    return call.services.loans.books.setCodes(askerOf(call), call.body.codes as AccountCodes, how, lenderId);
  },
  shows: (codes) => ({ codes }),
});
