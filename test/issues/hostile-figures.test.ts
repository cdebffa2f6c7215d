/** Figures of a submitted record that are nothing but white space: reading them must not take longer than reading the rest. */
import { expect, test } from 'vitest';
import { readCreation } from '../../src/boarding/creation.ts';
import { DEFAULT_LENDER_POLICY } from '../../src/core/policy.ts';
import { creationOf, MACRO } from '../support/creation.ts';

/** Took minutes with a pattern that backtracks from every space. */
const SPACES = `7${' '.repeat(2_000_000)}.`;

const LEAST = {
  ...{ applicationId: 'APP-1', borrowerId: 'B-1', lenderId: 'L-1', loanType: 'AutoLoan' },
  ...{ loanAmount: '10000', interestRate: '12', term: 12 },
};

test.each([
  ['TermsPTI', { Underwriting: { DealTermsInfo: [{ TermsPTI: SPACES, TermsDTI: SPACES }], UnderwritingInfo: [{}] } }],
  [
    'TermsAPR',
    {
      Underwriting: {
        DealTermsInfo: [{ TermsAPR: SPACES, TermsLoanAmount: '10000', TermsTerm: '12' }],
        UnderwritingInfo: [{}],
      },
    },
  ],
])('%s with two million spaces is read as no figure', (_, parts) => {
  const { personal, file } = creationOf({ ...LEAST, ...parts }, '2026-06-15');
  expect([personal.pti, personal.dti, file.deals[0] ?? null]).toEqual(['', '', null]);
});

test('RequestedLoanPTI with two million spaces is refused with its name', () => {
  const source = JSON.stringify({ ...LEAST, Request: { RequestedTermsInfo: { RequestedLoanPTI: SPACES } } });
  const today = '2026-06-15' as Parameters<typeof readCreation>[1]['today'];
  const policies = { lenders: new Map(), others: DEFAULT_LENDER_POLICY };
  expect(readCreation(source, { policies, today, macro: MACRO })).toMatchObject({
    mistakes: [{ pointer: '/Request/RequestedTermsInfo/RequestedLoanPTI', code: 'length' }],
  });
});
