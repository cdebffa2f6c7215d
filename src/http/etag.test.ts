import fc from 'fast-check';
import { expect, it } from 'vitest';
import { etagOf, matchesNone } from './etag.ts';

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
