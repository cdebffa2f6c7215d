/**
 * The service's log: JSON lines with a closed set of fields. Redaction is by construction: a line can be written only
 * through the functions below, and none of them takes a URL, a header, a body, a query or an error's message, where a
 * personal value or a secret could be. An error is logged as its kind, its code and the place it came from.
 */
import { type DestinationStream, pino } from 'pino';

export type Log = {
  /** Whether requests are logged at all, so that no line is made for nothing. */
  readonly tellsRequests: boolean;
  /** One line an answered request. `route` is the pattern (`/v2/chain/loans/:loan_id`), never the address itself. */
  request(line: {
    requestId: string;
    method: string;
    route: string;
    status: number;
    ms: number;
    code?: string;
    clientId?: string;
  }): void;
  /** What happens to the service itself: a fixed phrase and counts, names of parts, states. */
  event(message: string, facts?: Readonly<Record<string, string | number | boolean>>): void;
  /** Something failed that should not have; the service goes on. */
  failure(message: string, error: unknown, facts?: { requestId?: string; route?: string }): void;
  flush(): void;
};

export function openLog(level: string, destination: DestinationStream = pino.destination({ fd: 1, sync: false })): Log {
  const logger = pino({ level, base: { service: 'daybook' }, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return {
    tellsRequests: logger.isLevelEnabled('info'),
    request: (line) => logger.info(line, 'request'),
    event: (message, facts = {}) => logger.info(facts, message),
    failure: (message, error, facts = {}) => logger.error({ ...facts, ...describe(error) }, message),
    flush: () => logger.flush(),
  };
}

/** What may be told of an error. Its message may quote the caller (PostgreSQL's does), so it stays out. */
export function describe(error: unknown): { error: string; errorCode?: string; at?: string } {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = (error as { code?: unknown }).code;
  const at = error.stack?.match(/(?:src|migrations)\/[\w./-]+:\d+/)?.[0];
  return {
    error: error.name,
    ...(typeof code === 'string' && /^\w{1,64}$/.test(code) ? { errorCode: code } : {}),
    ...(at === undefined ? {} : { at }),
  };
}
