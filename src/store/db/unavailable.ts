/**
 * Failures of the database: which errors of the driver and of the server mean that it cannot serve, and whether a write that got one of them
 * may have taken effect. Callers see two kinds: `DatabaseUnavailable`, after which nothing has changed, and `OutcomeUnknown`.
 */

/** The server is unreachable, starting, stopping, full, read-only, or did not answer in time. A retry may succeed. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/**
 * A write was sent, and it is unknown whether it is stored durably: the connection was lost before the answer, or the
 * server gave up waiting for its synchronous replica. It must not be acknowledged; a retry that reads the books shows it.
 */
export class OutcomeUnknown extends DatabaseUnavailable {
  override name = 'OutcomeUnknown';
}

// SQLSTATE classes: 08 connection, 25006 read-only, 25P03 idle transaction ended, 53 resources, 55000 not in the required state,
// 57014 statement timeout, 57P0x shutdown, crash, starting up, database dropped, 58030 input or output.
const UNAVAILABLE_CODE = /^(08...|25006|25P03|53...|55000|57014|57P0.|58030|E[A-Z]+)$/;
/** Refusals of a connection. At the start they are errors in the settings; later the server is being rebuilt or restored. */
const REFUSED_CODE = /^(28000|28P01|3D000)$/;
/** The server answers on some connections, but refuses writes or new connections: a query would not show that. */
const TROUBLE_CODE = /^(25006|53...|55000|58030|28000|28P01|3D000)$/;
const UNAVAILABLE_TEXT =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Query read timeout/;
/** The pool gave no connection in time: all are in use. This does not mean that the server is unavailable. */
const POOL_TEXT = 'timeout exceeded when trying to connect';

/** The error as callers know it. `served`: this process has used the database before, so its settings are right. */
export function asUnavailable(error: unknown, served: boolean): unknown {
  if (error instanceof DatabaseUnavailable || !(error instanceof Error)) return error;
  const code = codeOf(error);
  const known =
    UNAVAILABLE_CODE.test(code) || (served && REFUSED_CODE.test(code)) || UNAVAILABLE_TEXT.test(error.message);
  return known ? new DatabaseUnavailable('The database cannot be reached.', { cause: error }) : error;
}

/** The same for a statement that writes and commits: unless the server itself has refused it, it may have taken effect. */
export function asUncertain(error: unknown, served: boolean): unknown {
  const known = asUnavailable(error, served);
  if (!(known instanceof DatabaseUnavailable) || known instanceof OutcomeUnknown) return known;
  // With FATAL or PANIC the server ends the connection, perhaps after the commit. Its word for ERROR may be translated, and then
  // the outcome counts as unknown, too.
  if ((known.cause as { severity?: unknown } | undefined)?.severity === 'ERROR') return known;
  return unknownOutcome(known.cause);
}

export function unknownOutcome(cause: unknown): OutcomeUnknown {
  return new OutcomeUnknown('It is unknown whether the write took effect.', { cause });
}

/** Whether the connection is unusable after this error. After a statement that took too long it is usable. */
export function endsConnection(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && codeOf(error.cause) !== '57014';
}

/** Whether the server may be gone, or another one may have taken its place. */
export function questionsServer(error: unknown): boolean {
  return endsConnection(error) && ((error as Error).cause as Error | undefined)?.message !== POOL_TEXT;
}

/** Whether the server may answer and yet cannot serve. */
export function isTrouble(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && TROUBLE_CODE.test(codeOf(error.cause));
}

/** A server that accepts no writes, as if a write had failed. */
export function readOnly(why: string): DatabaseUnavailable {
  return new DatabaseUnavailable(why, { cause: Object.assign(new Error(why), { code: '25006' }) });
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
