/**
 * One loan of the simulation: what happens to it next, chosen by a random stream of its own from what the auditor knows of it, and the
 * facts that the service has confirmed so far. A fact is recorded only when its answer is 200.
 */
import type { LoanEvent } from '../../../src/core/event.ts';
import { HOLD_KINDS } from '../../../src/core/hold-effects.ts';
import { METHODS, PURPOSES, RETURN_CODES } from '../../../src/core/loan.ts';
import type { Answered } from '../app.ts';
import { type Audit, audit, type Life } from '../auditor/auditor.ts';
import { asText, inCents, plusDays } from '../auditor/days.ts';
import { type Audited, keepBooks } from '../auditor/plain-books.ts';
import type { Random } from '../fuzz/random.ts';
import { type Agreed, anyContract } from './contracts.ts';

type Payment = Extract<LoanEvent, { type: 'paymentSubmitted' }>;
type Quote = Extract<LoanEvent, { type: 'payoffQuoted' }>;

/** The requests of a loan, as the simulation sends them. */
export type Desk = {
  today(): string;
  /** Until its outcome is known. `reference`: the body has one, by which a repetition is recognised. */
  send(loan: SimulatedLoan, path: string, body: object, reference: boolean): Promise<Answered>;
  /** A number that grows with every fact. */
  next(): number;
};

/** The answer is not what the auditor expects. */
/** The lives change their terms more often than a policy allows. */
const OVERRIDE = { reason: 'Hardship', override: true };

export class Surprise extends Error {}

export class SimulatedLoan {
  readonly facts: LoanEvent[] = [];
  readonly story: string[] = [];
  readonly n: number;
  readonly random: Random;
  readonly desk: Desk;
  readonly lenderId: string;
  loanId = '';
  #agreed: Agreed | null = null;
  #references = 0;
  readonly #known = new Map<string, Audited>();
  /** By fact: the transaction that recorded it. */
  readonly #hashes = new Map<LoanEvent, string>();
  /** By fact: the day on which it was undone. */
  readonly #undone = new Map<LoanEvent, string>();

  constructor(n: number, random: Random, desk: Desk) {
    this.n = n;
    this.random = random;
    this.desk = desk;
    this.lenderId = `L-${1 + random.int(3)}`;
  }

  get agreed(): Agreed {
    if (this.#agreed === null) throw new Error('The loan has not begun.');
    return this.#agreed;
  }

  get begun(): boolean {
    return this.loanId !== '';
  }

  /** On a day; `knownBy`: with what was recorded by the end of that day alone. */
  life(asOf: string, knownBy: string | null = null): Life {
    const { terms, policy, prepaymentPenalty } = this.agreed;
    const events = this.#inForce(knownBy ?? this.desk.today());
    return { terms, policy, frequency: 'Monthly', prepaymentPenalty, events, asOf };
  }

  /** The books at the end of a day, as they were known then; null before the loan was recorded. */
  books(day: string): Audited | null {
    const life = this.begun ? this.life(day, day) : null;
    if (life === null || life.events.length === 0) return null;
    const undone = [...this.#undone.values()].filter((on) => on <= day).length;
    const key = `${day} ${life.events.length} ${undone}`;
    const known = this.#known.get(key) ?? keepBooks(life);
    this.#known.set(key, known);
    return known;
  }

  now(): Audit {
    const books = this.books(this.desk.today());
    if (books === null) throw new Error('The loan has not begun.');
    return books.audit;
  }

  async begin(): Promise<void> {
    const { random, n, lenderId, desk } = this;
    const agreed = anyContract(random, desk.today(), lenderId, n);
    const made = await this.#say('/loans', agreed.body, false);
    if (made.status !== 200) throw new Surprise(`POST /loans ${JSON.stringify(agreed.body)}: ${made.text}`);
    const { loanId } = made.body;
    for (const [path, more] of [
      ['/start-underwriting', {}],
      ['/complete-underwriting', { approved: true }],
      ['/initiate-repayment', {}],
    ] as const) {
      const done = await this.#say(path, { loanId, ...more }, false);
      if (done.status !== 200) throw new Surprise(`${path}: ${done.text}`);
    }
    this.#agreed = agreed;
    this.loanId = loanId;
    const date = agreed.terms.disbursements[0]?.date;
    this.#note({ type: 'funded', terms: agreed.terms, date });
    if (agreed.opening !== null) this.#note(agreed.opening);
  }

  /** Makes the next thing happen to it. */
  async act(): Promise<void> {
    const { random } = this;
    const { daysPastDue } = this.now();
    const late = daysPastDue > 60 ? 12 : 1;
    await random.weighted<() => Promise<void>>([
      [40, () => this.pay()],
      [20, () => this.#acknowledge()],
      [6, () => this.#takeBack()],
      [5, () => this.#assessFee()],
      [3, () => this.#waiveFee()],
      [3, () => this.#changeTerms()],
      [5, () => this.#quote()],
      [3, () => this.#settle()],
      [4, () => this.#placeHold()],
      [3, () => this.#releaseHold()],
      [late, () => this.#chargeOff()],
      [4, () => this.#writeDown()],
      [4, () => this.#recover()],
      [3, () => this.#refund()],
      [4, () => this.#undo()],
      [1, () => this.#acknowledgeUnknown()],
    ])();
  }

  /** Less than any amount owed, so that it is accepted whatever happens at the same time. */
  async paySmall(): Promise<void> {
    const { payoff } = this.now();
    if (payoff < 100_000 || this.#openQuote() !== null) return;
    await this.#pay({ amount: 100 + this.random.int(5_000), purpose: 'installment' });
  }

  async pay(): Promise<void> {
    const { random } = this;
    const { payoff, nextDueAmount, pastDueAmount } = this.now();
    const quote = this.#openQuote();
    if (quote !== null && random.chance(0.6)) {
      const left = quote.amount - this.#receivedFor(quote);
      if (left <= 0) return;
      const amount = random.weighted<() => number>([
        [5, () => left],
        [3, () => 1 + random.int(left)],
        [2, () => left + random.int(20_000)],
      ])();
      const purpose = random.chance(0.7) ? 'installment' : random.pick(PURPOSES);
      return this.#pay({ amount, purpose, ...(amount > payoff ? { acceptOverpayment: true } : {}) });
    }
    if (payoff === 0 && !random.chance(0.1)) return;
    const amount = random.weighted<() => number>([
      [40, () => nextDueAmount],
      [10, () => pastDueAmount],
      [25, () => 1 + random.int(Math.ceil(payoff / 20) + 1)],
      [15, () => 1 + random.int(10_000)],
      [5, () => payoff],
      [5, () => payoff + random.int(20_000)],
    ])();
    if (amount === 0) return;
    const acceptOverpayment = amount > payoff && random.chance(0.8);
    const purpose = random.chance(0.75) ? 'installment' : random.pick(PURPOSES);
    await this.#pay({ amount, purpose, ...(acceptOverpayment ? { acceptOverpayment } : {}) });
  }

  // ---- payments ----

  async #pay(wanted: { amount: number; purpose: Payment['purpose']; acceptOverpayment?: boolean }): Promise<void> {
    const { random } = this;
    const today = this.desk.today();
    const { amount, purpose } = wanted;
    const date = this.#backdated(
      random.weighted([
        [75, 0],
        [20, random.int(30)],
        [5, 31 + random.int(60)],
      ]),
    );
    const refId = this.#reference('P');
    const { payoff } = this.now();
    const answer = await this.#say(
      '/loan-repay',
      {
        ...{ loanId: this.loanId, refId, amount: asText(amount) },
        ...(purpose === 'installment' && random.chance(0.5) ? {} : { purpose }),
        ...(random.chance(0.5) ? { method: random.pick(METHODS) } : {}),
        ...(random.chance(0.3) ? { trace: `T-${refId}` } : {}),
        ...(date === today && random.chance(0.5) ? {} : { paymentDate: date }),
        ...(wanted.acceptOverpayment ? { acceptOverpayment: true } : {}),
        ...(random.chance(0.2) || date < plusDays(today, -30) ? { reason: 'From the lockbox' } : {}),
      },
      true,
    );
    if (answer.status === 200) this.#note({ type: 'paymentSubmitted', refId, amount, purpose, date });
    else if (date === today && amount <= payoff) throw new Surprise(`A payment was refused: ${answer.text}`);
  }

  async #acknowledge(): Promise<void> {
    const one = this.#pick(this.#stayed().filter(({ refId }) => !this.#has('paymentAcknowledged', refId)));
    if (one === null) return;
    const { refId } = one;
    const answer = await this.#say('/acknowledge-repayment', { loanId: this.loanId, refId }, true);
    if (answer.status !== 200) throw new Surprise(`An acknowledgement was refused: ${answer.text}`);
    this.#note({ type: 'paymentAcknowledged', refId, date: this.desk.today() });
  }

  /** One that comes before its payment is refused, and changes nothing. */
  async #acknowledgeUnknown(): Promise<void> {
    const refId = `P-${this.n}-${this.#references + 1}`;
    const answer = await this.#say('/acknowledge-repayment', { loanId: this.loanId, refId }, true);
    if (answer.status === 200) throw new Surprise(`A payment was acknowledged that was never sent: ${refId}`);
  }

  async #takeBack(): Promise<void> {
    const { random } = this;
    const one = this.#pick(this.#stayed().slice(-5));
    if (one === null) return;
    const { refId } = one;
    const { loanId } = this;
    if (random.chance(0.3)) {
      const answer = await this.#say('/reverse-repayment', { loanId, refId, reason: 'Posted in error' }, true);
      if (answer.status !== 200) throw new Surprise(`A reversal was refused: ${answer.text}`);
      this.#note({ type: 'paymentReversed', refId, date: this.desk.today() });
      return;
    }
    const back = this.#backdated(random.chance(0.7) ? 0 : random.int(10));
    const date = back < one.date ? this.desk.today() : back;
    const code = random.chance(0.5) ? { code: random.pick(RETURN_CODES) } : {};
    const answer = await this.#say('/return-repayment', { loanId, refId, date, ...code }, true);
    if (answer.status !== 200) throw new Surprise(`A return was refused: ${answer.text}`);
    this.#note({ type: 'paymentReturned', refId, date });
  }

  async #refund(): Promise<void> {
    const { credit } = this.now();
    if (credit === 0) return;
    const refId = this.#reference('R');
    const amount = this.random.chance(0.6) ? credit : 1 + this.random.int(credit);
    const answer = await this.#say('/refund-credit', { loanId: this.loanId, refId, amount: asText(amount) }, true);
    if (answer.status !== 200) throw new Surprise(`A refund was refused: ${answer.text}`);
    this.#note({ type: 'creditRefunded', refId, amount, date: this.desk.today() });
  }

  // ---- fees ----

  async #assessFee(): Promise<void> {
    const { random } = this;
    const feeId = this.#reference('F');
    const amount = 500 + random.int(15_000);
    const kind = random.pick(['fee', 'penalty'] as const);
    const date = this.#backdated(random.chance(0.7) ? 0 : random.int(20));
    const body = { loanId: this.loanId, feeId, name: 'Document fee', kind, amount: asText(amount), date };
    const answer = await this.#say('/assess-fee', body, false);
    if (answer.status === 200)
      this.#note({ type: 'feeAssessed', feeId, kind, name: 'Document fee', amount, date }, answer);
  }

  async #waiveFee(): Promise<void> {
    const open = Object.entries(this.now().feeList).filter(([, { amount, paid, waived }]) => amount > paid + waived);
    const one = this.#pick(open);
    if (one === null) return;
    const [feeId, fee] = one;
    const left = fee.amount - fee.paid - fee.waived;
    const amount = this.random.chance(0.6) ? left : 1 + this.random.int(left);
    const part = amount === left ? {} : { amount: asText(amount) };
    const answer = await this.#say('/waive-fee', { loanId: this.loanId, feeId, ...part, reason: 'Goodwill' }, false);
    if (answer.status !== 200) throw new Surprise(`A waiver was refused: ${answer.text}`);
    this.#note({ type: 'feeWaived', feeId, amount, date: this.desk.today() }, answer);
  }

  // ---- terms ----

  async #changeTerms(): Promise<void> {
    const { random, loanId } = this;
    const date = this.#backdated(random.chance(0.7) ? 0 : random.int(30));
    const what = random.int(5);
    if (what === 0) {
      const rate = { digits: random.int(2_500), scale: 2 };
      const body = { loanId, interestRate: asText(rate.digits), why: 'contract', date, reason: 'Index' };
      const answer = await this.#say('/change-rate', body, false);
      if (answer.status === 200) this.#note({ type: 'rateChanged', rate, why: 'contract', date }, answer);
    } else if (what === 1) {
      await this.#reportService();
    } else if (what === 2) {
      const periods = 1 + random.int(2);
      const answer = await this.#say('/extend', { loanId, periods, date, ...OVERRIDE }, false);
      if (answer.status === 200) this.#note({ type: 'extended', periods, date }, answer);
    } else if (what === 3) {
      const { nextDueDate } = this.now();
      if (nextDueDate === null) return;
      const to = plusDays(nextDueDate, 1 + random.int(20));
      const answer = await this.#say('/change-due-date', { loanId, to, reason: 'Payday' }, false);
      if (answer.status === 200) {
        this.#note({ type: 'dueDateChanged', from: nextDueDate, to, date: this.desk.today() }, answer);
      }
    } else {
      const type = random.pick(['reamortized', 'reaged'] as const);
      const [path, body] = type === 'reaged' ? ['/reage', OVERRIDE] : ['/reamortize', { reason: 'Lower payment' }];
      const answer = await this.#say(path, { loanId, ...body }, false);
      if (answer.status === 200) this.#note({ type, date: this.desk.today() }, answer);
    }
  }

  /** A new period, or the end of one that is known, in the past or to come. */
  async #reportService(): Promise<void> {
    const { random, loanId } = this;
    const known = this.#pick(this.facts.filter((fact) => fact.type === 'militaryService'));
    const from = known !== null && random.chance(0.6) ? known.from : plusDays(this.desk.today(), -random.int(90));
    const to = random.chance(0.3) ? null : plusDays(from, random.int(150));
    const rate = { digits: random.pick([600, 600, 450, 0]), scale: 2 };
    const body = { loanId, interestRate: asText(rate.digits), why: 'scra', serviceFrom: from, serviceTo: to };
    const answer = await this.#say('/change-rate', { ...body, chargeRetroactive: true, reason: 'Orders' }, false);
    if (answer.status !== 200) return;
    const opened = this.agreed.opening?.date ?? '';
    this.#note({ type: 'militaryService', from, to, rate, date: opened > from ? opened : from });
  }

  // ---- quotes ----

  async #quote(): Promise<void> {
    if (this.#openQuote() !== null && !this.random.chance(0.3)) return;
    const today = this.desk.today();
    const goodThrough = plusDays(today, this.random.int(20));
    const expected = audit(this.life(goodThrough)).payoff;
    const quoteId = this.#reference('Q');
    const answer = await this.#say('/payoff-quotes', { loanId: this.loanId, quoteId, goodThrough }, false);
    if (answer.status !== 200) return;
    const amount = Number(inCents(answer.body.data.amount));
    if (amount !== expected) {
      throw new Surprise(`${amount} is quoted through ${goodThrough}, and ${expected} will be owed.`);
    }
    this.#note({ type: 'payoffQuoted', quoteId, kind: 'payoff', amount, goodThrough, date: today }, answer);
  }

  async #settle(): Promise<void> {
    if (this.#openQuote() !== null && !this.random.chance(0.3)) return;
    const { payoff, interest, fees } = this.now();
    const amount = Math.floor((payoff * (50 + this.random.int(45))) / 100);
    if (amount <= interest + fees) return;
    const today = this.desk.today();
    const goodThrough = plusDays(today, this.random.int(60));
    const quoteId = this.#reference('Q');
    const body = { loanId: this.loanId, quoteId, amount: asText(amount), goodThrough, reason: 'Hardship' };
    const answer = await this.#say('/settle', body, false);
    if (answer.status === 200) {
      this.#note({ type: 'payoffQuoted', quoteId, kind: 'settlement', amount, goodThrough, date: today }, answer);
    }
  }

  /** The last one, while it may be paid. */
  #openQuote(): Quote | null {
    const today = this.desk.today();
    const last = this.#inForce(today).findLast((fact) => fact.type === 'payoffQuoted');
    if (last?.type !== 'payoffQuoted' || last.goodThrough < today) return null;
    return this.now().payoff === 0 ? null : last;
  }

  #receivedFor({ recordedAt, date, goodThrough }: Quote): number {
    const counted = this.#stayed().filter(
      (one) => one.recordedAt > recordedAt && one.date >= date && one.date <= goodThrough,
    );
    return counted.reduce((sum, { amount }) => sum + amount, 0);
  }

  // ---- holds ----

  async #placeHold(): Promise<void> {
    const { random, loanId } = this;
    const kind = random.pick(HOLD_KINDS);
    const from = this.#backdated(random.chance(0.5) ? 0 : random.int(60));
    const to = random.chance(0.4) ? null : plusDays(from, random.int(90));
    const holdId = this.#reference('H');
    const bankruptcy = { chapter: 13 as const, filed: from, reaffirmed: random.chance(0.3) };
    const discharged = random.chance(0.3) ? from : null;
    const details =
      kind === 'bankruptcy' ? { details: { ...bankruptcy, ...(discharged === null ? {} : { discharged }) } } : {};
    const body = { loanId, holdId, kind, from, to, ...details, reason: 'Letter' };
    const answer = await this.#say('/place-hold', body, true);
    if (answer.status !== 200) return;
    const facts = kind === 'bankruptcy' ? { bankruptcy: { ...bankruptcy, discharged } } : {};
    this.#note({ type: 'holdPlaced', holdId, kind, to, ...facts, detailed: false, date: from });
  }

  async #releaseHold(): Promise<void> {
    const hold = this.#pick(this.facts.filter((fact) => fact.type === 'holdPlaced'));
    if (hold?.type !== 'holdPlaced') return;
    const { holdId } = hold;
    if (this.facts.some((fact) => fact.type === 'holdReleased' && fact.holdId === holdId)) return;
    const date = this.#backdated(this.random.chance(0.5) ? 0 : this.random.int(40));
    const answer = await this.#say(
      '/release-hold',
      { loanId: this.loanId, holdId, date, chargeRetroactive: true, reason: 'Over' },
      true,
    );
    if (answer.status === 200) this.#note({ type: 'holdReleased', holdId, date });
  }

  // ---- default ----

  async #chargeOff(): Promise<void> {
    if (this.#isChargedOff()) return;
    const { random } = this;
    const date = this.#backdated(random.chance(0.8) ? 0 : random.int(10));
    const { principal } = this.now();
    const collateral = random.chance(0.3) ? 0 : random.int(Math.ceil(principal * 1.2) + 1);
    const body = { loanId: this.loanId, date, reason: 'Skipped town', collateral: asText(collateral) };
    const answer = await this.#say('/charge-off', body, false);
    if (answer.status === 200) this.#note({ type: 'chargedOff', collateral, date }, answer);
  }

  async #writeDown(): Promise<void> {
    if (!this.#isChargedOff()) return;
    const kept = Number(this.books(this.desk.today())?.balances.get('loanPrincipal') ?? 0n);
    if (kept <= 0) return;
    const amount = this.random.chance(0.5) ? kept : 1 + this.random.int(kept);
    const body = { loanId: this.loanId, amount: asText(amount), reason: 'Sold for less' };
    const answer = await this.#say('/write-down', body, false);
    if (answer.status === 200) this.#note({ type: 'writtenDown', amount, date: this.desk.today() }, answer);
  }

  async #recover(): Promise<void> {
    const { payoff } = this.now();
    const today = this.desk.today();
    if (!this.#isChargedOff() || payoff === 0) return;
    const amount = this.random.chance(0.2) ? payoff : 1 + this.random.int(payoff);
    const refId = this.#reference('P');
    const body = { loanId: this.loanId, refId, amount: asText(amount) };
    const answer = await this.#say('/record-recovery', body, true);
    if (answer.status === 200) {
      this.#note({ type: 'paymentSubmitted', refId, amount, purpose: 'installment', date: today });
    }
  }

  #isChargedOff(): boolean {
    return this.#inForce(this.desk.today()).some(({ type }) => type === 'chargedOff');
  }

  // ---- undo ----

  /** One of the facts that are not money. While others rest on it, the refusal names them; an earlier undo is sent again. */
  async #undo(): Promise<void> {
    const fact = this.#pick(this.facts.filter((one) => this.#hashes.has(one)));
    if (fact === null) return;
    const body = {
      loanId: this.loanId,
      transactionHash: this.#hashes.get(fact),
      chargeRetroactive: true,
      reason: 'Entered in error',
    };
    const resting = this.facts
      .slice(this.facts.indexOf(fact) + 1)
      .filter((later) => !this.#undone.has(later) && restsOn(later, fact))
      .map((later) => this.#hashes.get(later));
    const answer = await this.#say('/undo', body, true);
    if (this.#undone.has(fact) || resting.length === 0) {
      if (answer.status !== 200) throw new Surprise(`An undo was refused: ${answer.text}`);
      if (!this.#undone.has(fact)) this.#undone.set(fact, this.desk.today());
    } else if (answer.status !== 409 || String(answer.body.transactions) !== String(resting)) {
      throw new Surprise(`${resting} rest on the ${fact.type} to be undone, and the answer was ${answer.text}`);
    }
  }

  /** The facts that were recorded by the end of a day and not undone by then. */
  #inForce(day: string): LoanEvent[] {
    return this.facts.filter((fact) => fact.recordedOn <= day && (this.#undone.get(fact) ?? '9') > day);
  }

  // ---- parts ----

  /** A day so long ago, but not before the loan or its opening. */
  #backdated(days: number): string {
    const { terms, opening } = this.agreed;
    const first = opening?.date ?? terms.disbursements[0]?.date ?? '';
    const day = plusDays(this.desk.today(), -days);
    return day < first ? first : day;
  }

  #stayed(): Payment[] {
    return this.facts.filter(
      (fact): fact is Payment =>
        fact.type === 'paymentSubmitted' &&
        !this.#has('paymentReturned', fact.refId) &&
        !this.#has('paymentReversed', fact.refId),
    );
  }

  #has(type: 'paymentAcknowledged' | 'paymentReturned' | 'paymentReversed', refId: string): boolean {
    return this.facts.some((fact) => fact.type === type && fact.refId === refId);
  }

  #reference(kind: string): string {
    this.#references += 1;
    // Neither rising nor falling: nothing may depend on the order of references.
    return `${kind}-${this.n}-${(this.#references * 7_919) % 10_007}`;
  }

  #pick<T>(list: readonly T[]): T | null {
    return list.length === 0 ? null : this.random.pick(list);
  }

  async #say(path: string, body: object, reference: boolean): Promise<Answered> {
    const answer = await this.desk.send(this, path, body, reference);
    const said = JSON.stringify({ ...body, loanId: undefined });
    const told = answer.status === 200 ? 'done' : `${answer.status} ${answer.body.code}`;
    this.story.push(`${this.desk.today()} loan ${this.n} ${path} ${said}: ${told}`);
    return answer;
  }

  /** `answer`: of a call that recorded this fact alone, which is not money and can be undone. */
  #note(fact: object, answer: Answered | null = null): void {
    const today = this.desk.today();
    const recordedAt = `${today}T${String(this.desk.next()).padStart(9, '0')}`;
    const event = { ...fact, recordedOn: today, recordedAt } as unknown as LoanEvent;
    this.facts.push(event);
    if (answer !== null) this.#hashes.set(event, answer.body.transactionHash);
  }
}

/** Whether a later fact rests on one, so that it must be undone first. */
function restsOn(later: LoanEvent, fact: LoanEvent): boolean {
  if (fact.type === 'feeAssessed') return later.type === 'feeWaived' && later.feeId === fact.feeId;
  if (fact.type === 'chargedOff') return later.type === 'writtenDown';
  if (fact.type === 'holdPlaced') return later.type === 'holdReleased' && later.holdId === fact.holdId;
  return ['extended', 'reaged', 'dueDateChanged'].includes(fact.type) && later.type === 'dueDateChanged';
}
