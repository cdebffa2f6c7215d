/**
 * The service's log: JSON lines with a closed set of fields. It needs no redaction: the functions below are the only way to
 * write a line, and none of them takes a URL, a header, a body, a query or an error's message, which could hold a personal
 * value or a secret. An error is logged as its kind, its code and the place where it was thrown.
 */
import { type DestinationStream, pino } from 'pino';

export type Log = {
  /** Whether requests are logged at the level in use; if not, no line is built. */
  readonly logsRequests: boolean;
  /** One line per answered request. `route` is the pattern (`/v2/chain/loans/:loan_id`), never the URL itself. */
  request(line: {
    requestId: string;
    method: string;
    route: string;
    status: number;
    ms: number;
    code?: string;
    clientId?: string;
  }): void;
  /** An event of the service itself: a fixed phrase, with counts, names of parts and states. */
  event(message: string, facts?: Readonly<Record<string, string | number | boolean>>): void;
  /** An unexpected failure; the service continues. */
  failure(
    message: string,
    error: unknown,
    facts?: { requestId?: string; route?: string; organizationId?: string },
  ): void;
  /** The operator has to act; `detail` is a fixed text that says what to do, without any value of a request. */
  alarm(message: string, detail: string): void;
  flush(): void;
};

export function openLog(level: string, destination: DestinationStream = pino.destination({ fd: 1, sync: false })): Log {
  const logger = pino({ level, base: { service: 'daybook' }, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return {
    logsRequests: logger.isLevelEnabled('info'),
    request: (line) => logger.info(line, 'request'),
    event: (message, facts = {}) => logger.info(facts, message),
    failure: (message, error, facts = {}) => logger.error({ ...facts, ...describe(error) }, message),
    alarm: (message, detail) => logger.error({ detail }, message),
    flush: () => logger.flush(),
  };
}

/** The facts of an error that may be logged. Its message may quote the caller (PostgreSQL's does), so it is left out. */
export function describe(error: unknown): { error: string; errorCode?: string; at?: string } {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = (error as { code?: unknown }).code;
  const at = placeOf(error);
  return {
    error: error.name,
    ...(typeof code === 'string' && /^\w{1,64}$/.test(code) ? { errorCode: code } : {}),
    ...(at === undefined ? {} : { at }),
  };
}

/** File and line of the first frame that is ours. The message before the frames may quote the caller, so it is not read. */
function placeOf({ stack = '', message }: Error): string | undefined {
  const said = stack.indexOf(message);
  const frames = said < 0 ? stack : stack.slice(said + message.length);
  for (const frame of frames.split('\n')) {
    const at = frame.indexOf('/src/');
    const place = at < 0 || !frame.startsWith('    at ') ? null : /^[\w./-]+:\d+/.exec(frame.slice(at + 1));
    if (place !== null) return place[0];
  }
  return undefined;
}
