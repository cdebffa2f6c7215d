import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NONCE, payment } from '../../test/support/transaction.ts';
import type { LoanEvent } from '../core/event.ts';
import { canonical, GENESIS_HASH, hashOf, transactionBody } from './chain.ts';
import { eventTexts } from './event-texts.ts';

const LOAN = hashOf('a loan');

test('the text of an event is found whatever is written in it, in many bodies too', () => {
  const forging = fc.constantFrom('},"loanId":"0x', '"event":{', `},"loanId":"${LOAN}","nonce":"${NONCE}"`, '}', '"');
  const word = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    forging,
    fc.tuple(forging, forging).map((two) => two.join('')),
  );
  const written = fc.record({ refId: word, trace: word, deep: fc.record({ a: word, b: fc.record({ c: word }) }) });
  const commitments = fc.option(fc.constant({ file: hashOf('f'), record: hashOf('r') }));
  fc.assert(
    fc.property(fc.array(fc.tuple(written, commitments), { maxLength: 4 }), (some) => {
      const events = some.map(([more]) => ({ ...payment, ...more }) as LoanEvent);
      const bodies = events.map((event, i) =>
        transactionBody({
          loanId: LOAN,
          sequence: i + 1,
          previous: GENESIS_HASH,
          event,
          nonce: NONCE,
          commitments: some[i]?.[1] ?? null,
        }),
      );
      expect(eventTexts(bodies.join(','))).toEqual(events.map((event) => canonical(event)));
    }),
  );
  expect(() => eventTexts(JSON.stringify({ v: 1, loanId: LOAN, event: payment }))).toThrow('canonical');
  expect(() => eventTexts(`{"event":{"loan":{"at":{},"loanId":"${LOAN}"}}}`)).toThrow('canonical');
});
