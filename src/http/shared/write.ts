/** Makes an operation on one loan from its description: its body becomes a command, the write path decides, and the outcome becomes an answer. */
import { randomUUID } from 'node:crypto';
import type { Static, TSchema } from 'typebox';
import { scopesOf } from '../../access/people/roles.ts';
import type { PlainDate } from '../../core/calendar.ts';
import { amountText } from '../../core/decimal.ts';
import type { Change, LoanCommand, Outcome, Write } from '../../loans/door/write.ts';
import { delinquency, payoffOf, remainingBalance, upcomingDue } from '../../loans/reads/figures.ts';
import { actorOf, writeOptions } from './actor.ts';
import { NOT_GRANTED } from './allowed.ts';
import { aboveLimit, outcomeChanged, personRequired, RequestedAnswer, requestedText } from './approval-answers.ts';
import { changesText, inColumns } from './figures.ts';
import { forwarded } from './forwarding.ts';
import { loanIdIn, noSuchLoan } from './ids.ts';
import { answersIn, numbersOf } from './numbers.ts';
import { type Answer, type AskedWrite, type Operation, operation } from './operation.ts';
import { busy, keyInUse, keyReused, Problem, type ProblemCode, unavailable } from './problems.ts';
import { refusedProblem } from './refusal-problems.ts';
import { mistakesProblem, RequestReader } from './request-reader.ts';
import { sayingOf } from './says.ts';
import { DoneAnswer, NOTHING, WriteQuery, writeHeaders } from './shapes.ts';

/** Query and headers of every write. */
export const writes = {
  changes: true,
  query: WriteQuery,
  ...writeHeaders,
} as const;

export const WRITE_PROBLEMS: readonly ProblemCode[] = [
  'not_found',
  'conflict',
  'boarded_history',
  'on_hold',
  'not_granted',
  'idempotency_key_in_use',
  'idempotency_key_reused',
  'precondition_failed',
];

/** The members of an answer beside hash, id and status, computed from the change. */
type Telling = (change: Change) => object;

type LoanWrite<B extends TSchema> = {
  /** The engine's name of the operation, which is also its path. */
  does: LoanCommand['do'];
  aliases?: readonly string[];
  id: string;
  /** `Loans` (the default): the steps of a loan from creation to closing. `Servicing`: everything else. */
  tag?: 'Loans' | 'Servicing';
  summary: string;
  description: string;
  cost?: number;
  /** The cost of a call for which nothing was assessed. */
  light?: NonNullable<Operation['light']>;
  /** It may wait for a credit bureau. */
  slow?: boolean;
  body: B;
  answer?: TSchema;
  /** Beyond those of every write. */
  problems?: readonly ProblemCode[];
  /** The body's name for a member of the command, where they differ. */
  names?: Readonly<Record<string, string>>;
  command(read: RequestReader, body: Static<B>): LoanCommand;
  /** Stored encrypted with the event. */
  reason?(body: Static<B>): string | undefined;
  /** Details that may name a person: stored encrypted with the reason. */
  details?(body: Static<B>): Readonly<Record<string, string>> | null;
  tells?(change: Change, command: LoanCommand): object;
};

/** An operation on one loan. Where another process owns the loan's volume, that one carries it out; dry runs are done here. */
export function loanWrite<B extends TSchema>(described: LoanWrite<B>): Operation {
  const {
    does,
    tag = 'Loans',
    answer = DoneAnswer,
    names = {},
    command: read,
    reason,
    details,
    tells,
    ...more
  } = described;
  const { slow = false, problems = [], ...rest } = more;
  const inForm = answersIn(answer);
  const says = sayingOf(rest.body);
  const handled = operation({
    ...writes,
    ...rest,
    at: `POST /${does}`,
    tag,
    scopes: scopesOf(does),
    key: 'checked',
    exactNumbers: true,
    answer,
    accepted: RequestedAnswer,
    problems: [...WRITE_PROBLEMS, ...problems],
    async handle(call) {
      const { services, query, body, source } = call;
      const options = writeOptions(call, { path: `/${does}`, dryRun: query.dryRun, says: () => says(body) });
      const asked = { body, source, options, fresh: randomUUID() };
      const write = writeOf(asked);
      // Every payment comes this way: nothing is awaited that is there already.
      const known = actorOf(call);
      const actor = known instanceof Promise ? await known : known;
      const elsewhere = forwarded(services.owners, { path: `/${does}`, slow, actor, asked, loanId: write.loanId });
      const there = elsewhere === null ? null : await elsewhere;
      return inForm(numbersOf(call), there ?? answerOf(await services.loans.write(actor, write, options), asked));
    },
  });
  return {
    ...handled,
    name: does,
    carryOut: async ({ loans }, actor, asked) =>
      answerOf(await loans.write(actor, writeOf(asked), asked.options), asked),
  };

  function writeOf({ body: given, source, options, fresh }: AskedWrite): Write {
    const body = given as Static<B>;
    const loanId = loanIdIn(body as { loanId: string });
    const reader = new RequestReader(fresh);
    const command = read(reader, body);
    reader.done();
    const told: Telling = (done) => tells?.(done, command) ?? {};
    return {
      loanId,
      command,
      reason: reason?.(body) || null,
      details: details?.(body) ?? null,
      answer: (done) => answerText(done, { dryRun: options.dryRun, told }),
      approvable: { source, fresh, says: () => says(body), preview: (done) => previewText(done, told) },
    };
  }

  function answerOf(outcome: Outcome, { options: { dryRun } }: AskedWrite): Answer {
    const answer = answered(forBody(outcome, rest.body, names), dryRun);
    return rest.light !== undefined && isLight(outcome) ? { ...answer, light: true } : answer;
  }
}

type AnswerForm = { dryRun: boolean; told?: Telling };

/** It was done without an assessment, or had been done before. What waits for an approval has been prepared as if it were done. */
function isLight(outcome: Outcome): boolean {
  return outcome.kind === 'replayed' || (outcome.kind === 'done' && outcome.assessed !== true);
}

/** Pure: the same text also answers a repeated idempotency key. */
export function answerText(change: Change, how: AnswerForm): string {
  const { transactionHash, loanId } = change;
  const ids = how.dryRun ? idsOfNothing(change) : { transactionHash, loanId };
  return JSON.stringify({ message: 'ok', data: dataOf(change, ids, how), ...ids });
}

/** The data of a dry run. */
function previewText(change: Change, told: Telling): string {
  return JSON.stringify(dataOf(change, idsOfNothing(change), { told, dryRun: true }));
}

function dataOf(change: Change, ids: object, { dryRun, told }: AnswerForm): object {
  return {
    ...ids,
    loanStatus: change.status,
    ...(told?.(change) ?? {}),
    ...changesText(change.changes),
    ...(dryRun ? wouldBe(change) : {}),
  };
}

function idsOfNothing({ loanId, events }: Change) {
  const created = events.some(({ type }) => type === 'created');
  return { transactionHash: NOTHING, loanId: created ? NOTHING : loanId };
}

function wouldBe({ loan, events, journal, approval = false }: Change) {
  const { pastDueAmount, daysPastDue, nextDueDate } = delinquency(loan);
  return {
    dryRun: true,
    approval,
    remainingBalance: amountText(remainingBalance(loan)),
    payoff: amountText(payoffOf(loan).payoff),
    delinquentAmount: amountText(pastDueAmount),
    delinquentDays: daysPastDue,
    nextPaymentDate: nextDueDate,
    upcomingDueDate: upcomingDue(loan),
    events: events.map(({ type, date }) => ({ type, date })),
    overrode: [...new Set(events.flatMap(({ overrode = [] }) => overrode))],
    journal: journal.map((line) => inColumns(line)),
  };
}

/** A refusal points at a member of the body, by its name there; or at none, when the cause is in the loan itself. */
function forBody(outcome: Outcome, body: TSchema, names: Readonly<Record<string, string>>): Outcome {
  if (outcome.kind !== 'refused' || outcome.refusal.member === undefined) return outcome;
  const { member, ...refusal } = outcome.refusal;
  const name = names[member] ?? member;
  const members = (body as { properties?: object }).properties ?? {};
  const [outer = ''] = name.split('.');
  return { kind: 'refused', refusal: outer in members ? { ...refusal, member: name } : refusal };
}

const loanHeaders = (loanId: string, version: number | null): Record<string, string> =>
  version === null ? {} : { 'X-Loan-Id': loanId, 'X-Loan-Version': String(version) };

export function answered(outcome: Outcome, dryRun: boolean): Answer {
  switch (outcome.kind) {
    case 'done': {
      const { loanId, version } = outcome.change;
      return { text: outcome.text, headers: dryRun ? {} : loanHeaders(loanId, version) };
    }
    case 'replayed': {
      const { text, loanId, version } = outcome;
      return { text, headers: { 'Idempotent-Replayed': 'true', ...loanHeaders(loanId, version) } };
    }
    case 'refused':
      throw refusedProblem(outcome.refusal);
    case 'mistaken':
      throw mistakesProblem(outcome.wrong);
    case 'missing':
      return noSuchLoan();
    case 'denied': {
      if (outcome.needs === 'key') {
        const detail = 'A transfer to another owner requires the header "key" with an API key of this client.';
        throw new Problem('key_required', detail);
      }
      if (outcome.needs !== 'scope') throw new Problem('not_granted', NOT_GRANTED[outcome.needs]);
      const { scope } = outcome;
      throw new Problem(
        'insufficient_scope',
        `For this loan, the operation requires the scope ${scope}.`,
        { scope },
        { 'WWW-Authenticate': `Bearer realm="daybook", error="insufficient_scope", scope="${scope}"` },
      );
    }
    case 'key_reused':
      throw keyReused();
    case 'key_running':
      throw keyInUse();
    case 'bureau_failed':
      // The report may be available in a moment, or only after an operator has fixed the bureau; nothing has changed either way.
      throw unavailable(outcome.detail, outcome.retryable ? 5 : 60);
    case 'version':
      throw new Problem(
        'precondition_failed',
        `The loan is at version ${outcome.version}, not the version in If-Match. Read the loan again.`,
      );
    case 'application_exists': {
      const { loanId } = outcome;
      const detail = `This lender already has a loan for this application: ${loanId}.`;
      const errors = [{ pointer: '/applicationId', code: 'duplicate', detail }];
      throw new Problem('application_exists', detail, { errors, loanId });
    }
    case 'requested':
      return { text: requestedText(outcome.request), status: 202 };
    case 'outcome_changed':
      throw outcomeChanged(outcome);
    case 'above_limit':
      throw aboveLimit(outcome);
    case 'person_required':
      throw personRequired();
    case 'not_pending':
      return { text: '' };
    case 'needs_approval':
      throw new Error('A request for approval was not stored.');
    case 'unavailable':
      throw unavailable(outcome.detail, outcome.retryAfterSeconds);
    case 'overtaken':
      throw busy('everyone');
    case 'busy':
      throw busy(outcome.whose);
  }
}

export function dateOr<K extends string>(
  read: RequestReader,
  body: { [name in K]?: string },
  name: K,
): PlainDate | null {
  return body[name] === undefined ? null : read.date(body, name, '');
}
