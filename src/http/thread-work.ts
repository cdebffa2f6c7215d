/**
 * The part of a request that runs on a worker thread: reading a body that may be large, and computing an answer that may take long. The event loop
 * hands over the bytes as they came and gets back text that is ready to be sent, or the problem, as values that can be copied.
 */
import { createHash } from 'node:crypto';
import { AmountOutOfRange } from '../core/money.ts';
import { calculateApr } from './calculators/apr.ts';
import { calculateIrr } from './calculators/irr.ts';
import { calculateOffer } from './calculators/offer.ts';
import { calculateSchedule } from './calculators/schedule.ts';
import { simulateLoan } from './calculators/simulate.ts';
import { createLoan } from './origination/creation.ts';
import { parseJson } from './shared/body.ts';
import { SMALL_BODY } from './shared/body-limits.ts';
import { withAliases } from './shared/operation.ts';
import { Problem, type ProblemCode, type ProblemFacts, validationProblem } from './shared/problems.ts';
import { outOfRange } from './shared/refusal-problems.ts';
import { sayingOf } from './shared/says.ts';
import { validatorCompiler } from './shared/validate.ts';

export type ThreadProblem = { code: ProblemCode; detail: string; facts: ProblemFacts; headers: Record<string, string> };

const compile = validatorCompiler();
const known = new Map(
  withAliases([calculateApr, calculateSchedule, simulateLoan, calculateIrr, calculateOffer, createLoan]).map(
    (operation) => {
      const validate = compile({ schema: operation.body, httpPart: 'body' });
      return [operation.id, { operation, validate, says: sayingOf(operation.body ?? {}) }];
    },
  ),
);

/** The bytes of a body; null when there was none. `isKeyed`: the request has an idempotency key. */
type Given = { id: string; bytes: Uint8Array | null; isKeyed: boolean };

/** The answer of a `computation`, as text. */
export function answer(given: Given): { text: string } | { problem: ThreadProblem } {
  return orProblem(() => {
    const { operation, body } = checked(given);
    return { text: JSON.stringify(operation.compute?.(body)) };
  });
}

/** Whether a large body is what its operation accepts; where it is compared with another one, the SHA-256 of what it says. */
export function check(given: Given): { digest: string | null } | { problem: ThreadProblem } {
  return orProblem(() => {
    const { says, body } = checked(given);
    return { digest: given.isKeyed ? createHash('sha256').update(says(body)).digest('hex') : null };
  });
}

/** A request without a body and without its type. */
const NO_BODY = { value: undefined };

function checked({ id, bytes, isKeyed }: Given) {
  const found = known.get(id);
  if (found === undefined) throw new Error(`No thread knows the operation ${id}.`);
  const { operation, validate, says } = found;
  const { limits = SMALL_BODY, exactNumbers = false } = operation;
  const isExact = exactNumbers || (isKeyed && bytes !== null && hasLongNumber(bytes));
  const { value } = bytes === null ? NO_BODY : parseJson(bytes, { limits, exactNumbers: isExact });
  const validated = validate(value);
  if (validated !== true) throw validationProblem(validated.error.validation);
  return { operation, body: value, says };
}

/** Whether a number may have more digits than a binary fraction tells apart: to keep the text of every number takes ten times as long. */
const hasLongNumber = (bytes: Uint8Array): boolean =>
  /[\d.]{16}/.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'));

/** Anything that was not foreseen is thrown on, for the event loop to log. */
function orProblem<T>(read: () => T): T | { problem: ThreadProblem } {
  try {
    return read();
  } catch (error) {
    const problem = error instanceof AmountOutOfRange ? outOfRange() : error;
    if (!(problem instanceof Problem)) throw error;
    const { code, message: detail, facts, headers } = problem;
    return { problem: { code, detail, facts, headers } };
  }
}
