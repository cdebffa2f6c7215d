/**
 * A simulation of many loans in a sandbox of the assembled service, all of it from one seed. Each loan has a random stream of its own, so
 * that one loan alone has the same history as among the others; steps, advances and faults have another. After a failure the seed is run
 * again with an audit after every step, and with each loan alone, to find the shortest sequence that shows it.
 */
import type { Answered } from '../app.ts';
import { daysFrom, monthEnd, plusDays } from '../auditor/days.ts';
import { type Random, randomFrom } from '../fuzz/random.ts';
import { auditBooks, auditLoans, type PastAnswers } from './audit-service.ts';
import { type Desk, SimulatedLoan, Surprise } from './loan-life.ts';
import { type Client, endSandbox, FAULTS, type Instance, openSandbox, type Services } from './services.ts';

export type Span = { readonly steps: number; readonly loans: number };

export type Run = {
  readonly seed: number;
  readonly span: Span;
  /** This loan alone; null: all of them. */
  readonly only?: number | null;
  readonly auditEveryStep?: boolean;
};

/** Counts of what happened, so that a simulation in which nothing happens is noticed. */
export type Lived = { days: number; done: number; refused: number; faults: number; repeated: number; audits: number };

export class Failure extends Error {
  readonly run: Run;
  /** The first of them is 0. */
  readonly step: number;
  readonly story: readonly string[];

  constructor(run: Run, step: number, story: readonly string[], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.run = run;
    this.step = step;
    this.story = story;
  }
}

export async function simulate(services: Services, run: Run): Promise<Lived> {
  const { seed, span, only = null, auditEveryStep = false } = run;
  const random = randomFrom(seed * 7_919 + 17);
  const start = plusDays('2019-01-01', random.int(2_500));
  // A seed before it may have ended in the middle of a fault.
  for (const instance of services.instances) instance.mend();
  const client = await openSandbox(services, `Seed ${seed}`, start);
  const world = new World(services, client, { random, looks: randomFrom(seed * 31 + 5) }, start);
  const loans = Array.from(
    { length: span.loans },
    (_, n) => new SimulatedLoan(n + 1, randomFrom(seed * 104_729 + (n + 1) * 1_299_709), world),
  );
  const chosen = loans.filter(({ n }) => only === null || n === only);
  let step = 0;
  try {
    for (; step < span.steps; step++) {
      await liveAStep(world, chosen, random, step / span.steps);
      const before = world.today();
      await world.advance(
        plusDays(
          before,
          random.weighted([
            [50, 1],
            [30, 2 + random.int(6)],
            [20, 8 + random.int(24)],
          ]),
        ),
      );
      const asks = random.chance(0.2);
      if (asks || auditEveryStep || monthEnd(before) < world.today()) await world.audit(chosen, before);
    }
    await world.audit(chosen, plusDays(world.today(), -1));
    await world.askAgain();
  } catch (error) {
    throw new Failure(run, step, story(chosen, world), error);
  } finally {
    await endSandbox(services, client);
  }
  return world.lived;
}

/** Some loans begin in the first half; then some of them act, one after the other, and sometimes several at once. */
async function liveAStep(world: World, loans: readonly SimulatedLoan[], random: Random, passed: number): Promise<void> {
  for (const loan of loans) {
    if (!loan.begun && loan.random.chance(passed > 0.5 ? 1 : 0.2)) await loan.begin();
    if (!loan.begun) continue;
    for (
      let acts = loan.random.weighted([
        [5, 0],
        [4, 1],
        [2, 2],
        [1, 4],
      ]);
      acts > 0;
      acts--
    )
      await loan.act();
  }
  if (!random.chance(0.2)) return;
  world.together = true;
  const begun = loans.filter((loan) => loan.begun && loan.random.chance(0.7));
  // Those of one loan come one after the other: payments of a day are applied in the order in which they were recorded, which of two that are
  // sent at once nobody knows but the service.
  const paid = begun.map(async (loan) => {
    await loan.paySmall();
    await loan.paySmall();
  });
  await Promise.all(paid);
  world.together = false;
}

function story(loans: readonly SimulatedLoan[], world: World): string[] {
  return [...loans.flatMap((loan) => loan.story), ...world.story].sort((a, b) =>
    a.slice(0, 10) < b.slice(0, 10) ? -1 : 1,
  );
}

class World implements Desk {
  readonly services: Services;
  readonly client: Client;
  readonly random: Random;
  /** For audits, so that another number of them changes nothing else. */
  readonly looks: Random;
  readonly lived: Lived = { days: 0, done: 0, refused: 0, faults: 0, repeated: 0, audits: 0 };
  readonly story: string[] = [];
  readonly seen: PastAnswers = new Map();
  /** Several requests are in progress: no faults now. */
  together = false;
  #today: string;
  #facts = 0;
  #keys = 0;

  constructor(services: Services, client: Client, streams: { random: Random; looks: Random }, start: string) {
    this.services = services;
    this.client = client;
    this.random = streams.random;
    this.looks = streams.looks;
    this.#today = start;
  }

  today(): string {
    return this.#today;
  }

  next(): number {
    this.#facts += 1;
    return this.#facts;
  }

  async send(loan: SimulatedLoan, path: string, body: object, reference: boolean): Promise<Answered> {
    const { random } = loan;
    const { instances } = this.services;
    this.services.pass(10);
    let instance = random.pick(instances);
    const breaks = random.chance(0.06);
    const fault = { count: 1 + random.int(8), what: random.pick(FAULTS) };
    const again = random.weighted([
      [80, 'no'],
      [10, 'after'],
      [10, 'together'],
    ] as const);
    const keyed = random.chance(0.5) || !reference;
    this.#keys += 1;
    const headers: Record<string, string> = keyed ? { 'idempotency-key': `key-${loan.n}-${this.#keys}` } : {};
    const ask = (where: Instance) => this.client.call(where, 'POST', path, body, headers);

    if (breaks && !this.together) instance.failAfter(fault.count, fault.what);
    let answers = again === 'together' && !breaks ? await Promise.all(instances.map(ask)) : [await ask(instance)];
    for (let attempt = 0; answers.some(isUnknown); attempt++) {
      if (!this.together && instance.mend()) this.lived.faults += 1;
      else if (answers.some(({ status }) => status === 500)) throw new Surprise(`${path}: ${told(answers)}`);
      if (attempt === 20) throw new Surprise(`${path}: its outcome stayed unknown: ${told(answers)}`);
      instance = other(instances, instance);
      answers = [...answers.filter((one) => !isUnknown(one)), await ask(instance)];
    }
    if (!this.together && instance.mend()) this.lived.faults += 1;
    if (again === 'after') answers.push(await ask(other(instances, instance)));
    const [first] = answers as [Answered];
    const hashes = new Set(answers.map(({ status, body: data }) => (status === 200 ? data.transactionHash : status)));
    if (hashes.size > 1) throw new Surprise(`${path} ${JSON.stringify(body)} sent again: ${told(answers)}`);
    if (answers.length > 1) this.lived.repeated += 1;
    if (first.status === 200) this.lived.done += 1;
    else this.lived.refused += 1;
    if (first.status >= 500) throw new Surprise(`${path}: ${told(answers)}`);
    return first;
  }

  /** Any instance may move the clock; one that fails is followed by the other. */
  async advance(to: string): Promise<void> {
    const { random } = this;
    const { instances } = this.services;
    let instance = random.pick(instances);
    const breaks = random.chance(0.15);
    const fault = { count: 1 + random.int(60), what: random.pick(FAULTS) };
    if (breaks) instance.failAfter(fault.count, fault.what);
    for (let attempt = 0; ; attempt++) {
      const asked = await this.client.call(instance, 'POST', '/clock/advance', { to });
      const wrong = await instance.loans.cycle.goOnAdvancing().then(
        () => null,
        (error: unknown) => error,
      );
      const failed = instance.mend();
      if (failed) {
        this.lived.faults += 1;
        this.story.push(`${this.#today} advance to ${to}: ${fault.what} at statement ${fault.count}`);
        // The lease of a process that ended runs out with time.
        await instance.db.query(
          "UPDATE test_clocks SET held_until = now() - interval '1 second' WHERE held_until > now()",
        );
        instance = other(instances, instance);
        await instance.loans.cycle.goOnAdvancing();
      } else if (wrong !== null) throw wrong;
      else if (asked.status !== 200) throw new Surprise(`POST /clock/advance: ${asked.text}`);
      const clock = await this.client.call(instance, 'GET', '/clock');
      if (clock.status === 200 && clock.body.data.today === to && clock.body.data.advancing === null) break;
      if (attempt === 10) throw new Surprise(`The clock does not reach ${to}: ${clock.text}`);
    }
    this.lived.days += daysFrom(this.#today, to);
    this.#today = to;
    await instance.loans.ledger.seal();
  }

  /** The loans today, and the books on the day given and on the ends of the months since. */
  async audit(loans: readonly SimulatedLoan[], day: string): Promise<void> {
    const begun = loans.filter((loan) => loan.begun);
    const ask = (path: string) => this.client.call(this.looks.pick(this.services.instances), 'GET', path);
    this.lived.audits += 1;
    await auditLoans(begun, this.#today, ask);
    const days = [day];
    for (let end = monthEnd(day); end < this.#today; end = monthEnd(plusDays(end, 1))) if (end !== day) days.push(end);
    for (const one of days)
      await auditBooks(begun, one, { today: this.#today, ask, seen: this.seen, random: this.looks });
    if (this.looks.chance(0.3)) await this.askAgain(2);
  }

  /** The balances of a day that is over never change. */
  async askAgain(most = 12): Promise<void> {
    const all = [...this.seen];
    for (let i = 0; i < Math.min(most, all.length); i++) {
      const [path, before] = this.looks.pick(all);
      const { text } = await this.client.call(this.looks.pick(this.services.instances), 'GET', path);
      if (text !== before) throw new Surprise(`${path} was ${before} and is ${text}`);
    }
  }
}

/** The same seed again with an audit after every step, with each loan alone and then with all: the shortest of the failures. */
export async function shortest(services: Services, failure: Failure): Promise<Failure> {
  const { seed, span } = failure.run;
  let found = failure;
  const alone = Array.from({ length: span.loans }, (_, n) => n + 1);
  for (const only of [...alone, null]) {
    if (only === null && found !== failure) break;
    const until = { ...span, steps: found.step + 1 };
    const error = await simulate(services, { seed, span: until, only, auditEveryStep: true }).catch((caught) => caught);
    if (error instanceof Failure && error.story.length < found.story.length) found = error;
  }
  return found;
}

function other(instances: readonly Instance[], not: Instance): Instance {
  return instances.find((instance) => instance !== not) as Instance;
}

/** The outcome is not known yet: the request is repeated. */
function isUnknown({ status, body }: Answered): boolean {
  return status >= 500 || (status === 409 && body.code === 'idempotency_key_in_use');
}

function told(answers: readonly Answered[]): string {
  return answers.map(({ status, text }) => `${status} ${text}`).join(' | ');
}
