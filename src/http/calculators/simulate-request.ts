/** The request of a simulation (terms, late fee, events), and how its late fee and events become the engine's. */
import { type Static, Type } from 'typebox';
import { FIGURES } from '../../core/explain.ts';
import { DEFAULT_POLICY, DEFAULT_WATERFALL, LATE_FEE_JUDGEMENTS, type LateFeePolicy } from '../../core/loan.ts';
import { ZERO } from '../../core/money.ts';
import { comparePercent, percent } from '../../core/rate.ts';
import type { Reader } from '../../core/reader.ts';
import { MAX_EVENTS, SIMULATED, type SimulatedEvent, type SimulatedType } from '../../core/simulate.ts';
import { closed } from '../operation.ts';
import { day, decimal, requests } from './shared.ts';
import { examples } from './simulate-example.ts';
import { Terms } from './terms.ts';

const LateFeeShape = closed(
  {
    flat: Type.Optional(decimal('A flat amount instead of a percentage.')),
    percent: Type.Optional(decimal('Percent of the installment; at most 100.')),
    floor: Type.Optional(decimal('At least this amount.')),
    cap: Type.Optional(decimal('At most this amount.')),
    graceDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 366,
        description: 'Days after the due date without a late fee; 10 when absent.',
      }),
    ),
    judge: Type.Optional(
      Type.Enum([...LATE_FEE_JUDGEMENTS], {
        description:
          'For which installment money counts when it is judged whether one is late: the one most recently due, then older ones ' +
          '(`currentFirst`, when absent), or the oldest.',
      }),
    ),
  },
  { title: 'SimulatedLateFee', description: 'A late fee: flat, or a percentage within floor and cap.' },
);

const EventShape = closed(
  {
    type: Type.Enum([...SIMULATED], { description: 'The kind of event.' }),
    date: day('The date of the event.'),
    amount: Type.Optional(
      decimal(
        'Of a payment, fee, disbursement, recovery or refund; of a waiver all that is open when absent; of a return only to find its payment.',
      ),
    ),
    refId: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._:-]{1,64}$',
        description:
          'Of a payment or recovery: its reference ("payment-1" and so on when absent). Of a return: which payment; the latest one of its `amount`, else the latest, when absent.',
      }),
    ),
    principalOnly: Type.Optional(Type.Boolean({ description: 'Of a payment: it satisfies no installment.' })),
    feeId: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._:-]{1,64}$',
        description:
          'Of a fee ("fee-1" and so on when absent); of a waiver: which fee. Late fees are "late-" and their installment.',
      }),
    ),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Of a fee.' })),
    kind: Type.Optional(
      Type.Enum(['fee', 'penalty'], { description: 'Of a fee: in which buckets it is; `fee` when absent.' }),
    ),
    annualRatePercent: Type.Optional(decimal('Of a rateChange: the new rate, a percentage a year.')),
    why: Type.Optional(
      Type.Enum(['contract', 'scra'], {
        description:
          'Of a rateChange: by `scra` the installments fall with the interest (50 USC 3937); by `contract` (when absent) they stay.',
      }),
    ),
    periods: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 12, description: 'Of an extension: by how many periods; 1 when absent.' }),
    ),
    to: Type.Optional(day('Of a dueDateChange: the new due date of the oldest open installment.')),
    collateral: Type.Optional(decimal('Of a chargeOff: value of the collateral, which stays on the books.')),
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
        description: `The order in which a payment is applied. Buckets left out follow in the default order: ${DEFAULT_WATERFALL.join(', ')}.`,
      }),
    ),
    lateFee: Type.Optional(decimal('A flat late fee.')),
    lateFeePolicy: Type.Optional(LateFeeShape),
    events: Type.Optional(
      Type.Array(EventShape, { maxItems: MAX_EVENTS, description: 'In any order; each is known on its own day.' }),
    ),
    asOf: Type.Optional(
      day(
        'The date of the figures; later events are left out. When absent, that of the last event or the first disbursement.',
      ),
    ),
    explain: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 80 }), {
        maxItems: 20,
        uniqueItems: true,
        description: `Figures whose derivation is wanted: ${FIGURES.join(', ')}, or \`payment:<refId>\`.`,
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
    read.note(`${at}/flat`, { code: 'contradiction', detail: 'The flat fee is given by lateFee; leave this out.' });
  }
  const flat = flats[0] ?? flats[1] ?? null;
  if (flat !== null && rate !== null) {
    const detail = 'A late fee is flat or a percentage, not both; a percentage may have a floor and a cap.';
    read.note(`${at}/percent`, { code: 'contradiction', detail });
  }
  if (rate !== null && comparePercent(rate, percent('100')) > 0) {
    read.note(`${at}/percent`, { code: 'range', detail: 'Must be <= 100.' });
  }
  for (const [name, bound] of [['floor', floor] as const, ['cap', cap] as const]) {
    if (bound !== null && rate === null) {
      read.note(`${at}/${name}`, { code: 'contradiction', detail: 'Floor and cap belong to a percentage.' });
    }
  }
  if (floor !== null && cap !== null && floor > cap) {
    read.note(`${at}/floor`, { code: 'contradiction', detail: 'The floor must not be above the cap.' });
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
  rateChange: { needs: ['annualRatePercent'], may: ['why'] },
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
    read.note(`${at}/${name}`, { code: 'required', detail: `A ${type} needs this member.` });
  }
  for (const name of Object.keys(event) as (keyof EventBody)[]) {
    if (name === 'type' || name === 'date' || needs.includes(name) || may.includes(name)) continue;
    read.note(`${at}/${name}`, { code: 'unknown_member', detail: `A ${type} has no such member.` });
  }
  for (const name of ['refId', 'feeId'] as const) {
    // Callers show, store and log references, so none may look like a social security number.
    if (!/^\d{3}-?\d{2}-?\d{4}$/.test(event[name] ?? '')) continue;
    read.note(`${at}/${name}`, {
      code: 'personal',
      detail: 'This looks like a social security number; use another reference.',
    });
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
