/**
 * Every answer that holds the record of a loan is read as a strict client reads it, in whatever test it is received. Only what went over the
 * wire is known here: a loan that was created as an application and then underwritten was assessed by the service; of any other the
 * record may hold what its lender sent.
 */
import { hash } from 'node:crypto';
import {
  type Violation,
  violationsOfDetails,
  violationsOfPublicRecord,
  violationsOfRecord,
  violationText,
} from './interface-rules.ts';

type Sent = { method: string; path: string; body: unknown };
type Received = { status: number; headers: Headers; body: unknown; text: string };

/** Throws when an answer has a record that is not as the interface says, with everything that is wrong in it. */
export type ReadStrictly = (sent: Sent, received: Received) => void;

/** For the answers of one service. */
export function strictReader(): ReadStrictly {
  const applications = new Set<string>();
  const underwritten = new Set<string>();
  // The same bytes, asked for in the same way, say the same: most tests read one loan many times.
  const read = new Set<string>();

  return (sent, { status, headers, body, text }) => {
    if (status !== 200) return;
    const [address = '', query = ''] = sent.path.split('?', 2);
    if (sent.method === 'POST') {
      if (query.includes('dryRun')) return;
      const created = /\/(?:loans|applications)\/?$/.test(address) && member(body, 'loanId');
      if (typeof created === 'string' && isApplication(sent.body)) applications.add(created);
      const started = /\/start-underwriting\/?$/.test(address) && member(sent.body, 'loanId');
      if (typeof started === 'string' && applications.has(started)) underwritten.add(started);
      return;
    }
    const details = member(member(body, 'data'), 'loanDetails');
    if (details === undefined) return;
    const loanId = /0x[0-9a-f]{64}/i.exec(address)?.[0].toLowerCase() ?? '';
    const plain = headers.get('preference-applied') === 'numbers=plain';
    const once = `${address} ${plain} ${hash('sha1', text)}`;
    if (read.has(once)) return;
    const known = { plain, ...(underwritten.has(loanId) ? {} : { assessed: 'elsewhere' as const }) };
    const found = violationsIn(address, { body, details }, known);
    if (found.length > 0) throw new Error(report(`${sent.method} ${sent.path}`, found));
    read.add(once);
  };
}

function violationsIn(
  address: string,
  { body, details }: { body: unknown; details: unknown },
  known: Parameters<typeof violationsOfRecord>[1],
): Violation[] {
  const isMarket = address.startsWith('/market/');
  if (!isMarket && /\/(?:loans|applications)\/0x[0-9a-f]{64}\/?$/i.test(address))
    return violationsOfRecord(body, known);
  if (/\/loan-data\/0x[0-9a-f]{64}\/?$/i.test(address) || (isMarket && address.endsWith('/record'))) {
    return violationsOfPublicRecord(body, known);
  }
  return violationsOfDetails(details, '/data/loanDetails', { ...known, isPublic: isMarket });
}

const MOST = 40;

function report(what: string, found: readonly Violation[]): string {
  const lines = found.slice(0, MOST).map((one) => `  ${violationText(one)}`);
  const more = found.length > MOST ? [`  and ${found.length - MOST} more`] : [];
  return [`${what} is not as the interface says:`, ...lines, ...more].join('\n');
}

/** `Request` and the terms, without a record of any kind. What was sent as text is not looked into: some tests count what is parsed. */
function isApplication(body: unknown): boolean {
  if (typeof body !== 'object') return false;
  return ['Response', 'Underwriting', 'loanDetails', 'data'].every((name) => member(body, name) === undefined);
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
