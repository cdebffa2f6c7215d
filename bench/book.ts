/**
 * Fills a database with loans that have years of history: the rows that the write path would have written, made by the same decisions,
 * books and chain, and saved by the same statement, many events at a time.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import type { LoanFile } from '../src/boarding/file.ts';
import { addMonths, type PlainDate } from '../src/core/calendar.ts';
import { type Command, decide, decideCreation } from '../src/core/decide/decide.ts';
import type { LoanEvent } from '../src/core/event.ts';
import { fold } from '../src/core/fold.ts';
import type { Contract, Loan } from '../src/core/loan.ts';
import { cents } from '../src/core/money.ts';
import { DEFAULT_POLICY, type Policy } from '../src/core/policy.ts';
import { percent } from '../src/core/rate.ts';
import { isRefusal } from '../src/core/refusal.ts';
import { GENESIS_HASH, hashOf, transactionBody } from '../src/ledger/chain.ts';
import { type DatedLine, journalOf } from '../src/ledger/journal.ts';
import { characteristicsOf } from '../src/portfolio/characteristics.ts';
import { columnsOf, seldomText } from '../src/portfolio/loan-columns.ts';
import type { Db } from '../src/store/db/db.ts';
import { save } from '../src/store/door/save.ts';
import type { Save } from '../src/store/door/save-loans.ts';
import { commitmentsTo } from '../src/vault/commitments.ts';
import { type MasterKey, newDataKey, wrap } from '../src/vault/master-keys.ts';
import { newSalt, sealPublicPart, sealRecord } from '../src/vault/seal.ts';
import { FILE } from '../test/support/loans.ts';

export type BookOptions = {
  db: Db;
  organizationId: string;
  clientId: string;
  master: MasterKey;
  loans: number;
  /** Months of history: a payment and its acknowledgement each. */
  months: number;
  today: PlainDate;
  policy?: Policy;
  /** For this lender, with its own names, beside others of the same organization. */
  lenderId?: string;
  name?: string;
  /** Whether the installment due today is paid. */
  paidToday?: boolean;
  onProgress?: (done: number) => void;
};

/** 25,000.00 at 7.25 % over 60 months; the level payment of the engine is paid on every due date. */
function contractFrom(start: PlainDate): Contract {
  return {
    amount: cents(2_500_000),
    rate: percent('7.25'),
    variable: false,
    dayCount: 'actual/365',
    rounding: 'half-up',
    frequency: 'Monthly',
    count: 60,
    contractDate: start,
    firstPaymentDate: addMonths(start, 1),
    amortization: 'FullAmortization',
    balloon: cents(0),
    interestOnlyCount: 0,
    payment: null,
    prepaymentPenalty: cents(0),
  };
}

/** One history, with the loan's books after each event. */
function historyOf({ months, today, policy = DEFAULT_POLICY, paidToday = false }: BookOptions): {
  events: LoanEvent[];
  lines: DatedLine[][];
  loan: Loan;
} {
  const start = addMonths(today, -months);
  const contract = contractFrom(start);
  const at = (day: PlainDate, minute: number) => ({
    today: day,
    at: `${day}T10:${String(minute).padStart(2, '0')}:00.000Z`,
  });
  const created = decideCreation(contract, policy, at(start, 0));
  if (isRefusal(created)) throw new Error(created.detail);
  const events: LoanEvent[] = [...created.events];
  const take = (day: PlainDate, minute: number, command: Command) => {
    const decision = decide(events, command, at(day, minute));
    if (isRefusal(decision)) throw new Error(`${command.do}: ${decision.detail}`);
    events.push(...decision.events);
  };
  take(start, 1, { do: 'start-underwriting' });
  const approval = { approved: true, dealIndex: 0, reason: null };
  take(start, 2, { do: 'complete-underwriting', ...approval });
  take(start, 3, { do: 'initiate-repayment', date: null, opening: null });
  const payment = fold(events, start).installments[0]?.amount ?? cents(0);
  for (let month = 1; month <= months; month++) {
    const day = addMonths(start, month);
    if (day > today || (day === today && !paidToday)) break;
    const refId = `month-${month}`;
    const asked = { purpose: 'installment', acceptOverpayment: false, reason: null } as const;
    take(day, 0, { do: 'loan-repay', refId, amount: payment, date: null, ...asked });
    take(day, 1, { do: 'acknowledge-repayment', refId });
  }
  return { events, ...journalOf(events) };
}

/** The ids of the loans, and how many events each has. */
export async function fillBook(options: BookOptions): Promise<{ loanIds: string[]; events: number; payment: number }> {
  const { db, organizationId, clientId, master, loans, name = 'BENCH', lenderId = FILE.lenderId } = options;
  const { events, lines, loan } = historyOf(options);
  // The nights begin with the next one: nothing was posted, and no position written, of those before.
  await db.query('INSERT INTO cycle_heads VALUES ($1, $2, $2::date - 1) ON CONFLICT DO NOTHING', [
    organizationId,
    options.today,
  ]);
  const columns = columnsOf(loan);
  const publicPart = '{}\n"loanInfo":{},"Underwriting":{}';
  const record = '"Request":{},"Response":{},"Underwriting":{}';
  const personal = {
    lendingDecisionReason: '',
    applicantCreditVision: '',
    coApplicantCreditVision: '',
    vin: '',
    pti: '',
    dti: '',
    indexRate: '',
    creditReportHash: '',
    retailInstallmentContractHash: '',
    signs: '',
  };
  const loanIds: string[] = [];
  let batch: Save[] = [];
  for (let n = 1; n <= loans; n++) {
    const loanId = `0x${randomBytes(32).toString('hex')}`;
    loanIds.push(loanId);
    const file: LoanFile = { ...FILE, lenderId, applicationId: `${name}-${n}`, borrowerId: `B-${n}` };
    const fileText = JSON.stringify(file);
    const dataKey = newDataKey();
    const salt = newSalt();
    let previous = GENESIS_HASH;
    batch.push({
      loanId,
      organizationId,
      createdAt: new Date((events[0] as LoanEvent).recordedAt),
      expected: null,
      version: events.length,
      recordedAt: new Date((events.at(-1) as LoanEvent).recordedAt),
      columns,
      seldom: seldomText(columns),
      before: null,
      created: {
        organizationId,
        applicationId: file.applicationId,
        borrowerId: file.borrowerId,
        lenderId: file.lenderId,
        primaryServicerId: file.primaryServicerId,
        secondaryServicerId: file.secondaryServicerId,
        loanType: file.loanType,
        file: fileText,
        applied: false,
        publicPart: sealPublicPart(dataKey, loanId, publicPart),
        keyId: master.keyId,
        wrappedKey: wrap(master, dataKey, loanId),
        sealed: sealRecord(dataKey, loanId, { ...personal, record }, salt),
        blindIndex: [],
        characteristics: characteristicsOf(file),
      },
      clientId,
      userId: null,
      act: { operation: 'create-loan', organizationId, keyId: null, requestId: null },
      events: events.map((event, i) => {
        const given = i === 0 ? commitmentsTo(salt, { personal, record, file: fileText, publicPart }) : null;
        const body = transactionBody({
          loanId,
          sequence: i + 1,
          previous,
          event,
          nonce: randomUUID(),
          commitments: given,
        });
        previous = hashOf(body);
        return {
          sequence: i + 1,
          hash: previous,
          type: event.type,
          refId: null,
          nextOrganizationId: null,
          body,
          note: null,
          lines: lines[i] as DatedLine[],
        };
      }),
      idempotency: null,
      assessed: null,
      partyChange: null,
      customIndex: null,
    });
    if (batch.length === 50 || n === loans) {
      const saves = batch;
      const at = new Date((events[0] as LoanEvent).recordedAt);
      await db.transaction((tx) => save(tx, saves, { at, until: null, standing: new Map() }));
      batch = [];
      options.onProgress?.(n);
    }
  }
  // A save assumes one day for what it saves; here one save holds years of history.
  await db.query('UPDATE loans SET first_recorded_on = $2 WHERE organization_id = $1 AND created_at = $3', [
    organizationId,
    (events[0] as LoanEvent).recordedOn,
    new Date((events[0] as LoanEvent).recordedAt),
  ]);
  return { loanIds, events: events.length, payment: loan.installments[0]?.amount ?? 0 };
}
