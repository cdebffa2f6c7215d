/**
 * Fills a sandbox with the demonstration: all stories together in order of time, through the same operations as any caller, with a clock
 * that moves through the years. So every event is recorded on its day and the ledger is in order; applications are underwritten by the
 * product, with the reports of its simulator. When all is recorded, the interest of every day is posted, so that the books
 * of those years can be closed and exported like any others; and the positions of its month ends are asked for, so that it has reports.
 *
 * It is done once. The stories are computed backwards from the day on which the sandbox's own clock stands, which nobody can move until it
 * is filled, and every step has a fixed time; so an interrupted filling continues, even days later, with the first step that its loans
 * have not recorded yet.
 */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { LoanFile } from '../boarding/file.ts';
import { addDays, lastOfMonth, type PlainDate } from '../core/calendar.ts';
import type { LoanEvent } from '../core/event.ts';
import { append, type Folding, fold, foldAll, stateOn } from '../core/fold.ts';
import type { Loan } from '../core/loan.ts';
import type { Actor } from '../loans/door/actor.ts';
import type { Outcome, WriteOptions } from '../loans/door/write.ts';
import type { OpenLoans } from '../loans/open.ts';
import { type ApplicationOptions, applicationBody } from './application.ts';
import { type DemoPeople, whoDoes } from './people.ts';
import { recordHandedOver } from './record-handed-over.ts';
import { type Story, storiesUntil } from './stories.ts';

type DemoSandbox = {
  organizationId: string;
  timeZone: string;
  /** The date by its clock. */
  today: PlainDate;
  /** It is not complete yet. */
  filling: boolean;
};

export type DemoOptions = {
  sandbox: {
    read(): Promise<DemoSandbox | null>;
    create(): Promise<DemoSandbox>;
    /** It is complete. `past`: the month ends of its years, and how many loans it has. */
    filled(organizationId: string, past: { monthEnds: readonly PlainDate[]; loans: number }): Promise<unknown>;
  };
  /**
   * The first client may read it from the beginning; handed over, when it is complete, to service it too: a payment of today would end the
   * story of a loan whose past is still being recorded. Null: there is no first client.
   */
  show(organizationId: string): Promise<{ handOver(): Promise<unknown> } | null>;
  /** The people of the organization, who are named on what they do; absent: a program does everything. */
  people?: (organizationId: string) => Promise<DemoPeople>;
  /** Whether the sandbox may be created; otherwise only an interrupted filling is finished. */
  begin: boolean;
  /** Opens loans with a clock (epoch milliseconds) that decides in place of the sandbox's own. */
  open(clock: () => number): OpenLoans;
  signal: AbortSignal;
  /** At 0, 25, 50 and 75 percent of the steps. */
  onProgress?: (percent: number) => void;
  /** The stories; the hundred of `storiesUntil` when absent. */
  stories?: (today: PlainDate) => Story[];
};

export type Filled = {
  /** `absent`: there is no demonstration, and `begin` is false. `stopped`: the next call does the rest. */
  readonly outcome: 'filled' | 'filled before' | 'stopped' | 'absent';
  readonly loans: number;
  readonly steps: number;
  /** Steps that were refused; a story ends with the first. There are none, unless another client changes these loans. */
  readonly refused: number;
};

export async function fillDemo(options: DemoOptions): Promise<Filled> {
  const { sandbox, begin, open, signal, onProgress = () => {}, stories = storiesUntil } = options;
  const known = await sandbox.read();
  if (known === null && !begin) return { outcome: 'absent', loans: 0, steps: 0, refused: 0 };
  if (known !== null && !known.filling) return { outcome: 'filled before', loans: 0, steps: 0, refused: 0 };
  const { organizationId, today, timeZone } = known ?? (await sandbox.create());

  const clock = { now: startOf(today, timeZone) + EVENING };
  const lives = livesOf(stories(today), timeZone);
  const loans = open(() => clock.now);
  try {
    const actor = actorOf(organizationId);
    onProgress(0);
    const shown = await options.show(organizationId);
    if (known !== null) await findAgain(loans, actor, lives);
    const people = (await options.people?.(organizationId)) ?? null;
    const done = await walk({ loans, actor, people, clock, signal, onProgress }, lives);
    if (done.outcome === 'stopped') return done;
    clock.now = startOf(today, timeZone);
    const ends = endsOfMonths(lives, today);
    for (const day of ends) {
      if (signal.aborted) return { ...done, outcome: 'stopped' };
      await loans.books.accrue(organizationId, day);
    }
    await shown?.handOver();
    const monthEnds = ends.filter((day) => day === lastOfMonth(day));
    await sandbox.filled(organizationId, { monthEnds, loans: lives.length });
    return done;
  } finally {
    await loans.close();
  }
}

/** Not a real client: it has no secret and no key, and only this file uses it. */
function actorOf(organizationId: string): Actor {
  return {
    organizationId,
    clientId: 'demo',
    keyId: null,
    scopes: new Set([
      'loans:read',
      'loans:write',
      'underwriting:write',
      'loans:fund',
      'payments:write',
      'servicing:write',
    ]),
    grants: [],
    requestId: 'demo',
    purpose: 'filling the demonstration',
  };
}

const NOW = { asOf: null, knownAt: null } as const;
const PLAIN: WriteOptions = { dryRun: false, ifVersion: null, idempotency: null };
const WHOLE_LIST = { limit: 100, cursor: null, sort: 'createdAt' } as const;

/** A story with the times of its steps, and its progress. */
type Life = {
  readonly person: number;
  readonly application: ApplicationOptions & { readonly on: PlainDate; readonly applicationId: string };
  /** The life whose record it is boarded with; null: it is assessed here. */
  readonly earlier: Life | null;
  readonly steps: Story['steps'];
  /** The times of the creation and then of each step, in epoch milliseconds, each later than the one before. */
  readonly moments: readonly number[];
  loanId: string | null;
  file: LoanFile | null;
  events: LoanEvent[];
  folding: Folding | null;
  /** A step was refused, so the rest of the story is skipped. */
  isOver: boolean;
};

const MINUTE = 60_000;
const MORNING = 9 * 60 * MINUTE;
/** The last application comes after everything else of its day. */
const EVENING = 18 * 60 * MINUTE;

function livesOf(stories: readonly Story[], timeZone: string): Life[] {
  const lives: Life[] = [];
  stories.forEach(({ person, on, application, withRecord, steps }, i) => {
    const number = i + 1;
    // Steps of one loan on one day are ten minutes apart; the first steps of all loans have the same time and share a batch.
    let [day, of] = [on, 0];
    const moments = [startOf(day, timeZone) + (number === stories.length ? EVENING : MORNING)];
    for (const step of steps) {
      of = step.on === day ? of + 1 : 0;
      day = step.on;
      moments.push(startOf(day, timeZone) + MORNING + of * 10 * MINUTE);
    }
    const applicationId = `DEMO-${String(number).padStart(3, '0')}`;
    // Stories come in the order they begin.
    const earlier = withRecord ? (lives.find((life) => life.person === person) ?? null) : null;
    lives.push({
      ...{ person, earlier, steps, moments, application: { ...application, applicationId } },
      ...{ loanId: null, file: null, events: [], folding: null, isOver: false },
    });
  });
  return lives;
}

function startOf(day: PlainDate, timeZone: string): number {
  return Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds;
}

/** From the first application on; the last is the day before today, which is not over. */
function endsOfMonths(lives: readonly Life[], today: PlainDate): PlainDate[] {
  const last = addDays(today, -1);
  const ends: PlainDate[] = [];
  let [day] = lives.map(({ application: { on } }) => on).sort();
  while (day !== undefined && day <= last) {
    const end = lastOfMonth(day);
    ends.push(end < last ? end : last);
    day = addDays(end, 1);
  }
  return ends;
}

/** Finds what an earlier, interrupted filling has recorded. */
async function findAgain(loans: OpenLoans, actor: Actor, lives: readonly Life[]): Promise<void> {
  const byApplication = new Map(lives.map((life) => [life.application.applicationId, life]));
  let cursor: string | null = null;
  do {
    const page = await loans.reads.list(actor, { ...WHOLE_LIST, cursor });
    if (page === 'bad_cursor') throw new Error('A list gave a cursor that it does not take.');
    for (const { loanId, applicationId } of page.items) {
      const life = byApplication.get(applicationId);
      const view = life && (await loans.reads.read(actor, loanId, NOW));
      if (!life || !view || view === 'before') continue;
      life.loanId = loanId;
      life.file = view.file;
      life.events = [...view.events];
      life.folding = foldAll(life.events);
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
}

type Walk = {
  loans: OpenLoans;
  actor: Actor;
  people: DemoPeople | null;
  clock: { now: number };
  signal: AbortSignal;
  onProgress: (percent: number) => void;
};

/** In order of time; steps of the same time are of different loans and run together. */
async function walk(walking: Walk, lives: readonly Life[]): Promise<Filled> {
  const { clock, signal, onProgress } = walking;
  const moments = new Map<number, { life: Life; index: number }[]>();
  for (const life of lives) {
    const recorded = life.events.length === 0 ? 0 : Date.parse((life.events.at(-1) as LoanEvent).recordedAt);
    life.moments.forEach((moment, index) => {
      if (moment <= recorded) return;
      const together = moments.get(moment) ?? [];
      together.push({ life, index });
      moments.set(moment, together);
    });
  }
  const count = { loans: 0, steps: 0, refused: 0 };
  const all = lives.reduce((sum, life) => sum + life.moments.length, 0);
  let left = [...moments.values()].reduce((sum, together) => sum + together.length, 0);
  let quarter = Math.floor((4 * (all - left)) / all);
  for (const [moment, together] of [...moments].sort(([a], [b]) => a - b)) {
    if (signal.aborted) return { outcome: 'stopped', ...count };
    clock.now = moment;
    const [heavy, light] = [together.filter(isHeavy), together.filter((one) => !isHeavy(one))];
    const taken = await Promise.all(light.map(({ life, index }) => take(walking, life, index)));
    for (const { life, index } of heavy) {
      taken.push(await take(walking, life, index));
      await nextTurn();
    }
    for (const what of taken) if (what !== null) count[what] += 1;
    left -= together.length;
    const reached = Math.floor((4 * (all - left)) / all);
    if (reached > quarter && reached < 4) onProgress(reached * 25);
    quarter = reached;
    await nextTurn();
  }
  return { outcome: 'filled', ...count };
}

/** Creations and assessments take tens of milliseconds each, so they run one at a time, and requests are served in between. */
function isHeavy({ life, index }: { life: Life; index: number }): boolean {
  return index === 0 || life.steps[index - 1]?.isAssessment === true;
}

async function take(walking: Walk, life: Life, index: number): Promise<'loans' | 'steps' | 'refused' | null> {
  if (life.isOver) return null;
  const outcome = index === 0 ? await create(walking, life) : await go(walking, life, index - 1);
  if (outcome === null) return null;
  if (outcome.kind !== 'done') {
    life.isOver = true;
    return 'refused';
  }
  const { change } = outcome;
  life.loanId = change.loanId;
  life.events.push(...change.events);
  life.folding = (life.folding && append(life.folding, change.events)) ?? foldAll(life.events);
  return index === 0 ? 'loans' : 'steps';
}

async function create(walking: Walk, life: Life): Promise<Outcome> {
  const { loans, actor } = walking;
  const body = applicationBody(life.person, life.application);
  await nextTurn();
  const source = (await boardedWith(walking, life, body)) ?? JSON.stringify(body);
  await nextTurn();
  const outcome = await patiently(() => loans.origination.create(actor, { source, answer: () => '' }, PLAIN));
  if (outcome.kind === 'done') await readFile(walking, life, outcome.change.loanId);
  return outcome;
}

/** The record as handed over, or as an assessment or a chosen deal has replaced it. */
async function readFile({ loans, actor }: Walk, life: Life, loanId: string): Promise<void> {
  const view = await loans.reads.read(actor, loanId, NOW);
  if (view !== null && view !== 'before') life.file = view.file;
}

/** The body with the record of the earlier application; null when there is none. */
async function boardedWith({ loans, actor }: Walk, { earlier }: Life, body: object): Promise<string | null> {
  const loanId = earlier?.loanId ?? null;
  if (loanId === null) return null;
  const reader = { ...actor, keyId: 'demo', scopes: new Set([...actor.scopes, 'loans:read_pii']) };
  const full = await loans.reads.readFull(reader, loanId, NOW);
  return full === null || full === 'before' ? null : recordHandedOver(full, body);
}

async function go(walking: Walk, life: Life, index: number): Promise<Outcome | null> {
  const { loans, people } = walking;
  const { loanId, file, folding } = life;
  const taken = life.steps[index];
  if (loanId === null || file === null || folding === null || taken === undefined) return null;
  const loan: Loan = stateOn(folding, taken.on) ?? fold(life.events, taken.on);
  const command = taken.command({ loan, file });
  if (command === null) return null;
  const reason = taken.reason ?? ('reason' in command ? command.reason : null);
  const write = { loanId, command, reason, answer: () => '' };
  const who = whoDoes(command.do);
  const actor = who === null || people === null ? walking.actor : { ...walking.actor, userId: people[who].userId };
  const outcome = await patiently(() => loans.write(actor, write, PLAIN));
  if (taken.isAssessment) await readFile(walking, life, loanId);
  return outcome;
}

/** Waits and tries again when the queue is full: requests of real callers come first. */
async function patiently(work: () => Promise<Outcome>): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await work();
    if (outcome.kind !== 'busy' || attempt === 100) return outcome;
    await pause(100);
  }
}
