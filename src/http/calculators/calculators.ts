/** The calculators: stateless questions to the very engine that services loans. Shapes are in `schemas.ts`. */
import type { Static } from 'typebox';
import { apr, expandRuns, type PaymentRun, type UnitPeriod } from '../../core/apr.ts';
import { type Frequency, type PlainDate, parseDate } from '../../core/calendar.ts';
import { explain, explainApr, FIGURES, type Figure } from '../../core/explain.ts';
import { datedIrr, irr } from '../../core/irr.ts';
import { DEFAULT_POLICY, type LateFeePolicy, type Loan, type ScheduleTerms } from '../../core/loan.ts';
import { AmountOutOfRange, type Cents, formatCents, ZERO } from '../../core/money.ts';
import { comparePercent, percent } from '../../core/rate.ts';
import { isRefusal, type Refusal } from '../../core/refusal.ts';
import { dueDatesFrom } from '../../core/schedule.ts';
import { type SimulatedEvent, type SimulatedType, simulate } from '../../core/simulate.ts';
import { type FinanceCharges, truthInLending } from '../../core/truth-in-lending.ts';
import { type Operation, ok, operation } from '../operation.ts';
import { Problem } from '../shell/problems.ts';
import { refusedProblem } from '../shell/refusal-problems.ts';
import { RequestReader } from '../shell/request-reader.ts';
import * as shape from './schemas.ts';

const described = {
  tag: 'Calculators',
  scopes: ['loans:read'],
  key: 'checked',
  exactNumbers: true,
} as const;

export const calculators: Operation[] = [
  operation({
    ...described,
    at: 'POST /calculate-apr',
    id: 'calculateApr',
    summary: 'Annual percentage rate by Regulation Z Appendix J',
    description:
      'The actuarial method of 12 CFR 1026 Appendix J: unit-periods, odd days, single and multiple advances, regular and irregular ' +
      'payments. The unit-period is found by the rules of paragraph (b)(4) unless `unitPeriod` sets it.',
    body: shape.AprRequest,
    answer: shape.AprAnswer,
    problems: ['no_solution'],
    handle({ body }) {
      const read = new RequestReader();
      const advances = body.advances.map((advance, i) => readDated(read, advance, `/advances/${i}`));
      const runs = body.payments.map((run, i) => readRun(read, run, `/payments/${i}`));
      read.done();
      const unitPeriod = body.unitPeriod === undefined ? null : readUnit(body.unitPeriod);
      const found = computed(() => {
        const payments = expandRuns(runs);
        return isRefusal(payments) ? payments : apr({ advances, payments, unitPeriod });
      });
      return ok({
        aprPercent: found.aprPercent,
        amountFinanced: formatCents(found.amountFinanced),
        financeCharge: formatCents(found.financeCharge),
        totalOfPayments: formatCents(found.totalOfPayments),
        unitPeriod: found.unitPeriod,
        firstPaymentUnitPeriods: found.firstPaymentUnitPeriods,
        ...(body.explain ? { explanation: explainApr(found) } : {}),
      });
    },
  }),

  operation({
    ...described,
    at: 'POST /calculate-schedule',
    id: 'calculateSchedule',
    summary: 'Installments of a loan, and what is disclosed of it',
    description:
      'The level payment is the one that clears the loan over the real dates, odd first period included, rounded to the cent; the last ' +
      'installment takes what is left. Interest is rounded when a payment, disbursement or rate change ends its stretch.',
    body: shape.ScheduleRequest,
    answer: shape.ScheduleAnswer,
    problems: [],
    handle({ body }) {
      const read = new RequestReader();
      const { terms, charges } = readTerms(read, body, '');
      read.done();
      const { schedule, aprPercent, financeCharge, amountFinanced } = computed(() =>
        asGiven(body, truthInLending(terms, charges)),
      );
      return ok({
        levelPayment: schedule.levelPayment === null ? null : formatCents(schedule.levelPayment),
        rows: schedule.rows.map(({ n, dueDate, ...amounts }) => ({ n, dueDate, ...texts(amounts) })),
        totals: texts(schedule.totals),
        aprPercent,
        financeCharge: formatCents(financeCharge),
        amountFinanced: formatCents(amountFinanced),
      });
    },
  }),

  operation({
    ...described,
    at: 'POST /simulate-loan',
    id: 'simulateLoan',
    summary: 'A whole life of a loan: terms and events in, figures out',
    description:
      'Runs the terms and events through the engine that services loans and answers what each event did and how the loan stands on ' +
      '`asOf`. Each event is known on its own day: a payment shows what it paid when it was made, and a return undoes it. Late fees come ' +
      'by themselves, by `lateFee` or `lateFeePolicy`; without either there are none. Within a day: disbursements, rate changes, moved due ' +
      'dates, late fees, fees and waivers, payments (by reference), re-amortization, refunds, charge-off. `payoff` is principal, ' +
      '`accruedInterest` (all that is unpaid) and `unpaidFees` less `credits`. `pastDueAmount` leaves out what is short of an installment ' +
      'that is 90 % paid; `nextDueAmount` includes it, and neither includes fees. `open` of an installment never exceeds what will be owed ' +
      'on its due date, and the last one’s is everything that is left.',
    body: shape.SimulationRequest,
    answer: shape.SimulationAnswer,
    problems: [],
    handle({ body }) {
      const read = new RequestReader();
      const { terms, charges } = readTerms(read, body.terms, '/terms');
      const lateFee = readLateFee(read, body);
      const events = (body.events ?? []).map((event, i) => readEvent(read, event, `/events/${i}`));
      const asOf = body.asOf === undefined ? null : read.date(body, 'asOf', '');
      read.done();
      const found = computed(() => {
        // The schedule's inputs are refused here as they are there.
        const disclosed = charges.prepaid + charges.financed > 0 ? truthInLending(terms, charges) : null;
        if (isRefusal(disclosed)) return { ...disclosed, member: `terms.${disclosed.member}` };
        const simulated = simulate({
          terms,
          frequency: body.terms.paymentFrequency ?? null,
          waterfall: body.waterfall ?? [],
          lateFee,
          graceDays: body.lateFeePolicy?.graceDays ?? DEFAULT_POLICY.graceDays,
          events,
          asOf,
        });
        return asGiven(body.terms, simulated, 'terms.');
      });
      const { loan, payoff, delinquency: late } = found;
      return ok({
        asOf: loan.on,
        status: found.status,
        events: found.events.map(({ type, date, refId, feeId, amount, allocation, balance }) => ({
          type,
          date,
          ...(refId === null ? {} : { refId }),
          ...(feeId === null ? {} : { feeId }),
          ...(amount === null ? {} : { amount: formatCents(amount) }),
          allocation: texts(allocation),
          balance: formatCents(balance),
        })),
        installments: found.installments.map(({ installment, open }) => ({
          n: installment.n,
          dueDate: installment.dueDate,
          amount: formatCents(installment.amount),
          paid: formatCents(installment.paid),
          paidAhead: formatCents(installment.paidAhead),
          paidLate: formatCents(installment.paidLate),
          open: formatCents(open),
          satisfiedOn: installment.satisfiedOn,
        })),
        fees: loan.fees.map(({ feeId, name, kind, date, amount, paid, waived, installment }) => ({
          feeId,
          name,
          kind,
          date,
          ...texts({ amount, paid, waived, open: (amount - paid - waived) as Cents }),
          installment,
        })),
        principal: formatCents(payoff.principal),
        accruedInterest: formatCents(payoff.interest),
        unpaidFees: formatCents(payoff.fees),
        credits: formatCents(payoff.credits),
        perDiem: formatCents(payoff.perDiem),
        payoff: formatCents(payoff.payoff),
        daysPastDue: late.daysPastDue,
        pastDueAmount: formatCents(late.pastDueAmount),
        bucket: late.bucket,
        nextDueDate: late.nextDueDate,
        nextDueAmount: formatCents(late.nextDueAmount),
        ...(body.explain === undefined
          ? {}
          : { explanations: body.explain.map((figure, i) => explained(loan, figure, i)) }),
      });
    },
  }),

  operation({
    ...described,
    at: 'POST /calculate-irr',
    id: 'calculateIrr',
    summary: 'Internal rate of return',
    description: 'Of amounts at equal distances (nominal annual rate), or of dated amounts (effective annual rate).',
    body: shape.IrrRequest,
    answer: shape.IrrAnswer,
    problems: ['no_solution'],
    handle({ body }) {
      const read = new RequestReader();
      const { cashflows, periodsPerYear } = body;
      const dated = cashflows.filter((flow) => typeof flow === 'object');
      if (dated.length === 0) {
        const amounts = cashflows.map((_, i) => read.exactDecimal(cashflows, i, '/cashflows'));
        if (periodsPerYear === undefined) {
          const detail = 'This member is required with amounts that have no dates.';
          read.note('/periodsPerYear', { code: 'required', detail });
        }
        read.done();
        return ok(computed(() => irr(amounts, periodsPerYear as number)));
      }
      if (dated.length < cashflows.length) {
        const detail = 'Give every cash flow a date, or none.';
        read.note('/cashflows', { code: 'contradiction', detail });
        read.done();
      }
      if (periodsPerYear !== undefined) {
        const detail = 'Dates say how far the cash flows are apart; leave this out.';
        read.note('/periodsPerYear', { code: 'contradiction', detail });
      }
      const flows = dated.map((flow, i) => ({
        date: read.date(flow, 'date', `/cashflows/${i}`),
        amount: read.exactDecimal(flow, 'amount', `/cashflows/${i}`),
      }));
      read.done();
      return ok(computed(() => datedIrr(flows)));
    },
  }),
];

/** What the engine answers, or the problem that its refusal is. */
function computed<T>(compute: () => T | Refusal): T {
  let value: T | Refusal;
  try {
    value = compute();
  } catch (error) {
    if (!(error instanceof AmountOutOfRange)) throw error;
    throw new Problem('invalid_request', 'The amounts grow beyond what can be computed exactly; check rate and dates.');
  }
  if (isRefusal(value)) throw refusedProblem(value);
  return value;
}

/** A refusal of the due dates names the member that they were made from. */
function asGiven<T>(body: { dueDates?: unknown }, value: T | Refusal, prefix = ''): T | Refusal {
  if (!isRefusal(value) || value.member !== `${prefix}dueDates` || body.dueDates !== undefined) return value;
  return { ...value, member: `${prefix}firstPaymentDate` };
}

function texts<K extends string>(amounts: Readonly<Record<K, Cents>>): Record<K, string> {
  const entries = Object.entries(amounts) as [K, Cents][];
  return Object.fromEntries(entries.map(([name, amount]) => [name, formatCents(amount)])) as Record<K, string>;
}

// ---- from the wire to the engine ----

function readDated(read: RequestReader, dated: object, at: string): { date: PlainDate; amount: Cents } {
  return { date: read.date(dated, 'date', at), amount: read.positiveAmount(dated, 'amount', at) };
}

function readUnit({ unit, multiple = 1 }: { unit: UnitPeriod['unit']; multiple?: number }): UnitPeriod {
  return { unit, multiple };
}

function readRun(
  read: RequestReader,
  run: Static<typeof shape.AprRequest>['payments'][number],
  at: string,
): PaymentRun {
  const { count = 1, every } = run;
  return {
    firstDate: read.date(run, 'firstDate', at),
    count,
    amount: read.positiveAmount(run, 'amount', at),
    every: every === undefined ? null : readUnit(every),
  };
}

function readTerms(
  read: RequestReader,
  body: shape.TermsBody,
  at: string,
): { terms: ScheduleTerms; charges: FinanceCharges } {
  const amount = (key: 'balloonAmount' | 'prepaidFinanceCharges' | 'financedFees') =>
    body[key] === undefined ? ZERO : read.amount(body, key, at);
  const disbursements = body.disbursements.map((one, i) => readDated(read, one, `${at}/disbursements/${i}`));
  const balloon = amount('balloonAmount');
  const terms: ScheduleTerms = {
    disbursements,
    rate: read.percent(body, 'annualRatePercent', at),
    rateChanges: (body.rateChanges ?? []).map((change, i) => ({
      date: read.date(change, 'date', `${at}/rateChanges/${i}`),
      rate: read.percent(change, 'annualRatePercent', `${at}/rateChanges/${i}`),
    })),
    dayCount: body.dayCount ?? 'actual/365',
    rounding: body.rounding ?? 'half-up',
    interestStart:
      body.interestStart === undefined
        ? (disbursements[0] as { date: PlainDate }).date
        : read.date(body, 'interestStart', at),
    dueDates: readDueDates(read, body, at),
    amortization: body.amortizationType ?? (balloon > 0 ? 'Balloon' : 'FullAmortization'),
    balloon,
    interestOnlyCount: body.interestOnlyCount ?? 0,
    skip: body.skip ?? [],
    payment: body.payment === undefined ? null : read.positiveAmount(body, 'payment', at),
  };
  return { terms, charges: { prepaid: amount('prepaidFinanceCharges'), financed: amount('financedFees') } };
}

function readDueDates(read: RequestReader, body: shape.TermsBody, at: string): PlainDate[] {
  const { dueDates, count, paymentFrequency } = body;
  const makers = ['firstPaymentDate', 'count', 'paymentFrequency'] as const;
  const given = makers.filter((name) => body[name] !== undefined);
  if (dueDates !== undefined) {
    for (const name of given) {
      read.note(`${at}/${name}`, { code: 'contradiction', detail: 'The dates are given by dueDates; leave this out.' });
    }
    return dueDates.map((_, i) => read.date(dueDates, i, `${at}/dueDates`));
  }
  for (const name of makers.filter((one) => !given.includes(one))) {
    read.note(`${at}/${name}`, { code: 'required', detail: 'This member is required when there are no dueDates.' });
  }
  if (given.length < makers.length) return [];
  const first = read.date(body, 'firstPaymentDate', at);
  const dates = dueDatesFrom(first, paymentFrequency as Frequency, count as number);
  if (parseDate(dates.at(-1) as string) === null) {
    read.note(`${at}/count`, { code: 'range', detail: 'The last installment must be due before the year 2200.' });
  }
  return dates;
}

type SimulationBody = Static<typeof shape.SimulationRequest>;

/** A flat fee or a percentage within floor and cap; null when the loan has no late fee. */
function readLateFee(read: RequestReader, body: SimulationBody): LateFeePolicy | null {
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
  return { flat, percent: rate, floor, cap, graceDays: policy.graceDays ?? DEFAULT_POLICY.graceDays };
}

type EventBody = NonNullable<SimulationBody['events']>[number];
type EventMember = Exclude<keyof EventBody, 'type' | 'date'>;

/** Which members an event of each type has, beside its date: those it needs, and those it may have. */
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

function readEvent(read: RequestReader, event: EventBody, at: string): SimulatedEvent {
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
    // A reference may be any text but one that looks like a social security number: it is shown, stored and logged by others.
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

function explained(loan: Loan, figure: string, i: number): object {
  const found = explain(loan, figure as Figure);
  if (found === null) {
    const detail = `There is no such figure: ${FIGURES.join(', ')}, or payment: and the refId of a payment.`;
    throw new Problem('invalid_request', detail, {
      errors: [{ pointer: `/explain/${i}`, code: 'unknown_figure', detail }],
    });
  }
  return {
    ...found,
    amount: formatCents(found.amount),
    steps: found.steps.map((step) => ({ ...step, amount: formatCents(step.amount) })),
  };
}
