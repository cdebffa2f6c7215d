/** Everything that is read of loans: the two records, what lies around a loan, lists, the ledger. Shapes are in `schemas.ts`. */
import type { Caller } from '../../access/access.ts';
import { type PlainDate, parseDate } from '../../core/calendar.ts';
import { TRANSITIONS } from '../../core/decide/decide.ts';
import { amountText, countText, groupedText } from '../../core/decimal.ts';
import { openInstallments } from '../../core/delinquency.ts';
import { explain, type Figure } from '../../core/explain.ts';
import { type Loan, STATUSES } from '../../core/loan.ts';
import { add, type Cents, cents, ZERO } from '../../core/money.ts';
import { payoff } from '../../core/payoff.ts';
import { isRefusal } from '../../core/refusal.ts';
import { buildSchedule } from '../../core/schedule.ts';
import { statement } from '../../core/statement.ts';
import { termsOf } from '../../core/terms.ts';
import type { SearchTerms } from '../../loans/file.ts';
import { forecastOf } from '../../loans/forecast.ts';
import type { LoanSummary, LoanView, ViewOptions } from '../../loans/loans.ts';
import { compose } from '../compose.ts';
import { looksLikeSsn } from '../create.ts';
import { type Answer, type Call, type Operation, ok, operation } from '../operation.ts';
import { emptyObject, REQUEST, RESPONSE, UNDERWRITING } from '../record-members.ts';
import { etagOf, loanTag, matchesNone } from '../shell/etag.ts';
import { Problem } from '../shell/problems.ts';
import { refusedProblem } from '../shell/refusal-problems.ts';
import { Reader } from '../wire.ts';
import { actorOf, applied, header, wantsPlain } from './actor.ts';
import { amountTexts, inColumns } from './figures.ts';
import { idIn, noSuchLoan } from './ids.ts';
import { fullRecordHead, publicRecord, RECORD_END } from './record.ts';
import * as shape from './schemas.ts';
import { ALIASES } from './writes.ts';

type Asked = Call & { caller: Caller };
type ViewQuery = { asOf?: string; knownAt?: string };

const reading = { tag: 'Reading', key: 'checked', ...shape.readHeaders, params: shape.LoanParams } as const;
const personal = {
  tag: 'Reading',
  scopes: ['loans:read_pii'],
  key: 'required',
  params: shape.LoanParams,
} as const;
const ledger = {
  tag: 'Ledger',
  scopes: ['reports:read'],
  key: 'checked',
  conditional: true,
  requestHeaders: shape.readHeaders.requestHeaders,
  answerHeaders: { ETag: shape.readHeaders.answerHeaders.ETag },
} as const;

export const loanReads: readonly Operation[] = [
  operation({
    at: 'GET /loans',
    id: 'listLoans',
    tag: 'Reading',
    summary: 'Loans, newest first',
    description:
      'Own loans and those that grants show. Summaries without personal data; the order is stable while loans come in.',
    scopes: ['loans:read'],
    key: 'checked',
    query: shape.ListQuery,
    conditional: true,
    requestHeaders: shape.readHeaders.requestHeaders,
    answerHeaders: { ETag: shape.readHeaders.answerHeaders.ETag },
    answer: shape.ListAnswer,
    problems: [],
    async handle(call) {
      const { services, query, headers } = call;
      const { createdFrom, createdTo, limit = 25, cursor = null, sort = '-createdAt', ...filters } = query;
      const read = new Reader();
      const dates = {
        ...(createdFrom === undefined ? {} : { createdFrom: read.date(query, 'createdFrom', '') }),
        ...(createdTo === undefined ? {} : { createdTo: read.date(query, 'createdTo', '') }),
      };
      for (const name of ['lenderId', 'servicerId', 'borrowerId', 'applicationId', 'q'] as const) {
        // No loan has such a reference, and an address is no place for one.
        if (looksLikeSsn(query[name] ?? '')) read.note(`/${name}`, PERSONAL);
      }
      read.done();
      const plain = wantsPlain(headers);
      const found = await services.loans.list(await actorOf(call), { ...filters, ...dates, limit, cursor, sort });
      if (found === 'bad_cursor') {
        read.note('/cursor', { code: 'format', detail: 'Must be the nextCursor of a page with the same sort.' });
        read.done();
        throw new Error('A bad cursor was not refused.');
      }
      const { items, nextCursor } = found;
      return tagged(call, ok({ items: items.map((item) => summary(item, plain)), nextCursor }), applied(plain));
    },
  }),

  operation({
    at: 'POST /search-loans',
    id: 'searchLoans',
    tag: 'Reading',
    summary: 'Find loans by personal values',
    description:
      'Exact, by everything that is given at once; by body, because an address is written down on the way. Every loan that is found is a ' +
      'disclosure, and so is a search that finds none.',
    scopes: ['loans:read_pii'],
    key: 'required',
    body: shape.SearchRequest,
    requestHeaders: {
      Prefer: shape.readHeaders.requestHeaders.Prefer,
      purpose: shape.personalHeaders.requestHeaders.purpose,
    },
    answer: shape.SearchAnswer,
    problems: [],
    async handle(call) {
      const { services, body, headers } = call;
      const plain = wantsPlain(headers);
      const terms = searchTerms(body);
      const items = await services.loans.search(await actorOf(call), terms);
      return { ...ok({ items: items.map((item) => summary(item, plain)) }), headers: applied(plain) };
    },
  }),

  operation({
    ...personal,
    ...shape.personalHeaders,
    at: 'GET /loans/{loan_id}',
    id: 'readLoan',
    summary: 'The complete record, personal data included',
    description: 'Every read is a disclosure, entered durably before the answer leaves; a 304 is one too.',
    query: shape.ViewQuery,
    answer: shape.FullRecordAnswer,
    problems: ['not_found'],
    async handle(call) {
      const loanId = loanIdOf(call);
      const options = viewOptions(call.query);
      const found = seen(await call.services.loans.readFull(await actorOf(call), loanId, options));
      const { view, personal: person, record } = found;
      const representation = ['record', options, record?.length ?? 'erased'] as const;
      return shown(call, view, representation, (plain) => ({
        chunks: [fullRecordHead(view, person, { plain }), record ?? ERASED, RECORD_END],
      }));
    },
  }),

  operation({
    ...reading,
    at: 'GET /loan-data/{loan_id}',
    id: 'readLoanData',
    summary: 'The public record, without personal data',
    description: 'Of own loans with `loans:read`; of every published loan with `public:read`.',
    scopes: ['public:read', 'loans:read'],
    query: shape.ViewQuery,
    answer: shape.PublicRecordAnswer,
    problems: ['not_found'],
    async handle(call) {
      const loanId = loanIdOf(call);
      const options = viewOptions(call.query);
      const found = seen(await call.services.loans.readPublic(await actorOf(call), loanId, options));
      return shown(call, found.view, ['public', options], (plain) => ({ chunks: publicRecord(found, { plain }) }));
    },
  }),

  operation({
    ...reading,
    at: 'GET /loans/{loan_id}/schedule',
    id: 'readSchedule',
    summary: 'The installments, and what is paid and open of each',
    description: 'Before funding: what they would be if the loan were funded on that day.',
    scopes: ['loans:read'],
    query: shape.ViewQuery,
    answer: shape.ScheduleAnswer,
    problems: ['not_found'],
    async handle(call) {
      const { view, options } = await viewed(call);
      return shown(call, view, ['schedule', options], (plain) => okText(scheduleOf(view, plain)));
    },
  }),

  operation({
    ...reading,
    at: 'GET /loans/{loan_id}/payoff',
    id: 'readPayoff',
    summary: 'What it takes to be done on a day',
    description: 'Itemised, with what each further day adds. `POST /payoff-quotes` makes a promise of it.',
    scopes: ['loans:read'],
    query: shape.PayoffQuery,
    answer: shape.PayoffAnswer,
    problems: ['not_found'],
    async handle(call) {
      const { date, asOf = date, ...rest } = call.query;
      if (date !== undefined && asOf !== date) {
        const detail = 'The date of the payoff is the day it is asked for: give one of date and asOf.';
        throw new Problem('invalid_request', detail, { errors: [{ pointer: '/date', code: 'contradiction', detail }] });
      }
      const { view, options } = await viewed(call, { ...rest, ...(asOf === undefined ? {} : { asOf }) });
      return shown(call, view, ['payoff', options], (plain) => {
        const { date: on, ...amounts } = payoff(view.loan);
        return okText({ date: on, ...amountTexts(amounts, plain), goodThrough: on });
      });
    },
  }),

  operation({
    ...reading,
    at: 'GET /loans/{loan_id}/forecast',
    id: 'readForecast',
    summary: 'What is still to come of a funded loan, and what that is worth',
    description:
      'The underwriting model on the loan as it stands on the day: expected cash flows month by month, default probability, yield and ' +
      'fair value price. 409 before funding.',
    scopes: ['loans:read'],
    query: shape.ViewQuery,
    answer: shape.ForecastAnswer,
    problems: ['not_found', 'conflict'],
    async handle(call) {
      const { view, options } = await viewed(call);
      const expected = forecastOf(view);
      if (isRefusal(expected)) throw refusedProblem(expected);
      return shown(call, view, ['forecast', options], (plain) => {
        const { asOf, balance, defaultProbability, grade, riskRating, figures, cashflowsCsv } = expected;
        return okText({
          loanId: view.loanId,
          asOf,
          balance: amountText(balance, plain),
          defaultProbability: String(defaultProbability),
          grade,
          riskRating,
          figures: Object.fromEntries(Object.entries(figures).map(([name, text]) => [name, groupedText(text, plain)])),
          CashflowsCsv: cashflowsCsv,
          modelVersion: expected.modelVersion,
          policyVersion: expected.policyVersion,
        });
      });
    },
  }),

  operation({
    ...personal,
    at: 'POST /adverse-action-notice',
    id: 'writeAdverseActionNotice',
    summary: 'The notice owed to an applicant who was declined, or offered other terms',
    description:
      'Text with the principal reasons, the score and the statements that Regulation B and the Fair Credit Reporting Act want, from the ' +
      'stored inputs of the last run. 409 when the loan was not assessed here or was approved as asked for.',
    body: shape.NoticeRequest,
    answer: shape.NoticeAnswer,
    problems: ['not_found', 'conflict'],
    async handle(call) {
      const { loanId, creditor, bureau, federalAgency = FEDERAL_AGENCY } = call.body;
      const asked = { creditor, bureau, federalAgency, compose };
      const notice = await call.services.loans.notice(await actorOf(call), idIn(loanId) ?? noSuchLoan(), asked);
      if (notice === null) return noSuchLoan();
      if (notice === 'none') {
        throw new Problem(
          'conflict',
          'No notice is owed: the loan was not assessed here, or what was asked for is approved.',
        );
      }
      return ok({ notice: notice.text });
    },
  }),

  operation({
    ...reading,
    at: 'GET /loans/{loan_id}/history',
    id: 'readHistory',
    summary: 'The statement: everything that moved money or terms',
    description: 'As it is known now: a returned payment stands there and pays nothing.',
    scopes: ['loans:read'],
    query: shape.ViewQuery,
    answer: shape.HistoryAnswer,
    problems: ['not_found'],
    async handle(call) {
      const { view, options } = await viewed(call);
      return shown(call, view, ['history', options], (plain) => okText(historyOf(view, plain)));
    },
  }),

  operation({
    ...reading,
    at: 'GET /loans/{loan_id}/explain/{figure}',
    id: 'explainFigure',
    summary: 'Where a figure comes from',
    description: 'Steps that add up to it, and sentences a borrower can be told.',
    scopes: ['loans:read'],
    query: shape.ViewQuery,
    params: shape.ExplainParams,
    answer: shape.ExplanationAnswer,
    problems: ['not_found'],
    async handle(call) {
      const { figure = '' } = call.params;
      const { view, options } = await viewed(call);
      const explained = explain(view.loan, figure as Figure);
      if (explained === null) throw new Problem('not_found', 'This loan has no such figure; the document lists them.');
      return shown(call, view, [`explain ${figure}`, options], (plain) =>
        okText({
          ...explained,
          amount: amountText(explained.amount, plain),
          steps: explained.steps.map((step) => ({ ...step, amount: amountText(step.amount, plain) })),
        }),
      );
    },
  }),

  operation({
    ...reading,
    at: 'GET /loans/{loan_id}/transactions',
    id: 'listTransactions',
    summary: 'The loan’s transactions with their proofs',
    description:
      'Each is linked to the one before by its hash; with the proofs anyone can check the loan offline. `asOf` leaves out what takes effect ' +
      'later, `knownAt` what was recorded later.',
    scopes: ['loans:read'],
    query: shape.ViewQuery,
    answer: shape.TransactionsAnswer,
    problems: ['not_found'],
    async handle(call) {
      const { asOf, knownAt } = viewOptions(call.query);
      const all = (await call.services.loans.transactions(await actorOf(call), loanIdOf(call))) ?? noSuchLoan();
      const items = all.filter(
        ({ recordedAt, body }) =>
          (knownAt === null || recordedAt <= knownAt) && (asOf === null || effectiveOn(body) <= asOf),
      );
      return tagged(call, ok({ items }), { 'X-Loan-Version': String(all.length) });
    },
  }),

  operation({
    ...ledger,
    at: 'GET /loans/{loan_id}/journal',
    id: 'readJournal',
    summary: 'The loan’s lines in the general ledger',
    description:
      'Balanced for every transaction. `asOf` leaves out what takes effect later, `knownAt` what was recorded later.',
    query: shape.ViewQuery,
    params: shape.LoanParams,
    answer: shape.JournalAnswer,
    problems: ['not_found'],
    async handle(call) {
      const { asOf, knownAt } = viewOptions(call.query);
      const actor = await actorOf(call);
      const loanId = loanIdOf(call);
      const all = (await call.services.loans.journal(actor, loanId)) ?? noSuchLoan();
      // The events that were known then are the first so many.
      const version =
        knownAt === null ? null : seen(await call.services.loans.read(actor, loanId, { asOf: null, knownAt })).version;
      const lines = all.filter(
        ({ sequence, dateEffective }) =>
          (version === null || sequence <= version) && (asOf === null || dateEffective <= asOf),
      );
      const plain = wantsPlain(call.headers);
      const items = lines.map((line) => {
        const { transactionHash, sequence, entry, dateEffective, datePosted } = line;
        return { transactionHash, sequence, entry, ...inColumns(line, plain), dateEffective, datePosted };
      });
      const debit = add(...lines.map(({ amount }) => (amount > 0 ? amount : ZERO)));
      const credit = add(...lines.map(({ amount }) => (amount < 0 ? cents(-amount) : ZERO)));
      return tagged(call, ok({ items, totals: amountTexts({ debit, credit }, plain) }), applied(plain));
    },
  }),

  operation({
    ...personal,
    at: 'GET /loans/{loan_id}/disclosures',
    id: 'listDisclosures',
    summary: 'Who has seen the personal data, when and why',
    description: 'Newest first, this look included; and the reasons that were given for transactions.',
    query: shape.NoQuery,
    requestHeaders: { purpose: shape.personalHeaders.requestHeaders.purpose },
    answer: shape.DisclosuresAnswer,
    problems: ['not_found'],
    async handle(call) {
      return ok((await call.services.loans.disclosures(await actorOf(call), loanIdOf(call))) ?? noSuchLoan());
    },
  }),

  operation({
    ...ledger,
    at: 'GET /ledger/transactions/{hash}',
    id: 'readTransaction',
    summary: 'A transaction with its proof',
    description: 'The SHA-256 of `body` is the hash; the proof leads from there to the root of the block.',
    query: shape.NoQuery,
    params: shape.HashParams,
    answer: shape.TransactionAnswer,
    problems: ['not_found'],
    async handle(call) {
      const hash = idIn(call.params.hash);
      const found = hash === null ? null : await call.services.loans.transaction(await actorOf(call), hash);
      return found === null ? missing('transaction') : tagged(call, ok(found));
    },
  }),

  operation({
    ...ledger,
    at: 'GET /ledger/blocks/{n}',
    id: 'readBlock',
    summary: 'A block of the ledger',
    description: 'Its header, once it is sealed, and the hashes of its transactions.',
    query: shape.NoQuery,
    params: shape.BlockParams,
    answer: shape.BlockAnswer,
    problems: ['not_found'],
    async handle(call) {
      const { n = '' } = call.params;
      const found = /^(0|[1-9]\d{0,14})$/.test(n) ? await call.services.loans.block(Number(n)) : null;
      if (found === null) return missing('block');
      const { number, block, transactions } = found;
      return tagged(call, ok({ number, sealed: block !== null, block, transactions }));
    },
  }),

  operation({
    ...ledger,
    at: 'GET /ledger/trial-balance',
    id: 'readTrialBalance',
    summary: 'The balances of all accounts',
    description: 'Of the organization’s own loans. Debits equal credits.',
    query: shape.TrialBalanceQuery,
    answer: shape.TrialBalanceAnswer,
    problems: [],
    async handle(call) {
      const { loans } = call.services;
      const plain = wantsPlain(call.headers);
      const { asOf } = viewOptions(call.query);
      const found = await loans.trialBalance(await actorOf(call), asOf ?? loans.today());
      const sum = (column: 'debit' | 'credit') => add(...found.accounts.map((account) => account[column]));
      const data = {
        asOf: found.asOf,
        accounts: found.accounts.map(({ account, debit, credit }) => ({
          account,
          ...amountTexts({ debit, credit }, plain),
        })),
        totals: amountTexts({ debit: sum('debit'), credit: sum('credit') }, plain),
      };
      return tagged(call, ok(data), applied(plain));
    },
  }),

  operation({
    at: 'GET /transitions',
    id: 'listTransitions',
    tag: 'Reading',
    summary: 'Which operations each status allows, and where they lead',
    description: 'The table that decides; a refused move (409) names from it what is allowed. Any token will do.',
    scopes: [],
    key: 'checked',
    conditional: true,
    query: shape.NoQuery,
    requestHeaders: { 'If-None-Match': shape.readHeaders.requestHeaders['If-None-Match'] },
    answerHeaders: { ETag: shape.readHeaders.answerHeaders.ETag },
    answer: shape.TransitionsAnswer,
    problems: [],
    handle: (call) => tagged(call, TABLE),
  }),
];

const TABLE = ok({
  statuses: STATUSES,
  operations: Object.entries(TRANSITIONS).map(([name, { from, to }]) => ({
    operation: name,
    aliases: ALIASES[name] ?? [],
    from,
    to,
  })),
});

// ---- which loan, which day ----

function loanIdOf({ params }: Pick<Call, 'params'>): string {
  return idIn(params.loan_id) ?? noSuchLoan();
}

async function viewed(
  call: Asked & { query: ViewQuery },
  query: ViewQuery = call.query,
): Promise<{ view: LoanView; options: ViewOptions }> {
  const loanId = loanIdOf(call);
  const options = viewOptions(query);
  return { view: seen(await call.services.loans.read(await actorOf(call), loanId, options)), options };
}

/** What is not there, not the caller's, or not yet known on the day that was asked for, is not found. */
function seen<V extends object>(found: V | 'before' | null): V {
  if (found === null) return noSuchLoan();
  if (found === 'before') throw new Problem('not_found', 'Nothing was known of this loan then.');
  return found;
}

function viewOptions(query: ViewQuery): ViewOptions {
  const read = new Reader();
  const asOf = query.asOf === undefined ? null : read.date(query, 'asOf', '');
  const knownAt = query.knownAt === undefined ? null : moment(query.knownAt);
  if (query.knownAt !== undefined && knownAt === null) {
    const detail = 'Must be a moment with its zone, such as 2026-02-15T12:00:00Z.';
    read.note('/knownAt', { code: 'format', detail });
  }
  read.done();
  return { asOf, knownAt };
}

/** A plus sign that was not encoded arrives as a space. */
function moment(text: string): string | null {
  const match = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+ -]\d{2}:\d{2})$/i.exec(text);
  if (match === null || parseDate(match[1] as string) === null) return null;
  const at = new Date(text.replace(' ', '+').toUpperCase());
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

// ---- how it is shown ----

/** An answer about one loan. It is made only when `If-None-Match` does not name it already. */
function shown(
  { headers, params }: Pick<Call, 'headers' | 'params'>,
  view: { readonly version: number; readonly loan: Pick<Loan, 'on'> },
  [name, { asOf, knownAt }, ...more]: readonly [string, ViewOptions, ...(string | number)[]],
  make: (plain: boolean) => Answer,
): Answer {
  const plain = wantsPlain(headers);
  const representation = [params.loan_id ?? '', name, String(plain), asOf ?? '', knownAt ?? '', ...more];
  const etag = loanTag(view.version, view.loan.on, ...representation);
  const about = {
    ETag: etag,
    'X-Loan-Version': String(view.version),
    Vary: 'Authorization, Prefer',
    'Cache-Control': name === 'record' ? 'no-store' : REVALIDATED,
    ...applied(plain),
  };
  if (matchesNone(header(headers, 'if-none-match'), etag)) return { unchanged: true, headers: about };
  return { ...make(plain), headers: about };
}

/** An answer that depends on more than one loan's version (on sealing, say): its tag is over its bytes. */
function tagged({ headers }: Pick<Call, 'headers'>, answer: Answer, more: Record<string, string> = {}): Answer {
  const text = 'body' in answer ? JSON.stringify(answer.body) : '';
  const etag = etagOf(text);
  const about = { ETag: etag, Vary: 'Authorization, Prefer', 'Cache-Control': REVALIDATED, ...more };
  if (matchesNone(header(headers, 'if-none-match'), etag)) return { unchanged: true, headers: about };
  return { text, headers: about };
}

/** The caller may keep it and must ask each time whether it is still so. */
/** Appendix A of Regulation B: for finance companies and others that no other agency is named for. */
const FEDERAL_AGENCY = 'Federal Trade Commission, Equal Credit Opportunity, Washington, DC 20580';
const REVALIDATED = 'private, no-cache';

/** What is left of the record when the borrower was erased: every member, empty. */
const ERASED = `"Request":${emptyObject(REQUEST)},"Response":${emptyObject(RESPONSE)},"Underwriting":${emptyObject(UNDERWRITING)}`;

const okText = (data: object): Answer => ({ text: JSON.stringify({ message: 'ok', data }) });

function missing(what: string): never {
  throw new Problem('not_found', `There is no such ${what}.`);
}

function summary(loan: LoanSummary, plain: boolean) {
  const { loanAmount, remainingBalance, delinquentDays, nextPaymentDate, createdAt } = loan;
  return {
    ...loan,
    loanAmount: amountText(loanAmount, plain),
    remainingBalance: amountText(remainingBalance, plain),
    delinquentDays: countText(delinquentDays, plain),
    nextPaymentDate: nextPaymentDate ?? '',
    createdAt: countText(createdAt, plain),
  };
}

function scheduleOf({ loanId, loan }: LoanView, plain: boolean) {
  const rows = loan.terms === null ? plannedRows(loan) : fundedRows(loan);
  const sum = (name: 'amount' | 'principal' | 'interest' | 'paid' | 'open') => add(...rows.map((row) => row[name]));
  // The last installment takes what is left, so it says nothing about the others.
  const next = rows.slice(0, -1).find(({ satisfiedOn }) => satisfiedOn === null) ?? rows[0];
  return {
    loanId,
    asOf: loan.on,
    planned: loan.terms === null,
    levelPayment: next === undefined ? null : amountText(next.amount, plain),
    installments: rows.map(({ n, dueDate, pastDue, satisfiedOn, ...amounts }) => ({
      n,
      dueDate,
      ...amountTexts(amounts, plain),
      pastDue,
      satisfiedOn,
    })),
    totals: amountTexts(
      {
        amount: sum('amount'),
        principal: sum('principal'),
        interest: sum('interest'),
        paid: sum('paid'),
        open: sum('open'),
      },
      plain,
    ),
  };
}

type Row = {
  n: number;
  dueDate: PlainDate;
  amount: Cents;
  principal: Cents;
  interest: Cents;
  paid: Cents;
  open: Cents;
  pastDue: boolean;
  satisfiedOn: PlainDate | null;
};

function fundedRows(loan: Loan): Row[] {
  return openInstallments(loan).map(({ installment, open, pastDue }) => {
    const { n, dueDate, amount, principal, interest, paid, satisfiedOn } = installment;
    return { n, dueDate, amount, principal, interest, paid, open, pastDue, satisfiedOn };
  });
}

function plannedRows({ contract, on }: Loan): Row[] {
  const terms = termsOf(contract, contract.contractDate ?? on);
  const schedule = isRefusal(terms) ? terms : buildSchedule(terms);
  // The day may be one on which the contract's dates could not be kept any more; then there is no plan.
  if (isRefusal(schedule)) return [];
  return schedule.rows.map(({ n, dueDate, payment, principal, interest }) => ({
    n,
    dueDate,
    amount: payment,
    principal,
    interest,
    paid: ZERO,
    open: payment,
    pastDue: false,
    satisfiedOn: null,
  }));
}

function historyOf({ loanId, loan, events }: LoanView, plain: boolean) {
  const rows = statement(events, loan.on).rows.map(
    ({ date, kind, reference, detail, amount, allocation, balance, running }) => ({
      date,
      kind,
      reference,
      detail,
      amount: amountText(amount, plain),
      allocation: amountTexts(allocation, plain),
      balance: amountText(balance, plain),
      running: amountTexts(running, plain),
    }),
  );
  return { loanId, asOf: loan.on, rows };
}

/** The day on which a transaction takes effect: its event's. */
function effectiveOn(body: string): string {
  return (JSON.parse(body) as { event: { date: string } }).event.date;
}

// ---- searching ----

const PERSONAL = { code: 'personal', detail: 'This looks like a social security number; search for it in a body.' };

function searchTerms(body: {
  ssn?: string;
  email?: string;
  phone?: string;
  vin?: string;
  lastName?: string;
  dateOfBirth?: string;
}): SearchTerms {
  const { ssn, email, phone, vin, lastName, dateOfBirth } = body;
  const read = new Reader();
  const expect = (name: string, right: boolean, detail: string) => {
    if (!right) read.note(`/${name}`, { code: 'format', detail });
  };
  expect('ssn', ssn === undefined || /^\d{3}-?\d{2}-?\d{4}$/.test(ssn), 'Must be nine digits.');
  expect('email', email === undefined || /^\S+@\S+$/.test(email.trim()), 'Must be an e-mail address.');
  expect('phone', phone === undefined || phone.replaceAll(/\D/g, '').length >= 7, 'Must have seven digits at least.');
  expect('vin', vin === undefined || /^[A-Za-z0-9]{5,32}$/.test(vin.trim()), 'Must be letters and digits.');
  const day = dateOfBirth?.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  expect('dateOfBirth', day === undefined || parseDate(day) !== null, 'Must be a date, YYYYMMDD or YYYY-MM-DD.');
  if ((lastName === undefined) !== (dateOfBirth === undefined)) {
    const absent = lastName === undefined ? 'lastName' : 'dateOfBirth';
    read.note(`/${absent}`, { code: 'required', detail: 'lastName and dateOfBirth are searched together.' });
  }
  read.done();
  return {
    ...(ssn === undefined ? {} : { ssn }),
    ...(email === undefined ? {} : { email }),
    ...(phone === undefined ? {} : { phone: [phone] }),
    ...(vin === undefined ? {} : { vin }),
    ...(lastName === undefined ? {} : { lastName }),
    ...(dateOfBirth === undefined ? {} : { dateOfBirth }),
  };
}
