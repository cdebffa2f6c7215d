/**
 * Writes between processes: how one becomes a message to the owner of the loan's volume, and how the owner carries a message out. Token,
 * key, quota and scopes were checked where the request arrived. The message has the caller as it was checked there and what it asked for,
 * and nothing else of the request: no token, no key, no address.
 */
import { randomUUID } from 'node:crypto';
import type { Actor } from '../../loans/door/actor.ts';
import type { Owners } from '../../owners/owners.ts';
import { toProblem } from '../shell/errors.ts';
import { parseJson } from './body.ts';
import { SMALL_BODY } from './body-limits.ts';
import type { Answer, AskedWrite, Operation, Services } from './operation.ts';
import { PROBLEMS, Problem, type ProblemCode, type ProblemFacts } from './problems.ts';
import { validatorCompiler } from './validate.ts';

type Message = {
  path: string;
  actor: Omit<Actor, 'scopes'> & { scopes: string[] };
  source: string;
  plain: boolean;
  ifVersion: number | null;
  key: string | null;
};

type ForwardedAnswer =
  | { text: string; headers: Record<string, string>; status?: 202 }
  | { problem: { code: ProblemCode; detail: string; facts: ProblemFacts; headers: Record<string, string> } };

/** The owner's answer, or its problem, thrown. Null: this process carries it out. */
export async function forwarded(
  owners: Owners | null,
  write: { path: string; slow: boolean; loanId: string; actor: Actor; asked: AskedWrite },
): Promise<Answer | null> {
  const { path, slow, loanId, actor, asked } = write;
  const { source, plain, options } = asked;
  if (owners === null || options.dryRun || !owners.isElsewhere(loanId)) return null;
  const message: Message = {
    path,
    actor: { ...actor, scopes: [...actor.scopes] },
    source,
    plain,
    ifVersion: options.ifVersion,
    key: options.idempotency?.key ?? null,
  };
  const sent = await owners.forward(loanId, message, slow);
  if (sent.kind === 'answered') return fromOwner(sent.answer as ForwardedAnswer);
  if (sent.kind === 'away' || mayRepeat(asked)) return null;
  throw new Problem(
    'outcome_unknown',
    'The process responsible for this loan did not respond, so the request may or may not have taken effect. ' +
      'Send it again with the same reference or idempotency key.',
    {},
    { 'Retry-After': '1' },
  );
}

/**
 * Whether doing it a second time answers as the first time did and changes nothing. A payment that is repeated by its reference alone
 * is found only if `If-Match` does not refuse it before.
 */
function mayRepeat({ body, options }: AskedWrite): boolean {
  if (options.idempotency !== null) return true;
  return options.ifVersion === null && (body as { refId?: unknown }).refId !== undefined;
}

function fromOwner(answer: ForwardedAnswer): Answer {
  if ('text' in answer) return answer;
  const { code, detail, facts, headers } = answer.problem;
  throw new Problem(code in PROBLEMS ? code : 'internal_error', detail, facts, headers);
}

/** Carries out messages of other processes. Unexpected errors are passed to `failed`, to be logged, and answered as internal errors. */
export function openForwarded(options: {
  operations: readonly Operation[];
  services: () => Services | null;
  failed: (error: unknown, facts: { requestId: string; route: string }) => void;
}): (message: unknown, isMine: (loanId: string) => boolean) => Promise<object | null> {
  const compile = validatorCompiler();
  const known = new Map(
    options.operations
      .filter(({ carryOut }) => carryOut !== undefined)
      .map((one) => [one.path, { ...one, validate: compile({ schema: one.body, httpPart: 'body' }) }]),
  );
  return async (given, isMine) => {
    const services = options.services();
    const message = messageIn(given);
    const operation = known.get(message?.path ?? '');
    if (services === null || message === null || operation?.carryOut === undefined) return null;
    const asked = askedIn(message, operation);
    const actor: Actor = { ...message.actor, scopes: new Set(message.actor.scopes) };
    if (asked === null || !mayCall(actor, operation) || !isMine(loanIdIn(asked))) return null;
    try {
      const answer = await operation.carryOut(services, actor, asked);
      if (!('text' in answer)) throw new Error('The answer of a write is text.');
      const { text, headers = {}, status } = answer;
      return { text, headers, ...(status === undefined ? {} : { status }) } satisfies ForwardedAnswer;
    } catch (error) {
      const { code, message: detail, facts, headers } = toProblem(error);
      if (code === 'internal_error') options.failed(error, { requestId: actor.requestId, route: message.path });
      return { problem: { code, detail, facts, headers } } satisfies ForwardedAnswer;
    }
  };

  /**
   * The body was read and validated where it arrived. It is again here, because the other process may be of another release: what this one
   * would refuse or read in another way is left to the one that accepted it.
   */
  function askedIn({ source, plain, ifVersion, key, path }: Message, operation: Known): AskedWrite | null {
    try {
      const { limits = SMALL_BODY, exactNumbers = false } = operation;
      const { value } = parseJson(Buffer.from(source), { limits, exactNumbers });
      if ('error' in (operation.validate(value) as object)) return null;
      const idempotency = key === null ? null : { key, request: `${path}\n${source}` };
      return { body: value, source, plain, options: { dryRun: false, ifVersion, idempotency }, fresh: randomUUID() };
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  }
}

type Known = Operation & { validate: (value: unknown) => unknown };

function mayCall({ scopes }: Actor, { access }: Operation): boolean {
  if (access === 'anonymous') return false;
  return access.scopes.length === 0 || access.scopes.some((scope) => scopes.has(scope));
}

function loanIdIn({ body }: AskedWrite): string {
  return (body as { loanId: string }).loanId.toLowerCase();
}

/** Only a process that knows the key of this one sends messages, so this finds those of another release, not those of an attacker. */
function messageIn(given: unknown): Message | null {
  const { path, actor, source, plain, ifVersion, key } = (given ?? {}) as Partial<Message>;
  const texts = [path, source, actor?.organizationId, actor?.clientId, actor?.requestId, actor?.purpose];
  if (!texts.every((text) => typeof text === 'string') || typeof plain !== 'boolean') return null;
  if (ifVersion !== null && typeof ifVersion !== 'number') return null;
  if ([key, actor?.keyId].some((text) => text !== null && typeof text !== 'string')) return null;
  if (!Array.isArray(actor?.scopes) || !Array.isArray(actor.grants)) return null;
  return given as Message;
}
