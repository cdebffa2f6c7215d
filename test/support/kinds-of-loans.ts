/** A loan of every kind that a record can be of, made through the API: every status, and every way in which what it holds can come about. */
import { STATUSES } from '../../src/core/loan.ts';
import { type ApplicationOptions, applicationBody } from '../../src/demo/application.ts';
import { eraseBorrower } from '../../src/loans/people/erase.ts';
import type { TestApp } from './app.ts';
import { fullBody } from './full-body.ts';
import type { CallerFacts } from './interface-rules.ts';
import { creation, loanIn } from './statuses.ts';

export type KindOfLoan = { readonly name: string; readonly loanId: string; readonly known: CallerFacts };

/** People of the simulator. */
const GOOD = '666-00-0001';
const BAD = '666-00-0005';

/** Types that an installment engine can service. */
const LOAN_TYPES = [
  ...['TermLoan', 'AssetBased', 'Bridge', 'Mezzanine', 'Syndicated', 'EquipmentFinance', 'InvoiceFinance'],
  ...['PersonalLoan', 'StudentLoan', 'Mortgage', 'ConstructionLoan', 'HardMoneyLoan', 'Other'],
];

export async function kindsOfLoans(app: TestApp): Promise<KindOfLoan[]> {
  const [token, key] = [await app.token(), app.credentials.apiKey];
  const found: KindOfLoan[] = [];
  const add = (name: string, loanId: string, known: CallerFacts = {}) => void found.push({ name, loanId, known });
  const sent = (path: string, body: object) => app.call('POST', `/v2/chain/${path}`, { token, key, body });
  const done = async (path: string, body: object): Promise<{ loanId: string }> => {
    const answer = await sent(path, body);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
    return answer.body;
  };
  const payoffOf = async (loanId: string) =>
    (await app.call('GET', `/v2/chain/loans/${loanId}/payoff`, { token })).body.data.payoff;
  const created = async (body: object, ...steps: readonly (readonly [path: string, more?: object])[]) => {
    const { loanId } = await done('loans', body);
    for (const [path, more] of steps) await done(path, { loanId, ...more });
    return loanId;
  };
  const [start, complete, repaying] = [
    ['start-underwriting'],
    ['complete-underwriting'],
    ['initiate-repayment'],
  ] as const;
  const decide = (approved: boolean) => ['complete-underwriting', { approved, reason: 'Known for years' }] as const;
  const here = { assessed: 'here' } as const;
  const elsewhere = { assessed: 'elsewhere' } as const;

  for (const status of STATUSES) {
    // This one comes with a report of its lender.
    const known = status === 'Current' ? elsewhere : {};
    add(`a loan that is ${status}`, await loanIn(status, sent, payoffOf), known);
  }

  add('an application', await created(application(GOOD)));
  add('an assessed application', await created(application(GOOD), start), here);
  add('an approved one', await created(application(GOOD), start, complete), here);
  add(
    'one with another of the deals',
    await created(application(GOOD), start, ['complete-underwriting', { dealIndex: 7 }]),
    here,
  );
  add('a declined one', await created(application(BAD), start, complete), here);
  add('one that a person declined', await created(application(GOOD), start, decide(false)), here);
  add('one that a person approved', await created(application(BAD), start, decide(true)), here);
  add('one that is repaid', await created(application(GOOD), start, complete, repaying), here);
  add('one that was assessed and cancelled', await created(application(GOOD), start, ['cancel']), here);
  add('a joint one', await created(application(GOOD, '666-00-0002'), start, complete), here);
  for (const [name, options] of Object.entries<ApplicationOptions>(CONTRACTS)) {
    const body = { ...applicationBody(21, options), applicationId: `KIND-${name.replaceAll(' ', '-')}` };
    add(`a contract with ${name}`, await created(body, start, decide(true), repaying), here);
  }
  for (const loanType of LOAN_TYPES) add(`a ${loanType}`, await created(creation({ loanType })));
  const personalLoan = { ...application(GOOD), loanType: 'PersonalLoan' };
  add('a PersonalLoan that is repaid', await created(personalLoan, start, decide(true), repaying), here);

  const whole = fullBody(4);
  add('a boarded loan', await created(whole), elsewhere);
  add(
    'a boarded loan that is repaid',
    await created({ ...whole, applicationId: 'KIND-REPAID' }, start, complete, repaying),
    elsewhere,
  );
  add('a boarded loan with other forms of values', await created(creation(OTHER_FORMS)), elsewhere);
  add(
    'a boarded loan with little in it',
    await created(creation({ Response: { Decision: 'DECLINED' } }), start, complete),
    elsewhere,
  );
  add(
    'a loan with little in its request',
    await created(creation({ Request: { ApplicantInfo: { ApplicantZip: '77101' } } })),
  );

  for (const [name, steps] of [
    ['cancelled', [['cancel']]],
    ['rejected', [start, decide(false)]],
  ] as const) {
    const loanId = await created(application(GOOD), ...steps);
    const now = app.clock.now + 1_000;
    const erased = await eraseBorrower(app.db, { loanId, retentionDays: 0, now });
    if ('refused' in erased) throw new Error(erased.refused);
    add(`a ${name} one whose borrower was erased`, loanId);
  }
  return found;
}

const CONTRACTS: Record<string, ApplicationOptions> = {
  'a payment every two weeks': { frequency: 'BiWeekly', months: 48 },
  'a payment every quarter': { frequency: 'Quarterly', months: 36 },
  'a balloon': { balloonPercent: 35 },
  'months of interest alone': { interestOnlyCount: 6 },
  'a variable rate': { variable: true },
  'no date yet': { contractDate: null },
};

let applications = 0;

function application(ssn: string, coApplicantSsn = ''): object {
  const { Request } = applicationBody(3) as { Request: Record<string, object> };
  applications += 1;
  return {
    ...{ applicationId: `KIND-${applications}`, borrowerId: 'B-1', lenderId: 'L-1', loanType: 'AutoLoan' },
    ...{ loanAmount: '18,000', principalAmount: '17,000', interestRate: '8.49', term: 60 },
    Request: {
      ...Request,
      ApplicantInfo: { ...Request.ApplicantInfo, MonthlyGross: 6_500, ApplicantSSN: ssn },
      CoApplicantInfo: { CoApplicantSSN: coApplicantSsn },
      VehicleInfo: {
        ...Request.VehicleInfo,
        ...{ VehicleRetailValue: '24,000', VehicleWholesaleValue: '22,000', VehicleVIN: '' },
        ...{ VehicleAge: '2', VehicleYear: '2024', VehicleMileage: '21,000' },
      },
    },
  };
}

/** Values that mean what the interface's own form says, as systems of lenders write them. */
const OTHER_FORMS = {
  predictedPrincipalPaid: '11850.123456',
  Request: {
    ApplicantInfo: {
      ...{ MonthlyGross: '6500', ApplicantAge: 41, ApplicantSSN: 666123456, ApplicantZip: 77101 },
      ...{ ApplicantDOB: '1984-02-29', HousingMonthlyPayment: 1250.5, ApplicantIncome: 78000 },
    },
    CoApplicantInfo: null,
    RequestedTermsInfo: { RequestedLoanTerm: 12 },
  },
  Response: { Decision: 'APPROVED', CreditScorePrimary: '742', LoanTerms: [{ Payment: '1049.42', DEALER_FLAT: 150 }] },
  Underwriting: {
    DealTermsInfo: [{ TermsLoanAmount: 12000, TermsAPR: 9, TermsTerm: 12 }],
    UnderwritingInfo: [{ DecisionStatus: 'APPROVED', WarningsNumber: 0 }],
    PrimaryCreditInfo: { CreditScore: '0742' },
  },
};
