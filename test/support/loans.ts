/** The module `loans` on a database of its own, without HTTP, with a clock that the test moves. */
import { SCOPES } from '../../src/access/scopes.ts';
import type { LoanFile, Personal } from '../../src/boarding/file.ts';
import { openSimulator } from '../../src/bureau/simulator/open.ts';
import type { Command } from '../../src/core/decide/decide.ts';
import { DEFAULT_POLICY } from '../../src/core/policy.ts';
import type { Actor } from '../../src/loans/door/actor.ts';
import type { Change, Outcome, WriteOptions } from '../../src/loans/door/write.ts';
import { type LoansOptions, type OpenLoans, openLoans } from '../../src/loans/open.ts';
import type { Boarding } from '../../src/loans/origination/creation.ts';
import type { Db } from '../../src/store/db/db.ts';
import { masterKeyId } from '../../src/vault/master-keys.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { contractOf } from './life.ts';
import { testWorkers as workers } from './workers.ts';

const key = (byte: number) => new Uint8Array(32).fill(byte);
const master = { keyId: masterKeyId(key(7)), key: key(7) };
export const testMasterKeys = {
  current: () => master,
  find: (id: string) => (id === master.keyId ? master : null),
  all: () => [master],
};
export const testSecrets = { index: key(1), party: key(2), idempotency: key(3) };

const ORGANIZATION = 'org_test';
const ALL_SCOPES = new Set<string>(SCOPES.filter((scope) => scope !== 'admin'));

export const ACTOR: Actor = {
  organizationId: ORGANIZATION,
  clientId: 'client',
  keyId: 'key_test',
  scopes: ALL_SCOPES,
  grants: [],
  requestId: 'request',
  purpose: 'a test',
};

export const PLAIN: WriteOptions = { dryRun: false, ifVersion: null, idempotency: null };

export const FILE: LoanFile = {
  applicationId: 'APP-1',
  borrowerId: 'B-1',
  lenderId: 'L-1',
  primaryServicerId: 'S-1',
  secondaryServicerId: '',
  borrower: '',
  initialLender: '',
  loanServicer: '',
  loanType: 'AutoLoan',
  state: '',
  principalAmount: contractOf().amount,
  collateralType: 'Vehicles',
  collateralValue: null,
  encumberedStatus: 'Lien',
  interestRate: '12',
  spread: '',
  interestRateType: 'Fixed',
  amortizationType: 'FullAmortization',
  term: 12,
  paymentFrequency: 'Monthly',
  prepaymentPenalty: contractOf().prepaymentPenalty,
  lateFee: contractOf().prepaymentPenalty,
  riskRating: '',
  defaultProbability: '',
  grade: '',
  predictedPrincipalPaid: '',
  predictedInterestPaid: '',
  predictedChargeoffAmount: '',
  predictedRecoveredAmount: '',
  predictedGrossCashflow: '',
  predictedNetCashflow: '',
  predictedYield: '',
  apr: '',
  prepaidFinanceCharge: contractOf().prepaymentPenalty,
  originationFee: contractOf().prepaymentPenalty,
  dealerReserve: contractOf().prepaymentPenalty,
  directCosts: contractOf().prepaymentPenalty,
  fairValuePrice: '',
  ltv: '',
  macroEconomicFeatures: '{}',
  macroGiven: '{}',
  macroAtCreation: '{"unemployment":4.4,"cpi":2.7,"fedRate":3.64}',
  vehicle: { year: '', age: '', mileage: '' },
  assessed: 'elsewhere',
  assessedWith: null,
  ended: null,
  decision: 'APPROVED',
  deals: [],
  opening: null,
};

export const PERSONAL: Personal = {
  lendingDecisionReason: 'Good history',
  applicantCreditVision: 'Twelve open accounts',
  coApplicantCreditVision: '',
  vin: '1HGCM82633A004352',
  pti: '0.1194',
  dti: '0.3833',
  indexRate: '',
  creditReportHash: '',
  retailInstallmentContractHash: '',
  signs: '',
  record: '"Request":{"ApplicantInfo":{"ApplicantSSN":"666-12-3456"}},"Response":{},"Underwriting":{}',
  search: { ssn: '666-12-3456', email: 'Ann.Example@example.org', lastName: 'Example', dateOfBirth: '19800102' },
  customData: [],
};

export type TestLoans = {
  loans: OpenLoans;
  db: Db;
  clock: { now: number };
  /** Sets the clock to an hour of a day, in UTC; without one to noon. */
  on(day: string, hour?: number): void;
  /** A second one on the same database, as another process would have. */
  another(more?: Partial<LoansOptions>): OpenLoans;
  creation(more?: Partial<LoanFile>, other?: Partial<Boarding>): Boarding;
  create(more?: Partial<LoanFile>, other?: Partial<Boarding>): Promise<string>;
  /** Created, underwritten, funded, repayment initiated. */
  live(more?: Partial<LoanFile>): Promise<string>;
  write(
    loanId: string,
    command: Command,
    more?: Partial<WriteOptions> & { actor?: Actor; reason?: string | null },
  ): Promise<Outcome>;
  /** Throws unless it was done. */
  done(loanId: string, command: Command): Promise<Change>;
  close(): Promise<void>;
};

const text = (change: Change) => JSON.stringify({ hash: change.transactionHash, status: change.status });

export async function testLoans(
  more: Partial<LoansOptions> = {},
  database: Promise<Pick<TestDatabase, 'db' | 'drop'>> = testDatabase(),
): Promise<TestLoans> {
  const { db, drop } = await database;
  await db.query("INSERT INTO organizations VALUES ($1, 'Test', now()), ('org_other', 'Other', now())", [ORGANIZATION]);
  const clock = { now: Date.UTC(2026, 0, 1, 12) };
  const opened: OpenLoans[] = [];
  const another = (other: Partial<LoansOptions> = {}) => {
    const loans = openLoans({
      db,
      clock: () => clock.now,
      masterKeys: testMasterKeys,
      secrets: testSecrets,
      bureau: openSimulator(workers),
      simulator: openSimulator(workers),
      workers,
      rightsNow: async ({ keyId }) => ({ scopes: ALL_SCOPES, limits: {}, keyId }),
      ...more,
      ...other,
    });
    opened.push(loans);
    return loans;
  };
  const loans = another();
  let applications = 0;
  const test: TestLoans = {
    loans,
    db,
    clock,
    on(day, hour = 12) {
      clock.now = Date.parse(`${day}T00:00:00Z`) + hour * 3_600_000;
    },
    another,
    creation: (file = {}, other = {}) => ({
      contract: contractOf(),
      policy: DEFAULT_POLICY,
      file: { ...FILE, applicationId: `APP-${++applications}`, ...file },
      personal: PERSONAL,
      publicPart: '{}\n"loanInfo":{},"Underwriting":{}',
      published: false,
      applies: false,
      boarded: null,
      answer: text,
      ...other,
    }),
    async create(file, other) {
      const outcome = await loans.origination.board(ACTOR, test.creation(file, other), PLAIN);
      if (outcome.kind !== 'done') throw new Error(`Not created: ${JSON.stringify(outcome)}`);
      return outcome.change.loanId;
    },
    async live(file) {
      const loanId = await test.create(file);
      await test.done(loanId, { do: 'start-underwriting' });
      await test.done(loanId, {
        do: 'complete-underwriting',
        approved: true,
        dealIndex: 0,
        reason: null,
      });
      await test.done(loanId, { do: 'initiate-repayment', date: null, opening: null });
      return loanId;
    },
    write: (
      loanId,
      command,
      { actor = ACTOR, reason = null, ...how }: Parameters<TestLoans['write']>[2] & object = {},
    ) => loans.write(actor, { loanId, command, reason, answer: text }, { ...PLAIN, ...how }),
    async done(loanId, command) {
      const outcome = await test.write(loanId, command);
      if (outcome.kind !== 'done') throw new Error(`${command.do} was not done: ${JSON.stringify(outcome)}`);
      return outcome.change;
    },
    async close() {
      await Promise.all(opened.map((one) => one.close()));
      await drop();
    },
  };
  return test;
}

export const repay = (refId: string, cents: number, more: object = {}): Command =>
  ({
    do: 'loan-repay',
    refId,
    amount: cents,
    date: null,
    purpose: 'installment',
    acceptOverpayment: false,
    reason: null,
    ...more,
  }) as Command;
