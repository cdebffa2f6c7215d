/** The facts that the row of a loan holds, for lists, books and the nightly cycle. */
import { bookFiguresOf } from '../../core/books.ts';
import { addDays, type PlainDate } from '../../core/calendar.ts';
import { pastDueFrom } from '../../core/delinquency.ts';
import { chargeOffRequiredBy, nextDayNoted } from '../../core/end-of-day.ts';
import type { Loan } from '../../core/loan.ts';
import { closedBy, graceOf, owedPrincipal, storedStatus } from '../../core/status.ts';
import { accruingOf, booksChangeOn } from '../../ledger/accrue.ts';
import { lastFlowsOf, standingOf } from '../../portfolio/position.ts';
import type { Summary } from '../../store/door/save-loans.ts';

/** The facts of a loan on the day of its last event. */
export function summaryOf(loan: Loan): Summary {
  const from = pastDueFrom(loan);
  const { month, flows } = lastFlowsOf(loan);
  return {
    status: storedStatus(loan),
    pastDueFrom: from,
    delinquentFrom: from === null ? null : addDays(from, graceOf(loan) + 1),
    nextDue: from ?? 'infinity',
    loanAmount: loan.contract.amount,
    principal: owedPrincipal(loan),
    published: loan.published,
    recordedOn: loan.on,
    closedBy: closedBy(loan),
    figures: bookFiguresOf(loan),
    accruing: accruingOf(loan),
    booksChangeOn: booksChangeOn(loan),
    changesOn: changesOn(loan),
    chargeOffBy: chargeOffRequiredBy(loan),
    standing: standingOf(loan),
    flowMonth: month,
    flows,
  };
}

/** The first day after the loan's own on which something accrues or falls due without an event; null: none. */
export function changesOn(loan: Loan): PlainDate | null {
  const books = booksChangeOn(loan);
  const noted = nextDayNoted(loan);
  return noted === null || (books !== null && books < noted) ? books : noted;
}
