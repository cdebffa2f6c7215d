/** List of things to do: failures first, then waiting work, then news. */
import { count, day } from '../../format.ts';
import { daysLeft } from '../approvals/requests.ts';

/** Facts of the day; a part that the person may not see, or that is not loaded yet, is undefined. */
export type Today = {
  date: string;
  tie?: { account: string; difference: string }[];
  cycle?: { daysBehind: number; date: string | null; exceptions: number; proposals: number };
  approvals?: { waiting: number; more: boolean; firstLapsesOn: string | null };
  applications?: { waiting: Counted; oldest: string | null };
  /** Applications to whose people a notice is owed, in the order of its day. */
  notices?: { past: number; soon: number; more: boolean };
  /** 1 to 29 days past due. */
  late?: { turned: Counted };
  /** Charged off by the cycle for days past due that are not found any more. */
  groundsGone?: Counted;
};
export type Counted = { count: number; exact: boolean };

export type Matter = {
  tone: 'bad' | 'late' | 'info';
  word: string;
  text: string;
  to: string;
  search?: Record<string, string | number>;
};

export const GROUND_GONE_SEARCH = { chargeOffGroundGone: 'true' } as const;

/** Newly late: what can still be set right with a call. The fewest days first. */
export const LATE_SEARCH = { bucket: '1-29', sort: 'daysPastDue' } as const;

export function matters({ date, tie, cycle, approvals, applications, late, groundsGone, notices }: Today): Matter[] {
  const found: Matter[] = [];
  const differing = tie?.filter(({ difference }) => isNot0(difference)) ?? [];
  if (differing.length > 0) {
    const text = `The books do not tie: ${many(differing.length, 'account differs', 'accounts differ')} from the loans.`;
    found.push({ tone: 'bad', word: 'Books', text, to: '/books/tie-out' });
  }
  if (cycle !== undefined && cycle.daysBehind > 0) {
    const text = `The nightly cycle is ${many(cycle.daysBehind, 'day', 'days')} behind.`;
    found.push({ tone: 'bad', word: 'Cycle', text, to: '/books/cycles' });
  }
  if (cycle !== undefined && cycle.exceptions > 0) {
    const text = `${many(cycle.exceptions, 'loan', 'loans')} failed in the cycle of ${day(cycle.date)}.`;
    found.push({ tone: 'bad', word: 'Cycle', text, to: '/books/cycles' });
  }
  if (approvals !== undefined && approvals.waiting > 0) {
    const left = approvals.firstLapsesOn === null ? null : daysLeft(approvals.firstLapsesOn, date);
    const urgent = left === 'today' || left === 'tomorrow';
    const waits = `${count(approvals.waiting)}${approvals.more ? '+' : ''} ${approvals.waiting === 1 ? 'approval waits' : 'approvals wait'}`;
    const text = `${waits}${left === null ? '' : `; the first lapses ${left}`}.`;
    found.push({ tone: urgent ? 'late' : 'info', word: 'Approvals', text, to: '/approvals' });
  }
  if (notices !== undefined && notices.past + notices.soon > 0) {
    const isPast = notices.past > 0;
    const number = isPast ? notices.past : notices.soon;
    const those = counted({ count: number, exact: !notices.more }, 'application owes', 'applications owe');
    const text = `${those} a notice ${isPast ? 'that is overdue' : 'within a week'}.`;
    found.push({ tone: isPast ? 'bad' : 'late', word: 'Notices', text, to: '/underwriting' });
  }
  if (cycle !== undefined && cycle.proposals > 0) {
    const text = `${many(cycle.proposals, 'loan is', 'loans are')} proposed for charge-off.`;
    found.push({ tone: 'late', word: 'Charge-off', text, to: '/books/cycles' });
  }
  if (groundsGone !== undefined && groundsGone.count > 0) {
    const text = `${counted(groundsGone, 'loan was', 'loans were')} charged off for days past due that are not found any more.`;
    found.push({ tone: 'late', word: 'Charge-off', text, to: '/loans', search: GROUND_GONE_SEARCH });
  }
  if (late !== undefined && late.turned.count > 0) {
    const text = `${counted(late.turned, 'loan is', 'loans are')} newly late, 1 to 29 days past due.`;
    found.push({ tone: 'late', word: 'Late', text, to: '/loans', search: LATE_SEARCH });
  }
  if (applications !== undefined && applications.waiting.count > 0) {
    const since = applications.oldest === null ? '' : `; the oldest since ${day(applications.oldest)}`;
    const text = `${counted(applications.waiting, 'application waits', 'applications wait')}${since}.`;
    found.push({ tone: 'info', word: 'Applications', text, to: '/underwriting' });
  }
  const rank = { bad: 0, late: 1, info: 2 };
  return found.sort((a, b) => rank[a.tone] - rank[b.tone]);
}

/** Days before its day from which a notice is a matter of Home. */
const SOON = 7;

export function noticeFacts(data: {
  items: readonly { daysLeft: number }[];
  nextCursor: string | null;
}): NonNullable<Today['notices']> {
  const past = data.items.filter(({ daysLeft }) => daysLeft < 0).length;
  const soon = data.items.filter(({ daysLeft }) => daysLeft >= 0 && daysLeft <= SOON).length;
  // All that are shown are past, or within days: there may be more of them on the next page.
  const more = data.nextCursor !== null && past + soon === data.items.length;
  return { past, soon, more };
}

const many = (number: number, one: string, several: string) => `${count(number)} ${number === 1 ? one : several}`;
const counted = ({ count: number, exact }: Counted, one: string, several: string) =>
  `${count(number)}${exact ? '' : '+'} ${number === 1 && exact ? one : several}`;
/** "0", "0.00" */
const isNot0 = (amount: string) => /[1-9]/.test(amount);
export const countText = ({ count: number, exact }: Counted): string => `${count(number)}${exact ? '' : '+'}`;
