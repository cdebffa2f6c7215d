/** Rows of loans and of their payments, from the fold of each loan as it was known at the moment of the export. */
import type { PlainDate } from '../../core/calendar.ts';
import type { LoanStatus } from '../../core/loan.ts';
import { formatDecimal } from '../../core/rate.ts';
import { owedPrincipal, statusOf } from '../../core/status.ts';
import { feesOwed } from '../../core/working-loan.ts';
import type { Sql } from '../../store/db/db.ts';
import { type ExportedLoan, readExportedLoans } from '../../store/exports/exports.ts';
import type { Actor } from '../door/actor.ts';
import type { Clocks } from '../door/clocks.ts';
import { shareOf } from '../door/too-many-waiting.ts';
import { bucketOn, endedBy } from '../reads/figures.ts';
import { figuresOf } from '../reads/record-figures.ts';
import { ahead } from './ahead.ts';
import { isCount, loanIn, loanPart, shareOfLoans } from './cursors.ts';
import type { PersonalCells } from './personal.ts';
import { clocksOf, portionsOf, type Viewed, viewedAt, type Walk } from './reach.ts';
import type { Row, Source, SourceQuery } from './source.ts';
import type { Cell } from './text.ts';

export type LoanRowsOptions = {
  reads: (actor: Actor) => Sql;
  clocks: Clocks;
  /** Resolves when the next piece of work may hold the event loop. */
  turn: (organizationId: string) => Promise<void>;
  /** Null: nothing can be unsealed here. */
  personal: PersonalCells | null;
};

/** Loans that are unsealed at once: a record may have a megabyte. */
const UNSEALED_AT_ONCE = 16;
/** The time that loans are folded without a break. */
const SLICE_MS = 3;

export function openLoanRows({ reads, clocks, turn, personal }: LoanRowsOptions): { loans: Source; payments: Source } {
  return {
    loans: { place: ([loan, ...more]) => loanIn(loan) !== null && more.length === 0, rows: loans, share: shareOfLoans },
    payments: {
      place: ([loan, n, ...more]) => loanIn(loan) !== null && isCount(n) && more.length === 0,
      rows: payments,
      share: shareOfLoans,
    },
  };

  async function* loans(given: SourceQuery): AsyncGenerator<readonly Row[]> {
    const { actor, asked, after } = given;
    const withPersonal = asked.personal ? personal : null;
    if (asked.personal && withPersonal === null) throw new Error('Personal data cannot be exported from here.');
    const isAsked = (status: LoanStatus) => asked.statuses.length === 0 || asked.statuses.includes(status);
    const make = (view: Viewed) => (isAsked(statusOf(view.loan)) ? [{ view, cells: loanCells(view) }] : []);
    const from = { after: loanIn(after?.[0]), ...(withPersonal === null ? {} : { most: { loans: UNSEALED_AT_ONCE } }) };
    for await (const shown of made(given, from, false, make)) {
      const more =
        withPersonal === null
          ? null
          : await withPersonal(
              actor,
              shown.map(({ view }) => view),
            );
      yield shown.map(({ view, cells }) => ({
        at: [loanPart(view.loanId)],
        cells: more === null ? cells : [...cells, ...more(view.loanId)],
      }));
    }
  }

  async function* payments(given: SourceQuery): AsyncGenerator<readonly Row[]> {
    const { asked, after } = given;
    const [last, n] = [loanIn(after?.[0]), Number(after?.[1] ?? -1)];
    const { from, to } = asked;
    const make = (view: Viewed) =>
      paymentRows(view).filter(({ at, date }) => {
        if (view.loanId === last && Number(at[1]) <= n) return false;
        return (from === null || date >= from) && (to === null || date <= to);
      });
    // The loan of the place is read again, for the rest of its payments.
    yield* made(given, { after: last, including: true }, true, make);
  }

  /** The results of `make` for the loans that the caller sees, of the lender that was asked for, a portion of loans at a time. */
  async function* made<T>(
    given: SourceQuery,
    from: Pick<Walk, 'after' | 'including' | 'most'>,
    withHashes: boolean,
    make: (view: Viewed) => readonly T[],
  ): AsyncGenerator<readonly T[]> {
    const { actor, asked, moment } = given;
    const sql = reads(actor);
    const walk = { sql, actor, asked, moment, ...from };
    for await (const stored of ahead(storedOf(walk, withHashes))) {
      const clockOf = await clocksOf(clocks, stored);
      const all: T[] = [];
      let began = Number.NEGATIVE_INFINITY;
      for (const one of stored) {
        if (performance.now() - began > SLICE_MS) {
          await turn(shareOf(actor));
          began = performance.now();
        }
        const view = viewedAt(one, clockOf(one), given);
        if (view !== null && (asked.lenderId === null || view.lenderId === asked.lenderId)) all.push(...make(view));
      }
      if (all.length > 0) yield all;
    }
  }
}

async function* storedOf(walk: Walk, withHashes: boolean): AsyncGenerator<readonly ExportedLoan[]> {
  for await (const portion of portionsOf(walk)) yield await readExportedLoans(walk.sql, { ...portion, withHashes });
}

function loanCells(view: Viewed): Cell[] {
  const { loan, file } = view;
  const { contract } = loan;
  const figures = figuresOf({ file, loan });
  const { late, dates } = figures;
  return [
    view.loanId,
    loan.on,
    file.applicationId,
    view.lenderId,
    given(view.primaryServicerId),
    given(view.secondaryServicerId),
    file.loanType,
    statusOf(loan),
    endedBy(loan),
    view.events.length,
    new Date(view.createdAt).toISOString(),
    given(dates.origination),
    figures.fundedOn,
    given(dates.first),
    given(dates.next),
    given(dates.maturity),
    contract.frequency,
    contract.amortization,
    figures.term,
    contract.count,
    late.remaining,
    formatDecimal(loan.rate),
    given(file.grade),
    given(file.riskRating),
    file.collateralType,
    figures.collateral,
    contract.amount,
    figures.scheduledPayment,
    owedPrincipal(loan),
    loan.interest,
    feesOwed(loan),
    loan.credit,
    loan.creditSince,
    late.pastDueAmount,
    late.daysPastDue,
    loan.nonAccrualSince,
    bucketOn(loan),
    figures.received,
    figures.principalPaid,
    figures.interestPaid,
    figures.feesPaid,
    figures.writtenOff,
    figures.recovered,
  ];
}

const given = (text: string): string | null => (text === '' ? null : text);

/** In the order of the fold, with the place in it. */
function paymentRows({ loanId, lenderId, loan, events, hashes }: Viewed): (Row & { readonly date: PlainDate })[] {
  const hashOf = new Map<string, string>();
  events.forEach((event, i) => {
    if (event.type === 'paymentSubmitted') hashOf.set(event.refId, `0x${hashes[i]}`);
  });
  const part = loanPart(loanId);
  return loan.payments.map(({ allocation, date, ...payment }, n) => ({
    at: [part, String(n)],
    date,
    cells: [
      loanId,
      lenderId,
      payment.refId,
      date,
      payment.amount,
      payment.status,
      payment.purpose,
      payment.method,
      payment.trace,
      payment.recovery,
      allocation.principal,
      allocation.interest,
      allocation.fees,
      allocation.credit,
      payment.balance,
      hashOf.get(payment.refId) ?? null,
    ],
  }));
}
