import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { keepNumberText } from '../../core/reader.ts';
import { closed } from './operation.ts';
import { sayingOf } from './says.ts';
import { Amount } from './shapes.ts';

const says = sayingOf(
  closed({
    loanId: Type.String(),
    amount: Type.Optional(Amount),
    refId: Type.String(),
    parts: Type.Array(closed({ amount: Amount })),
    either: Type.Union([closed({ fee: Amount }), Type.Null()]),
    byName: Type.Record(Type.String(), Amount),
  }),
);
const text = (json: string) => says(JSON.parse(json, keepNumberText));
const same = (...all: string[]) => expect([...new Set(all.map(text))]).toHaveLength(1);
const different = (...all: string[]) => expect([...new Set(all.map(text))]).toHaveLength(all.length);

test('space, escapes and the order of members make no difference', () => {
  same(
    '{"refId":"A/é","loanId":"x"}',
    ' { "loanId" :"x",\n"refId": "A\\/\\u00e9" } ',
    '{"\\u006coanId":"x","refId":"\\u0041/é"}',
  );
  different('{"refId":"A"}', '{"refId":"a"}', '{"refId":" A"}', '{"refId":"\\u0000A"}');
});

test('an amount is what it is worth, wherever it stands', () => {
  for (const at of [
    (amount: string) => `{"amount":${amount}}`,
    (amount: string) => `{"parts":[{"amount":1},{"amount":${amount}}]}`,
    (amount: string) => `{"either":{"fee":${amount}}}`,
    (amount: string) => `{"byName":{"NY":${amount}}}`,
  ]) {
    same(...['1234.5', '"1234.50"', '"1,234.50"', '1234.500', '"01234.5"'].map(at));
    different(...['1234.5', '1234.05', '12345', '"1234.5 "', '"-1234.5"', '"1234.5x"', 'null'].map(at));
    same(...['0', '"0.00"', '0.0', '"000"'].map(at));
  }
});

test('digits beyond what a binary fraction tells apart count', () => {
  different('{"amount":1234567890123.45}', '{"amount":1234567890123.451}', '{"amount":1234567890123.4500000001}');
  different('{"other":9007199254740993}', '{"other":9007199254740992}');
});

test('a text that is no amount is not one: references with other zeros are others', () => {
  different('{"refId":"500"}', '{"refId":"500.00"}', '{"refId":"0500"}', '{"refId":500}');
});

test('numbers are compared by their value', () => {
  same('{"n":1}', '{"n":1.0}', '{"n":10e-1}');
  same('{"n":0}', '{"n":-0}', '{"n":0.0}');
  different('{"n":1}', '{"n":"1"}', '{"n":true}', '{"n":[1]}', '{"n":null}', '{}');
});

test('hashes are the same in either case, the last of two members counts, and the order of a list does', () => {
  const hash = `0x${'aB'.repeat(32)}`;
  same(`{"loanId":"${hash}"}`, `{"loanId":"${hash.toLowerCase()}"}`, `{"loanId":"other","loanId":"${hash}"}`);
  different('{"list":[1,2]}', '{"list":[2,1]}', '{"list":[[1],2]}', '{"list":[1,[2]]}');
});

test('a text cannot pass for a structure', () => {
  different('{"a":"b\\",\\"c\\":\\"d"}', '{"a":"b","c":"d"}', '{"a\\":\\"b\\",\\"c":"d"}');
  different('{"amount":"x"}', '{"amount":"\\"x\\""}', '{"__proto__":{"a":1}}', '{"a":1}');
});
