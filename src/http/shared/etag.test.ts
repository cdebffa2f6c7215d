import fc from 'fast-check';
import { expect, it } from 'vitest';
import { etagOf, loanTag, matchesNone, versionWanted } from './etag.ts';

const parts = fc.array(fc.oneof(fc.string(), fc.integer(), fc.bigInt()), { minLength: 1, maxLength: 4 });
const tag = parts.map((list) => etagOf(...list));

it('a tag is a quoted string that any header may hold, the same for the same parts', () => {
  fc.assert(
    fc.property(parts, (list) => {
      expect(etagOf(...list)).toMatch(/^"[\w-]{27}"$/);
      expect(etagOf(...list)).toBe(etagOf(...list));
    }),
  );
});

it('other parts, or the same text cut elsewhere, are another tag', () => {
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      const same = JSON.stringify(one.map(String)) === JSON.stringify(other.map(String));
      expect(etagOf(...one) === etagOf(...other)).toBe(same);
    }),
  );
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.nat(), (text, at) => {
      const cut = at % text.length;
      expect(etagOf(text.slice(0, cut), text.slice(cut))).not.toBe(etagOf(text));
    }),
  );
});

it('If-None-Match finds the tag in any list, weak or strong, and nothing else', () => {
  fc.assert(
    fc.property(fc.uniqueArray(tag, { minLength: 1, maxLength: 5 }), fc.nat(), fc.boolean(), (tags, at, weak) => {
      const chosen = tags[at % tags.length] as string;
      const header = tags.map((one) => (weak ? `W/${one}` : one)).join(', ');
      expect(matchesNone(header, chosen)).toBe(true);
      expect(matchesNone(header.replace(chosen, '"x"'), chosen)).toBe(false);
      expect(matchesNone('*', chosen)).toBe(true);
      expect(matchesNone(undefined, chosen)).toBe(false);
    }),
  );
});

it('a loan’s tag names its version for If-Match, which also takes the bare version', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999_999_999 }), parts, (version, list) => {
      const loan = loanTag(version, ...list);
      expect(loan).toMatch(/^"\d+-[\w-]{27}"$/);
      expect(matchesNone(loan, loan)).toBe(true);
      for (const header of [loan, `W/${loan}`, `"${version}"`, String(version), `W/"${version}"`, ` "${version}" `]) {
        expect(versionWanted(header)).toBe(version);
      }
    }),
  );
});

it('If-Match: * and no header are any version; what is no version is one that no loan has', () => {
  expect(versionWanted(undefined)).toBeNull();
  expect(versionWanted('*')).toBeNull();
  for (const header of ['', '"x"', '7.5', '-1', '"7", "8"', '1e3', '99999999999999999999']) {
    expect(versionWanted(header)).toBe(0);
  }
});
