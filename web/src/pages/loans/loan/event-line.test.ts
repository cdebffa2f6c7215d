import events from 'virtual:events';
import { describe, expect, it } from 'vitest';
import { filled, namesIn } from './event-line.ts';
import { type Fact, valuesOf } from './timeline.ts';

describe('the text of a line', () => {
  it('has its values filled in', () => {
    expect(filled('Fee {amount} waived', { amount: '25.00' })).toBe('Fee 25.00 waived');
    expect(filled('{reference}', { reference: null })).toBe('');
  });

  it('leaves out a part whose values are not all known', () => {
    const text = 'Payment received[ by {method}][, {purpose}]';
    expect(filled(text, { method: 'ACH', purpose: null })).toBe('Payment received by ACH');
    expect(filled(text, { method: null, purpose: 'principal only' })).toBe('Payment received, principal only');
  });

  it('takes the first alternative that fits; one without values always does', () => {
    const text = '[{split} · cleared {cleared}|{split}|not known yet]';
    expect(filled(text, { split: 'fees 1.00', cleared: 'Nov 16' })).toBe('fees 1.00 · cleared Nov 16');
    expect(filled(text, { split: 'fees 1.00', cleared: null })).toBe('fees 1.00');
    expect(filled(text, { split: null, cleared: 'Nov 16' })).toBe('not known yet');
  });

  it('decides by a value that is known and has no text', () => {
    const text = '[{settlement}Settlement agreed|Payoff quoted]: {amount}';
    expect(filled(text, { settlement: '', amount: '5.00' })).toBe('Settlement agreed: 5.00');
    expect(filled(text, { settlement: null, amount: '5.00' })).toBe('Payoff quoted: 5.00');
  });
});

describe('the lines of the events', () => {
  const fact = { type: 'created', amount: null, reference: null, ground: null, decision: null, effect: [] };
  const known = { row: null, hold: null, cleared: null, taken: null };
  const values = valuesOf({ ...fact, operation: null } as unknown as Fact, known);

  it.each(Object.entries(events))('%s names only values that there are, and is text without them', (_, line) => {
    const texts = [line.says, line.more ?? '', line.explains ?? ''];
    expect(texts.flatMap(namesIn).filter((name) => !(name in values))).toEqual([]);
    for (const text of texts) expect(filled(text, values)).not.toMatch(/[{}[\]|]/);
    expect(filled(line.says, values)).toMatch(/^[A-Z]/);
  });

  it('shows values of a statement row only where the event says which row that is', () => {
    const OF_ROW = /\{(row\w+|split|method|purpose|code|settlement)\}/;
    const without = Object.entries(events).filter(([, { says, more = '', row }]) => !row && OF_ROW.test(says + more));
    expect(without).toEqual([]);
  });
});
