import { describe, expect, it } from 'vitest';
import {
  type Chain,
  emptyChain,
  forgetFar,
  loadedPlaces,
  type Page,
  pagesOf,
  placeOf,
  rowAt,
  rowCount,
  withPage,
} from './page-chain.ts';

const page = (rows: string, nextCursor: string | null, total: number | null = 9): Page<string> => ({
  items: [...rows],
  nextCursor,
  total,
  totalExact: true,
});
const shown = (chain: Chain<string>) =>
  Array.from({ length: rowCount(chain, 0) }, (_, n) => rowAt(chain, n) ?? '·').join('');
const three = () => {
  const one = withPage(emptyChain<string>(), 0, null, page('abc', 'c'));
  return withPage(withPage(one, 1, 'c', page('def', 'f')), 2, 'f', page('ghi', null));
};

describe('the chain of pages', () => {
  it('grows by one page after the other, with places for what comes, until the end', () => {
    const none = emptyChain<string>();
    expect(rowCount(none, 20)).toBe(20);
    const one = withPage(none, 0, null, page('abc', 'c'));
    expect([shown(one), rowCount(one, 20), one.ended]).toEqual(['abc', 23, false]);
    expect([shown(three()), rowCount(three(), 20), three().ended]).toEqual(['abcdefghi', 9, true]);
    expect(three().total).toEqual({ count: 9, exact: true });
  });

  it('says which pages hold some rows', () => {
    expect(pagesOf(three(), 0, 2)).toEqual({ from: 0, to: 0 });
    expect(pagesOf(three(), 2, 3)).toEqual({ from: 0, to: 1 });
    expect(pagesOf(three(), 4, 8)).toEqual({ from: 1, to: 2 });
    expect(pagesOf(emptyChain(), 0, 20)).toEqual({ from: 0, to: 0 });
    // Beyond what is known lies the page that comes next.
    const one = withPage(emptyChain<string>(), 0, null, page('abc', 'c'));
    expect(pagesOf(one, 5, 12)).toEqual({ from: 1, to: 1 });
    expect(pagesOf(one, 1, 12)).toEqual({ from: 0, to: 1 });
  });

  it('passes over pages without rows', () => {
    const gap = withPage(withPage(emptyChain<string>(), 0, null, page('', 'x')), 1, 'x', page('ab', null));
    expect([shown(gap), pagesOf(gap, 0, 1)]).toEqual(['ab', { from: 1, to: 1 }]);
  });

  it('keeps what stands above when a page ends elsewhere than before, and asks for the next one anew', () => {
    // d has left the list: the second page now reaches to g.
    const again = withPage(three(), 1, 'c', page('efg', 'g', 8));
    expect(shown(again)).toBe('abcefgghi');
    expect(again.links[2]?.start).toBe('g');
    const whole = withPage(again, 2, 'g', page('hi', null, 8));
    expect([shown(whole), whole.ended, whole.total?.count]).toEqual(['abcefghi', true, 8]);
  });

  it('takes no answer to what it no longer asks', () => {
    const again = withPage(three(), 1, 'c', page('efg', 'g'));
    expect(withPage(again, 2, 'f', page('xyz', null))).toBe(again);
    expect(withPage(again, 7, 'f', page('xyz', null))).toBe(again);
  });

  it('ends earlier when the list has become shorter', () => {
    const short = withPage(three(), 0, null, page('ab', null, 2));
    expect([shown(short), short.ended]).toEqual(['ab', true]);
  });

  it('goes on when the list has become longer', () => {
    const longer = withPage(three(), 2, 'f', page('ghi', 'i', 10));
    expect([longer.ended, longer.links[3]?.start]).toEqual([false, 'i']);
  });

  it('counts by itself where the answers do not', () => {
    const one = withPage(emptyChain<string>(), 0, null, page('abc', 'c', null));
    expect(one.total).toBeNull();
    expect(withPage(one, 1, 'c', page('de', null, null)).total).toEqual({ count: 5, exact: true });
  });

  it('forgets the rows of far pages but not their places', () => {
    const kept = forgetFar(three(), { from: 2, to: 2 }, 1);
    expect([shown(kept), kept.links[0]?.start]).toEqual(['···defghi', null]);
    expect(forgetFar(kept, { from: 2, to: 2 }, 1)).toBe(kept);
    expect(loadedPlaces(kept)).toEqual([3, 4, 5, 6, 7, 8]);
    expect(placeOf(kept, (row) => row === 'h')).toBe(7);
    expect(placeOf(kept, (row) => row === 'a')).toBe(-1);
  });
});
