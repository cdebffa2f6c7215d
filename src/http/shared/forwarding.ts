/**
 * Writes between processes: how one becomes a message to the owner of the loan's volume, and how the owner carries a message out. Token,
 * key, quota and scopes were checked where the request arrived. The message has the caller as it was checked there and what it asked for,
 * and nothing else of the request: no token, no key, no address.
 */
import type { Actor } from '../../loans/door/actor.ts';
import type { Owners } from '../../owners/owners.ts';
import type { Answer, AskedWrite } from './operation.ts';
import { PROBLEMS, Problem, type ProblemCode, type ProblemFacts } from './problems.ts';

/** A write by the path of its operation, with the JSON text of its body. */
export type WriteToCarryOut = {
  readonly path: string;
  readonly actor: Actor;
  readonly source: string;
  readonly ifVersion: number | null;
  readonly key: string | null;
};

export type CarriedOut =
  | { text: string; headers: Record<string, string>; status?: 202; light?: true }
  | { problem: { code: ProblemCode; detail: string; facts: ProblemFacts; headers: Record<string, string> } };

/** Null: not carried out here, because the body is not valid, the caller may not call the operation, or `isMine` is false for the loan. */
export type CarryOut = (write: WriteToCarryOut, isMine: (loanId: string) => boolean) => Promise<CarriedOut | null>;

type Message = {
  path: string;
  actor: Omit<Actor, 'scopes'> & { scopes: string[] };
  source: string;
  ifVersion: number | null;
  key: string | null;
};

type WriteToForward = { path: string; slow: boolean; loanId: string; actor: Actor; asked: AskedWrite };

/** The owner's answer, or its problem, thrown. Null, at once or in the end: this process carries it out. */
export function forwarded(owners: Owners | null, write: WriteToForward): Promise<Answer | null> | null {
  if (owners === null || write.asked.options.dryRun || !owners.isElsewhere(write.loanId)) return null;
  return forward(owners, write);
}

async function forward(owners: Owners, write: WriteToForward): Promise<Answer | null> {
  const { path, slow, loanId, actor, asked } = write;
  const { source, options } = asked;
  const message: Message = {
    path,
    actor: { ...actor, scopes: [...actor.scopes] },
    source,
    ifVersion: options.ifVersion,
    key: options.idempotency?.key ?? null,
  };
  const sent = await owners.forward(loanId, message, slow);
  if (sent.kind === 'answered') return fromOwner(sent.answer as CarriedOut);
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

function fromOwner(answer: CarriedOut): Answer {
  if ('text' in answer) return answer;
  const { code, detail, facts, headers } = answer.problem;
  throw new Problem(code in PROBLEMS ? code : 'internal_error', detail, facts, headers);
}

/** Carries out messages of other processes. */
export function openForwarded(
  carryOut: CarryOut,
): (message: unknown, isMine: (loanId: string) => boolean) => Promise<object | null> {
  return async (given, isMine) => {
    const message = messageIn(given);
    if (message === null) return null;
    const actor: Actor = { ...message.actor, scopes: new Set(message.actor.scopes) };
    return carryOut({ ...message, actor }, isMine);
  };
}

/** Only a process that knows the key of this one sends messages, so this finds those of another release, not those of an attacker. */
function messageIn(given: unknown): Message | null {
  const { path, actor, source, ifVersion, key } = (given ?? {}) as Partial<Message>;
  const texts = [path, source, actor?.organizationId, actor?.clientId, actor?.requestId, actor?.purpose];
  if (!texts.every((text) => typeof text === 'string')) return null;
  if (ifVersion !== null && typeof ifVersion !== 'number') return null;
  if ([key, actor?.keyId].some((text) => text !== null && typeof text !== 'string')) return null;
  if (!Array.isArray(actor?.scopes) || !Array.isArray(actor.grants)) return null;
  // A person without limits has an empty list of them: where it is missing, limits would be lost on the way.
  if ((actor.userId ?? null) !== null && typeof actor.limits !== 'object') return null;
  return given as Message;
}
