/** The ledger: transactions with their proofs, blocks, the journal of a loan. */

import { Type } from 'typebox';
import { add, cents, ZERO } from '../../core/money.ts';
import { actorOf } from '../shared/actor.ts';
import { amountTexts, inColumns } from '../shared/figures.ts';
import { idIn, noSuchLoan } from '../shared/ids.ts';
import { about, shape } from '../shared/named.ts';
import { numbersOf } from '../shared/numbers.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { pageOf, wholeOrPages } from '../shared/pages.ts';
import { loanIdOf, missing, reading, seen, tagged, viewOptions } from '../shared/read.ts';
import {
  DebitCreditTotals,
  Hash,
  hash,
  hashExample,
  Limit,
  LoanIdOut,
  LoanParams,
  loanExample,
  NextCursor,
  NoQuery,
  postedLine,
  readHeaders,
  TransactionHash,
  time,
  view,
} from '../shared/shapes.ts';
import { referenceOut, sentences, wordOut } from '../shared/texts.ts';

const Block = shape('BlockHeader', 'The header of a sealed block.', {
  number: Type.Integer({ description: 'The number of the block.' }),
  previousHash: hash('Hash of the previous block in the same volume.'),
  root: hash('Merkle root over the hashes of its transactions.'),
  count: Type.Integer({ description: 'Number of transactions in the block.' }),
  sealedAt: time('When the block was sealed.'),
  hash: hash('Hash of the header.'),
});

const Transaction = shape('Transaction', 'A change to a loan, as recorded in the ledger.', {
  transactionHash: TransactionHash,
  loanId: LoanIdOut,
  sequence: Type.Integer({ description: 'Sequence number within the loan, from 1.' }),
  type: wordOut('The type of the recorded event.'),
  body: sentences('Canonical JSON (RFC 8785); the hash is the SHA-256 of its bytes.'),
  recordedAt: time('When it was recorded.'),
  block: Type.Integer({ description: 'The block that holds it.' }),
  sealed: Type.Boolean({ description: 'Whether the block is sealed, which happens within two seconds.' }),
  proof: Type.Union(
    [
      shape('MerkleProof', 'The Merkle path from a transaction to the root of its block.', {
        index: Type.Integer({ description: 'Position in the block, from 0.' }),
        siblings: Type.Array(Hash, { description: 'The sibling hashes, from the leaf to the root.' }),
        header: about(Block, 'The header of the block.'),
      }),
      Type.Null(),
    ],
    { description: 'Proof that the block holds the transaction; null until the block is sealed.' },
  ),
});

const transactionExample = {
  transactionHash: hashExample,
  loanId: loanExample,
  sequence: 6,
  type: 'paymentSubmitted',
  body: '{"event":{…},"loanId":"0x3b1f…","nonce":"5f0c…","previous":"0x77ab…","sequence":6,"v":1}',
  recordedAt: '2026-02-15T12:00:00.000Z',
  block: 4_211,
  sealed: false,
  proof: null,
};

const TransactionsAnswer = envelope(
  shape('TransactionList', 'The transactions of a loan.', {
    items: Type.Array(Transaction, { description: 'The transactions, oldest first.' }),
    nextCursor: NextCursor,
  }),
  { items: [transactionExample], nextCursor: null },
);

const TransactionAnswer = envelope(Transaction, transactionExample);

const BlockAnswer = envelope(
  shape('Block', 'A block of the ledger.', {
    number: Type.Integer({ description: 'The number of the block.' }),
    sealed: Type.Boolean({ description: 'Whether it is sealed.' }),
    block: Type.Union([Block, Type.Null()], { description: 'Its header; null until it is sealed.' }),
    transactions: Type.Array(Hash, { description: 'The transactions in the block that the caller may see.' }),
  }),
  { number: 4_211, sealed: false, block: null, transactions: [hashExample] },
);

const RootsQuery = closed({
  limit: Limit(),
  cursor: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,14}$',
      description: '`nextCursor` of the previous page: the number of its last root.',
    }),
  ),
});

const RootsAnswer = envelope(
  shape('LedgerRootPage', 'A page of roots.', {
    items: Type.Array(
      shape('LedgerRoot', 'The state of the whole ledger at one time, as one hash.', {
        number: Type.Integer({ description: 'The number of the root.' }),
        previousHash: hash('Hash of the previous root.'),
        root: hash('Merkle root over the hashes of `heads`, by volume; zeros for a volume without a block.'),
        heads: Type.Array(
          shape('VolumeHead', 'The last sealed block of a volume.', {
            volume: Type.Integer({ description: 'The volume.' }),
            number: Type.Integer({ description: 'The number of the block.' }),
            hash: hash('Hash of the block’s header.'),
          }),
          { description: 'The last sealed block of each volume.' },
        ),
        audit: hash('Merkle root over the hashes of `auditHeads`, by volume; zeros for a volume without an entry.'),
        auditHeads: Type.Array(
          shape('AuditHead', 'The last link of the audit trail of a volume.', {
            volume: Type.Integer({ description: 'The volume.' }),
            number: Type.Integer({ description: 'The number of the link.' }),
            hash: hash('Hash of the link.'),
          }),
          { description: 'The last link of the audit trail of each volume.' },
        ),
        madeAt: time('When the root was made.'),
        hash: hash('Hash of the root.'),
      }),
      { description: 'The roots, newest first.' },
    ),
    nextCursor: NextCursor,
  }),
  {
    items: [
      {
        number: 812,
        previousHash: hashExample,
        root: hashExample,
        heads: [{ volume: 3, number: 4_211, hash: hashExample }],
        audit: hashExample,
        auditHeads: [{ volume: 3, number: 9_120, hash: hashExample }],
        madeAt: '2026-02-15T12:00:02.000Z',
        hash: hashExample,
      },
    ],
    nextCursor: null,
  },
);

const JournalAnswer = envelope(
  shape('Journal', 'The lines of a loan in the general ledger.', {
    items: Type.Array(
      shape('JournalEntry', 'A line that a transaction of the loan posted.', {
        transactionHash: TransactionHash,
        sequence: Type.Integer({ description: 'Sequence number of the transaction within the loan.' }),
        lenderId: referenceOut('The lender whose books it belongs to.'),
        ...postedLine,
      }),
      { description: 'The lines, in the order in which they were posted.' },
    ),
    totals: about(DebitCreditTotals, 'Total debits and credits of all pages.'),
    nextCursor: NextCursor,
  }),
  {
    items: [
      {
        transactionHash: hashExample,
        sequence: 6,
        lenderId: 'L-1',
        entry: 'receipt',
        account: 'cashClearing',
        debit: '575.50',
        credit: '0',
        dateEffective: '2026-02-15',
        datePosted: '2026-02-15',
        priorPeriod: false,
      },
    ],
    totals: { debit: '575.50', credit: '0' },
    nextCursor: null,
  },
);

const HashParams = { hash: Type.String({ description: 'Hash of the transaction: `0x` and 64 hexadecimal digits.' }) };

const BlockParams = { n: Type.String({ description: 'The number of a block.' }) };

export const ledger = {
  tag: 'Ledger',
  scopes: ['reports:read'],
  key: 'checked',
  conditional: true,
  requestHeaders: readHeaders.requestHeaders,
  answerHeaders: { ETag: readHeaders.answerHeaders.ETag },
} as const;

export const listTransactions = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/transactions',
  id: 'listTransactions',
  cost: 2,
  summary: 'List the transactions of a loan with their proofs',
  description:
    'Each transaction contains the hash of the previous one; with the proofs, the loan can be verified offline. `asOf` excludes what takes effect ' +
    'later; `knownAt` excludes what was recorded later.',
  scopes: ['loans:read'],
  query: closed({ ...view, ...wholeOrPages }),
  answer: TransactionsAnswer,
  problems: ['not_found'],
  async handle(call) {
    const { asOf, knownAt } = viewOptions(call.query);
    const loanId = loanIdOf(call);
    const all = (await call.services.loans.ledger.transactions(await actorOf(call), loanId)) ?? noSuchLoan();
    const items = all.filter(
      ({ recordedAt, body }) =>
        (knownAt === null || recordedAt <= knownAt) && (asOf === null || effectiveOn(body) <= asOf),
    );
    const page = pageOf(items, call.query, ({ transactionHash }) => transactionHash);
    return tagged(call, ok(page), { 'X-Loan-Id': loanId, 'X-Loan-Version': String(all.length) });
  },
});

export const readJournal = operation({
  ...ledger,
  at: 'GET /loans/{loan_id}/journal',
  id: 'readJournal',
  summary: 'List the general ledger lines of a loan',
  description:
    'Debits equal credits for every transaction. `asOf` excludes facts that take effect later; `knownAt` excludes facts recorded later.',
  query: closed({ ...view, ...wholeOrPages }),
  params: LoanParams,
  answer: JournalAnswer,
  problems: ['not_found'],
  async handle(call) {
    const { asOf, knownAt } = viewOptions(call.query);
    const actor = await actorOf(call);
    const loanId = loanIdOf(call);
    const all = (await call.services.loans.ledger.journal(actor, loanId)) ?? noSuchLoan();
    // The events known at that moment are the first `version` events.
    const version =
      knownAt === null
        ? null
        : seen(await call.services.loans.reads.read(actor, loanId, { asOf: null, knownAt })).version;
    const lines = all.filter(
      ({ sequence, dateEffective }) =>
        (version === null || sequence <= version) && (asOf === null || dateEffective <= asOf),
    );
    const { plain, headers: applied } = numbersOf(call);
    // Lines are added at the end alone, and none is taken away.
    const page = pageOf(lines, call.query, (_, place) => place);
    const items = page.items.map((line) => {
      const { transactionHash, sequence, lenderId, entry, dateEffective, datePosted, priorPeriod } = line;
      const columns = inColumns(line, plain);
      return { transactionHash, sequence, lenderId, entry, ...columns, dateEffective, datePosted, priorPeriod };
    });
    const debit = add(...lines.map(({ amount }) => (amount > 0 ? amount : ZERO)));
    const credit = add(...lines.map(({ amount }) => (amount < 0 ? cents(-amount) : ZERO)));
    return tagged(call, ok({ ...page, items, totals: amountTexts({ debit, credit }, plain) }), applied);
  },
});

export const readTransaction = operation({
  ...ledger,
  at: 'GET /ledger/transactions/{hash}',
  id: 'readTransaction',
  summary: 'Get a transaction with its proof',
  description: 'The SHA-256 of `body` is the hash; the proof leads from the hash to the root of the block.',
  query: NoQuery,
  params: HashParams,
  answer: TransactionAnswer,
  problems: ['not_found'],
  async handle(call) {
    const hash = idIn(call.params.hash);
    const found = hash === null ? null : await call.services.loans.ledger.transaction(await actorOf(call), hash);
    return found === null ? missing('transaction') : tagged(call, ok(found));
  },
});

export const readBlock = operation({
  ...ledger,
  at: 'GET /ledger/blocks/{n}',
  id: 'readBlock',
  summary: 'Get a block of the ledger',
  description:
    'The header, once the block is sealed, and the hashes of the transactions on loans that the caller may see.',
  query: NoQuery,
  params: BlockParams,
  answer: BlockAnswer,
  problems: ['not_found'],
  async handle(call) {
    const { n = '' } = call.params;
    const found = /^(0|[1-9]\d{0,14})$/.test(n)
      ? await call.services.loans.ledger.block(await actorOf(call), Number(n))
      : null;
    if (found === null) return missing('block');
    const { number, block, transactions } = found;
    return tagged(call, ok({ number, sealed: block !== null, block, transactions }));
  },
});

export const listRoots = operation({
  ...ledger,
  at: 'GET /ledger/roots',
  id: 'listRoots',
  summary: 'List the ledger roots',
  description:
    'One root per minute in which anything happened, over the last sealed block and the last audit entry of every volume; each root contains the hash of ' +
    'the previous one. Newest first. Keep a root to verify later that nothing before it was changed.',
  query: RootsQuery,
  answer: RootsAnswer,
  problems: [],
  async handle(call) {
    const { limit = 25, cursor } = call.query;
    const before = cursor === undefined ? null : Number(cursor);
    const roots = await call.services.loans.ledger.roots(before, limit + 1);
    const items = roots.slice(0, limit);
    const last = roots.length > limit ? items.at(-1) : undefined;
    return tagged(call, ok({ items, nextCursor: last === undefined ? null : String(last.number) }));
  },
});

/** The effective date of a transaction: that of its event. */
function effectiveOn(body: string): string {
  return (JSON.parse(body) as { event: { date: string } }).event.date;
}
