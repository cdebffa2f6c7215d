import { describe, expect, it } from 'vitest';
import { fromSearch, toSearch } from './filters.ts';
import {
  addDays,
  builtInViews,
  dropView,
  keepColumns,
  keepView,
  readColumns,
  readViews,
  type Shelf,
  viewName,
} from './views.ts';

function shelf(content: Record<string, string> = {}): Shelf {
  return {
    getItem: (key) => content[key] ?? null,
    setItem: (key, value) => {
      content[key] = value;
    },
  };
}

describe('saved views', () => {
  it('are kept, replaced by name, and dropped', () => {
    const kept = shelf();
    keepView(kept, 'v', { name: 'Mine', filters: { lenderId: 'L-1', sort: '-balance' } });
    keepView(kept, 'v', { name: 'Other', filters: { sort: 'createdAt' } });
    keepView(kept, 'v', { name: 'Mine', filters: { lenderId: 'L-2', sort: '-balance' } });
    expect(readViews(kept, 'v')).toEqual([
      { name: 'Other', filters: { sort: 'createdAt' } },
      { name: 'Mine', filters: { lenderId: 'L-2', sort: '-balance' } },
    ]);
    expect(dropView(kept, 'v', 'Other').map(({ name }) => name)).toEqual(['Mine']);
    expect(readViews(kept, 'v')).toHaveLength(1);
    expect(readViews(kept, 'somebody else')).toEqual([]);
  });

  it('that cannot be read are left out', () => {
    expect(readViews(shelf({ v: '{' }), 'v')).toEqual([]);
    expect(readViews(shelf({ v: '{"name":"x"}' }), 'v')).toEqual([]);
    const kept = [null, { name: 7, search: {} }, { name: 'x', search: 'y' }, { name: 'Good', search: { q: 'a b' } }];
    expect(readViews(shelf({ v: JSON.stringify(kept) }), 'v')).toEqual([
      { name: 'Good', filters: { sort: '-createdAt' } },
    ]);
  });

  it('go on without a browser that keeps anything', () => {
    const full: Shelf = {
      getItem: () => null,
      setItem: () => {
        throw new Error('QuotaExceededError');
      },
    };
    expect(keepView(full, 'v', { name: 'Mine', filters: { sort: 'balance' } })).toHaveLength(1);
  });

  it('have a name of up to forty letters', () => {
    expect([viewName('  Mine '), viewName(' '), viewName('x'.repeat(41))]).toEqual(['Mine', null, null]);
  });
});

it('the views that everybody has survive the address', () => {
  for (const { filters } of builtInViews('2026-11-28')) expect(fromSearch(toSearch(filters))).toEqual(filters);
  expect(builtInViews('2026-11-28').find(({ name }) => name === 'Due in 7 days')?.filters).toMatchObject({
    dueFrom: '2026-11-28',
    dueTo: '2026-12-05',
  });
  expect(builtInViews(null).some(({ name }) => name === 'Due in 7 days')).toBe(false);
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
});

it('chosen columns keep the order of the list, and unknown ones are left out', () => {
  const kept = shelf();
  expect(readColumns(kept, 'c', ['a', 'b'])).toBeNull();
  keepColumns(kept, 'c', ['b', 'gone', 'a']);
  expect(readColumns(kept, 'c', ['a', 'b', 'd'])).toEqual(['a', 'b']);
  keepColumns(kept, 'c', []);
  expect(readColumns(kept, 'c', ['a'])).toBeNull();
  keepColumns(kept, 'c', ['gone']);
  expect(readColumns(kept, 'c', ['a'])).toBeNull();
});
