/**
 * What of a request runs on a worker thread: reading a body that may be large, and computing an answer that may take long. The event loop
 * hands over the bytes as they came and gets back text that is ready to be sent, or the problem, as values that can be copied.
 */
import { AmountOutOfRange } from '../core/money.ts';
import { calculateApr } from './calculators/apr.ts';
import { calculateIrr } from './calculators/irr.ts';
import { calculateSchedule } from './calculators/schedule.ts';
import { simulateLoan } from './calculators/simulate.ts';
import type { Operation } from './operation.ts';
import { parseJson } from './shell/body.ts';
import { SMALL_BODY } from './shell/body-limits.ts';
import { Problem, type ProblemCode, type ProblemFacts, validationProblem } from './shell/problems.ts';
import { outOfRange } from './shell/refusal-problems.ts';
import { validatorCompiler } from './shell/validate.ts';

export type ThreadProblem = { code: ProblemCode; detail: string; facts: ProblemFacts; headers: Record<string, string> };
export type ThreadAnswer = { text: string } | { problem: ThreadProblem };

const compile = validatorCompiler();
const known = new Map(
  [calculateApr, calculateSchedule, simulateLoan, calculateIrr].map((operation) => [
    operation.id,
    { operation, validate: compile({ schema: operation.body, httpPart: 'body' }) },
  ]),
);

/** The answer of a `computation`, as text. `bytes` is null when there was no body. */
export function answer({ id, bytes }: { id: string; bytes: Uint8Array | null }): ThreadAnswer {
  const { operation, validate } = known.get(id) ?? unknown(id);
  try {
    const body = checked(operation, validate, bytes);
    return { text: JSON.stringify(operation.compute?.(body)) };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

/** A request without a body and without its type. */
const NO_BODY = { value: undefined };

function checked(
  { limits = SMALL_BODY, exactNumbers = false }: Operation,
  validate: ReturnType<typeof compile>,
  bytes: Uint8Array | null,
): unknown {
  const { value } = bytes === null ? NO_BODY : parseJson(bytes, { limits, exactNumbers });
  const { error } = validate(value) as { error?: { validation: Parameters<typeof validationProblem>[0] } };
  if (error !== undefined) throw validationProblem(error.validation);
  return value;
}

/** What was not foreseen is thrown on, for the event loop to log. */
function problemOf(error: unknown): ThreadProblem {
  const problem = error instanceof AmountOutOfRange ? outOfRange() : error;
  if (!(problem instanceof Problem)) throw error;
  const { code, message, facts, headers } = problem;
  return { code, detail: message, facts, headers };
}

function unknown(id: string): never {
  throw new Error(`No thread knows the operation ${id}.`);
}
