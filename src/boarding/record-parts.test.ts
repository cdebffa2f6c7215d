import { describe, expect, test } from 'vitest';
import { Reader } from '../core/reader.ts';
import { memberSpans, valueStart } from './json-source.ts';
import { emptyObject, REQUEST, RESPONSE, UNDERWRITING } from './record-members.ts';
import { membersAt, type RecordParts, readRecordParts } from './record-parts.ts';

function handedOver(source: string, read = new Reader()): RecordParts {
  return readRecordParts(read, source, membersAt(source, { start: valueStart(source), end: source.length }));
}

const given = (body: object) => handedOver(JSON.stringify(body));

function refusals(body: object) {
  const read = new Reader();
  handedOver(JSON.stringify(body), read);
  return read.mistakes;
}

/** The text of a member of the record, found by its path. */
function textIn(record: string, ...path: string[]): string {
  let text = `{${record}}`;
  for (const name of path) {
    const span = memberSpans(text, valueStart(text)).findLast((member) => member.name === name);
    text = span === undefined ? '' : text.slice(span.start, span.end);
  }
  return text;
}

describe('pass-through', () => {
  const EMPTY = `"Request":${emptyObject(REQUEST)},"Response":${emptyObject(RESPONSE)},"Underwriting":${emptyObject(UNDERWRITING)}`;

  test('what is absent, null or empty becomes all of its members, empty', () => {
    expect(handedOver('{}').record).toBe(EMPTY);
    expect(handedOver('{"Request":null,"Response":null}').record).toBe(EMPTY);
    expect(handedOver('{"Request":{},"Response":{},"Underwriting":{}}').record).toBe(EMPTY);
  });

  test('the three come in the interface’s order, whatever order they were given in', () => {
    const { record } = handedOver('{"Underwriting":{"z":1},"Request":{"y":2}}');
    expect(memberSpans(`{${record}}`, 0).map(({ name }) => name)).toEqual(['Request', 'Response', 'Underwriting']);
  });

  test('bureau data comes back byte for byte: escapes, order, repetitions, white space', () => {
    const nasty =
      '{ "AGG1" : "1e5", "n":"1.0" ,\n\t"e":"\\u00e9\\/\\"","é":"é\u2028",' +
      '"dup":"1","dup":"2","__proto__":"x","constructor":"","":"","lone":"\\ud800","s":"}{][,:" }';
    const { record } = handedOver(`{"Underwriting":{"PrimaryCreditInfo":${nasty}}}`);
    expect(textIn(record, 'Underwriting', 'PrimaryCreditInfo')).toBe(nasty);
  });

  test('so do 1,200 bureau members, a PDF and tables', () => {
    const bureau = `{${Array.from({ length: 1_200 }, (_, i) => `"AT${1_200 - i}":"${i}.0"`).join(', ')}}`;
    const pdf = JSON.stringify('JVBERi0xLjQK'.repeat(10_000));
    const csv = '"subscriber,account_type\\r\\n\\"ACME, Inc\\",R\\n"';
    const source = `{"Underwriting":{"PrimaryCreditInfo":${bureau},"PrimaryCreditBureauPDF":${pdf},"CashflowsCsv":${csv}}}`;
    const { record } = handedOver(source);
    expect(textIn(record, 'Underwriting', 'PrimaryCreditInfo')).toBe(bureau);
    expect(textIn(record, 'Underwriting', 'PrimaryCreditBureauPDF')).toBe(pdf);
    expect(textIn(record, 'Underwriting', 'CashflowsCsv')).toBe(csv);
  });

  test('unknown members stay whatever they hold, named ones have their types, and what is missing is added', () => {
    const source =
      '{"Request":{"Extra":{"a":1.50},"ApplicantInfo":{"MonthlyGross":6200.00,"ApplicantSSN":null},"DealerInfo":null},' +
      '"Response":{"CreditScorePrimary":"712","LoanTerms":[{"Rate":7.250,"Mine":true}],"Own":[null,1e5]}}';
    const { record } = handedOver(source);
    expect(textIn(record, 'Request', 'Extra')).toBe('{"a":1.50}');
    expect(textIn(record, 'Request', 'DealerInfo')).toBe('{"DealerID":"","DealerName":"","DealerState":""}');
    expect(textIn(record, 'Response', 'Own')).toBe('[null,1e5]');
    expect(textIn(record, 'Request', 'ApplicantInfo')).toMatch(
      /^\{"MonthlyGross":6200\.00,"ApplicantSSN":"","AddressFull":"",.*"UnitNumber":""\}$/,
    );
    expect(textIn(record, 'Response', 'CreditScorePrimary')).toBe('712');
    expect(textIn(record, 'Response', 'LoanTerms')).toMatch(
      /^\[\{"Rate":7\.250,"Mine":true,"AcquisitionFee":0,.*\}\]$/,
    );
    expect(textIn(record, 'Response', 'CreditScoreCoapplicant')).toBe('0');
    expect(textIn(record, 'Request', 'VehicleInfo', 'VehicleVIN')).toBe('""');
  });
});

describe('refused', () => {
  const lists = (deals: number, infos: number) => ({
    Underwriting: { DealTermsInfo: Array(deals).fill({}), UnderwritingInfo: Array(infos).fill({}) },
  });

  test('lists of deals of unequal length; both lengths are shown', () => {
    expect(refusals(lists(60, 59))).toEqual([
      {
        pointer: '/Underwriting/UnderwritingInfo',
        code: 'contradiction',
        detail: 'Must have one entry for each entry of DealTermsInfo, which has 60; this has 59.',
      },
    ]);
    expect(refusals({ Underwriting: { DealTermsInfo: [{}] } })).toHaveLength(1);
    expect(refusals(lists(60, 60))).toEqual([]);
  });

  test.each([
    [{ Underwriting: { DealTermsInfo: {}, UnderwritingInfo: [] } }, '/Underwriting/DealTermsInfo type'],
    [{ Underwriting: { DealTermsInfo: [1], UnderwritingInfo: [{}] } }, '/Underwriting/DealTermsInfo/0 type'],
    [{ Underwriting: { DealTermsInfo: 5, UnderwritingInfo: [{}] } }, '/Underwriting/DealTermsInfo type'],
    [{ Underwriting: { PrimaryCreditInfo: { CreditScore: 712 } } }, '/Underwriting/PrimaryCreditInfo/CreditScore type'],
    [{ Request: { VehicleInfo: 'x' } }, '/Request/VehicleInfo type'],
    [{ Request: { ApplicantInfo: { MonthlyGross: 'much' } } }, '/Request/ApplicantInfo/MonthlyGross format'],
    [lists(1_001, 0), '/Underwriting/DealTermsInfo too_many'],
    [{ Response: { Decision: 'MAYBE' } }, '/Response/Decision enum'],
    [{ Response: { Decision: 1 } }, '/Response/Decision enum'],
    [{ Response: { LoanTerms: {} } }, '/Response/LoanTerms type'],
    [{ Response: { Comments: 'x' } }, '/Response/Comments type'],
    [{ Response: { Stipulations: 3 } }, '/Response/Stipulations type'],
    [
      { Underwriting: { DealTermsInfo: [{}], UnderwritingInfo: [{ DecisionStatus: 'OK' }] } },
      '/Underwriting/UnderwritingInfo/0/DecisionStatus enum',
    ],
  ])('%j: %s', (body, mistake) => {
    expect(refusals(body).map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([mistake]);
  });

  test('but not null or "" in their places', () => {
    const body = {
      Response: { Decision: '', Comments: null, LoanTerms: null, Stipulations: null },
      Underwriting: { DealTermsInfo: null, UnderwritingInfo: null },
    };
    expect(refusals(body)).toEqual([]);
    expect(given(body).decision).toBeNull();
  });
});

describe('what the service takes from it', () => {
  test('the decision of a loan that was assessed elsewhere', () => {
    expect(given({ Response: { Decision: 'APPROVED' } }).decision).toBe('APPROVED');
    expect(given({ Response: { Decision: 'DECLINED' } }).decision).toBe('DECLINED');
    expect(given({}).decision).toBeNull();
  });

  test('what the vehicle is worth: retail, else wholesale, else nothing', () => {
    const worth = (VehicleInfo: object) => given({ Request: { VehicleInfo } }).collateralValue;
    expect(worth({ VehicleRetailValue: '31,400', VehicleWholesaleValue: '27900' })).toBe(3_140_000);
    expect(worth({ VehicleRetailValue: 'unknown', VehicleWholesaleValue: 27900.5 })).toBe(2_790_050);
    expect(worth({ VehicleRetailValue: '0', VehicleWholesaleValue: '' })).toBeNull();
  });

  test('ratios as fractions: the requested ones, otherwise those of the first deal', () => {
    const deal = { TermsPTI: '9.5', TermsDTI: '0.31', TermsLTV: '104.25' };
    const Underwriting = { DealTermsInfo: [deal], UnderwritingInfo: [{}] };
    expect(given({ Underwriting })).toMatchObject({ pti: '0.095', dti: '0.31', ltv: '1.0425' });
    const Request = { RequestedTermsInfo: { RequestedLoanPTI: '0.08', RequestedLoanDTI: 'high' } };
    expect(given({ Request, Underwriting })).toMatchObject({ pti: '0.08', dti: '0.31' });
  });

  test('what the loan can be found by', () => {
    const search = (ApplicantInfo: object) => given({ Request: { ApplicantInfo } }).search;
    expect(
      search({
        ...{ ApplicantSSN: 666123456, ApplicantEmail: '', Email: ' Ann@Example.com ', HomePhone: '(555) 010-2030' },
        ...{ EmploymentWorkPhone: 'none', ApplicantLastName: "O'Neil", ApplicantDOB: '1980-02-29' },
      }),
    ).toEqual({
      ...{ ssn: '666123456', email: 'Ann@Example.com', phone: ['(555) 010-2030'] },
      ...{ lastName: "O'Neil", dateOfBirth: '19800229' },
    });
    expect(search({ ApplicantLastName: 'Neil', ApplicantDOB: '' })).toEqual({});
    expect(search({ ApplicantDOB: '19800229' })).toEqual({});
    expect(search({ ApplicantSSN: 'x'.repeat(201) })).toEqual({});
  });

  describe('deals it may be approved with', () => {
    const deal = (terms: object) =>
      given({ Underwriting: { DealTermsInfo: [terms], UnderwritingInfo: [{}] } }).deals[0];
    const terms = { TermsLoanAmount: '28,875.00', TermsAPR: '7.25', TermsTerm: '60', TermsMonthlyPayment: '575.17' };

    test('are read where their terms can be', () => {
      expect(deal(terms)).toEqual({ amount: 2_887_500, rate: '7.25', term: 60, payment: 57_517, decision: null });
      expect(deal({ ...terms, TermsAPR: '7.25 %', TermsMonthlyPayment: '' })).toEqual({
        ...{ amount: 2_887_500, rate: '7.25', term: 60, payment: null, decision: null },
      });
      expect(deal({ ...terms, TermsAPR: '0' })?.rate).toBe('0');
    });

    test.each([
      [{ TermsLoanAmount: 'n/a' }],
      [{ TermsLoanAmount: '0' }],
      [{ TermsTerm: '60 months' }],
      [{ TermsTerm: '0' }],
      [{ TermsTerm: '601' }],
      [{ TermsAPR: '' }],
      [{ TermsAPR: '-1' }],
    ])('cannot be with %j', (more) => {
      expect(deal({ ...terms, ...more })).toBeNull();
    });

    test('may give their rate as a fraction: the payment shows which it is', () => {
      expect(deal({ ...terms, TermsAPR: '0.0725' })?.rate).toBe('7.25');
      expect(deal({ ...terms, TermsAPR: '0.9', TermsMonthlyPayment: '492.36' })?.rate).toBe('0.9');
      expect(deal({ ...terms, TermsAPR: '0.0725', TermsMonthlyPayment: '' })).toBeNull();
    });
  });
});

describe('the public part', () => {
  test('the cash flows and listed members as strings; ratios of the coarse income, what is about the person empty', () => {
    const source =
      '{"Request":{"ApplicantInfo":{"MonthlyGross":6200.00}},' +
      '"Underwriting":{"CashflowsCsv":"Month,Type,Borrower\\n0,Projected,Ann","PrimaryCreditInfo":{"CreditScore":"712"},' +
      '"DealTermsInfo":[{"TermsPTI":"0.0873","TermsDTI":31.4,"TermsMonthlyPayment":"575.17","TermsAPR":7.250,"TermsTerm":"60",' +
      '"TermsLTV":"Ann earns 6200","Note":"Ann earns 6200"}],' +
      '"UnderwritingInfo":[{"AllWarnings":"lives with Bob","DecisionReason":"x","DecisionReasonSimple":"y",' +
      '"DecisionStatus":"APPROVED","DefaultProb":3.1e-2,"FairValuePrice":null,"SolventProb":"Ann 1","WarningsNumber":2}]}}';
    // 1.1^92 = 6,428.76 of income; 0.314 × 6,200.00 − 575.17 = 1,371.63 of debts, 1.1^76 = 1,399.08: 8.95 % and 30.7 %.
    expect(handedOver(source).publicUnderwriting()).toBe(
      '{"CashflowsCsv":"Month,Type\\n0,Projected\\n","DealTermsInfo":[{"ApprovedDownPayment":"","TermsAPR":"7.250","TermsDTI":"0.31",' +
        '"TermsFrontEndLTV":"","TermsLTV":"","TermsLoanAmount":"","TermsMonthlyPayment":"575.17","TermsPTI":"0.09","TermsTerm":"60"}],' +
        '"UnderwritingInfo":[{"AllWarnings":"","CollateralDefaultProb":"","DecisionReason":"","DecisionReasonSimple":"",' +
        '"DecisionStatus":"APPROVED","DefaultProb":"0.031","FairValuePrice":"","ForecastChargeoffAmount":"",' +
        '"ForecastCompoundingIRR":"","ForecastCompoundingNetIRR":"","ForecastFairValuePrice":"","ForecastInterestPaid":"",' +
        '"ForecastNetLossAmount":"","ForecastPresentValue":"","ForecastPrincipalPaid":"","ForecastRecoveredAmount":"",' +
        '"ForecastSimpleIRR":"","ForecastSimpleNetIRR":"","ForecastTotalPaid":"","ForecastTotalPaidLessFees":"","SolventProb":"",' +
        '"TermsApprovedBackEndProducts":"","TermsApprovedFrontEndAmt":"","TermsApprovedFrontEndLTV":"","TermsDealerDiscount":"",' +
        '"TermsDealerFlat":"","TermsDiscountFee":"","TermsFundedAmount":"","TermsLoanDiscount":"","TermsTotalDiscount":"",' +
        '"WarningsNumber":"2"}]}',
    );
  });

  test('nothing where there is nothing', () => {
    const nothing = '{"CashflowsCsv":"","DealTermsInfo":[],"UnderwritingInfo":[]}';
    expect(handedOver('{}').publicUnderwriting()).toBe(nothing);
    expect(handedOver('{"Underwriting":{"CashflowsCsv":null}}').publicUnderwriting()).toBe(nothing);
  });
});
