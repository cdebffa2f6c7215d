import { describe, expect, test } from 'vitest';
import { valueStart } from './json-source.ts';
import {
  type Absent,
  completeObject,
  DEAL_TERMS,
  emptyObject,
  REQUEST,
  RESPONSE,
  type Shape,
  UNDERWRITING,
  UNDERWRITING_INFO,
} from './record-members.ts';

const complete = (source: string, shape: Shape) =>
  completeObject(source, { start: valueStart(source), end: source.length }, shape);

describe('members that were left out are empty, in the order of the interface', () => {
  test('Request', () => {
    expect(emptyObject(REQUEST)).toBe(
      '{"ApplicantInfo":{"AddressFull":"","AddressTotalMonths":null,"ApplicantAddress":"","ApplicantAge":"","ApplicantCity":"",' +
        '"ApplicantDOB":"","ApplicantEmail":"","ApplicantEmploymentTime":"","ApplicantEmploymentTypes":"","ApplicantFirstName":"",' +
        '"ApplicantFullAddress":"","ApplicantIncome":"","ApplicantIncomePrimary":"","ApplicantLastName":"",' +
        '"ApplicantResidencePays":"","ApplicantSSN":"","ApplicantState":"","ApplicantTimeAtResidence":"","ApplicantZip":"",' +
        '"County":"","Email":null,"EmploymentCompany":"","EmploymentTotalMonths":null,"EmploymentType":"",' +
        '"EmploymentWorkPhone":"","EstimatedIncome":"","HomePhone":"","HousingMonthlyPayment":null,"MiddleInitial":"",' +
        '"MonthlyGross":null,"OtherIncomeAmount":null,"OtherIncomeType":"","ReportedIncome":"","StreetNumber":"","UnitNumber":""},' +
        '"ApplicationInfo":{"ApplicantNumber":"","ApplicantsNumber":"","ApplicationID":"","ApplicationType":"","RefiBool":"",' +
        '"RequestedLoanID":""},"CoApplicantInfo":{"CoApplicantSSN":""},' +
        '"DealerInfo":{"DealerID":"","DealerName":"","DealerState":""},"PartnerInfo":{"PartnerName":"","ProgramPartner":""},' +
        '"RequestedTermsInfo":{"RequestedLoanAmount":"","RequestedLoanBackendProductsAmount":"","RequestedLoanDTI":"",' +
        '"RequestedLoanDownPayment":"","RequestedLoanGAP":"","RequestedLoanPTI":"","RequestedLoanPayment":"",' +
        '"RequestedLoanRate":"","RequestedLoanTerm":""},' +
        '"VehicleInfo":{"VehicleAge":"","VehicleMake":"","VehicleMileage":"","VehicleModel":"","VehicleRetailValue":"",' +
        '"VehicleVIN":"","VehicleWholesaleValue":"","VehicleYear":""}}',
    );
  });

  test('Response and Underwriting', () => {
    expect(emptyObject(RESPONSE)).toBe(
      '{"ApplicationID":"","ApplicationType":"","Comments":[],"CreditScoreCoapplicant":0,"CreditScorePrimary":0,"Date":"",' +
        '"DealerID":"","Decision":"","DecisionDate":"","DeclineReason":"","LoanTerms":[],"Stipulations":[]}',
    );
    expect(emptyObject(UNDERWRITING)).toBe(
      '{"CashflowsCsv":"","CoApplicantCreditBureauPDF":"","CoApplicantCreditBureauTradeLines":"","DealTermsInfo":[],' +
        '"PrimaryCreditBureauPDF":"","PrimaryCreditBureauTradeLines":"","PrimaryCreditInfo":{},"UnderwritingInfo":[]}',
    );
  });

  test('entries of lists', () => {
    expect(complete('{"LoanTerms":[{}]}', RESPONSE)).toContain(
      '"LoanTerms":[{"AcquisitionFee":0,"AssetPrice":0,"DEALER_FLAT":"","DefaultProb":0,"Description":"","Discount":0,' +
        '"FundedAmount":0,"GrossYield":0,"IRR":0,"LTV":0,"Participation":null,"Payment":0,"Rate":0,"TermMonths":0,' +
        '"TotalLoanAmount":0,"VehicleWholesaleValue":0}]',
    );
    expect([...DEAL_TERMS.keys()]).toHaveLength(9);
    expect([...UNDERWRITING_INFO.keys()]).toHaveLength(31);
  });
});

describe('what was given', () => {
  const deals: Shape = new Map<string, Absent>([
    ['a', '""'],
    ['list', { each: new Map<string, Absent>([['b', '0']]) }],
    ['inner', new Map<string, Absent>([['c', 'null']])],
  ]);

  test('stays to the letter, and what is missing follows it', () => {
    expect(complete('{ "x" : 1.0,\n "list":[ {"b":1e5} , {"y":"\\u00e9"}],"inner":{ } }', deals)).toBe(
      '{ "x" : 1.0,\n "list":[ {"b":1e5} , {"y":"\\u00e9","b":0}],"inner":{ "c":null} ,"a":""}',
    );
  });

  test('is not added to when nothing is missing', () => {
    const whole = '{"inner":{"c":1 },"a":2,"list":[]}';
    expect(complete(whole, deals)).toBe(whole);
  });

  test('keeps repeated members and values of another type', () => {
    const odd = '{"a":{"deep":[{}]},"a":null,"list":"none","inner":null}';
    expect(complete(odd, deals)).toBe(odd);
    expect(complete('{"list":[1,null,[],{"b":2}],"a":1,"inner":[]}', deals)).toBe(
      '{"list":[1,null,[],{"b":2}],"a":1,"inner":[]}',
    );
  });

  test('knows a member by its meaning, not by its spelling', () => {
    expect(complete('{"\\u0061":1,"list":[],"inner":{"\\u0063":2}}', deals)).toBe(
      '{"\\u0061":1,"list":[],"inner":{"\\u0063":2}}',
    );
  });
});
