/**
 * A loan at a glance: its summary, its deals, its timeline, and the reports that are stored of it. It is longer than other files because the
 * document describes every member of four answers here.
 */

import { Type } from 'typebox';
import { amountText } from '../../core/decimal.ts';
import { CLOSED_BY, DEFAULT_GROUNDS, PAYEES } from '../../core/loan.ts';
import { OVERRIDE_REASON_CODES } from '../../core/overrides.ts';
import {
  bucketOn,
  deferredOf,
  endedBy,
  militaryServiceOf,
  owedPrincipal,
  purchaseShown,
} from '../../loans/reads/figures.ts';
import { inForce } from '../../loans/reads/holds.ts';
import { HoldKind } from '../loans/hold.ts';
import { Deal, dealExample } from '../origination/deal-shape.ts';
import { actorOf } from '../shared/actor.ts';
import { NotAllowedList, notAllowedItem, plainNotAllowed } from '../shared/allowed.ts';
import { amountTexts, inColumns } from '../shared/figures.ts';
import { noSuchLoan } from '../shared/ids.ts';
import { about, shape } from '../shared/named.ts';
import { decimalOut, grouped, money } from '../shared/numbers.ts';
import { closed, envelope, operation } from '../shared/operation.ts';
import { pageName, pageOf, wholeOrPages } from '../shared/pages.ts';
import { Problem } from '../shared/problems.ts';
import { loanIdOf, okText, personal, reading, seen, shown, viewOptions } from '../shared/read.ts';
import {
  ApprovalParty,
  date,
  hash,
  hashExample,
  JournalLine,
  LoanIdOut,
  LoanParams,
  loanExample,
  maybe,
  NextCursor,
  NoQuery,
  personalHeaders,
  Status,
  TransactionHash,
  time,
  Version,
  ViewQuery,
  view as viewQuery,
} from '../shared/shapes.ts';
import { idOut, referenceOut, sentences, wordOut } from '../shared/texts.ts';
import { Bucket } from './lists.ts';
import { LoanDetails } from './record-shapes.ts';
import { summaryDetails } from './record-text.ts';

const MilitaryService = shape('MilitaryService', 'A period of military service (50 USC 3937).', {
  serviceFrom: date('The first day of service.'),
  serviceTo: maybe(date('A date.'), 'The last day of service; null while it is not known.'),
  interestRate: decimalOut('The highest rate during service, in percent per year, as text.'),
  inEffect: Type.Boolean({ description: 'Whether it is in effect on the date of the figures.' }),
  interestForgiven: money('Interest above that rate, which is forgiven.'),
  feesForgiven: money('Fees that were not charged, because interest and fees together are at most 6 %.'),
});

function deferredShown(deferred: ReturnType<typeof deferredOf>, plain: boolean) {
  if (deferred === null) return null;
  const { yield: rate, ...amounts } = deferred;
  return { ...amountTexts(amounts, plain), yield: rate };
}

function purchaseText(purchase: ReturnType<typeof purchaseShown>, plain: boolean) {
  if (purchase === null) return null;
  const { date: day, ...amounts } = purchase;
  return { ...amountTexts(amounts, plain), date: day };
}

const SummaryAnswer = envelope(
  shape('LoanSummary', 'The figures of a loan, and the operations that are allowed on it.', {
    loanId: LoanIdOut,
    version: Version,
    asOf: date('The date of the figures.'),
    loanStatus: Status,
    balance: money('Principal that the borrower owes; 0 before funding.'),
    bucket: maybe(Bucket, 'Null where nothing is serviced: before funding, charged off, ended.'),
    closedBy: maybe(Type.Enum([...CLOSED_BY]), 'How a closed loan ended; null while it is open.'),
    credit: money('Money owed back to the borrower.'),
    creditSince: maybe(date('A date.'), 'The date on which the credit last rose from zero; null: there is none.'),
    nonAccrualSince: maybe(
      date('A date.'),
      'The date from which the books count interest only when it is received; null: they accrue it.',
    ),
    deferred: maybe(
      shape('DeferredAmounts', 'What is deferred and not amortized yet on the date.', {
        fees: money('Kept when the loan was funded; income to come.'),
        costs: money('Paid to make the loan; a reduction of income to come.'),
        discount: grouped(
          'signed',
          'By which the loan was bought below its principal and interest; negative: a premium.',
        ),
        yield: maybe(
          decimalOut('A percentage.'),
          'The yield a year at which they are amortized, a percentage as text; null: fees and costs are equal.',
        ),
      }),
      'Null: nothing was deferred, or the owner that deferred it has sold the loan.',
    ),
    purchase: maybe(
      shape('PurchaseOut', 'The price at which the owner bought the loan.', {
        price: money('Paid for principal and interest.'),
        date: date('The date of the purchase.'),
        creditDiscount: money('The part of the discount for losses that were expected then.'),
      }),
      'Null: the loan was made here, or boarded without a price.',
    ),
    defaultGround: maybe(
      Type.Enum([...DEFAULT_GROUNDS]),
      'The ground of the default; null when the loan is not in default.',
    ),
    acceleratedOn: maybe(date('A date.'), 'The date on which everything became due; null: it was not accelerated.'),
    assessed: Type.Boolean({ description: 'Whether the application was assessed, here or elsewhere.' }),
    published: Type.Boolean({ description: 'Whether every client with `public:read` may read the public record.' }),
    holds: Type.Array(
      shape('HoldInForce', 'A hold in force on the loan.', {
        holdId: referenceOut('The reference of the hold.'),
        kind: HoldKind,
        from: date('Its first day.'),
        to: maybe(date('A date.'), 'Its last day; null: until it is released.'),
      }),
      { description: 'The holds in force on that date; `GET /loans/{loan_id}/holds` shows their effects.' },
    ),
    militaryService: Type.Array(MilitaryService, {
      description: 'Military service that was reported with `change-rate`, in the order of its days.',
    }),
    pendingApprovals: Type.Integer({
      description: 'How many requests for approval wait for a decision now, whatever the date of the figures.',
    }),
    allowed: Type.Array(wordOut('A word.'), {
      description:
        'The operations that are allowed on that date by the status, your organization’s role, holds, the state of the loan and policy limits. ' +
        'Each also needs its scope, and a request may still be refused for its values.',
    }),
    notAllowed: NotAllowedList,
    loanDetails: about(
      LoanDetails,
      'As in the full record, but sealed members are empty: the reason of the decision, credit summaries, `pti`, `dti`, `indexRate` ' +
        'and the two hashes.',
    ),
  }),
);

const DealsAnswer = envelope(
  shape('DealList', 'The deals of a loan.', {
    loanId: LoanIdOut,
    items: Type.Array(Deal, { description: 'In the order of `dealIndex`.' }),
    nextCursor: NextCursor,
    runs: Type.Array(
      shape('UnderwritingRun', 'A run of underwriting.', {
        run: Type.Integer({ description: 'Its number on this loan, from 1.' }),
        day: date('The day of the run.'),
        decision: Type.Enum(['APPROVED', 'DECLINED'], {
          description: 'The decision of the assessment on the requested deal.',
        }),
        reportsOf: Type.Integer({ description: 'The run that pulled the credit reports on which it stands.' }),
        reportDate: date('The date of the oldest of these reports.'),
        model: idOut('The version of the model.'),
        policy: idOut('The version of the underwriting policy.'),
      }),
      {
        description:
          'The runs of underwriting, the last first: the deals are of that one. Empty: it was not assessed here.',
      },
    ),
  }),
  {
    loanId: loanExample,
    items: [dealExample],
    nextCursor: null,
    runs: [
      {
        run: 1,
        day: '2026-01-15',
        decision: 'APPROVED',
        reportsOf: 1,
        reportDate: '2026-01-15',
        model: '1',
        policy: '1',
      },
    ],
  },
);

const TimelineFact = shape('TimelineFact', 'Something that happened to a loan.', {
  version: maybe(
    Type.Integer(),
    'The version of the loan that it made. Null for `approvalRequested`, `approvalApproved` and `approvalRejected`, which change nothing ' +
      'themselves.',
  ),
  type: wordOut('The type of the event, such as `paymentSubmitted`.'),
  date: date('The effective date.'),
  recordedAt: time('When it was recorded.'),
  clientId: idOut('The client that recorded it; `service` for what the nightly cycle recorded.'),
  userId: maybe(
    idOut('An id.'),
    'The person who acted through the client; null when the client acted by itself, or for another organization.',
  ),
  transactionHash: maybe(TransactionHash, 'The ledger transaction; null where there is no `version`.'),
  reference: maybe(referenceOut('A reference.'), 'The reference of the payment, fee or quote.'),
  amount: maybe(money('An amount.'), 'The amount of the payment, fee, quote or other movement.'),
  undoes: maybe(hash('The transaction that it undid.'), 'Null for everything but an undo.'),
  undoneBy: maybe(hash('The transaction by which it was undone.'), 'Null while it is in force.'),
  ground: maybe(Type.Enum([...DEFAULT_GROUNDS]), 'The ground of a default; null for all other facts.'),
  decision: maybe(
    shape('TimelineDecision', 'A decision on the application.', {
      by: Type.Enum(['assessment', 'officer'], {
        description: '`assessment`: as assessed. `officer`: by a loan officer, who sent `approved`.',
      }),
      dealIndex: Type.Integer({ description: 'The deal that was decided on; 0 is the requested deal.' }),
      assessment: maybe(
        Type.Enum(['APPROVED', 'DECLINED']),
        'The decision of the assessment on it; null: not assessed.',
      ),
      reasonCode: maybe(
        Type.Enum(OVERRIDE_REASON_CODES),
        'The reason code of an approval against the assessment, or without one; null: it is none.',
      ),
      overrode: maybe(
        Type.Array(wordOut('A word.')),
        'The rules of the lending policy that such an approval overrode; null: it is none, and without `loans:read_pii` and the key.',
      ),
    }),
    'How an application was approved or rejected; null for all other facts.',
  ),
  overrode: Type.Array(wordOut('A word.'), {
    description: 'The policy limits that it was allowed to exceed, such as `extension.perTwelveMonths`; empty: none.',
  }),
  approvalId: maybe(
    idOut('An id.'),
    'The request for approval: by which this was carried out, or that was made or decided here; null: none.',
  ),
  approvedBy: maybe(ApprovalParty, 'The approver, if it was carried out by an approval; otherwise null.'),
  operation: maybe(wordOut('A word.'), 'The operation that a request for approval is about; null for everything else.'),
  effect: Type.Array(JournalLine, { description: 'Its postings in the general ledger.' }),
  disbursements: maybe(
    Type.Array(
      shape('TimelineDisbursement', 'A part of the money paid out at funding.', {
        payee: Type.Enum([...PAYEES], { description: 'To whom it was paid.' }),
        name: maybe(sentences('A name.'), 'Null when none was given, and without `loans:read_pii` and the key.'),
        amount: money('The amount paid.'),
      }),
    ),
    'To whom the money of a funding was paid, where that was given; null for all other facts.',
  ),
  reasonGiven: Type.Boolean({ description: 'Whether a reason was given for it.' }),
  reason: maybe(sentences('A text.'), 'The reason; null when there is none, and without `loans:read_pii` and the key.'),
});

const TimelineAnswer = envelope(
  shape('Timeline', 'The facts of a loan.', {
    loanId: LoanIdOut,
    asOf: date('The date of the reading.'),
    items: Type.Array(TimelineFact, { description: 'Every fact, in the order in which it was recorded.' }),
    nextCursor: NextCursor,
  }),
  {
    loanId: loanExample,
    asOf: '2026-02-15',
    items: [
      {
        version: 5,
        type: 'paymentSubmitted',
        date: '2026-02-15',
        recordedAt: '2026-02-15T12:00:00.000Z',
        clientId: 'client_8r3k2m5t7x',
        userId: null,
        transactionHash: hashExample,
        reference: 'ACH-2026-02-0001',
        amount: '575.50',
        undoes: null,
        undoneBy: null,
        ground: null,
        decision: null,
        overrode: [],
        approvalId: null,
        approvedBy: null,
        operation: null,
        effect: [{ account: 'cashClearing', debit: '575.50', credit: '0' }],
        disbursements: null,
        reasonGiven: false,
        reason: null,
      },
    ],
    nextCursor: null,
  },
);

export const readSummary = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/summary',
  id: 'readSummary',
  summary: 'The figures of a loan, and what can be done with it',
  description: 'Small and without personal data: no bureau data, no PDF, no CSV.',
  scopes: ['loans:read'],
  query: ViewQuery,
  answer: SummaryAnswer,
  problems: ['not_found'],
  async handle(call) {
    const options = viewOptions(call.query);
    const actor = await actorOf(call);
    const found = seen(await call.services.loans.reads.allowed(actor, loanIdOf(call), options));
    const { view, allowed } = found;
    const { loanId, version, file, loan, status } = view;
    const pendingApprovals = view.former === true ? 0 : await call.services.loans.approvals.countPending(actor, view);
    const notAllowed = found.notAllowed.map(notAllowedItem);
    // A grant or a policy changes what is allowed without changing the loan.
    return shown(call, view, ['summary', options, JSON.stringify(notAllowed), pendingApprovals], (plain) => {
      const facts = {
        loanId,
        version,
        asOf: loan.on,
        loanStatus: status,
        balance: amountText(owedPrincipal(loan), plain),
        bucket: bucketOn(loan),
        closedBy: endedBy(loan),
        credit: amountText(loan.credit, plain),
        creditSince: loan.creditSince,
        nonAccrualSince: loan.nonAccrualSince,
        deferred: deferredShown(deferredOf(loan), plain),
        purchase: purchaseText(purchaseShown(loan), plain),
        defaultGround: loan.defaultGround,
        acceleratedOn: loan.acceleratedOn,
        assessed: file.assessed !== null,
        published: loan.published,
        holds: inForce(loan),
        militaryService: militaryServiceOf(loan).map(({ interestForgiven, feesForgiven, ...period }) => ({
          ...period,
          ...amountTexts({ interestForgiven, feesForgiven }, plain),
        })),
        pendingApprovals,
        allowed,
        notAllowed: plain ? plainNotAllowed(notAllowed) : notAllowed,
      };
      const text = JSON.stringify({ message: 'ok', data: facts });
      return { text: `${text.slice(0, -2)},"loanDetails":${summaryDetails(view, { plain })}}}` };
    });
  },
});

/** Deals do not depend on the day. */
const ANY_DAY = { on: '1970-01-01' as never };
const NOW = { asOf: null, knownAt: null };

export const listDeals = operation({
  ...reading,
  requestHeaders: personalHeaders.requestHeaders,
  at: 'GET /loans/{loan_id}/deals',
  id: 'listDeals',
  cost: 3,
  summary: 'The deals that underwriting offered',
  description:
    'One row for each deal: terms, decision and forecast, as the record has them. With the scope `loans:read_pii` and the key also the ' +
    'reasons and exact ratios; that is a disclosure.',
  scopes: ['loans:read'],
  query: closed(wholeOrPages),
  answer: DealsAnswer,
  problems: ['not_found'],
  async handle(call) {
    const loanId = loanIdOf(call);
    const {
      version,
      items,
      disclosed,
      runs: made,
    } = (await call.services.loans.origination.deals(await actorOf(call), loanId)) ?? noSuchLoan();
    const name = disclosed ? 'personal deals' : 'deals';
    const page = pageOf(items, call.query, ({ dealIndex }) => dealIndex);
    const runs = made.map(({ run, day, decision, reportsOf, reportDate, model, policy }) => {
      return { run, day, decision, reportsOf, reportDate, model, policy };
    });
    return shown(call, { version, loan: ANY_DAY }, [name, NOW, items.length, pageName(call.query)], () =>
      okText({ loanId, ...page, runs }),
    );
  },
});

const CSV = 'text/csv';

export const readDealCashflows = operation({
  ...reading,
  params: {
    ...LoanParams,
    index: Type.String({ description: 'The index of the deal, its `dealIndex`; 0 is the requested deal.' }),
  },
  at: 'GET /loans/{loan_id}/deals/{index}/cashflows',
  id: 'readDealCashflows',
  cost: 10,
  media: [CSV],
  summary: 'The expected cash flows of a deal, as CSV',
  description:
    'A header row, then one row per month, with the columns of `CashflowsCsv`, which has those of the contract’s deal. They are computed ' +
    'from the stored inputs of the last assessment. 404 if the loan was not assessed here, or if the borrower was erased.',
  scopes: ['loans:read'],
  query: NoQuery,
  answer: Type.String({ description: 'CSV.' }),
  problems: ['not_found'],
  async handle(call) {
    const { index = '' } = call.params;
    const loanId = loanIdOf(call);
    // Anything that is no index is that of no deal.
    const dealIndex = /^(0|[1-9]\d{0,4})$/.test(index) ? Number(index) : -1;
    const found =
      (await call.services.loans.origination.cashflows(await actorOf(call), loanId, dealIndex)) ?? noSuchLoan();
    if (found === 'none') {
      const detail = 'The loan has no such deal, was not assessed here, or its borrower was erased.';
      throw new Problem('not_found', detail);
    }
    const { version, csv } = found;
    const name = `cashflows-${loanId.slice(2, 10)}-${dealIndex}.csv`;
    const answer = shown(call, { version, loan: ANY_DAY }, [`cashflows ${dealIndex}`, NOW], () => ({ text: csv }));
    const type = { 'Content-Type': `${CSV}; charset=utf-8`, 'Content-Disposition': `attachment; filename="${name}"` };
    return 'unchanged' in answer ? answer : { ...answer, headers: { ...answer.headers, ...type } };
  },
});

export const readTimeline = operation({
  ...reading,
  requestHeaders: personalHeaders.requestHeaders,
  at: 'GET /loans/{loan_id}/timeline',
  id: 'readTimeline',
  cost: 2,
  summary: 'Everything that happened to a loan, and who recorded it',
  description:
    'Every fact with its day, when and by whom it was recorded and what it posted. With the scope `loans:read_pii` and the key also the ' +
    'reasons that were given; that is a disclosure.',
  scopes: ['loans:read'],
  query: closed({ ...viewQuery, ...wholeOrPages }),
  answer: TimelineAnswer,
  problems: ['not_found'],
  async handle(call) {
    const options = viewOptions(call.query);
    const found = seen(await call.services.loans.reads.timeline(await actorOf(call), loanIdOf(call), options));
    const { view, items, disclosed } = found;
    // Approvals come and are decided without a change of the loan.
    const approvals = items.filter(({ sequence }) => sequence === null).length;
    const page = pageOf(items, call.query, ({ sequence, approvalId, type }) => sequence ?? `${approvalId} ${type}`);
    const name = disclosed ? 'personal timeline' : 'timeline';
    return shown(call, view, [name, options, approvals, pageName(call.query)], (plain) =>
      okText({
        loanId: view.loanId,
        asOf: view.loan.on,
        ...page,
        items: page.items.map(({ sequence, lines, amount, disbursements, reasonGiven, reason, ...fact }) => ({
          version: sequence,
          ...fact,
          amount: amount === null ? null : amountText(amount, plain),
          effect: lines.map((line) => inColumns(line, plain)),
          disbursements: disbursements?.map((one) => ({ ...one, amount: amountText(one.amount, plain) })) ?? null,
          reasonGiven,
          reason,
        })),
      }),
    );
  },
});

const PDF = 'application/pdf';

export const readReport = operation({
  ...personal,
  requestHeaders: { purpose: personalHeaders.requestHeaders.purpose },
  params: {
    ...LoanParams,
    n: Type.String({ description: '`1`: the report on the applicant; `2`: on the co-applicant.' }),
  },
  at: 'GET /loans/{loan_id}/reports/{n}',
  id: 'readReport',
  cost: 5,
  media: [PDF],
  summary: 'A stored report of the credit bureau, as a PDF',
  description: 'The document itself. Every read is a disclosure.',
  query: NoQuery,
  answer: Type.String({ format: 'binary', description: 'The document.' }),
  problems: ['not_found'],
  async handle(call) {
    const { n = '' } = call.params;
    const loanId = loanIdOf(call);
    if (n !== '1' && n !== '2') throw new Problem('not_found', 'Reports are numbered 1 and 2.');
    const pdf = (await call.services.loans.origination.report(await actorOf(call), loanId, Number(n))) ?? noSuchLoan();
    if (pdf === 'none') throw new Problem('not_found', 'This loan has no such report.');
    const name = `report-${loanId.slice(2, 10)}-${n}.pdf`;
    return {
      chunks: [Buffer.from(pdf)],
      headers: {
        'Content-Type': PDF,
        'Content-Disposition': `attachment; filename="${name}"`,
        'Cache-Control': 'no-store',
      },
    };
  },
});
