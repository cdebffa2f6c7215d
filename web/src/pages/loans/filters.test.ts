import { describe, expect, it } from 'vitest';
import { type Filters, fromSearch, impossible, inWords, sameFilters, toQuery, toSearch } from './filters.ts';

const every: Filters = {
  q: 'APP-10',
  status: ['Delinquent', 'Defaulted'],
  bucket: '120-plus',
  minDaysPastDue: 30,
  maxDaysPastDue: 59,
  minCreditDays: 30,
  maxCreditDays: 59,
  minBalance: '1000.00',
  maxBalance: '20000.00',
  dueFrom: '2026-11-01',
  dueTo: '2026-11-30',
  createdFrom: '2025-01-01',
  createdTo: '2025-12-31',
  chargeOffGroundGone: 'true',
  lenderId: 'LND-1',
  servicerId: 'SRV-1',
  sort: '-balance',
};

describe('filters of loans', () => {
  it('say the same in the address and back', () => {
    expect(fromSearch(toSearch(every))).toEqual(every);
    expect(toSearch(every)).toMatchObject({ status: 'Delinquent,Defaulted', minDaysPastDue: 30, sort: '-balance' });
    expect(toSearch(fromSearch({}))).toEqual({});
    expect(fromSearch({})).toEqual({ sort: '-createdAt' });
  });

  it('ask the service', () => {
    expect(toQuery(every)).toEqual({ ...every, status: 'Delinquent,Defaulted' });
    expect(toQuery({ sort: 'collections' })).toEqual({ sort: '-daysPastDue' });
    expect(toQuery({ sort: 'creditSince', minCreditDays: 0 })).toEqual({ sort: 'creditSince', minCreditDays: 0 });
    // Without a filter the service refuses the order of credits: a chip that is removed leaves it behind.
    expect(toQuery({ sort: 'creditSince' })).toEqual({ sort: '-createdAt' });
  });

  it('take nothing from an address that is no filter', () => {
    const nonsense = {
      q: 'Robin Example',
      status: 'Delinquent,<script>,Late',
      bucket: '1-30',
      minDaysPastDue: '-4',
      maxDaysPastDue: 100_001,
      minBalance: '1e9',
      maxBalance: { $gt: 1 },
      dueFrom: '2026-02-30',
      dueTo: 'tomorrow',
      createdFrom: 20_261_101,
      lenderId: 'a b',
      servicerId: ['x'],
      sort: 'lastName',
      other: 'x',
    };
    expect(fromSearch(nonsense)).toEqual({ sort: '-createdAt' });
    expect(fromSearch({ status: 'Delinquent,Late' }).status).toEqual(['Delinquent']);
  });

  it('take numbers for text, as a router reads an address', () => {
    expect(fromSearch({ chargeOffGroundGone: true }).chargeOffGroundGone).toBe('true');
    expect(fromSearch({ chargeOffGroundGone: false }).chargeOffGroundGone).toBeUndefined();
    expect(fromSearch({ q: 1_001, minBalance: 500, minDaysPastDue: '7' })).toMatchObject({
      q: '1001',
      minBalance: '500.00',
      minDaysPastDue: 7,
    });
  });

  it('are said in words, each with what is left without it', () => {
    expect(inWords(every).map(({ text }) => text)).toEqual([
      'Id begins with APP-10',
      'Delinquent, Defaulted',
      '120+ days past due',
      'Ground of the charge-off gone',
      'Days past due 30 to 59',
      'Days with a credit 30 to 59',
      'Balance 1,000.00 to 20,000.00',
      'Due Nov 1, 2026 to Nov 30, 2026',
      'Created Jan 1, 2025 to Dec 31, 2025',
      'Lender LND-1',
      'Servicer SRV-1',
    ]);
    const [one] = inWords({ minDaysPastDue: 1, status: ['Current'], sort: 'balance' });
    expect(one).toEqual({ text: 'Current', without: { minDaysPastDue: 1, sort: 'balance' } });
    expect(inWords({ minDaysPastDue: 1, sort: 'balance' })[0]?.text).toBe('Days past due from 1');
    expect(inWords({ maxBalance: '10.00', sort: 'balance' })[0]?.text).toBe('Balance up to 10.00');
    expect(inWords({ minDaysPastDue: 0, maxDaysPastDue: 0, sort: 'balance' })[0]?.text).toBe('Days past due 0');
  });

  it('that begin above their end can match nothing, and are told with what is left without them', () => {
    expect(impossible(every)).toEqual([]);
    expect(impossible({ minDaysPastDue: 50, maxDaysPastDue: 50, sort: 'balance' })).toEqual([]);
    expect(impossible({ minDaysPastDue: 100, maxDaysPastDue: 50, lenderId: 'L-1', sort: 'balance' })).toEqual([
      {
        field: 'maxDaysPastDue',
        message: '“Days past due from” is more than “Days past due to”.',
        without: { lenderId: 'L-1', sort: 'balance' },
      },
    ]);
    expect(impossible({ minCreditDays: 30, maxCreditDays: 29, sort: 'balance' })).toHaveLength(1);
    const fields = (filters: Filters) => impossible(filters).map(({ field }) => field);
    expect(fields({ minBalance: '1000.00', maxBalance: '999.99', sort: 'balance' })).toEqual(['maxBalance']);
    expect(fields({ dueFrom: '2026-11-02', dueTo: '2026-11-01', sort: 'balance' })).toEqual(['dueTo']);
    expect(fields({ createdFrom: '2026-01-01', createdTo: '2025-12-31', sort: 'balance' })).toEqual(['createdTo']);
  });

  it('are the same whatever their order', () => {
    expect(sameFilters({ q: 'a', lenderId: 'b', sort: 'balance' }, { lenderId: 'b', sort: 'balance', q: 'a' })).toBe(
      true,
    );
    expect(sameFilters(every, { ...every, q: 'APP-11' })).toBe(false);
  });
});
