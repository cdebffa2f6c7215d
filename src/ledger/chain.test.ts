import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { live } from '../../test/support/life.ts';
import { NONCE, payment } from '../../test/support/transaction.ts';
import type { LoanEvent } from '../core/event.ts';
import {
  blockHash,
  canonical,
  GENESIS_HASH,
  hashOf,
  merkleProof,
  merkleRoot,
  transactionBody,
  verifyExport,
} from './chain.ts';

const sha256 = (text: string) => `0x${createHash('sha256').update(text).digest('hex')}`;
const LOAN = sha256('a loan');

describe('a transaction', () => {
  const facts = { loanId: LOAN, sequence: 7, previous: GENESIS_HASH, event: payment, nonce: NONCE };

  it('is canonical JSON of the version, the loan, its position, the previous hash, and the event', () => {
    const body = transactionBody(facts);
    expect(body).toBe(
      `{"event":{"amount":88849,"date":"2026-02-01","purpose":"installment","recordedAt":"2026-02-01T12:00:00.000Z",` +
        `"recordedOn":"2026-02-01","refId":"p-1","type":"paymentSubmitted"},"loanId":"${LOAN}","nonce":"${NONCE}",` +
        `"previous":"0x${'0'.repeat(64)}","sequence":7,"v":1}`,
    );
    expect(body).toBe(canonical({ v: 1, ...facts }));
    expect(hashOf(body)).toBe(sha256(body));
  });

  it('has commitments when there are any', () => {
    const commitments = { response: sha256('r'), request: sha256('q') };
    expect(transactionBody({ ...facts, commitments })).toBe(canonical({ v: 1, ...facts, commitments }));
    expect(transactionBody({ ...facts, commitments: {} })).toBe(transactionBody(facts));
    expect(transactionBody({ ...facts, commitments: null })).toBe(transactionBody(facts));
  });
});

describe('a block', () => {
  it('is hashed over the canonical JSON of its header, and nothing else', () => {
    const header = {
      number: 12,
      previousHash: GENESIS_HASH,
      root: sha256('root'),
      count: 3,
      sealedAt: '2026-02-01T12:00:01.000Z',
    };
    const text = `{"count":3,"number":12,"previousHash":"${GENESIS_HASH}","root":"${header.root}","sealedAt":"2026-02-01T12:00:01.000Z"}`;
    expect(blockHash(header)).toBe(sha256(text));
    expect(blockHash({ ...header, hash: 'not part of it' } as typeof header)).toBe(sha256(text));
  });
});

// ---- an export ----

type Transaction = {
  transactionHash: string;
  loanId: string;
  sequence: number;
  type: string;
  body: string;
  recordedAt: string;
  block: number;
  sealed: boolean;
  proof: { index: number; siblings: string[]; header: Parameters<typeof blockHash>[0] & { hash: string } } | null;
};
type Export = { message: string; data: { items: Transaction[] } };

/** A loan's transactions two to a block among those of others, from block 5 on; the last two are not sealed yet. */
function exportOf(events: readonly LoanEvent[]): Export {
  let previous = GENESIS_HASH;
  const transactions = events.map((event, i): Transaction => {
    const commitments = i === 0 ? { request: sha256('request') } : null;
    const body = transactionBody({ loanId: LOAN, sequence: i + 1, previous, event, nonce: NONCE, commitments });
    previous = hashOf(body);
    const block = 5 + Math.floor(i / 2);
    const { type, recordedAt } = event;
    return {
      transactionHash: previous,
      loanId: LOAN,
      sequence: i + 1,
      type,
      body,
      recordedAt,
      block,
      sealed: false,
      proof: null,
    };
  });
  let previousHash = sha256('block 4');
  for (let number = 5; transactions.filter((one) => !one.sealed).length > 2; number++) {
    const own = transactions.filter(({ block }) => block === number);
    const all = ['x', 'y', 'z'].map((other) => sha256(`${other}${number}`));
    all.splice(1, 0, ...own.map((one) => one.transactionHash));
    const facts = {
      number,
      previousHash,
      root: merkleRoot(all),
      count: all.length,
      sealedAt: '2026-06-01T00:00:01.000Z',
    };
    const header = { ...facts, hash: blockHash(facts) };
    own.forEach((one, i) => {
      one.sealed = true;
      one.proof = { index: 1 + i, siblings: merkleProof(all, 1 + i), header: { ...header } };
    });
    previousHash = header.hash;
  }
  return { message: 'ok', data: { items: transactions } };
}

const history = live().fund().pay('2026-02-01', '888.49', 'p1').pay('2026-03-01', '888.49', 'p"2').events;
const { length } = history;

/** A fresh copy, changed. */
function changed(change: (transactions: Transaction[]) => void): Export {
  const exported = exportOf(history);
  change(exported.data.items);
  return exported;
}

function complaintsOf(exported: unknown): string[] {
  return verifyExport(exported).complaints.map(({ where, what }) => `${where}: ${what}`);
}

const at = (transactions: Transaction[], n: number) => transactions[n - 1] as Transaction;
const proofAt = (transactions: Transaction[], n: number) =>
  at(transactions, n).proof as NonNullable<Transaction['proof']>;

/** Changes a body and recomputes its hash, as a forger would. */
function forge(transaction: Transaction, change: (body: Record<string, unknown>) => void): void {
  const body = JSON.parse(transaction.body) as Record<string, unknown>;
  change(body);
  transaction.body = canonical(body);
  transaction.transactionHash = hashOf(transaction.body);
}

describe('an export', () => {
  it('that is intact gives no complaint; transactions not sealed yet are counted', () => {
    expect(length).toBe(6);
    const whole = verifyExport(exportOf(history));
    expect(whole).toMatchObject({ complaints: [], transactions: 6, unsealed: 2, blocks: 2 });
    expect(whole.headers.map(({ number }) => number)).toEqual([5, 6]);
    const { items } = exportOf(history).data;
    expect(verifyExport({ items })).toEqual(whole);
    expect(verifyExport({ loanId: LOAN, transactions: items })).toEqual(whole);
    expect(verifyExport(exportOf(history.slice(0, 2)))).toMatchObject({ complaints: [], unsealed: 2, blocks: 0 });
  });

  it.each([
    [
      'a body',
      2,
      (all: Transaction[]) => {
        at(all, 2).body = at(all, 2).body.replace('2026-01-01', '2026-01-02');
      },
      /^transactionHash is .*: body was changed\.$/,
    ],
    [
      'the body of an unsealed one',
      5,
      (all: Transaction[]) => {
        at(all, 5).body = at(all, 5).body.replace('88849', '88850');
      },
      /: body was changed\.$/,
    ],
    [
      'the last body',
      6,
      (all: Transaction[]) => {
        at(all, 6).body = at(all, 6).body.replace('88849', '88850');
      },
      /: one of them was changed\.$/,
    ],
    [
      'a hash',
      3,
      (all: Transaction[]) => {
        at(all, 3).transactionHash = sha256('x');
      },
      /: transactionHash was changed\.$/,
    ],
    [
      'spaces in a body',
      3,
      (all: Transaction[]) => {
        at(all, 3).body = at(all, 3).body.replace('","', '", "');
      },
      /^body is not canonical JSON: at byte \d+ it should continue with "\\"contract/,
    ],
    [
      'a body that is not JSON',
      3,
      (all: Transaction[]) => {
        at(all, 3).body = at(all, 3).body.slice(0, 40);
      },
      /^body is not canonical JSON: .*JSON/,
    ],
    [
      'the type beside a body',
      3,
      (all: Transaction[]) => {
        at(all, 3).type = 'rejected';
      },
      /^type is "rejected"; it should be "approved"\.$/,
    ],
    [
      'the time beside a body',
      3,
      (all: Transaction[]) => {
        at(all, 3).recordedAt = '2027-01-01T00:00:00.000Z';
      },
      /^recordedAt is "2027/,
    ],
    [
      'the loan beside a body',
      3,
      (all: Transaction[]) => {
        at(all, 3).loanId = sha256('another');
      },
      /^loanId is "0x/,
    ],
    [
      'the number beside a body',
      3,
      (all: Transaction[]) => {
        at(all, 3).sequence = 9;
      },
      /^sequence is 9; it should be 3\.$/,
    ],
    [
      'a block',
      3,
      (all: Transaction[]) => {
        at(all, 3).block = 7;
      },
      /^block is 7; proof\.header\.number is 6\.$/,
    ],
    [
      'a proof’s index',
      3,
      (all: Transaction[]) => {
        proofAt(all, 3).index = 0;
      },
      /^The proof does not lead/,
    ],
    [
      'a proof’s index, beyond the block',
      3,
      (all: Transaction[]) => {
        proofAt(all, 3).index = 5;
      },
      /^proof\.index is 5; the block has 5 transactions\.$/,
    ],
    [
      'a proof’s path',
      3,
      (all: Transaction[]) => {
        proofAt(all, 3).siblings[1] = sha256('x');
      },
      /^The proof does not lead/,
    ],
    [
      'a header',
      4,
      (all: Transaction[]) => {
        proofAt(all, 4).header = { ...proofAt(all, 4).header, sealedAt: '2026' };
      },
      /^proof\.header\.hash is/,
    ],
    [
      'one of two headers of a block, with its hash',
      4,
      (all: Transaction[]) => {
        const { hash: _, ...header } = { ...proofAt(all, 4).header, sealedAt: '2026-07-01T00:00:01.000Z' };
        proofAt(all, 4).header = { ...header, hash: blockHash(header) };
      },
      /^proof\.header\.sealedAt is "2026-07-01T00:00:01\.000Z"; an earlier transaction of block 6 has "2026-06/,
    ],
    [
      'a missing proof',
      3,
      (all: Transaction[]) => {
        at(all, 3).proof = null;
      },
      /^sealed is true, and there is no proof\.$/,
    ],
    [
      'a missing field',
      3,
      (all: Transaction[]) => {
        delete (at(all, 3) as Partial<Transaction>).block;
      },
      /^block is missing\.$/,
    ],
    [
      'a value that is not a transaction',
      3,
      (all: Transaction[]) => {
        all[2] = 'x' as never;
      },
      /^The transaction is not an object\.$/,
    ],
  ])('that was changed gives a complaint with its location: %s', (_, n, change, what) => {
    const { complaints } = verifyExport(changed(change));
    expect(complaints[0]).toEqual({ where: `transaction ${n}`, what: expect.stringMatching(what) });
  });

  it('reports every link that a forged body breaks', () => {
    const amount = changed((all) =>
      forge(at(all, 4), (body) => Object.assign(body.event as object, { date: '2026-01-02' })),
    );
    expect(complaintsOf(amount)).toEqual([
      expect.stringMatching(/^transaction 4: The proof does not lead from the transaction to proof\.header\.root/),
      expect.stringMatching(/^transaction 5: body\.previous is "0x.*"; it should be "0x/),
    ]);
    const first = changed((all) =>
      forge(at(all, 1), (body) => Object.assign(body, { previous: sha256('x'), v: 2, extra: 1 })),
    );
    expect(complaintsOf(first)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^transaction 1: body\.previous is .*; it should be "0x0{64}"\.$/),
        'transaction 1: body.v is 2; it should be 1.',
        'transaction 1: Unknown field body.extra.',
      ]),
    );
    const other = changed((all) =>
      forge(at(all, 6), (body) => Object.assign(body, { loanId: sha256('x'), sequence: 1 })),
    );
    expect(complaintsOf(other)).toEqual([
      expect.stringMatching(/^transaction 6: body\.loanId is/),
      'transaction 6: body.sequence is 1; it should be 6.',
    ]);
  });

  it('reports transactions that are missing, duplicated or reordered, once', () => {
    const without = changed((all) => all.splice(2, 1));
    expect(complaintsOf(without)).toEqual([
      'transaction 3: sequence is 4; it should be 3.',
      'transaction 3: body.sequence is 4; it should be 3.',
      expect.stringMatching(/^transaction 3: body\.previous is/),
    ]);
    const doubled = changed((all) => all.splice(2, 0, at(all, 2)));
    expect(complaintsOf(doubled)[0]).toBe('transaction 3: sequence is 2; it should be 3.');
    const swapped = changed((all) => all.splice(1, 2, at(all, 3), at(all, 2)));
    expect(complaintsOf(swapped).join()).toMatch(
      /transaction 3: block is 5; the transaction before it is in block 6 already\./,
    );
    const none = changed((all) => all.splice(0));
    expect(complaintsOf(none)).toEqual(['export: There are no transactions; a loan has at least its creation.']);
  });

  it('reports no other transaction for a number that was changed', () => {
    const beside = changed((all) => Object.assign(at(all, 3), { sequence: 9 }));
    expect(complaintsOf(beside)).toEqual(['transaction 3: sequence is 9; it should be 3.']);
    const within = changed((all) =>
      Object.assign(at(all, 3), { body: at(all, 3).body.replace('"sequence":3', '"sequence":9') }),
    );
    expect(complaintsOf(within)).toEqual([
      expect.stringMatching(/^transaction 3: transactionHash is .*: body was changed\.$/),
      'transaction 3: body.sequence is 9; it should be 3.',
    ]);
  });

  it('reports blocks that are not linked, and one that is sealed after one that is not', () => {
    const unlinked = changed((all) => {
      for (const n of [3, 4]) {
        const { hash: _, ...header } = { ...proofAt(all, n).header, previousHash: sha256('x') };
        proofAt(all, n).header = { ...header, hash: blockHash(header) };
      }
    });
    expect(complaintsOf(unlinked)).toEqual([
      expect.stringMatching(/^block 6: Its previousHash is 0x.*; the previous block has 0x/),
    ]);
    const early = changed((all) => Object.assign(at(all, 2), { sealed: false, proof: null }));
    expect(complaintsOf(early)).toEqual([
      'transaction 3: Its block is sealed, but the block of the previous transaction is not.',
    ]);
  });

  it('detects a change of any byte, and names its transaction', () => {
    const whole = JSON.stringify(exportOf([1, 2, 3, 4].map((n) => ({ ...payment, refId: `p${n}` }))).data);
    const marks = [...whole.matchAll(/\{"transactionHash"/g)].map(({ index }) => index);
    const unproved = [...whole.matchAll(/"block":6/g)].map(({ index }) => index + '"block":'.length);
    expect([marks.length, unproved.length]).toEqual([4, 2]);
    for (let i = 0; i < whole.length; i++) {
      let parsed: unknown;
      try {
        parsed = JSON.parse(`${whole.slice(0, i)}${whole[i] === '0' ? '1' : '0'}${whole.slice(i + 1)}`);
      } catch {
        continue;
      }
      const places = verifyExport(parsed).complaints.map(({ where }) => where);
      const n = marks.filter((mark) => mark < i).length;
      // The block of a transaction is proved only once the block is sealed.
      const named = n === 0 ? places.length > 0 : places.includes(`transaction ${n}`) || places.includes('export');
      if (!named && !unproved.includes(i))
        throw new Error(`Not found: ${whole.slice(i - 20, i)}>${whole.slice(i, i + 20)}`);
    }
  });

  it('that is not an export is reported as such, whatever it is', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 50_000; i++) deep = [deep];
    const [first] = exportOf(history).data.items;
    const hostile = [
      null,
      'x',
      [],
      {},
      { data: null },
      { message: 'ok', data: { loanId: LOAN } },
      { loanId: sha256('another'), transactions: [first] },
      { loanId: '0x12', transactions: [first] },
      { loanId: LOAN, transactions: [deep, null, 1] },
      {
        loanId: LOAN,
        transactions: [{ ...first, sequence: deep, proof: { index: 0, siblings: deep } }],
      },
      { loanId: LOAN, transactions: [{ ...first, body: '['.repeat(50_000) + ']'.repeat(50_000) }] },
      { loanId: LOAN, transactions: [{ ...first, body: '"\\ud800"' }] },
      { loanId: LOAN, transactions: [{ ...first, body: '\ud800' }] },
      changed((all) => Object.assign(proofAt(all, 1).header, { sealedAt: '\ud800' })),
      changed((all) => Object.assign(proofAt(all, 1).header, { count: 2 ** 53 - 1 })),
    ];
    for (const one of hostile) expect(verifyExport(one).complaints.length).toBeGreaterThan(0);
  });
});
