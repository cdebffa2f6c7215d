import { expect, it } from 'vitest';
import { APPLICATION } from './application-shape.ts';
import { differences, draftOf, emptyDraft, NOTHING, placed, pointersOf, requestOf } from './draft.ts';
import type { Field, Shape } from './shape.ts';

const field = (name: string, shape: Shape, required = false): Field => ({ name, required, shape });
const object = (...fields: Field[]): Shape => ({ kind: 'object', fields });

const FORM = object(
  field('amount', { kind: 'decimal' }, true),
  field('date', { kind: 'text', format: 'date' }),
  field('count', { kind: 'whole', min: 1, max: 12 }),
  field('kind', { kind: 'choice', of: ['fee', 7] }),
  field('sure', { kind: 'flag' }),
  field('address', object(field('zip', { kind: 'text', max: 5 }, true), field('unit', { kind: 'text' }))),
  field('scopes', { kind: 'list', item: { kind: 'text' }, min: 1 }),
  field('limits', { kind: 'map', value: object(field('amount', { kind: 'decimal' }, true)) }),
  field('to', { kind: 'either', options: [{ kind: 'text' }, object(field('lenderId', { kind: 'text' }, true))] }),
  field('details', { kind: 'json' }),
);
const VALUE = {
  amount: '506.20',
  date: '2026-01-15',
  count: 3,
  kind: 7,
  sure: false,
  address: { zip: '02139' },
  scopes: ['a', 'b'],
  limits: { 'waive-fee': { amount: '50' } },
  to: { lenderId: 'L-1' },
  details: { any: [1] },
};

it('makes the value that it was made from', () => {
  expect(requestOf(FORM, draftOf(FORM, VALUE))).toEqual({ value: VALUE, mistakes: [] });
});

it('leaves out what is empty, and says what is missing', () => {
  expect(requestOf(FORM, emptyDraft(FORM))).toEqual({
    value: {},
    mistakes: [{ pointer: '/amount', detail: 'This field is required.' }],
  });
  const half = draftOf(FORM, { amount: '1', address: { unit: '4' } });
  expect(requestOf(FORM, half).mistakes).toEqual([{ pointer: '/address/zip', detail: 'This field is required.' }]);
});

it('says what is wrong, where it is', () => {
  const draft = draftOf(FORM, { ...VALUE, count: 13, address: { zip: '021390' }, scopes: [] });
  const members = { ...(draft as { members: object }).members, amount: 'ten', date: 'soon', details: '{', kind: 'x' };
  expect(requestOf(FORM, { members } as never).mistakes.map(({ pointer }) => pointer)).toEqual([
    ...['/amount', '/date', '/count', '/kind', '/address/zip', '/details'],
  ]);
});

it('sends figures as they were typed, without a sign of the currency', () => {
  const draft = { members: { amount: ' $1,234.5 ' } };
  expect(requestOf(object(field('amount', { kind: 'decimal' }, true)), draft)).toEqual({
    value: { amount: '1,234.5' },
    mistakes: [],
  });
});

it('sends null where something is taken away, and where nothing is a value', () => {
  const shape = object(
    field('phone', { kind: 'text', nullable: true }),
    field('lenderId', { kind: 'text', nullable: true, note: 'The lender; null: all.' }, true),
  );
  expect(requestOf(shape, { members: { phone: NOTHING, lenderId: '' } })).toEqual({
    value: { phone: null, lenderId: null },
    mistakes: [],
  });
});

it('needs what is required, also where null is taken for what is missing', () => {
  const shape = object(field('applicationId', { kind: 'text', nullable: true, note: 'Your number.' }, true));
  expect(requestOf(shape, emptyDraft(shape)).mistakes).toEqual([
    { pointer: '/applicationId', detail: 'This field is required.' },
  ]);
});

it('needs an answer where yes and no are the only ones, and takes an unchecked box as no', () => {
  const shape = object(field('complete', { kind: 'flag' }, true));
  expect(requestOf(shape, { members: { complete: '' } }).mistakes).toHaveLength(1);
  expect(requestOf(shape, { members: { complete: false } })).toEqual({ value: { complete: false }, mistakes: [] });
});

it('places a mistake at its control, or at the nearest one around it', () => {
  const known = new Set(pointersOf(FORM, draftOf(FORM, VALUE)));
  expect(known).toContain('/limits/waive-fee/amount');
  expect(known).toContain('/scopes/1');
  expect(known).toContain('/to/lenderId');
  const { at, rest } = placed(
    [
      { pointer: '/address/zip', detail: 'Too long.' },
      { pointer: '/scopes/7', detail: 'Unknown.' },
      { pointer: '/override', detail: 'Not allowed.' },
    ],
    known,
  );
  expect([...at]).toEqual([
    ['/address/zip', 'Too long.'],
    ['/scopes', 'Unknown.'],
  ]);
  expect(rest).toEqual([{ pointer: '/override', detail: 'Not allowed.' }]);
});

it('escapes names in pointers', () => {
  const shape = object(field('a/b~c', { kind: 'text' }, true));
  expect(requestOf(shape, emptyDraft(shape)).mistakes[0]?.pointer).toBe('/a~1b~0c');
});

it('an application in fields is what the interface has: digits, a number and texts', () => {
  const application = {
    ApplicantInfo: {
      ApplicantFirstName: 'Ann',
      ApplicantDOB: '19800229',
      ApplicantSSN: '666-12-3456',
      ApplicantState: 'OH',
      AddressTotalMonths: '26',
      HousingMonthlyPayment: '1,400.00',
      MonthlyGross: 6200.5,
    },
    VehicleInfo: { VehicleVIN: '1HGCM82633A004352', VehicleYear: '2024', VehicleWholesaleValue: '27,900' },
  };
  const draft = draftOf(APPLICATION, application);
  expect(requestOf(APPLICATION, draft, false)).toEqual({ value: application, mistakes: [] });
  expect(requestOf(APPLICATION, emptyDraft(APPLICATION), false)).toEqual({ value: undefined, mistakes: [] });
  const wrong = draftOf(APPLICATION, {
    ApplicantInfo: { ApplicantSSN: '666-12-345', ApplicantZip: '4311', MonthlyGross: 'much' },
    VehicleInfo: { VehicleVIN: '1HGCM82633A00435O' },
  });
  expect(requestOf(APPLICATION, wrong, false).mistakes).toEqual([
    { pointer: '/ApplicantInfo/ApplicantSSN', detail: 'Enter nine digits, such as 666-12-3456.' },
    { pointer: '/ApplicantInfo/ApplicantZip', detail: 'Enter five or nine digits.' },
    { pointer: '/ApplicantInfo/MonthlyGross', detail: 'Enter a figure such as 506.20 or 1,506.20.' },
    { pointer: '/VehicleInfo/VehicleVIN', detail: 'Enter 17 letters and digits, without I, O and Q.' },
  ]);
  // One wrong value alone is not taken for an empty part.
  const alone = draftOf(APPLICATION, { CoApplicantInfo: { MonthlyGross: '4500,50' } });
  expect(requestOf(APPLICATION, alone, false).mistakes).toHaveLength(1);
  const asJson = { option: 1, value: '{"CoApplicantInfo":{"Any":1}}' };
  expect(requestOf(APPLICATION, asJson, false).value).toEqual({ CoApplicantInfo: { Any: 1 } });
});

it.each([
  ...['506.20', '1,506.20', '$12', '.5', '−3', '1506', '12,345,678.9'].map((text) => [text, true] as const),
  ...['4500,50', '0,500', '4$50', '4.500,00', '18,00', '1,23,456', '1e3', '٥', '1 000', ',5', '--1', '$', '.'].map(
    (text) => [text, false] as const,
  ),
])('%s as an amount: %s', (text, fine) => {
  expect(requestOf({ kind: 'decimal' }, text).mistakes).toHaveLength(fine ? 0 : 1);
  expect(requestOf({ kind: 'decimal', number: true }, text).value === undefined).toBe(!fine);
});

it('whole numbers have no other signs, and amounts of an application are not negative', () => {
  const whole = (text: string) => requestOf({ kind: 'whole' }, text).value;
  expect(['12', '1,200', '1e2', '6,0', '1.5', '1r'].map(whole)).toEqual([
    12,
    1200,
    ...Array.from({ length: 4 }, () => undefined),
  ]);
  const negative = requestOf({ kind: 'decimal', positive: true }, '-4500').mistakes;
  expect(negative).toEqual([{ pointer: '', detail: 'Enter a figure that is not negative.' }]);
});

it('names the characters that are not allowed', () => {
  const wrong = (text: string) =>
    requestOf({ kind: 'text', pattern: "^[A-Za-z0-9 .,'-]{1,20}$" }, text).mistakes[0]?.detail;
  expect(wrong("Copy 😀 O'Neil")).toBe('Not allowed here: 😀');
  expect(wrong('a long text of more than twenty')).toBe('This has characters that are not allowed here.');
});

it('counts what was changed since the beginning', () => {
  const begun = emptyDraft(FORM);
  expect(differences(begun, begun)).toBe(0);
  expect(differences(begun, draftOf(FORM, { amount: '5' }))).toBe(1);
  expect(differences(begun, draftOf(FORM, { amount: '5', date: '2026-01-01', address: { zip: '1' } }))).toBe(3);
  expect(differences('', 'x'.repeat(40))).toBe(3);
});
