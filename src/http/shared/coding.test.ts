import { describe, expect, test } from 'vitest';
import { acceptedCoding, codedTag, refusesPlain, tagHeld } from './coding.ts';

describe('a coding is chosen by the caller’s weights, then by what it costs', () => {
  test.each([
    [undefined, null, true],
    ['', null, true],
    ['gzip', 'gzip', true],
    ['GZIP', 'gzip', true],
    ['x-gzip', 'gzip', true],
    ['gzip, deflate', 'gzip', true],
    ['gzip, deflate, br', 'br', true],
    ['gzip, deflate, br, zstd', 'zstd', true],
    ['br;q=0.5, gzip;q=0.8', 'gzip', true],
    ['br; q=0.5 , gzip ; q=0.5', 'br', true],
    ['zstd;q=0, br;q=0.0, gzip;q=0.000', null, true],
    ['*', 'zstd', true],
    ['*;q=0.3, gzip', 'gzip', true],
    ['zstd;q=0, *', 'br', true],
    ['*;q=0', null, false],
    ['gzip, *;q=0', 'gzip', false],
    ['identity, *;q=0', null, true],
    ['identity;q=0', null, false],
    ['identity;q=0, gzip;q=0.1', 'gzip', false],
    ['identity;q=0.5, gzip;q=1', 'gzip', true],
    ['identity, gzip;q=0.5', null, true],
    ['identity;q=0.5, gzip;q=0.5', 'gzip', true],
    ['deflate, compress', null, true],
    ['gzip;q=much', null, true],
    ['gzip;q=-1', null, true],
    ['gzip;q=2', null, true],
    [',,;q=1, gzip', 'gzip', true],
  ])('%j', (header, coding, plain) => {
    expect(acceptedCoding(header)).toEqual({ coding, plain });
    expect(refusesPlain(header)).toBe(!plain);
  });

  test('only among those that are offered', () => {
    expect(acceptedCoding('zstd, gzip;q=0.2', ['br', 'gzip']).coding).toBe('gzip');
    expect(acceptedCoding('zstd', ['br', 'gzip']).coding).toBeNull();
  });
});

test('a coded answer has a weak tag, and a 304 the one that the caller has', () => {
  expect(codedTag('"7-a"')).toBe('W/"7-a"');
  expect(codedTag('W/"7-a"')).toBe('W/"7-a"');
  expect(tagHeld('"7-b", W/"7-a"', '"7-a"')).toBe('W/"7-a"');
  expect(tagHeld('"7-a"', '"7-a"')).toBe('"7-a"');
  expect(tagHeld(undefined, '"7-a"')).toBe('"7-a"');
});
