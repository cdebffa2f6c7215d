/** The check of the ledger that the pages do in the browser, on the answers of the service, and on answers that somebody has changed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blockHash } from '../../web/src/ledger.ts';
import { type Result, type Transaction, verify } from '../../web/src/pages/loans/loan/proof.ts';
import { check } from '../../web/src/pages/market/proof.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { creation } from '../support/statuses.ts';

describe('the ledger proof of the pages', () => {
  let service: TestApp;
  let items: Transaction[];
  let unsealed: Transaction[];

  beforeAll(async () => {
    service = await testApp();
    const [token, key] = [await service.token(), service.credentials.apiKey];
    const call = async (method: string, path: string, body?: object) => {
      const answer = await service.call(method, `/v2/chain/${path}`, { token, key, ...(body && { body }) });
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    };
    // Several loans at once share blocks, so that there are paths with siblings.
    const loans: string[] = await Promise.all(
      Array.from(
        { length: 5 },
        async (_, n) => (await call('POST', 'loans', creation({ applicationId: `P-${n}` }))).loanId,
      ),
    );
    for (const step of ['start-underwriting', 'complete-underwriting', 'initiate-repayment']) {
      const more = step === 'complete-underwriting' ? { approved: true } : {};
      await Promise.all(loans.map((loanId) => call('POST', step, { loanId, ...more })));
    }
    const read = async () => {
      const lists = await Promise.all(loans.map((loanId) => call('GET', `loans/${loanId}/transactions`)));
      return lists.map(({ data }) => data.items as Transaction[]);
    };
    const before = await read();
    while ((await service.loans.ledger.seal()) > 0);
    const after = await read();
    // The one whose paths are longest.
    const siblings = (list: Transaction[]) => list.reduce((sum, { proof }) => sum + (proof?.siblings.length ?? 0), 0);
    const best = after.map(siblings).reduce((found, sum, n, all) => (sum > (all[found] ?? 0) ? n : found), 0);
    items = after[best] as Transaction[];
    unsealed = before[best] as Transaction[];
  }, 60_000);
  afterAll(() => service?.close());

  /** The results of one transaction, in the order hash, link, path, block. */
  const resultsOf = async (list: readonly Transaction[], n: number): Promise<Result[]> =>
    Object.values((await verify(list)).checked[n]?.results ?? {});
  const changed = (n: number, change: (one: Transaction) => Transaction) =>
    items.map((one, i) => (i === n ? change(one) : one));
  const flipped = (hash: string) => `${hash.slice(0, -1)}${hash.endsWith('0') ? '1' : '0'}`;

  it('holds for what the service answers', async () => {
    const { failed, waiting, blocks, checked } = await verify(items);
    expect({ failed, waiting }).toEqual({ failed: 0, waiting: 0 });
    expect(blocks).toBeGreaterThan(0);
    expect(checked).toHaveLength(items.length);
  });

  it('waits for blocks that are not sealed, and checks the rest', async () => {
    expect(await verify(unsealed)).toMatchObject({ failed: 0, waiting: unsealed.length, blocks: 0 });
    expect(await resultsOf(unsealed, 0)).toEqual(['holds', 'holds', 'waits', 'waits']);
  });

  it('fails for a body in which one byte was changed', async () => {
    const amount = /"amount":(\d)/.exec(items[0]?.body ?? '');
    const digit = Number(amount?.[1]);
    const body = (items[0]?.body ?? '').replace(/"amount":\d/, `"amount":${(digit + 1) % 10}`);
    const list = changed(0, (one) => ({ ...one, body }));
    expect(await resultsOf(list, 0)).toEqual(['fails', 'holds', 'fails', 'holds']);
    expect((await verify(list)).failed).toBe(1);
  });

  it('fails for another hash, and for the transaction after it', async () => {
    const list = changed(1, (one) => ({ ...one, transactionHash: flipped(one.transactionHash) }));
    expect(await resultsOf(list, 1)).toEqual(['fails', 'holds', 'holds', 'holds']);
    expect(await resultsOf(list, 2)).toEqual(['holds', 'fails', 'holds', 'holds']);
  });

  it('fails where a transaction is missing', async () => {
    expect((await verify(items.filter((_, n) => n !== 1))).failed).toBeGreaterThan(0);
  });

  it('fails where what stands beside the body says something else', async () => {
    expect(
      (
        await resultsOf(
          changed(0, (one) => ({ ...one, type: 'paymentSubmitted' })),
          0,
        )
      )[0],
    ).toBe('fails');
    expect(
      (
        await resultsOf(
          changed(0, (one) => ({ ...one, recordedAt: '2020-01-01T00:00:00.000Z' })),
          0,
        )
      )[0],
    ).toBe('fails');
  });

  it('fails for a body that says the same in another order', async () => {
    const { event, ...others } = JSON.parse(items[0]?.body ?? '{}');
    const list = changed(0, (one) => ({ ...one, body: JSON.stringify({ ...others, event }) }));
    expect((await resultsOf(list, 0))[0]).toBe('fails');
  });

  it('fails for another path, place, root or header', async () => {
    const n = items.findIndex(({ proof }) => (proof?.siblings.length ?? 0) > 0);
    expect(n, 'a transaction with siblings').toBeGreaterThanOrEqual(0);
    const withProof = (change: (proof: NonNullable<Transaction['proof']>) => NonNullable<Transaction['proof']>) =>
      changed(n, (one) => ({ ...one, proof: one.proof && change(one.proof) }));
    const [first = '', ...rest] = items[n]?.proof?.siblings ?? [];
    expect(
      await resultsOf(
        withProof((proof) => ({ ...proof, siblings: [flipped(first), ...rest] })),
        n,
      ),
    ).toEqual([...['holds', 'holds', 'fails', 'holds']]);
    expect(
      (
        await resultsOf(
          withProof((proof) => ({ ...proof, siblings: rest })),
          n,
        )
      )[2],
    ).toBe('fails');
    expect(
      (
        await resultsOf(
          withProof((proof) => ({ ...proof, siblings: [first, ...rest, first] })),
          n,
        )
      )[2],
    ).toBe('fails');
    expect(
      (
        await resultsOf(
          withProof((proof) => ({ ...proof, index: proof.header.count })),
          n,
        )
      )[2],
    ).toBe('fails');
    const root = (proof: NonNullable<Transaction['proof']>) => ({ ...proof.header, root: flipped(proof.header.root) });
    expect(
      await resultsOf(
        withProof((proof) => ({ ...proof, header: root(proof) })),
        n,
      ),
    ).toEqual([...['holds', 'holds', 'fails', 'fails']]);
    const hash = (proof: NonNullable<Transaction['proof']>) => ({ ...proof.header, hash: flipped(proof.header.hash) });
    expect(
      (
        await resultsOf(
          withProof((proof) => ({ ...proof, header: hash(proof) })),
          n,
        )
      )[3],
    ).toBe('fails');
  });

  it('of the market fails for a path that leads nowhere to a block that names no root', async () => {
    const { transactionHash, body, proof } = items.find(({ proof: of }) => of !== null) as Transaction;
    if (proof === null) throw new Error('There is no sealed transaction.');
    const outcomes = async (changed: object) =>
      (await check(transactionHash, { transactionHash, body, proof: changed, links: null, root: null })).map(
        ({ outcome }) => outcome,
      );
    expect(await outcomes(proof)).toEqual(['holds', 'holds', 'holds', 'holds', 'open']);
    for (const root of ['', null] as unknown as string[]) {
      const header = { ...proof.header, root };
      const forged = { index: -1, siblings: [], header: { ...header, hash: await blockHash(header) } };
      expect(await outcomes(forged)).toEqual(['holds', 'holds', 'fails', 'holds', 'open']);
    }
  });
});
