/**
 * The reports of every month end, as they were reported, compared with the trial balance of that day, by lender. Positions that follow from a
 * loan's history are checked loan by loan; this says whether reports and books are about the same loans.
 */
import { addDays, lastOfMonth, type PlainDate } from '../../core/calendar.ts';
import { TIED_ACCOUNTS } from '../../ledger/chart.ts';
import { readMonthlyChanges } from '../../store/books/books.ts';
import type { CycleHead } from '../../store/cycle/cycles.ts';
import type { Session, Sql } from '../../store/db/db.ts';
import { type ReportedTotals, readReportedTotals } from '../../store/reports/checks.ts';
import { readNights } from '../../store/verify/verify.ts';
import { type BookComplaint, complaintOf } from './complaint.ts';
import { type PositionsReach, reachOf } from './positions.ts';
import { surely } from './second-look.ts';

/** The accounts that a total of a report is the balance of; credits are owed to borrowers. */
const TOTALS = {
  principal: ['loanPrincipal'],
  interest: ['accruedInterest', 'interestReceivable'],
  fees: ['feeReceivable'],
  credits: ['borrowerCredits'],
  'credits by age': ['borrowerCredits'],
} as const satisfies Record<string, readonly (typeof TIED_ACCOUNTS)[number][]>;
type Total = keyof typeof TOTALS;
const NAMES = Object.keys(TOTALS) as Total[];

type Difference = { readonly date: PlainDate; readonly lenderId: string; readonly total: Total } & Compared;
type Compared = { readonly expected: number; readonly found: number };

export async function checkReportedTotals(
  session: Session,
  reach: PositionsReach,
  complain: (complaint: BookComplaint) => void,
): Promise<void> {
  for (const [organizationId, { head }] of reach) {
    const wrong = await surely(
      session,
      await differences(session, head),
      (found) => found.length > 0,
      async (tx) => {
        const now = reachOf(await readNights(tx)).get(organizationId);
        return now === undefined ? [] : differences(tx, now.head);
      },
    );
    for (const { date, lenderId, total, expected, found } of wrong) {
      const what = `${organizationId} ${lenderId} ${date}: the total of ${total} does not match the trial balance`;
      complain(complaintOf('position_sums', {}, what, { expected, found }));
    }
  }
}

/** Between the first and the last cycle of an organization. */
async function differences(sql: Sql, { organizationId, first, through }: CycleHead): Promise<Difference[]> {
  const changes = await readMonthlyChanges(sql, organizationId, TIED_ACCOUNTS);
  const reported = new Map<string, ReportedTotals>();
  for (const one of await readReportedTotals(sql, organizationId)) reported.set(`${one.date} ${one.lenderId}`, one);
  const lenders = new Set([...changes, ...reported.values()].map(({ lenderId }) => lenderId));
  const found: Difference[] = [];
  for (const lenderId of lenders) {
    const own = changes.filter((one) => one.lenderId === lenderId).sort((a, b) => (a.month < b.month ? -1 : 1));
    const balances = new Map<string, number>();
    let next = 0;
    for (let date = lastOfMonth(first); date <= through; date = lastOfMonth(addDays(date, 1))) {
      for (let one = own[next]; one !== undefined && one.month <= date; one = own[next]) {
        balances.set(one.account, (balances.get(one.account) ?? 0) + Number(one.amount));
        next += 1;
      }
      const row = reported.get(`${date} ${lenderId}`);
      for (const total of NAMES) {
        const balance = TOTALS[total].reduce((sum, account) => sum + (balances.get(account) ?? 0), 0);
        const compared = {
          expected: total.startsWith('credits') ? 0 - balance : balance,
          found: Number(row?.[total] ?? 0),
        };
        if (compared.expected !== compared.found) found.push({ date, lenderId, total, ...compared });
      }
    }
  }
  return found;
}
