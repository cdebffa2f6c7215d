/** The request of a simulation (terms, late fee, events), and how its late fee and events become the engine's. */
import { type Static, Type } from 'typebox';
import { FIGURES } from '../../core/explain.ts';
import { ZERO } from '../../core/money.ts';
import { DEFAULT_POLICY, DEFAULT_WATERFALL, LATE_FEE_JUDGEMENTS, type LateFeePolicy } from '../../core/policy.ts';
import { comparePercent, percent } from '../../core/rate.ts';
import type { Reader } from '../../core/reader.ts';
import { MAX_EVENTS, SIMULATED, type SimulatedEvent, type SimulatedType } from '../../core/simulate.ts';
import { closed } from '../shared/operation.ts';
import { day } from '../shared/shapes.ts';
import { decimal, requests } from './shared.ts';
import { examples } from './simulate-example.ts';
import { Terms } from './terms.ts';

const LateFeeShape = closed(
  {
    flat: Type.Optional(decimal('A flat amount instead of a percentage.')),
    percent: Type.Optional(decimal('Percent of the installment, at most 100.')),
    floor: Type.Optional(decimal('Minimum fee.')),
    cap: Type.Optional(decimal('Maximum fee.')),
    graceDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 366,
        description: 'Grace period in days after the due date; default 10.',
      }),
    ),
    judge: Type.Optional(
      Type.Enum([...LATE_FEE_JUDGEMENTS], {
        description:
          'Which installment payments count towards when deciding whether one is late: the most recently due first, then older ones ' +
          '(`currentFirst`, the default), or the oldest first.',
      }),
    ),
  },
  { title: 'SimulatedLateFee', description: 'A late fee: a flat amount, or a percentage with a floor and a cap.' },
);

const EventShape = closed(
  {
    type: Type.Enum([...SIMULATED], { description: 'The type of event.' }),
    date: day('The date of the event.'),
    amount: Type.Optional(
      decimal(
        'The amount of a payment, fee, disbursement, recovery or refund. For a waiver the default is the unpaid amount. For a return it only identifies the payment.',
      ),
    ),
    refId: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._:-]{1,64}$',
        description:
          'For a payment or recovery: its reference; default "payment-1" and so on. For a return: the reference of the payment; default: the latest payment of that `amount`, or the latest one if no `amount` is given.',
      }),
    ),
    principalOnly: Type.Optional(
      Type.Boolean({ description: 'For a payment: apply it to principal only; it satisfies no installment.' }),
    ),
    feeId: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._:-]{1,64}$',
        description:
          'For a fee: its reference; default "fee-1" and so on. For a waiver: the fee to waive. Late fees are named "late-" and the number of the installment.',
      }),
    ),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'For a fee: its description.' })),
    kind: Type.Optional(
      Type.Enum(['fee', 'penalty'], { description: 'For a fee: its place in the payment order; default `fee`.' }),
    ),
    annualRatePercent: Type.Optional(decimal('For a rateChange: the new rate, in percent per year.')),
    why: Type.Optional(
      Type.Enum(['contract', 'scra'], {
        description:
          'For a rateChange: with `scra` (military service, 50 USC 3937) the rate is at most 6, the installments are reduced by the interest forgiven, and fees count towards the 6 %; with `contract` (default) the installments stay the same.',
      }),
    ),
    periods: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 12, description: 'For an extension: the number of periods; default 1.' }),
    ),
    to: Type.Optional(
      day(
        'For a dueDateChange: the new due date of the oldest unpaid installment. For a rateChange with `scra`: the last day of service; default: until the next one begins.',
      ),
    ),
    collateral: Type.Optional(decimal('For a chargeOff: the value of the collateral, which stays on the books.')),
  },
  { title: 'SimulatedEvent', description: 'An event in the life of a simulated loan.' },
);

export const SimulationRequest = closed(
  {
    terms: Terms,
    waterfall: Type.Optional(
      Type.Array(Type.Enum([...DEFAULT_WATERFALL]), {
        uniqueItems: true,
        maxItems: DEFAULT_WATERFALL.length,
        description: `The order in which a payment is applied. Omitted entries follow in the default order: ${DEFAULT_WATERFALL.join(', ')}.`,
      }),
    ),
    lateFee: Type.Optional(decimal('A flat late fee.')),
    lateFeePolicy: Type.Optional(LateFeeShape),
    events: Type.Optional(
      Type.Array(EventShape, {
        maxItems: MAX_EVENTS,
        description: 'Events in any order. Each takes effect on its own date.',
      }),
    ),
    asOf: Type.Optional(
      day(
        'The date of the figures; later events are ignored. Default: the date of the last event, or of the first disbursement.',
      ),
    ),
    explain: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 80 }), {
        maxItems: 20,
        uniqueItems: true,
        description: `Figures to explain: ${FIGURES.join(', ')}, or \`payment:<refId>\`.`,
      }),
    ),
  },
  requests(examples),
);

type SimulationBody = Static<typeof SimulationRequest>;

/** A flat fee or a percentage within floor and cap; null when the loan has no late fee. */
export function readLateFee(read: Reader, body: SimulationBody): LateFeePolicy | null {
  const policy = body.lateFeePolicy ?? {};
  const at = '/lateFeePolicy';
  const amount = (key: 'flat' | 'floor' | 'cap') => (policy[key] === undefined ? null : read.amount(policy, key, at));
  const rate = policy.percent === undefined ? null : read.percent(policy, 'percent', at);
  const flats = [body.lateFee === undefined ? null : read.amount(body, 'lateFee', ''), amount('flat')];
  const [floor, cap] = [amount('floor'), amount('cap')];
  if (flats[0] !== null && flats[1] !== null) {
    read.note(`${at}/flat`, { code: 'contradiction', detail: 'Omit this field: lateFee gives the flat fee.' });
  }
  const flat = flats[0] ?? flats[1] ?? null;
  if (flat !== null && rate !== null) {
    const detail =
      'A late fee is a flat amount or a percentage, not both; only a percentage can have a floor and a cap.';
    read.note(`${at}/percent`, { code: 'contradiction', detail });
  }
  if (rate !== null && comparePercent(rate, percent('100')) > 0) {
    read.note(`${at}/percent`, { code: 'range', detail: 'Must be <= 100.' });
  }
  for (const [name, bound] of [['floor', floor] as const, ['cap', cap] as const]) {
    if (bound !== null && rate === null) {
      read.note(`${at}/${name}`, {
        code: 'contradiction',
        detail: 'A floor and a cap are allowed only with a percentage.',
      });
    }
  }
  if (floor !== null && cap !== null && floor > cap) {
    read.note(`${at}/floor`, { code: 'contradiction', detail: 'The floor must not exceed the cap.' });
  }
  if (flat === null && rate === null) return null;
  const { graceDays = DEFAULT_POLICY.graceDays, judge = 'currentFirst' } = policy;
  return { flat, percent: rate, floor, cap, graceDays, judge };
}

type EventBody = NonNullable<SimulationBody['events']>[number];
type EventMember = Exclude<keyof EventBody, 'type' | 'date'>;

/** The members of an event by type, beside its date: required ones, and optional ones. */
const EVENT_MEMBERS: Readonly<Record<SimulatedType, { needs: EventMember[]; may: EventMember[] }>> = {
  payment: { needs: ['amount'], may: ['refId', 'principalOnly'] },
  return: { needs: [], may: ['refId', 'amount'] },
  fee: { needs: ['amount'], may: ['feeId', 'name', 'kind'] },
  waiver: { needs: ['feeId'], may: ['amount'] },
  rateChange: { needs: ['annualRatePercent'], may: ['why', 'to'] },
  extension: { needs: [], may: ['periods'] },
  dueDateChange: { needs: ['to'], may: [] },
  reamortize: { needs: [], may: [] },
  reage: { needs: [], may: [] },
  disbursement: { needs: ['amount'], may: [] },
  chargeOff: { needs: [], may: ['collateral'] },
  recovery: { needs: ['amount'], may: ['refId'] },
  refund: { needs: ['amount'], may: [] },
};

export function readEvent(read: Reader, event: EventBody, at: string): SimulatedEvent {
  const { type } = event;
  const { needs, may } = EVENT_MEMBERS[type];
  for (const name of needs) {
    if (event[name] !== undefined) continue;
    read.note(`${at}/${name}`, { code: 'required', detail: `This field is required for a ${type}.` });
  }
  for (const name of Object.keys(event) as (keyof EventBody)[]) {
    if (name === 'type' || name === 'date' || needs.includes(name) || may.includes(name)) continue;
    read.note(`${at}/${name}`, { code: 'unknown_member', detail: `This field is not allowed for a ${type}.` });
  }
  for (const name of ['refId', 'feeId'] as const) {
    // Callers show, store and log references, so none may look like a social security number.
    if (!/^\d{3}-?\d{2}-?\d{4}$/.test(event[name] ?? '')) continue;
    read.note(`${at}/${name}`, {
      code: 'personal',
      detail: 'This looks like a social security number; use another reference.',
    });
  }
  if (type === 'rateChange' && event.why !== 'scra' && event.to !== undefined) {
    read.note(`${at}/to`, { code: 'unknown_member', detail: 'This field is allowed only with scra.' });
  }
  const date = read.date(event, 'date', at);
  const amount = event.amount === undefined ? null : read.positiveAmount(event, 'amount', at);
  const { refId = null, feeId = null, principalOnly = false, name = 'fee', kind = 'fee', why = 'contract' } = event;
  switch (type) {
    case 'payment':
    case 'recovery':
      return { type, date, amount: amount ?? ZERO, refId, principalOnly };
    case 'return':
      return { type, date, refId, amount };
    case 'fee':
      return { type, date, amount: amount ?? ZERO, feeId, name, kind };
    case 'waiver':
      return { type, date, feeId: feeId ?? '', amount };
    case 'rateChange':
      return {
        type,
        date,
        rate: event.annualRatePercent === undefined ? percent('0') : read.percent(event, 'annualRatePercent', at),
        why,
        to: why === 'contract' || event.to === undefined ? null : read.date(event, 'to', at),
      };
    case 'extension':
      return { type, date, periods: event.periods ?? 1 };
    case 'dueDateChange':
      return { type, date, to: event.to === undefined ? date : read.date(event, 'to', at) };
    case 'reamortize':
    case 'reage':
      return { type, date };
    case 'disbursement':
    case 'refund':
      return { type, date, amount: amount ?? ZERO };
    case 'chargeOff':
      return { type, date, collateral: event.collateral === undefined ? ZERO : read.amount(event, 'collateral', at) };
  }
}
