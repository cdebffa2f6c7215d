import { describe, expect, test } from 'vitest';
import { Reader } from '../core/reader.ts';
import { valueStart } from './json-source.ts';
import {
  completeObject,
  DEAL_TERMS,
  emptyObject,
  type MemberType,
  REQUEST,
  RESPONSE,
  type Shape,
  UNDERWRITING,
  UNDERWRITING_INFO,
} from './record-members.ts';
import { NUMBER, TEXT, TEXT_OR_NULL } from './record-values.ts';

const complete = (source: string, shape: Shape, read = new Reader()) =>
  completeObject({ read, source, at: '' }, { start: valueStart(source), end: source.length }, shape);

function mistakes(source: string, shape: Shape): string[] {
  const read = new Reader();
  complete(source, shape, read);
  return read.mistakes.map(({ pointer, code }) => `${pointer} ${code}`);
}

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
  const deals: Shape = new Map<string, MemberType>([
    ['a', TEXT],
    ['list', { each: new Map([['b', NUMBER]]) }],
    ['inner', new Map([['c', TEXT_OR_NULL]])],
  ]);

  test('stays to the letter, and what is missing follows it', () => {
    expect(complete('{ "x" : 1.0,\n "list":[ {"b":1e5} , {"y":"\\u00e9"}],"inner":{ } }', deals)).toBe(
      '{ "x" : 1.0,\n "list":[ {"b":1e5} , {"y":"\\u00e9","b":0}],"inner":{ "c":null} ,"a":""}',
    );
  });

  test('is not added to when nothing is missing', () => {
    const whole = '{"inner":{"c":"1" },"a":"2","list":[]}';
    expect(complete(whole, deals)).toBe(whole);
  });

  test('gets its type where it has another form of it, also within objects and entries', () => {
    expect(complete('{ "a" : 1e3, "list":[{"b":"6,500.00"},{"b":null}],"inner":{"c":2.50,"x":2.50} }', deals)).toBe(
      '{ "a" : "1000", "list":[{"b":6500.00},{"b":0}],"inner":{"c":"2.50","x":2.50} }',
    );
  });

  test('is empty where it is null: a string, a list, an object', () => {
    expect(complete('{"a":null,"list":null,"inner":null}', deals)).toBe('{"a":"","list":[],"inner":{"c":null}}');
  });

  test('of a name that is repeated the last member counts, and the others stay', () => {
    expect(complete('{"a":{"deep":[{}]},"a":1,"list":[],"inner":{}}', deals)).toBe(
      '{"a":{"deep":[{}]},"a":"1","list":[],"inner":{"c":null}}',
    );
  });

  test('knows a member by its meaning, not by its spelling', () => {
    expect(complete('{"\\u0061":1,"list":[],"inner":{"\\u0063":2}}', deals)).toBe(
      '{"\\u0061":"1","list":[],"inner":{"\\u0063":"2"}}',
    );
  });

  test.each([
    ['{"a":true,"list":{},"inner":"x"}', ['/a type', '/list type', '/inner type']],
    [
      '{"list":[1,null,[],{"b":"two"},{"b":{}}]}',
      ['/list/0 type', '/list/1 type', '/list/2 type', '/list/3/b format', '/list/4/b type'],
    ],
    ['{"inner":[],"list":"none"}', ['/inner type', '/list type']],
    ['{"inner":5}', ['/inner type']],
  ])('is refused where it has no form of its type: %s', (source, expected) => {
    expect(mistakes(source, deals)).toEqual(expected);
  });
});

describe('every named member has its type', () => {
  test('what the interface calls a string, a number, a list or an object', () => {
    const response = complete(
      '{"CreditScorePrimary":"712","Comments":["a",5],"Stipulations":null,"Date":"20260115","DecisionDate":"2026-01-15T10:30:00Z",' +
        '"ApplicationID":17,"LoanTerms":[{"Payment":"575.17","DEALER_FLAT":250.00,"Participation":"0.5","TermMonths":null}]}',
      RESPONSE,
    );
    expect(response).toMatch(
      /^\{"CreditScorePrimary":712,"Comments":\["a","5"\],"Stipulations":\[\],"Date":"2026-01-15","DecisionDate":"2026-01-15 10:30:00","ApplicationID":"17"/,
    );
    expect(response).toContain(
      '"LoanTerms":[{"Payment":575.17,"DEALER_FLAT":"250.00","Participation":"0.5","TermMonths":0,',
    );
    const request = complete(
      '{"ApplicantInfo":{"MonthlyGross":"6,500.50","ApplicantSSN":666123456,"ApplicantAge":45,"ApplicantDOB":"1980-02-29","Email":null,' +
        '"AddressTotalMonths":24,"ApplicantZip":43004},"ApplicationInfo":{"RefiBool":false},' +
        '"CoApplicantInfo":{"MonthlyGross":"1,000","CoApplicantIncome":12000,"HomePhone":5550102030},"VehicleInfo":null}',
      REQUEST,
    );
    expect(request).toContain(
      '"ApplicantInfo":{"MonthlyGross":6500.50,"ApplicantSSN":"666123456","ApplicantAge":"45","ApplicantDOB":"19800229","Email":null,' +
        '"AddressTotalMonths":"24","ApplicantZip":"43004",',
    );
    expect(request).toContain('"ApplicationInfo":{"RefiBool":"false",');
    // The last one is not a member that we read: it comes back as it was given.
    expect(request).toContain(
      '"CoApplicantInfo":{"MonthlyGross":1000,"CoApplicantIncome":"12000","HomePhone":5550102030,"CoApplicantSSN":""}',
    );
    expect(request).toContain('"VehicleInfo":{"VehicleAge":"",');
  });

  test('and all mistakes are named together', () => {
    expect(
      mistakes(
        '{"ApplicantInfo":{"MonthlyGross":"much","ApplicantSSN":12345678,"ApplicantAge":true,"ApplicantDOB":"1980","ApplicantZip":4300,' +
          '"Email":{}},"VehicleInfo":"x","DealerInfo":[],"PartnerInfo":5,"CoApplicantInfo":{"MonthlyGross":"some"}}',
        REQUEST,
      ),
    ).toEqual([
      ...[
        '/ApplicantInfo/MonthlyGross format',
        '/ApplicantInfo/ApplicantSSN format',
        '/ApplicantInfo/ApplicantAge type',
      ],
      ...['/ApplicantInfo/ApplicantDOB format', '/ApplicantInfo/ApplicantZip format', '/ApplicantInfo/Email type'],
      ...['/VehicleInfo type', '/DealerInfo type', '/PartnerInfo type', '/CoApplicantInfo/MonthlyGross format'],
    ]);
    expect(
      mistakes(
        '{"Comments":["a",null,{}],"Stipulations":"x","CreditScorePrimary":"good","Date":"yesterday","DecisionDate":"2026-01-15",' +
          '"LoanTerms":[{"Payment":"a lot","Description":{},"Participation":[]}]}',
        RESPONSE,
      ),
    ).toEqual([
      ...['/Comments/1 type', '/Comments/2 type', '/Stipulations type', '/CreditScorePrimary format', '/Date format'],
      ...['/DecisionDate format', '/LoanTerms/0/Payment format', '/LoanTerms/0/Description type'],
      '/LoanTerms/0/Participation type',
    ]);
    expect(
      mistakes(
        '{"CashflowsCsv":{},"PrimaryCreditBureauPDF":5,"CoApplicantCreditBureauTradeLines":[],"PrimaryCreditInfo":"x",' +
          '"DealTermsInfo":[{"TermsAPR":[]}],"UnderwritingInfo":[{"DefaultProb":false}]}',
        UNDERWRITING,
      ),
    ).toEqual([
      ...['/CashflowsCsv type', '/PrimaryCreditBureauPDF type', '/CoApplicantCreditBureauTradeLines type'],
      ...['/PrimaryCreditInfo type', '/DealTermsInfo/0/TermsAPR type', '/UnderwritingInfo/0/DefaultProb type'],
    ]);
  });

  test('lists have at most 1,000 entries', () => {
    expect(mistakes(`{"Comments":[${'"",'.repeat(1_000)}""]}`, RESPONSE)).toEqual(['/Comments too_many']);
    expect(mistakes(`{"LoanTerms":[${'{},'.repeat(50_000)}{}]}`, RESPONSE)).toEqual(['/LoanTerms too_many']);
  });
});

describe('bureau data', () => {
  const bureau = (info: string) => mistakes(`{"PrimaryCreditInfo":${info}}`, UNDERWRITING);

  test('is null or an object of strings', () => {
    expect(bureau('null')).toEqual([]);
    expect(complete('{"PrimaryCreditInfo":null}', UNDERWRITING)).toContain('"PrimaryCreditInfo":{}');
    expect(bureau('{}')).toEqual([]);
    expect(bureau('{"AT01S":"1","AT02S":2,"AT03S":null,"AT04S":{},"AT05S":["5"],"AT06S":true}')).toEqual([
      ...['AT02S', 'AT03S', 'AT04S', 'AT05S', 'AT06S'].map((name) => `/PrimaryCreditInfo/${name} type`),
    ]);
    expect(bureau('{"AT01S":1,"AT01S":"1"}')).toEqual(['/PrimaryCreditInfo/AT01S type']);
    expect(bureau('[]')).toEqual(['/PrimaryCreditInfo type']);
  });

  test('a name that could be anything is not repeated', () => {
    for (const name of ['666123456', 'SSN666123456', 'a/b', 'Ann Example', '', 'x'.repeat(65)]) {
      expect(bureau(`{"${name}":1}`)).toEqual(['/PrimaryCreditInfo type']);
    }
  });

  test('at most twenty mistakes are looked for', () => {
    const many = Array.from({ length: 50_000 }, (_, i) => `"AT${i}":${i}`).join(',');
    expect(bureau(`{${many}}`)).toHaveLength(20);
  });
});
