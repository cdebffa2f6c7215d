/** Everything that changes a loan. Each operation reads its body into a command; the door decides. Shapes are in `schemas.ts`. */
import { randomUUID } from 'node:crypto';
import type { Static, TSchema } from 'typebox';
import type { Scope } from '../../access/scopes.ts';
import { addDays, PER_YEAR, type PlainDate } from '../../core/calendar.ts';
import { allowedIn, type Command, TRANSITIONS } from '../../core/decide/decide.ts';
import { amountText } from '../../core/decimal.ts';
import type { Contract, Quote } from '../../core/loan.ts';
import { ZERO } from '../../core/money.ts';
import { payoff } from '../../core/payoff.ts';
import { parsePercent } from '../../core/rate.ts';
import { type Refusal, refuse } from '../../core/refusal.ts';
import type { Deal } from '../../loans/file.ts';
import type { Actor, Change, Loans, LoanView, Outcome, Write, WriteOptions } from '../../loans/loans.ts';
import { compose } from '../compose.ts';
import { looksLikeSsn, readCreation } from '../create.ts';
import { CreationRequest } from '../create-schema.ts';
import { openingFromMetadata } from '../opening.ts';
import { type Answer, type Operation, operation } from '../operation.ts';
import { Problem, type ProblemCode, unavailable } from '../shell/problems.ts';
import { refusedProblem } from '../shell/refusal-problems.ts';
import { Reader } from '../wire.ts';
import { actorOf, applied, wantsPlain, writeOptions } from './actor.ts';
import { amountTexts, inColumns, remainingBalance } from './figures.ts';
import { idIn, noSuchLoan } from './ids.ts';
import * as shape from './schemas.ts';

/** Other names under which clients know these operations. */
export const ALIASES: Readonly<Record<string, readonly string[]>> = {
  loans: ['applications'],
  'fund-loan': ['disburse-loan'],
  'initiate-repayment': ['initiate-payment'],
  'loan-repay': ['loan-payment'],
  'acknowledge-repayment': ['acknowledge-payment'],
};

/** What the answer of an operation has beside hash, id and status, made from what was done. */
type Telling = (change: Change, plain: boolean) => object;
/** The command, or how it is made once the loan's file is known. */
type Made = Command | ((view: LoanView) => Command);

const described = {
  query: shape.WriteQuery,
  ...shape.writeHeaders,
} as const;

const WRITE_PROBLEMS: readonly ProblemCode[] = [
  'not_found',
  'conflict',
  'not_granted',
  'idempotency_key_in_use',
  'idempotency_key_reused',
  'precondition_failed',
];

/** The operations that take a loan from its creation to its end; all others service it on the way. */
const LIFE: ReadonlySet<string> = new Set([
  'request-documents',
  'verify-documents',
  'start-underwriting',
  'complete-underwriting',
  'request-collateral',
  'approve-collateral',
  'fund-loan',
  'initiate-repayment',
  'loan-repay',
  'acknowledge-repayment',
  'return-repayment',
  'payoff-quotes',
  'close',
  'cancel',
  'publish',
]);

export const loanWrites: readonly Operation[] = [
  ...named(
    'loans',
    operation({
      ...described,
      at: 'POST /loans',
      id: 'createLoan',
      tag: 'Loans',
      summary: 'Create a loan',
      description:
        'Boards a loan that was assessed elsewhere (with `Response` and `Underwriting`), or takes an application (`Request` and the terms). ' +
        'What was handed over comes back as it was given.',
      scopes: ['loans:write'],
      key: 'required',
      body: CreationRequest,
      answer: shape.CreatedAnswer,
      problems: [...WRITE_PROBLEMS, 'application_exists'],
      async handle(call) {
        const { services, body, source, query, headers } = call;
        const plain = wantsPlain(headers);
        const options = writeOptions(call, { path: '/loans', dryRun: query.dryRun });
        if (options.ifVersion !== null || headers['if-match'] !== undefined) {
          throw new Problem('precondition_failed', 'A loan that is not created yet has no version to match.');
        }
        const creation = readCreation(source, body as object, services.loans.today());
        const answer = (change: Change) => answerText(change, { dryRun: options.dryRun, plain });
        const outcome = await services.loans.create(await actorOf(call), { ...creation, answer }, options);
        return answered(outcome, { plain, dryRun: options.dryRun });
      },
    }),
  ),

  // ---- before the money goes out ----
  ...change({
    does: 'request-documents',
    id: 'requestDocuments',
    summary: 'Ask for documents',
    description: 'Records that the applicant was asked for documents.',
    scopes: ['loans:write'],
    body: shape.LoanRequest,
    command: () => ({ do: 'request-documents' }),
  }),
  ...change({
    does: 'verify-documents',
    id: 'verifyDocuments',
    summary: 'Say whether the documents are complete',
    description:
      'With `documentsComplete` false nothing changes, and the hash of the loan’s last transaction is answered.',
    scopes: ['loans:write'],
    body: shape.VerifyDocumentsRequest,
    command: (_read, { documentsComplete }) => ({ do: 'verify-documents', complete: documentsComplete }),
  }),
  ...change({
    does: 'start-underwriting',
    id: 'startUnderwriting',
    summary: 'Start underwriting',
    description:
      'An application (`Request` and the terms) is assessed: reports are pulled, and `Response` and `Underwriting` are there when this ' +
      'answers. A new run replaces them. On a loan that was assessed elsewhere, or whose application names nobody, only the status ' +
      'changes; so it does when the application lacks what no report can tell, and `missing` says what. When the credit bureau gives no report the answer is 503 and nothing has changed.',
    scopes: ['underwriting:write'],
    body: shape.LoanRequest,
    command: () => ({ do: 'start-underwriting' }),
    write: (loans, actor, write, options) => loans.startUnderwriting(actor, write, options, compose),
    tells: ({ unassessed }) => (unassessed === undefined ? {} : { assessed: false, missing: unassessed }),
  }),
  ...change({
    does: 'complete-underwriting',
    id: 'completeUnderwriting',
    summary: 'Decide: approved or rejected',
    description:
      'Without `approved` the decision of the assessment on the chosen deal is taken; a loan without one needs `approved`. Another ' +
      'decision than that one needs a `reason`. `dealIndex` chooses one of the offered deals, whose terms become the contract.',
    scopes: ['underwriting:write'],
    body: shape.CompleteUnderwritingRequest,
    answer: shape.DecisionAnswer,
    command: (_read, body) => (view) => decision(view, body),
    write: (loans, actor, write, options, { dealIndex = 0 }) =>
      loans.completeUnderwriting(actor, write, options, { dealIndex, compose }),
    reason: ({ reason }) => reason,
    tells: ({ status }) => ({ decision: status === 'Rejected' ? 'DECLINED' : 'APPROVED' }),
  }),
  ...change({
    does: 'request-collateral',
    id: 'requestCollateral',
    summary: 'Ask for collateral',
    description: 'Records that collateral was asked for.',
    scopes: ['loans:write'],
    body: shape.LoanRequest,
    command: () => ({ do: 'request-collateral' }),
  }),
  ...change({
    does: 'approve-collateral',
    id: 'approveCollateral',
    summary: 'Approve the collateral',
    description: 'With the value at which it is taken.',
    scopes: ['loans:write'],
    body: shape.ApproveCollateralRequest,
    command: (read, body) => ({ do: 'approve-collateral', value: read.positiveAmount(body, 'collateralAmount', '') }),
  }),
  ...change({
    does: 'fund-loan',
    id: 'fundLoan',
    summary: 'Fund the loan',
    description:
      'The money goes out: dates are set and interest runs. `metadata` hands over the figures of an earlier servicer; without it those ' +
      'of the creation are taken, if there were any.',
    scopes: ['loans:fund'],
    body: shape.FundRequest,
    names: { opening: 'metadata' },
    command: (_read, body, today) => (view) => ({
      do: 'fund-loan',
      ...(body.metadata === undefined
        ? { date: null, opening: view.file.opening }
        : openingFromMetadata(body.metadata, view, today)),
    }),
  }),
  ...change({
    does: 'initiate-repayment',
    id: 'initiateRepayment',
    summary: 'Begin the repayment',
    description:
      'On a loan that is approved and not funded yet it funds first: two transactions, of which the second’s hash is answered; that needs ' +
      'the scope `loans:fund`. On a loan whose repayment has begun nothing changes.',
    scopes: ['servicing:write', 'loans:fund'],
    body: shape.LoanRequest,
    command: () => (view) => ({ do: 'initiate-repayment', date: null, opening: view.file.opening }),
  }),
  ...change({
    does: 'cancel',
    id: 'cancelLoan',
    summary: 'Cancel before funding',
    description: 'Ends an application; it cannot be undone.',
    scopes: ['loans:write'],
    body: shape.CancelRequest,
    command: (_read, { reason = null }) => ({ do: 'cancel', reason }),
    reason: ({ reason }) => reason,
  }),
  ...change({
    does: 'publish',
    id: 'publishLoan',
    summary: 'Show the public record to everybody, or stop it',
    description: 'To every client with `public:read`. The public record holds nothing about the person.',
    scopes: ['loans:write'],
    body: shape.PublishRequest,
    command: (_read, { published }) => ({ do: 'publish', published }),
  }),

  // ---- payments ----
  ...change({
    does: 'loan-repay',
    id: 'submitRepayment',
    summary: 'Submit a repayment',
    description:
      'It reduces the balance at once, effective on its `paymentDate`. The same `refId` with the same amount and date answers as the first ' +
      'time and changes nothing. More than 30 days back needs the scope `servicing:write` and a `reason`. Up to ten days of per-diem more ' +
      'than the payoff becomes a credit of the borrower; beyond that it needs `acceptOverpayment`.',
    scopes: ['payments:write'],
    body: shape.RepayRequest,
    answer: shape.RepayAnswer,
    names: { date: 'paymentDate' },
    command: (read, body) => ({
      do: 'loan-repay',
      refId: reference(read, body, 'refId'),
      amount: read.positiveAmount(body, 'amount', ''),
      date: body.paymentDate === undefined ? null : read.date(body, 'paymentDate', ''),
      principalOnly: body.principalOnly ?? false,
      acceptOverpayment: body.acceptOverpayment ?? false,
      reason: body.reason ?? null,
    }),
    reason: ({ reason, method }) =>
      method === undefined ? reason : [`Paid by ${method}.`, reason ?? ''].join(' ').trim(),
    tells: paidBy,
  }),
  ...change({
    does: 'acknowledge-repayment',
    id: 'acknowledgeRepayment',
    summary: 'Confirm that the money is there',
    description:
      'A loan whose payoff is zero closes when its last payment is confirmed. Acknowledging twice answers the first hash.',
    scopes: ['payments:write'],
    body: shape.PaymentRequest,
    command: (read, body) => ({ do: 'acknowledge-repayment', refId: reference(read, body, 'refId') }),
  }),
  ...change({
    does: 'return-repayment',
    id: 'returnRepayment',
    summary: 'A payment came back',
    description: 'Undoes it; a loan that it had closed is open again. Returning twice answers the first hash.',
    scopes: ['payments:write'],
    body: shape.ReturnRequest,
    answer: shape.ReturnAnswer,
    command: (read, body) => ({
      do: 'return-repayment',
      refId: reference(read, body, 'refId'),
      date: dateOr(read, body, 'date'),
      reason: body.reason ?? '',
    }),
    reason: ({ reason }) => reason,
    tells: ({ loan }, plain) => ({ remainingBalance: amountText(remainingBalance(loan), plain) }),
  }),
  ...change({
    does: 'payoff-quotes',
    id: 'quotePayoff',
    summary: 'Promise a payoff amount',
    description:
      'The amount is honoured to the cent when it arrives by `goodThrough`: what is still owed then is given up.',
    scopes: ['payments:write'],
    body: shape.PayoffQuoteRequest,
    answer: shape.QuoteAnswer,
    command: (read, body, today) => {
      const date = dateOr(read, body, 'date') ?? today;
      return {
        do: 'payoff-quotes',
        quoteId: quoteReference(read, body),
        date,
        goodThrough: withinAYear(read, today, dateOr(read, body, 'goodThrough') ?? date),
      };
    },
    tells: quoted,
  }),

  // ---- servicing ----
  ...change({
    does: 'settle',
    id: 'settleLoan',
    summary: 'Agree to take less than is owed',
    description: 'Once the amount has arrived by `goodThrough`, the rest is forgiven.',
    scopes: ['servicing:write'],
    body: shape.SettleRequest,
    answer: shape.QuoteAnswer,
    command: (read, body, today) => ({
      do: 'settle',
      quoteId: quoteReference(read, body),
      amount: read.positiveAmount(body, 'amount', ''),
      goodThrough: withinAYear(read, today, read.date(body, 'goodThrough', '')),
      reason: body.reason,
    }),
    reason: ({ reason }) => reason,
    tells: quoted,
  }),
  ...change({
    does: 'close',
    id: 'closeLoan',
    summary: 'Close a loan that is paid off',
    description:
      'A loan closes by itself when nothing is owed and every payment is confirmed; then this answers the closing transaction’s hash. ' +
      'Before that it says what is missing.',
    scopes: ['servicing:write'],
    body: shape.CloseRequest,
    command: (read, body) => ({ do: 'close', refId: body.refId === undefined ? null : reference(read, body, 'refId') }),
  }),
  ...change({
    does: 'delinquent',
    id: 'noteDelinquency',
    summary: 'Record that the loan is past due',
    description:
      'Delinquency is derived from the due dates and cures by itself; this writes it down. 409 when nothing is past due.',
    scopes: ['servicing:write'],
    body: shape.LoanRequest,
    command: () => ({ do: 'delinquent' }),
  }),
  ...change({
    does: 'default',
    id: 'defaultLoan',
    summary: 'Declare a default',
    description:
      'As many days past due as the policy says (90). It does not accelerate, and cures when nothing is past due.',
    scopes: ['servicing:write'],
    body: shape.DefaultRequest,
    command: (_read, { reason = null }) => ({ do: 'default', reason }),
    reason: ({ reason }) => reason,
  }),
  ...change({
    does: 'payment-reminders',
    id: 'remindOfPayment',
    summary: 'Record that a reminder is due',
    description: 'Nothing is sent.',
    scopes: ['servicing:write'],
    body: shape.LoanRequest,
    command: () => ({ do: 'payment-reminders' }),
  }),
  ...change({
    does: 'charge-off',
    id: 'chargeOffLoan',
    summary: 'Charge the loan off',
    description: 'The books give it up, net of the collateral’s value; the borrower still owes it.',
    scopes: ['servicing:write'],
    body: shape.ChargeOffRequest,
    command: (read, body) => ({
      do: 'charge-off',
      date: dateOr(read, body, 'date'),
      reason: body.reason,
      collateral: body.collateral === undefined ? ZERO : read.amount(body, 'collateral', ''),
    }),
    reason: ({ reason }) => reason,
  }),
  ...change({
    does: 'record-recovery',
    id: 'recordRecovery',
    summary: 'Money that came after the charge-off',
    description: 'Applied as a payment is, and booked as a recovery.',
    scopes: ['servicing:write'],
    body: shape.RecoveryRequest,
    answer: shape.RepayAnswer,
    command: (read, body) => ({
      do: 'record-recovery',
      refId: reference(read, body, 'refId'),
      amount: read.positiveAmount(body, 'amount', ''),
      date: dateOr(read, body, 'date'),
    }),
    tells: paidBy,
  }),
  ...change({
    does: 'refund-credit',
    id: 'refundCredit',
    summary: 'Pay a credit back to the borrower',
    description: 'At most what is owed back. The same `refId` with the same amount answers as the first time.',
    scopes: ['servicing:write'],
    body: shape.RefundRequest,
    answer: shape.RefundAnswer,
    command: (read, body) => ({
      do: 'refund-credit',
      refId: reference(read, body, 'refId'),
      amount: read.positiveAmount(body, 'amount', ''),
    }),
    tells: ({ loan }, plain) => ({ credit: amountText(loan.credit, plain) }),
  }),
  ...change({
    does: 'assess-fee',
    id: 'assessFee',
    summary: 'Charge a fee',
    description: 'Late fees come by themselves; this is for all others.',
    scopes: ['servicing:write'],
    body: shape.AssessFeeRequest,
    answer: shape.FeesAnswer,
    command: (read, body) => ({
      do: 'assess-fee',
      feeId: reference(read, body, 'feeId'),
      kind: body.kind ?? 'fee',
      name: body.name,
      amount: read.positiveAmount(body, 'amount', ''),
      date: dateOr(read, body, 'date'),
    }),
    tells: feesLeft,
  }),
  ...change({
    does: 'waive-fee',
    id: 'waiveFee',
    summary: 'Waive a fee or a part of it',
    description: 'A late fee is `late-` and the number of its installment.',
    scopes: ['servicing:write'],
    body: shape.WaiveFeeRequest,
    answer: shape.FeesAnswer,
    command: (read, body) => ({
      do: 'waive-fee',
      feeId: reference(read, body, 'feeId'),
      amount: body.amount === undefined ? null : read.positiveAmount(body, 'amount', ''),
      reason: body.reason,
    }),
    reason: ({ reason }) => reason,
    tells: feesLeft,
  }),
  ...change({
    does: 'change-rate',
    id: 'changeRate',
    summary: 'Change the interest rate',
    description: 'From a day on. The rate of a servicemember (`scra`) also lowers the installments.',
    scopes: ['servicing:write'],
    body: shape.ChangeRateRequest,
    names: { rate: 'interestRate' },
    command: (read, body) => ({
      do: 'change-rate',
      rate: read.percent(body, 'interestRate', ''),
      date: dateOr(read, body, 'date'),
      why: body.why ?? 'contract',
    }),
  }),
  ...change({
    does: 'extend',
    id: 'extendLoan',
    summary: 'Move the open installments by whole periods',
    description: 'Interest goes on meanwhile.',
    scopes: ['servicing:write'],
    body: shape.ExtendRequest,
    command: (read, body) => ({ do: 'extend', periods: body.periods ?? 1, date: dateOr(read, body, 'date') }),
  }),
  ...change({
    does: 'change-due-date',
    id: 'changeDueDate',
    summary: 'Move the due date',
    description: 'By 31 days at most; all later installments move with it.',
    scopes: ['servicing:write'],
    body: shape.ChangeDueDateRequest,
    command: (read, body) => ({
      do: 'change-due-date',
      to: read.date(body, 'to', ''),
      date: dateOr(read, body, 'date'),
    }),
  }),
  ...change({
    does: 'reamortize',
    id: 'reamortizeLoan',
    summary: 'Compute the payment anew',
    description: 'The level payment of the installments not yet due, from what is owed now.',
    scopes: ['servicing:write'],
    body: shape.DatedRequest,
    command: (read, body) => ({ do: 'reamortize', date: dateOr(read, body, 'date') }),
  }),
  ...change({
    does: 'reage',
    id: 'reageLoan',
    summary: 'Move what is past due to the next due date and beyond',
    description: 'The loan counts as current again. 409 when nothing is past due.',
    scopes: ['servicing:write'],
    body: shape.DatedRequest,
    command: (read, body) => ({ do: 'reage', date: dateOr(read, body, 'date') }),
  }),
];

/** An operation on one loan, under its name and its other names. */
function change<B extends TSchema>(one: {
  does: Command['do'];
  id: string;
  summary: string;
  description: string;
  scopes: readonly Scope[];
  body: B;
  answer?: TSchema;
  /** What the body calls a member of the command. */
  names?: Readonly<Record<string, string>>;
  command(read: Reader, body: Static<B>, today: PlainDate): Made;
  /** Through the door, unless something has to be done before. */
  write?(loans: Loans, actor: Actor, write: Write, options: WriteOptions, body: Static<B>): Promise<Outcome>;
  /** Kept sealed beside the event. */
  reason?(body: Static<B>): string | undefined;
  tells?(change: Change, plain: boolean, command: Command): object;
}): Operation[] {
  const { does, id, summary, description, scopes, body, names = {}, tells } = one;
  return named(
    does,
    operation({
      ...described,
      at: `POST /${does}`,
      id,
      tag: LIFE.has(does) ? 'Loans' : 'Servicing',
      summary,
      description,
      scopes,
      key: 'checked',
      exactNumbers: true,
      body,
      answer: one.answer ?? shape.DoneAnswer,
      problems: WRITE_PROBLEMS,
      async handle(call) {
        const { services, query, headers } = call;
        const { loans } = services;
        const plain = wantsPlain(headers);
        const options = writeOptions(call, { path: `/${does}`, dryRun: query.dryRun });
        const loanId = idIn((call.body as { loanId: string }).loanId) ?? noSuchLoan();
        const read = new Reader();
        const made = one.command(read, call.body, loans.today());
        read.done();
        const actor = await actorOf(call);
        let command: Command;
        if (typeof made === 'function') {
          const view = await loans.read(actor, loanId, { asOf: null, knownAt: null });
          command = made(view === null || view === 'before' ? noSuchLoan() : view);
        } else command = made;
        const told: Telling = (done) => tells?.(done, plain, command) ?? {};
        const write: Write = {
          loanId,
          command,
          reason: one.reason?.(call.body) || null,
          answer: (done) => answerText(done, { dryRun: options.dryRun, plain, told }),
        };
        const outcome = await (one.write?.(loans, actor, write, options, call.body) ??
          loans.write(actor, write, options));
        return answered(forBody(outcome, body, names), { plain, dryRun: options.dryRun });
      },
    }),
  );
}

function named(name: string, original: Operation): Operation[] {
  const others = (ALIASES[name] ?? []).map((alias, i) => ({
    ...original,
    path: `/${alias}`,
    id: `${original.id}Alias${i === 0 ? '' : i + 1}`,
    summary: `${original.summary} (another name)`,
    description: `The same as \`POST ${original.path}\`.`,
  }));
  return [original, ...others];
}

// ---- what is answered ----

type Shown = { dryRun: boolean; plain: boolean; told?: Telling };

/** Pure: the text is also what a repeated idempotency key is answered with. */
function answerText(change: Change, { dryRun, plain, told }: Shown): string {
  const { transactionHash, loanId, status } = change;
  const more = told?.(change, plain) ?? {};
  if (dryRun) return JSON.stringify({ message: 'ok', data: wouldBe(change, plain, more) });
  const ids = { transactionHash, loanId };
  return JSON.stringify({ message: 'ok', data: { ...ids, loanStatus: status, ...more }, ...ids });
}

function wouldBe({ loanId, loan, status, events, journal }: Change, plain: boolean, more: object) {
  const created = events.some(({ type }) => type === 'created');
  return {
    dryRun: true,
    // A loan that was not created has no id.
    ...(created ? {} : { loanId }),
    loanStatus: status,
    remainingBalance: amountText(remainingBalance(loan), plain),
    payoff: amountText(payoff(loan).payoff, plain),
    events: events.map(({ type, date }) => ({ type, date })),
    journal: journal.map((line) => inColumns(line, plain)),
    ...('allocation' in more ? { allocation: more.allocation } : {}),
  };
}

/** A refusal points at a member of the body, by the name it has there; what is at fault may also lie in the loan itself. */
function forBody(outcome: Outcome, body: TSchema, names: Readonly<Record<string, string>>): Outcome {
  if (outcome.kind !== 'refused' || outcome.refusal.member === undefined) return outcome;
  const { member, ...refusal } = outcome.refusal;
  const name = names[member] ?? member;
  const members = (body as { properties?: object }).properties ?? {};
  return { kind: 'refused', refusal: name in members ? { ...refusal, member: name } : refusal };
}

function answered(outcome: Outcome, { plain, dryRun }: { plain: boolean; dryRun: boolean }): Answer {
  switch (outcome.kind) {
    case 'done': {
      const version: Record<string, string> = dryRun ? {} : { 'X-Loan-Version': String(outcome.change.version) };
      return { text: outcome.text, headers: { ...version, ...applied(plain) } };
    }
    case 'replayed':
      return { text: outcome.text, headers: { 'Idempotent-Replayed': 'true' } };
    case 'refused':
      throw refusedProblem(outcome.refusal);
    case 'missing':
      return noSuchLoan();
    case 'denied': {
      if (outcome.needs === 'grant') {
        throw new Problem('not_granted', 'The owner of this loan has not granted this to your organization.');
      }
      const { scope } = outcome;
      throw new Problem(
        'insufficient_scope',
        `For this loan the operation needs the scope ${scope}.`,
        { scope },
        { 'WWW-Authenticate': `Bearer realm="daybook", error="insufficient_scope", scope="${scope}"` },
      );
    }
    case 'key_reused':
      throw new Problem('idempotency_key_reused', 'This idempotency key was used for another call; take a new one.');
    case 'key_running':
      throw new Problem(
        'idempotency_key_in_use',
        'The first call with this idempotency key is still under way; ask again in a moment.',
        { retryable: true },
        { 'Retry-After': '1' },
      );
    case 'bureau_failed':
      // The report may be there a moment later, or only when somebody has seen to the bureau; either way nothing has changed.
      throw unavailable(outcome.detail, outcome.retryable ? 5 : 60);
    case 'version':
      throw new Problem(
        'precondition_failed',
        `The loan is at version ${outcome.version}, not the one that If-Match names; read it again.`,
      );
    case 'application_exists': {
      const detail = 'This lender has a loan for this application already.';
      const errors = [{ pointer: '/applicationId', code: 'duplicate', detail }];
      throw new Problem('application_exists', detail, { errors });
    }
    case 'busy':
      throw unavailable('Too much is waiting to be written; try again in a moment.');
  }
}

function paidBy({ loan }: Change, plain: boolean, command: Command): object {
  const refId = 'refId' in command ? command.refId : null;
  const payment = loan.payments.find((one) => one.refId === refId);
  if (payment === undefined) throw new Error('A payment was made that the loan does not show.');
  return {
    allocation: amountTexts(payment.allocation, plain),
    remainingBalance: amountText(remainingBalance(loan), plain),
  };
}

function quoted({ loan }: Change, plain: boolean, command: Command): object {
  const id = 'quoteId' in command ? command.quoteId : null;
  const { quoteId, amount, date, goodThrough } = loan.quotes.find((quote) => quote.quoteId === id) as Quote;
  return {
    quoteId,
    amount: amountText(amount, plain),
    date,
    goodThrough,
    perDiem: amountText(payoff(loan).perDiem, plain),
  };
}

function feesLeft({ loan }: Change, plain: boolean, command: Command): object {
  return { feeId: 'feeId' in command ? command.feeId : '', fees: amountText(payoff(loan).fees, plain) };
}

// ---- from the wire to the command ----

/** A caller's reference. One that looks like a social security number is refused: references are shown, stored and told to others. */
function reference<K extends string>(read: Reader, body: { [name in K]?: string }, name: K): string {
  const given = body[name] ?? '';
  if (looksLikeSsn(given)) {
    read.note(`/${name}`, {
      code: 'personal',
      detail: 'This looks like a social security number; use another reference.',
    });
  }
  return given;
}

function quoteReference(read: Reader, body: { quoteId?: string }): string {
  return body.quoteId === undefined ? `quote-${randomUUID()}` : reference(read, body, 'quoteId');
}

function dateOr<K extends string>(read: Reader, body: { [name in K]?: string }, name: K): PlainDate | null {
  return body[name] === undefined ? null : read.date(body, name, '');
}

function withinAYear(read: Reader, today: PlainDate, goodThrough: PlainDate): PlainDate {
  if (goodThrough > addDays(today, 366)) {
    read.note('/goodThrough', { code: 'range', detail: 'Must be within a year from today.' });
  }
  return goodThrough;
}

/** The decision, by the caller or by the assessment, the engine's or the one that the loan was boarded with. */
function decision(view: LoanView, body: Static<typeof shape.CompleteUnderwritingRequest>): Command {
  const { status, file, loan } = view;
  const given = file.deals[body.dealIndex ?? 0]?.decision ?? file.decision;
  const assessed = given === null ? null : given === 'APPROVED';
  const approved = body.approved ?? assessed;
  if (approved === null) throw refusedProblem(notDecided(status));
  return {
    do: 'complete-underwriting',
    approved,
    overridden: assessed !== null && approved !== assessed,
    reason: body.reason ?? null,
    contract: approved && body.dealIndex ? contractOf(loan.contract, file.deals[body.dealIndex] ?? null) : null,
  };
}

function notDecided(status: LoanView['status']): Refusal {
  if ((TRANSITIONS['complete-underwriting'].from as readonly string[]).includes(status)) {
    return refuse('decision_required', 'This loan came without a decision: send "approved", true or false.', {
      member: 'approved',
    });
  }
  const allowed = allowedIn(status);
  const detail = `complete-underwriting is not possible while the loan is ${status}. Possible now: ${allowed.join(', ') || 'nothing'}.`;
  return refuse('wrong_status', detail, { facts: { loanStatus: status, allowed } });
}

/** The contract with the terms of another deal. */
function contractOf(contract: Contract, deal: Deal | null): Contract {
  const rate = deal === null ? null : parsePercent(deal.rate);
  const installments = deal === null ? 0 : deal.term * PER_YEAR[contract.frequency];
  if (deal === null || rate === null || installments <= 0 || installments % 12 !== 0) {
    const detail = 'There is no deal of this index whose amount, rate and term can be read.';
    throw new Problem('invalid_request', detail, { errors: [{ pointer: '/dealIndex', code: 'unknown_deal', detail }] });
  }
  return { ...contract, amount: deal.amount, rate, count: installments / 12, payment: deal.payment };
}
