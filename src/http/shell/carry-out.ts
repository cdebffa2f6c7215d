/**
 * Carries out a write of one loan without a request: one that another process has forwarded, or one that the demonstration asks for in the
 * name of its people. The body is read and checked as a request's is, so the operation cannot tell the difference.
 */
import { randomUUID } from 'node:crypto';
import type { Actor } from '../../loans/door/actor.ts';
import { parseJson } from '../shared/body.ts';
import { SMALL_BODY } from '../shared/body-limits.ts';
import type { CarriedOut, CarryOut, WriteToCarryOut } from '../shared/forwarding.ts';
import { type AskedWrite, type Operation, type Services, scopesLacking } from '../shared/operation.ts';
import { Problem } from '../shared/problems.ts';
import { sayingOf } from '../shared/says.ts';
import { type Validated, validatorCompiler } from '../shared/validate.ts';
import { toProblem } from './errors.ts';

export type CarryOutOptions = {
  operations: readonly Operation[];
  services: () => Services | null;
  /** Unexpected errors, to be logged; they are answered as internal errors. */
  failed: (error: unknown, facts: { requestId: string; route: string }) => void;
};

export function openCarryOut(options: CarryOutOptions): CarryOut {
  const compile = validatorCompiler();
  const known = new Map(
    options.operations
      .filter(({ carryOut }) => carryOut !== undefined)
      .map((one) => {
        const validate = compile({ schema: one.body, httpPart: 'body' });
        return [one.path, { ...one, validate, says: sayingOf(one.body ?? {}) }];
      }),
  );
  return async (write, isMine) => {
    const services = options.services();
    const operation = known.get(write.path);
    if (services === null || operation?.carryOut === undefined) return null;
    const asked = askedIn(write, operation);
    const { actor } = write;
    if (asked === null || !mayCall(actor, operation) || !isMine(loanIdIn(asked))) return null;
    try {
      const answer = await operation.carryOut(services, actor, asked);
      if (!('text' in answer)) throw new Error('The answer of a write is text.');
      const { text, headers = {}, status, light } = answer;
      return {
        ...{ text, headers },
        ...(status === undefined ? {} : { status }),
        ...(light === undefined ? {} : { light }),
      };
    } catch (error) {
      const { code, message: detail, facts, headers } = toProblem(error);
      if (code === 'internal_error') options.failed(error, { requestId: actor.requestId, route: write.path });
      return { problem: { code, detail, facts, headers } };
    }
  };
}

/** Writes that this process makes itself, each by the path of its operation. */
export function openOwnWrites(
  options: CarryOutOptions,
): (actor: Actor, path: string, body: object) => Promise<CarriedOut | null> {
  // Checks of bodies are compiled for the first write: most processes make none.
  let carryOut: CarryOut | null = null;
  return (actor, path, body) => {
    carryOut ??= openCarryOut(options);
    const write = { path, actor, source: JSON.stringify(body), ifVersion: null, key: null };
    return carryOut(write, () => true);
  };
}

type Known = Operation & { validate: (value: unknown) => Validated; says: (body: unknown) => string };

/**
 * A forwarded body was read and validated where it arrived. It is again here, because the other process may be of another release: what this
 * one would refuse or read in another way is left to the one that accepted it.
 */
function askedIn({ source, ifVersion, key, path }: WriteToCarryOut, operation: Known): AskedWrite | null {
  try {
    const { limits = SMALL_BODY, exactNumbers = false } = operation;
    const { value } = parseJson(Buffer.from(source), { limits, exactNumbers });
    if (operation.validate(value) !== true) return null;
    const idempotency = key === null ? null : { key, request: `${path}\n${operation.says(value)}` };
    return { body: value, source, options: { dryRun: false, ifVersion, idempotency }, fresh: randomUUID() };
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

function mayCall({ scopes }: Actor, { access }: Operation): boolean {
  return access !== 'anonymous' && scopesLacking(access, scopes) === null;
}

function loanIdIn({ body }: AskedWrite): string {
  return (body as { loanId: string }).loanId.toLowerCase();
}
