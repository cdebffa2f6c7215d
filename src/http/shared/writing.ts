/**
 * Makes a write that belongs to no loan from its description: it takes an idempotency key, under which it is carried out once. Writes
 * of loans are in `write.ts`.
 */
import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import type { Caller } from '../../access/access.ts';
import type { OrganizationOperation, RequestedOutcome } from '../../loans/approvals/organization-approvals.ts';
import type { Keep } from '../../loans/door/write.ts';
import { writeOptions } from './actor.ts';
import { RequestedAnswer, requestedText } from './approval-answers.ts';
import { answersIn, BY_DEFAULT, numbersOf } from './numbers.ts';
import {
  type Answer,
  type Call,
  closed,
  type Described,
  type Operation,
  operation,
  type Requirements,
} from './operation.ts';
import { keyInUse, keyReused, Problem, type ProblemCode } from './problems.ts';
import { sayingOf } from './says.ts';
import { keyHeaders, preferring } from './shapes.ts';

type Written<B extends TSchema, T extends object> = Omit<Described, 'requestHeaders' | 'answerHeaders'> &
  Requirements & {
    at: `POST /${string}`;
    body: B;
    /** The answer holds a secret: it is never stored, and a repeated key is a 409. */
    isSecret?: boolean;
    /** It has a dry run: `write` stores nothing then. */
    hasDryRun?: boolean;
    /** Further parameters of the query. */
    parameters?: TProperties;
    /** Its answer has amounts or counts that are written in the form of the request. */
    hasAmounts?: boolean;
    /** Passes `keep` to the code that changes the database, so that the answer is stored in the same transaction. */
    write(call: Call<Static<B>> & { caller: Caller }, how: { keep: Keep; dryRun: boolean }): Promise<T>;
    /** For the audit trail: the id of what was changed; when absent, the one that `done` has (`idIn`). */
    subject?(done: T): string | null;
    /** For the audit trail: another organization that it concerns, whose trail has the entry too. */
    alsoOf?(done: T): string | null;
    /** The data of the answer, from what was done. Pure: the same text answers a repeated key. */
    shows?(done: T): object;
    /** It may wait for an approval; then `write` calls `keep.begin` first in its transaction. */
    approval?: {
      /** The outcome that an approval binds to: what was done, without secrets, personal data and whatever differs each time. Pure. */
      preview(done: T, body: Static<B>): object;
      /** Once it waits; not for the same call again. */
      requested?(call: Call<Static<B>> & { caller: Caller }): Promise<void>;
    };
  };

const dryRunParameter = {
  dryRun: Type.Optional(
    Type.Boolean({ description: 'If true, the response shows what would be stored, and nothing is changed.' }),
  ),
};

/** In the data of an answer. */
export const dryRunShown = {
  dryRun: Type.Optional(Type.Literal(true, { description: 'Present only in a dry run: nothing was stored.' })),
};

export function write<B extends TSchema, T extends object>(described: Written<B, T>): Operation {
  const { isSecret = false, hasDryRun = false, hasAmounts = false, parameters, ...others } = described;
  const { write: carryOut, shows, subject = idIn, alsoOf, approval, ...rest } = others;
  const path = rest.at.replace('POST ', '');
  const inForm = answersIn(rest.answer);
  const says = sayingOf(rest.body);
  const answerOf = (done: T, dryRun: boolean): string => {
    const data = shows?.(done) ?? done;
    return JSON.stringify({ message: 'ok', data: dryRun ? { dryRun, ...data } : data });
  };
  const made: Operation = operation({
    ...rest,
    changes: true,
    isSecret,
    ...(hasDryRun ? { query: closed({ ...dryRunParameter, ...parameters }) } : {}),
    requestHeaders: { ...keyHeaders.requestHeaders, ...(hasAmounts ? preferring.requestHeaders : {}) },
    answerHeaders: { ...keyHeaders.answerHeaders, ...(hasAmounts ? preferring.answerHeaders : {}) },
    ...(approval === undefined ? {} : { accepted: RequestedAnswer }),
    problems: [
      ...new Set<ProblemCode>([
        ...rest.problems,
        'idempotency_key_in_use',
        'idempotency_key_reused',
        ...(isSecret ? (['already_answered'] as const) : []),
        ...(approval === undefined ? [] : (['conflict', 'proof_required'] as const)),
      ]),
    ],
    async handle(call) {
      const { services, caller, requestId, source } = call;
      const { dryRun = false } = call.query as { dryRun?: boolean };
      const { idempotency } = writeOptions(call, { path, dryRun, says: () => says(call.body) });
      const audit = dryRun ? null : { operation: made.name, subject, alsoOf };
      const answer = (done: T) => answerOf(done, dryRun);
      const form = hasAmounts ? numbersOf(call) : BY_DEFAULT;
      const once = { idempotency: dryRun ? null : idempotency, answer, isSecret, audit };
      const asker = { ...caller, requestId };
      const work = (keep: Keep) => carryOut(call, { keep, dryRun });
      if (approval === undefined || dryRun) {
        return inForm(form, answered(await services.loans.door.once(asker, once, work)));
      }
      const asked = {
        operation: made.name as OrganizationOperation,
        source,
        says: () => says(call.body),
        preview: (done: T) => approval.preview(done, call.body),
        second: (tx: Parameters<Keep>[0]) => services.access.needsSecond(tx, caller),
      };
      const outcome = await services.loans.approvals.organization.carryOut(asker, once, asked, work);
      if (outcome.kind === 'requested' && outcome.isNew) await approval.requested?.(call);
      return inForm(form, answered(outcome));
    },
  });
  return approval === undefined ? made : { ...made, approved: carryingOut(described, made.name, answerOf) };
}

/** Carries out a request, for its requester. */
function carryingOut<B extends TSchema, T extends object>(
  { write: carryOut, approval, subject = idIn, alsoOf, isSecret = false }: Written<B, T>,
  operation: string,
  answerOf: (done: T, dryRun: boolean) => string,
): NonNullable<Operation['approved']> {
  return (call, { actor, found, reason, previewHash }) => {
    const { approvalId } = found.approval;
    const asked = call as Call<Static<B>> & { caller: Caller };
    const { organizationId, clientId, userId } = call.caller;
    return call.services.loans.approvals.organization.approve(actor, found, {
      requester: { organizationId, clientId, userId, keyId: null, requestId: call.requestId },
      write: {
        answer: (done: T) => answerOf(done, false),
        isSecret,
        audit: { operation, subject, alsoOf, approvalId },
      },
      preview: (done: T) => approval?.preview(done, asked.body) ?? {},
      ...{ reason, previewHash },
      work: (keep) => carryOut(asked, { keep, dryRun: false }),
    });
  };
}

function answered(outcome: RequestedOutcome): Answer {
  switch (outcome.kind) {
    case 'done':
      return { text: outcome.text };
    case 'replayed':
      return { text: outcome.text, headers: { 'Idempotent-Replayed': 'true' } };
    case 'requested':
      return { text: requestedText(outcome.request), status: 202 };
    case 'too_many': {
      const detail = `${outcome.most} requests of this organization wait for an approval, which is the most; decide on some of them first.`;
      throw new Problem('conflict', detail);
    }
    case 'already_answered':
      throw new Problem(
        'already_answered',
        'The first call with this idempotency key succeeded. Its secret is shown only once and is not stored; if it was lost, replace it.',
      );
    case 'key_reused':
      throw keyReused();
    case 'key_running':
      throw keyInUse();
  }
}

/** The same, for a result that is kept in another form. */
export function keptAs<D extends object>(keep: Keep, form: (done: D) => object): Keep {
  const { begin, second } = keep;
  const kept: Keep = (tx, done) => keep(tx, form(done as D));
  return Object.assign(kept, { ...(begin && { begin }), ...(second && { second }) });
}

/** Ids of what a write may have changed, the more telling first: an organization is made with a client, and a client with a key. */
const IDS = [
  'approvalId',
  'endpointId',
  'grantId',
  'policyId',
  'transferId',
  'period',
  'roleId',
  'userId',
  'organizationId',
  'clientId',
  'keyId',
];

function idIn(done: object): string | null {
  for (const name of IDS) {
    const id = (done as Record<string, unknown>)[name];
    if (typeof id === 'string') return id;
  }
  return null;
}
