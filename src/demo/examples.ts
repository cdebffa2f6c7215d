/**
 * Values of the demonstration for the playground's examples: for each operation a loan on which it is possible now, with what it takes
 * (a payment to return, a fee to waive), and for each read something to see. Ids, days and amounts; nothing of a person.
 */
import { addDays, addMonths, type PlainDate } from '../core/calendar.ts';
import type { Operation } from '../core/decide/decide.ts';
import { amountText } from '../core/decimal.ts';
import { delinquency } from '../core/delinquency.ts';
import { isInForce } from '../core/holds.ts';
import { type Loan, stayed } from '../core/loan.ts';
import { cents } from '../core/money.ts';
import { whyNotUndone } from '../core/undo.ts';
import type { Actor } from '../loans/door/actor.ts';
import type { OpenLoans } from '../loans/open.ts';
import type { LoanState } from '../loans/reads/view.ts';

type Values = Readonly<Record<string, unknown>>;
type Example = { readonly parameters?: Readonly<Record<string, string>>; readonly body?: Values };
/** By the path of the operation after `/v2/chain/`; `*`: parameters of all others. */
export type Examples = Readonly<Record<string, Example>>;

type Reads = Pick<OpenLoans, 'reads' | 'ledger' | 'approvals' | 'policies' | 'cycle' | 'books'>;

const NOW = { asOf: null, knownAt: null };
const MOST_LOANS = 200;

export async function examplesIn(loans: Reads, organizationId: string): Promise<Examples> {
  const actor: Actor = {
    ...{ organizationId, clientId: 'playground', keyId: null, grants: [], requestId: 'playground', purpose: '' },
    scopes: new Set(['loans:read']),
  };
  const page = await loans.reads.list(actor, { limit: MOST_LOANS, cursor: null, sort: '-createdAt' });
  if (page === 'bad_cursor' || page.items.length === 0) return {};
  const fitting = new Map<Operation, Fitting[]>();
  const seen: LoanState[] = [];
  for (const { loanId } of page.items) {
    const found = await loans.reads.allowed(actor, loanId, NOW);
    if (found === null || found === 'before') continue;
    seen.push(found.view);
    for (const operation of found.allowed) {
      const body = (TAKES[operation] ?? nothing)(found.view);
      if (body === null) continue;
      const others = fitting.get(operation) ?? [];
      fitting.set(operation, [...others, { loanId, body }]);
    }
  }
  return {
    ...toRead(seen, page.total),
    ...spread(fitting),
    ...(await undone(loans, actor, seen)),
    ...(await books(loans, actor)),
  };
}

type Fitting = { readonly loanId: string; readonly body: Values };

/** The operations with the fewest loans to choose from first, each with the loan that the fewest others have: one may end what another needs. */
function spread(fitting: ReadonlyMap<Operation, readonly Fitting[]>): Record<string, Example> {
  const uses = new Map<string, number>();
  const used = ({ loanId }: Fitting): number => uses.get(loanId) ?? 0;
  const rarest = [...fitting].sort(([, a], [, b]) => a.length - b.length);
  return Object.fromEntries(
    rarest.map(([operation, [first, ...others]]) => {
      const chosen = others.reduce((best, one) => (used(one) < used(best) ? one : best), first as Fitting);
      uses.set(chosen.loanId, used(chosen) + 1);
      return [operation, { body: { loanId: chosen.loanId, ...chosen.body } }];
    }),
  );
}

type Takes = (view: LoanState) => Values | null;
const nothing: Takes = () => ({});

/** The values that an operation takes from its loan, beside those that suit every loan; null: this loan lacks them. */
const TAKES: { readonly [O in Operation]?: Takes } = {
  'loan-repay': ({ loan, version }) =>
    loan.principal > 100_000 && loan.payments.length > 2 ? { refId: `TRY-${version}` } : null,
  'acknowledge-repayment': ({ loan }) => namedIn(loan.payments, ({ status }) => status === 'Submitted'),
  'return-repayment': ({ loan }) => namedIn(loan.payments, (one) => stayed(one) && isRecent(one, loan)),
  'reverse-repayment': ({ loan }) => namedIn(loan.payments, (one) => stayed(one) && isRecent(one, loan)),
  'payoff-quotes': ({ loan }) => ({ goodThrough: addDays(loan.on, 10) }),
  settle: ({ loan }) =>
    loan.principal > 0
      ? { amount: amountText(cents(Math.floor(loan.principal / 2)), true), goodThrough: addDays(loan.on, 30) }
      : null,
  'assess-fee': ({ version }) => ({ feeId: `TRY-${version}` }),
  'waive-fee': ({ loan }) => {
    const open = loan.fees.find(({ amount, paid, waived }) => amount > paid + waived);
    return open === undefined ? null : { feeId: open.feeId };
  },
  'change-rate': ({ loan }) => (loan.service === null ? { serviceFrom: loan.on } : null),
  'change-due-date': ({ loan }) => {
    const due = delinquency(loan).nextDueDate;
    return due === null || due <= loan.on ? null : { to: addDays(due, 5) };
  },
  'place-hold': ({ loan, version }) =>
    loan.holds.length > 0 || loan.fundedOn === null
      ? null
      : { holdId: `TRY-${version}`, from: loan.on, details: { chapter: 13, filed: loan.on, caseNumber: '26-10234' } },
  'release-hold': ({ loan }) => {
    const hold = loan.holds.find((one) => isInForce(one, loan.on) && one.releasedOn === null);
    return hold === undefined ? null : { holdId: hold.holdId };
  },
  'record-recovery': ({ version }) => ({ refId: `TRY-${version}` }),
  'refund-credit': ({ loan, version }) =>
    loan.credit > 0 ? { amount: amountText(loan.credit, true), refId: `TRY-${version}` } : null,
  'cancel-boarding': ({ loan }) => {
    const { fees, quotes, defaultedOn, chargeOff, moves } = loan;
    return fees.length + quotes.length + moves.length === 0 && defaultedOn === null && chargeOff === null ? {} : null;
  },
  rescind: ({ loan }) => ({ date: loan.on }),
  publish: ({ loan }) => ({ published: !loan.published }),
  transfer: ({ loan }) => ({ date: addDays(loan.on, 14) }),
  // Whether one is offered or scheduled, the loan does not know.
  'accept-transfer': () => null,
  'cancel-transfer': () => null,
  // It names one transaction of the loan: `undone`.
  undo: () => null,
};

function namedIn(payments: Loan['payments'], fits: (one: Loan['payments'][number]) => boolean): Values | null {
  const found = payments.findLast(fits);
  return found === undefined ? null : { refId: found.refId };
}

/** A bank returns a payment within days. */
const isRecent = ({ date }: { readonly date: PlainDate }, { on }: Loan): boolean => date >= addDays(on, -45);

/** One loan for every read, in repayment and assessed here, so that each shows something. */
function toRead(seen: readonly LoanState[], total: number): Record<string, Example> {
  const shown =
    seen.find(({ loan, status, file }) => {
      const { payments, boardedOn } = loan;
      return status === 'Current' && payments.length > 2 && boardedOn === null && file.assessed === 'here';
    }) ?? seen[0];
  if (shown === undefined) return {};
  const { loanId, loan, paymentHashes, startBlock } = shown;
  const rejected = seen.find(({ status }) => status === 'Rejected');
  const lastMonth = addMonths(loan.on, -1).slice(0, 7);
  return {
    '*': { parameters: { loan_id: loanId } },
    'loans/{loan_id}/deals/{index}/cashflows': { parameters: { index: '0' } },
    'loans/{loan_id}/reports/{n}': { parameters: { n: '1' } },
    'loans/{loan_id}/explain/{figure}': { parameters: { figure: 'payoff' } },
    'ledger/transactions/{hash}': { parameters: { hash: [...paymentHashes.values()].at(-1) ?? '' } },
    'ledger/blocks/{n}': { parameters: { n: String(startBlock) } },
    'ledger/entries': { parameters: { date: loan.payments.at(-1)?.date ?? loan.on } },
    'ledger/roll-forward': { parameters: { period: lastMonth } },
    'ledger/export': { parameters: { period: lastMonth } },
    transfers: { parameters: { direction: 'out' }, body: { date: addDays(loan.on, 14) } },
    'users/names': { parameters: { ids: 'user_7h2k9d4m' } },
    'clock/advance': { body: { to: addDays(loan.on, 7) } },
    loans: { body: { applicationId: `TRY-${total + 1}` } },
    ...(rejected === undefined ? {} : { 'adverse-action-notice': { body: { loanId: rejected.loanId } } }),
  };
}

/** A loan whose last transaction can be undone, and that transaction. */
async function undone(loans: Reads, actor: Actor, seen: readonly LoanState[]): Promise<Record<string, Example>> {
  for (const { loanId, status } of seen) {
    if (status !== 'Current' && status !== 'Delinquent') continue;
    const view = await loans.reads.read(actor, loanId, NOW);
    const last = view === null || view === 'before' ? undefined : view.events.at(-1);
    if (last === undefined || whyNotUndone(last) !== null) continue;
    const transactionHash = (await loans.ledger.transactions(actor, loanId))?.at(-1)?.transactionHash;
    return { undo: { body: { loanId, transactionHash } } };
  }
  return {};
}

/** Pending approvals, policies, cycles and the open period of the organization. */
async function books(loans: Reads, actor: Actor): Promise<Record<string, Example>> {
  const [pending, [policy], cycles, period] = await Promise.all([
    loans.approvals.list(actor, { operations: [], state: 'pending', loanId: null, limit: 1, cursor: null }),
    loans.policies.list(actor, { before: null, limit: 1 }),
    loans.cycle.list(actor, { before: null, limit: 1 }),
    loans.books.nextToClose(actor),
  ]);
  const waiting = pending === 'bad_cursor' ? undefined : pending.items[0];
  const day = cycles.items[0]?.date;
  const entries =
    day === undefined ? [] : await loans.books.entries(actor, { day, lenderId: null, after: null, limit: 1 });
  const [entry] = entries;
  return {
    ...(waiting === undefined ? {} : decisions(waiting)),
    ...(policy === undefined ? {} : { 'policies/{policy_id}': { parameters: { policy_id: policy.policyId } } }),
    ...(day === undefined ? {} : { 'cycles/{date}': { parameters: { date: day } } }),
    ...(entry === undefined ? {} : { 'ledger/entries/{id}/loans': { parameters: { id: entry.transactionHash } } }),
    ...(period === null ? {} : { 'ledger/close': { body: { period } } }),
  };
}

function decisions({ approvalId, previewHash }: { approvalId: string; previewHash: string }): Record<string, Example> {
  return {
    'approvals/{approval_id}': { parameters: { approval_id: approvalId } },
    approve: { body: { approvalId, previewHash } },
    reject: { body: { approvalId } },
  };
}
