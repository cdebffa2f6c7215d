/**
 * Makes a write that belongs to no loan from its description: it takes an idempotency key, under which it is carried out once. Writes
 * of loans are in `write.ts`.
 */
import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import type { Caller } from '../../access/access.ts';
import type { Keep } from '../../loans/door/write.ts';
import { applied, wantsPlain, writeOptions } from './actor.ts';
import { type Call, closed, type Described, type Operation, operation, type Requirements } from './operation.ts';
import { keyInUse, keyReused, Problem } from './problems.ts';
import { keyHeaders, Prefer } from './shapes.ts';

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
    /** Its answer has amounts, for `Prefer`. */
    hasAmounts?: boolean;
    /** Passes `keep` to the code that changes the database, so that the answer is stored in the same transaction. */
    write(call: Call<Static<B>> & { caller: Caller }, how: { keep: Keep; dryRun: boolean }): Promise<T>;
    /** For the audit trail: the id of what was changed; when absent, the one that `done` has (`idIn`). */
    subject?(done: T): string | null;
    /** For the audit trail: another organization that it concerns, whose trail has the entry too. */
    alsoOf?(done: T): string | null;
    /** The data of the answer, from what was done. Pure: the same text answers a repeated key. */
    shows?(done: T, plain: boolean): object;
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
  const { write: carryOut, shows, subject = idIn, alsoOf, ...rest } = others;
  const path = rest.at.replace('POST ', '');
  const made: Operation = operation({
    ...rest,
    changes: true,
    ...(hasDryRun ? { query: closed({ ...dryRunParameter, ...parameters }) } : {}),
    requestHeaders: { ...keyHeaders.requestHeaders, ...(hasAmounts ? { Prefer } : {}) },
    answerHeaders: keyHeaders.answerHeaders,
    problems: [
      ...rest.problems,
      'idempotency_key_in_use',
      'idempotency_key_reused',
      ...(isSecret ? (['already_answered'] as const) : []),
    ],
    async handle(call) {
      const { services, caller, headers, requestId } = call;
      const { dryRun = false } = call.query as { dryRun?: boolean };
      const plain = hasAmounts && wantsPlain(headers);
      const { idempotency } = writeOptions(call, { path, dryRun });
      const answer = (done: T) => {
        const data = shows?.(done, plain) ?? done;
        return JSON.stringify({ message: 'ok', data: dryRun ? { dryRun, ...data } : data });
      };
      const audit = dryRun ? null : { operation: made.name, subject, alsoOf };
      const once = { idempotency: dryRun ? null : idempotency, answer, isSecret, audit };
      const asker = { ...caller, requestId };
      const outcome = await services.loans.door.once(asker, once, (keep) => carryOut(call, { keep, dryRun }));
      switch (outcome.kind) {
        case 'done':
          return { text: outcome.text, headers: applied(plain) };
        case 'replayed':
          return { text: outcome.text, headers: { 'Idempotent-Replayed': 'true' } };
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
    },
  });
  return made;
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
