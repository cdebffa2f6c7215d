/** Rules for every loan of the demonstration, whatever its figures: each broken rule is a complaint in words. */
import { addDays, addMonths, PER_YEAR, type PlainDate, parts } from '../../src/core/calendar.ts';
import type { LoanEvent } from '../../src/core/event.ts';
import { formatDecimal } from '../../src/core/rate.ts';
import type { FullView } from '../../src/loans/reads/view.ts';
import { CASHFLOW_COLUMNS } from '../../src/underwriting/cashflows.ts';

export type Recorded = { readonly full: FullView; readonly events: readonly LoanEvent[] };

/** Area codes and the first three digits of ZIP codes, of the states that the demonstration has. */
const STATES: Readonly<Record<string, { areaCodes: readonly string[]; zips: readonly [number, number] }>> = {
  FL: { areaCodes: ['305', '352', '407', '727', '813', '850', '904'], zips: [320, 349] },
  TX: { areaCodes: ['210', '214', '512', '713', '806', '817', '915'], zips: [750, 799] },
  CO: { areaCodes: ['303', '719', '720', '970'], zips: [800, 819] },
  WI: { areaCodes: ['262', '414', '608', '715', '920'], zips: [530, 549] },
  IA: { areaCodes: ['319', '515', '563', '641', '712'], zips: [500, 529] },
  KS: { areaCodes: ['316', '620', '785', '913'], zips: [660, 679] },
};
const GRADES = ['A', 'B', 'C', 'D', 'E', 'F'];
/** The dealers' rates from the best score to the worst. */
const RATES = ['8.45', '9.35', '11.49', '15.95', '19.95'];

/** Rules for one loan. */
export function complaintsAbout({ full, events }: Recorded): string[] {
  const { view, record } = full;
  const { file, loan, status } = view;
  // biome-ignore lint/suspicious/noExplicitAny: reads any member of a record
  const { Request, Response, Underwriting }: any = JSON.parse(`{${Buffer.concat(record).toString('utf8')}}`);
  const found: string[] = [];
  const holds = (rule: string, isTrue: boolean, facts: unknown = '') => {
    if (!isTrue) found.push(`${file.applicationId} (${status}): ${rule} ${JSON.stringify(facts)}`);
  };
  const created = dayOf(events[0] as LoanEvent);
  const boarded = file.opening !== null;
  // A loan that was boarded was applied for on the day its contract was signed.
  const applied = boarded ? (loan.contract.contractDate as PlainDate) : created;

  const person = Request.ApplicantInfo;
  const born = `${person.ApplicantDOB.slice(0, 4)}-${person.ApplicantDOB.slice(4, 6)}-${person.ApplicantDOB.slice(6)}`;
  const age = parts(applied)[0] - parts(born as PlainDate)[0] - (born.slice(5) <= applied.slice(5) ? 0 : 1);
  holds('the age is that of the birth date', Number(person.ApplicantAge) === age, [person.ApplicantAge, born, applied]);
  holds('the applicant is an adult', age >= 18, age);
  const adultSince = addMonths(born as PlainDate, 18 * 12);
  for (const member of ['EmploymentTotalMonths', 'AddressTotalMonths']) {
    const since = addMonths(applied, -Number(person[member]));
    holds(`${member} is since the applicant was an adult`, since >= adultSince, [person[member], age]);
  }
  const state = STATES[person.ApplicantState];
  for (const member of ['HomePhone', 'EmploymentWorkPhone']) {
    holds(`${member} is of the state`, state?.areaCodes.includes(person[member].slice(0, 3)) ?? false, person[member]);
  }
  const zip = Number(person.ApplicantZip.slice(0, 3));
  holds('the ZIP code is of the state', state !== undefined && zip >= state.zips[0] && zip <= state.zips[1], zip);
  holds('the dealer is in the state', Request.DealerInfo.DealerState === person.ApplicantState);
  holds('the application is the loan’s', Request.ApplicationInfo.ApplicationID === file.applicationId);
  holds('the yearly income is that of the month', Number(person.ApplicantIncome) === person.MonthlyGross * 12);
  holds(
    'the employer fits the employment',
    (person.EmploymentType === 'Self Employed') === (person.EmploymentCompany === 'Own business'),
  );

  const { VehicleYear, VehicleAge, VehicleMileage, VehicleRetailValue, VehicleVIN } = Request.VehicleInfo;
  holds('the model year is not after the application', Number(VehicleYear) <= parts(applied)[0], VehicleYear);
  holds('the age of the vehicle is that of its year', Number(VehicleAge) === parts(applied)[0] - Number(VehicleYear));
  const perYear = Number(VehicleMileage) / Math.max(1, Number(VehicleAge));
  holds(
    'the mileage fits the age of the vehicle',
    perYear < 15_000 && (VehicleAge === '0' || perYear > 5_000),
    perYear,
  );
  holds('the price is one of a car', Number(VehicleRetailValue) > 5_000 && Number(VehicleRetailValue) < 60_000);
  holds('the VIN says the model year', VIN_YEARS[(Number(VehicleYear) - 1980) % 30] === VehicleVIN[9], VehicleVIN);

  const on = (type: LoanEvent['type']) => events.find((event) => event.type === type);
  const [started, approved, rejected, funded] = [
    on('underwritingStarted'),
    on('approved'),
    on('rejected'),
    on('funded'),
  ];
  holds('who is assessed has started underwriting', (file.assessed !== null) === (started !== undefined));
  const decided = file.assessed === null ? null : Response.Decision;
  holds('the decision is that of the record', decided === file.decision, [decided, file.decision]);
  holds('who is approved was approved by the engine', approved === undefined || decided === 'APPROVED', decided);
  holds('who is rejected was declined by the engine', rejected === undefined || decided === 'DECLINED', decided);
  holds('nobody is funded without an approval', funded === undefined || approved !== undefined);
  const past = events.map(dayOf);
  holds(
    'events are in the order of their days',
    past.every((day, i) => i === 0 || day >= (past[i - 1] as string)),
  );
  const { terms, contract } = loan;
  // A chosen deal changes the contract; the file keeps what was asked for.
  const term = (contract.count * 12) / PER_YEAR[contract.frequency];
  if (loan.fundedOn !== null && terms !== null && !boarded) {
    holds('the application comes before the funding', created <= loan.fundedOn, [created, loan.fundedOn]);
    const first = terms.dueDates[0] as PlainDate;
    const perMonth = contract.count / term;
    const [earliest, latest] = perMonth >= 1 ? [6, 45] : [80, 200];
    const inTime = first >= addDays(loan.fundedOn, earliest) && first <= addDays(terms.interestStart, latest);
    holds('the first payment comes a period later', inTime, [terms.interestStart, loan.fundedOn, first]);
  }
  if (file.assessed === null) return found;

  const report = Underwriting.PrimaryCreditInfo;
  const reported = report.ApplicantCreditReportDate as PlainDate;
  holds('the report is of the day of underwriting', boarded || reported === dayOf(started as LoanEvent), reported);
  holds('the report is not before the application', reported >= applied, [reported, applied]);
  const opened = linesOf(Underwriting.PrimaryCreditBureauTradeLines);
  holds(
    'accounts were opened before the report',
    opened.every((day) => day < reported),
  );
  holds(
    'accounts were opened by an adult',
    opened.every((day) => day >= adultSince),
    [opened.sort()[0], born],
  );
  holds('the score is that of the report', String(Response.CreditScorePrimary) === report.CreditScore);
  const [header] = Underwriting.CashflowsCsv.split('\n', 1);
  holds('CashflowsCsv has the product’s columns', header === CASHFLOW_COLUMNS.join(','), header);

  const { DealTermsInfo, UnderwritingInfo } = Underwriting;
  holds('sixty deals', DealTermsInfo.length === 60 && UnderwritingInfo.length === 60, DealTermsInfo.length);
  const rateText = formatDecimal(contract.rate);
  const isTheLoans = (deal: Record<string, string>) =>
    Number(deal.TermsLoanAmount) * 100 === contract.amount &&
    Number(deal.TermsAPR) === Number(rateText) &&
    Number(deal.TermsTerm) === term;
  const chosen = DealTermsInfo.findIndex(isTheLoans);
  holds('the loan’s terms are those of a deal', chosen >= 0, [contract.amount, rateText, term]);
  if (chosen < 0) return found;
  const [deal, assessed] = [DealTermsInfo[chosen], UnderwritingInfo[chosen]];
  holds('the loan has the figures of its deal', Number(assessed.DefaultProb) === Number(file.defaultProbability), [
    assessed.DefaultProb,
    file.defaultProbability,
  ]);
  if (approved !== undefined) holds('its deal is approved', assessed.DecisionStatus === 'APPROVED', chosen);
  const payment = loan.installments[0]?.amount;
  if (payment !== undefined && contract.frequency === 'Monthly' && contract.interestOnlyCount === 0) {
    const difference = Number(deal.TermsMonthlyPayment) * 100 - payment;
    // The days between the decision and the funding move the first stretch of interest.
    holds('its payment is that of the deal', Math.abs(difference) < payment / 500, [deal.TermsMonthlyPayment, payment]);
  }
  const askedRate = String(DealTermsInfo[0].TermsAPR);
  // An F is hardly ever lent to, and quoted as an E.
  const [rate, grade] = [RATES.indexOf(askedRate), Math.min(GRADES.indexOf(file.grade), RATES.length - 1)];
  holds('the rate asked for is one of the dealers’ quotes', rate >= 0, askedRate);
  if (decided === 'APPROVED')
    holds('rate and grade are at most a step apart', Math.abs(rate - grade) <= 1, [rate, grade]);
  return found;
}

/**
 * Rules for all loans together: the better the score, the better the rate; and each grade is better than the next in score, rate and risk.
 */
export function complaintsAboutAll(all: readonly Recorded[]): string[] {
  const assessed = all
    .filter(({ full }) => full.view.file.decision === 'APPROVED')
    .map(({ full: { view, record } }) => ({
      grade: view.file.grade,
      risk: Number(view.file.defaultProbability),
      ...askedBy(JSON.parse(`{${Buffer.concat(record).toString('utf8')}}`)),
    }));
  const found: string[] = [];
  const byScore = [...assessed].sort((a, b) => b.score - a.score);
  byScore.forEach(({ score, rate }, i) => {
    const better = byScore[i - 1];
    if (better !== undefined && better.rate > rate) found.push(`${better.score} pays ${better.rate}, ${score} ${rate}`);
  });
  const mean = (grade: string, member: 'score' | 'rate' | 'risk') => {
    const of = assessed.filter((one) => one.grade === grade).map((one) => one[member]);
    return of.reduce((sum, one) => sum + one, 0) / of.length;
  };
  const grades = GRADES.filter((grade) => assessed.some((one) => one.grade === grade));
  grades.slice(1).forEach((worse, i) => {
    const better = grades[i] as string;
    if (!(mean(worse, 'score') < mean(better, 'score'))) found.push(`${worse} has better scores than ${better}`);
    if (!(mean(worse, 'rate') > mean(better, 'rate'))) found.push(`${worse} has lower rates than ${better}`);
    if (!(mean(worse, 'risk') > mean(better, 'risk'))) found.push(`${worse} has less risk than ${better}`);
  });
  return found;
}

// biome-ignore lint/suspicious/noExplicitAny: reads any member of a record
function askedBy({ Response, Underwriting }: any): { rate: number; score: number } {
  return { rate: Number(Underwriting.DealTermsInfo[0].TermsAPR), score: Number(Response.CreditScorePrimary) };
}

const VIN_YEARS = 'ABCDEFGHJKLMNPRSTVWXY123456789';

const dayOf = ({ recordedAt }: LoanEvent): PlainDate => recordedAt.slice(0, 10) as PlainDate;

/** The days on which accounts of a report were opened. */
function linesOf(csv: string): PlainDate[] {
  const [header = '', ...rows] = csv.trim().split(/\r?\n/);
  const column = header.split(',').indexOf('opened');
  return rows.map((row) => row.split(',')[column] as PlainDate);
}
