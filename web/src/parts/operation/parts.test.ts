/** The smaller parts of the drawer: fees that are open, who approves, refusals, answers, secrets, words. */
import { expect, it } from 'vitest';
import { look, partsOf } from './answer-parts.ts';
import { approvers, eitherOf } from './approvers.ts';
import { openFees } from './facts.ts';
import { FORMS } from './forms.ts';
import { newReference } from './own-form.ts';
import { detailOf, inFormWords, possible, refusalTitle } from './refusals.ts';
import { secretsOf } from './secrets.ts';
import { choiceLabel, labelOf } from './words.ts';

it('finds the fees of which something is owed', () => {
  const fee = (reference: string, date: string, detail: string, amount: string) => ({
    kind: 'fee',
    reference,
    date,
    detail,
    amount,
  });
  const rows = [
    fee('late-2', '2025-12-11', 'Late fee, installment 2', '25'),
    fee('title-1', '2026-01-02', 'Title copy', '80.00'),
    fee('title-2', '2026-01-02', 'Title copy', '40.00'),
    { ...fee('P-1', '2026-01-03', '', '500'), kind: 'payment' },
  ];
  const steps = [
    { what: 'Late fee of 2025-12-11', amount: '0' },
    { what: 'Title copy of 2026-01-02', amount: '30.5' },
    { what: 'Title copy of 2026-01-02', amount: '40' },
  ];
  expect(openFees(rows, steps).map(({ feeId, amount }) => `${feeId} ${amount}`)).toEqual([
    'title-1 30.50',
    'title-2 40.00',
  ]);
});

it('offers what is due alone and with unpaid fees', () => {
  const facts = (fees: string) => ({
    summary: { loanDetails: { metadata: { servicing: { currentPaymentDue: '300.87', pastDueAmount: '300.87' } } } },
    payoff: { payoff: '11,507.85', fees },
  });
  const offered = (fees: string) =>
    FORMS.submitRepayment?.fields[0]?.fills?.(facts(fees) as never).map(({ label }) => label.replace(/\s+/g, ' '));
  expect(offered('0')).toEqual(['Due 300.87', 'Payoff 11,507.85']);
  expect(offered('25')).toEqual(['Due 300.87', 'Due and fees 325.87', 'Payoff 11,507.85']);
});

it('asks for the reason of an old payment from the day on that the loan’s policy says', () => {
  const reason = FORMS.submitRepayment?.fields.find(({ name }) => name === 'reason');
  const asks = (paymentDate: string | undefined, backdateDays: number | null) =>
    reason?.when?.({ paymentDate }, {
      today: '2026-03-31',
      policy: backdateDays === null ? null : { backdateDays },
    } as never);
  expect(FORMS.submitRepayment?.needs).toContain('policy');
  expect([asks('2026-03-31', 30), asks('2026-03-01', 30), asks('2026-02-28', 30)]).toEqual([false, false, true]);
  expect([asks('2026-03-26', 5), asks('2026-03-25', 5), asks('2026-03-30', 0)]).toEqual([false, true, true]);
  expect([asks('2026-02-28', 60), asks(undefined, 30)]).toEqual([false, false]);
  // Without the policy it is offered rather than hidden: the service may require it.
  expect([asks('2026-03-31', null), asks(undefined, null)]).toEqual([true, true]);
});

it('offers the stipulations that are left, and asks for evidence or a reason by the state', () => {
  const { fields = [], needs, does } = FORMS.updateStipulation ?? {};
  const [which, state, evidence, reason] = fields;
  expect(needs).toEqual(['stipulations']);
  const one = (id: string, state: string) => ({ stipulationId: id, text: id, kind: null, person: null, state });
  const facts = (...stipulations: object[]) => ({ stipulations }) as never;
  const some = facts(one('a', 'open'), one('b', 'verified'), one('c', 'waived'), one('d', 'expired'));
  expect(which?.choices?.(some).map(({ value }) => value)).toEqual(['a', 'c']);
  expect([which?.start?.(some), which?.start?.(facts(one('a', 'received')))]).toEqual([undefined, 'a']);
  // The title says the state if an action on the list has opened it.
  expect(state?.stated).toBe(true);
  const asks = (field: typeof evidence) =>
    ['received', 'verified', 'waived'].map((state) => [field?.when?.({ state }, some), field?.needed?.({ state })]);
  expect(asks(evidence)).toEqual([
    [true, false],
    [true, true],
    [false, false],
  ]);
  expect(asks(reason)).toEqual([
    [false, false],
    [false, false],
    [true, true],
  ]);
  expect(does?.({ state: 'waived' }, some)).toBe('Waive');
});

it('leaves ids out of a message where their texts follow', () => {
  expect(detailOf('stipulations_open', 'Stipulations are open: law-abc.')).not.toContain('law-abc');
  expect(detailOf('on_hold', 'A hold.')).toBe('A hold.');
});

it('knows who can approve: a role with the scope whose limit reaches as far', () => {
  const waive = { path: 'waive-fee', scopes: ['servicing:write'] };
  const limits = { 'waive-fee': { amount: '50.00' }, 'charge-off': { amount: '0.00' } };
  const roles = [
    { name: 'agent', scopes: ['payments:write', 'servicing:write'], limits },
    { name: 'manager', scopes: ['servicing:write'], limits: {} },
    { name: 'underwriter', scopes: ['loans:write'], limits: {} },
  ];
  expect(approvers(waive, '80.00', roles)).toEqual(['manager']);
  expect(approvers(waive, '30', roles)).toEqual(['agent', 'manager']);
  expect(approvers({ path: 'charge-off', scopes: ['servicing:write'] }, undefined, roles)).toEqual(['manager']);
  // The fact that is undone decides, which the console does not know here.
  expect(approvers({ path: 'undo', scopes: ['servicing:write'] }, undefined, roles)).toEqual([]);
  expect([eitherOf(['manager']), eitherOf(['agent', 'manager']), eitherOf(['a', 'b', 'c'])]).toEqual([
    ...['manager', 'agent or manager', 'a, b or c'],
  ]);
});

it('says what would be possible', () => {
  expect(possible({ code: 'on_hold', holds: [{ holdId: 'H-1', kind: 'ceaseContact' }] })).toEqual([
    'In force: cease contact hold H-1.',
    'Wait for the end of the hold, or release it.',
  ]);
  expect(possible({ code: 'policy_limit', limit: 'extension.perLife', limitValue: 2, figure: 2 })[0]).toBe(
    'Limit “Extension per life”: 2. The loan is at 2.',
  );
  expect(possible({ payoff: '1,234.5' })).toEqual(['The payoff amount is 1,234.50.']);
  expect(possible({})).toEqual([]);
  expect(refusalTitle('on_hold', 'x')).toBe('A hold forbids this');
  expect(refusalTitle('something_new', 'A title')).toBe('A title');
});

it('says a message in the words of the form', () => {
  const labels = new Map([
    ['acceptOverpayment', 'Keep an excess'],
    ['chapter', 'Chapter'],
  ]);
  expect(
    inFormWords('The payoff amount on 2026-01-15 is 24159.76; send that amount, or set acceptOverpayment.', labels),
  ).toBe('The payoff amount on Jan 15, 2026 is 24,159.76; send that amount, or set “Keep an excess”.');
  const accelerate = { path: 'accelerate', title: 'Accelerate' };
  expect(
    inFormWords(
      'accelerate is not allowed while the loan is Current. Allowed now: loan-repay, undo.',
      labels,
      accelerate,
    ),
  ).toBe('“Accelerate” is not allowed while the loan is Current.');
  expect(inFormWords('A bankruptcy requires its chapter: details.chapter is 7.', labels)).toBe(
    'A bankruptcy requires its chapter: “Chapter” is 7.',
  );
});

it('lays out any answer', () => {
  const parts = partsOf({
    date: '2026-01-15',
    items: [{ a: 1, split: { fees: '2' }, ids: ['x', 'y'] }],
    names: ['n'],
    policy: { days: 3 },
  });
  expect(parts.facts).toEqual([['date', '2026-01-15']]);
  expect(parts.tables).toEqual([
    ['items', { columns: ['a', 'split.fees', 'ids'], rows: [{ a: 1, 'split.fees': '2', ids: 'x, y' }], left: 0 }],
  ]);
  expect(parts.lists).toEqual([['names', ['n']]]);
  expect(parts.objects).toEqual([['policy', { days: 3 }]]);
  expect(partsOf('text').facts).toEqual([['', 'text']]);
  expect(partsOf({ rows: Array.from({ length: 201 }, () => ({ a: 1 })) }).tables[0]?.[1].left).toBe(1);
});

it('shows each value as what it is', () => {
  const looks = ['', '2026-01-15', '2026-01-15T10:00:00Z', '1,234.50', `0x${'ab'.repeat(32)}`, 'ClosedEarly', 'R-1 x'];
  expect(looks.map((value) => look('loanStatus', value))).toEqual([
    'nothing',
    'day',
    'moment',
    'figure',
    'hash',
    'word',
    'text',
  ]);
  expect([look('allocation.fees', '0'), look('perDiem', '4.3211'), look('count', '3')]).toEqual([
    'money',
    'figure',
    'figure',
  ]);
  expect([look('x', true), look('x', null), look('name', 'Robin')]).toEqual(['yes-no', 'nothing', 'text']);
});

it('finds what is shown once', () => {
  expect(secretsOf({ clientId: 'c', clientSecret: 's', apiKey: '' })).toEqual([
    { name: 'clientSecret', label: 'Client secret', value: 's' },
  ]);
  expect(secretsOf(null)).toEqual([]);
});

it('makes a reference that the service takes, each time another', () => {
  const one = newReference('PAY', '2026-01-15');
  expect(one).toMatch(/^PAY-20260115-[2-9A-Z]{6}$/);
  expect(newReference('PAY', '2026-01-15')).not.toBe(one);
});

it('speaks as people do', () => {
  expect([labelOf('refId'), labelOf('middleInitial'), labelOf('aprPercent')]).toEqual([
    'Reference',
    'Middle initial',
    'APR percent',
  ]);
  expect([
    choiceLabel('ceaseContact'),
    choiceLabel('R01'),
    choiceLabel('R53'),
    choiceLabel('loans:read'),
    choiceLabel(13),
    choiceLabel('ach'),
  ]).toEqual([...['Cease contact', 'R01: not enough funds', 'R53', 'loans:read', '13', 'ACH']]);
});
