/** Forms of the way from an application to its first payment. */
import { day, words } from '../../format.ts';
import { hasExpired, inOneLine, type Stipulation } from '../stipulations.ts';
import { APPLICATION } from './application-shape.ts';
import type { OwnForm } from './own-form.ts';

const monthText = (period: string) => (period.length === 7 ? day(`${period}-01`).replace(' 1,', '') : period);

const step = (title: string, did: string): OwnForm => ({ title, fields: [], does: () => title, did: () => did });

/** One that is verified is not recorded again. */
const isLeft = (one: Stipulation) => one.state !== 'verified' && !hasExpired(one);

const STIPULATION_WORDS: Readonly<Record<string, { does: string; did: string }>> = {
  received: { does: 'Record as received', did: 'Recorded as received.' },
  verified: { does: 'Record as verified', did: 'Recorded as verified.' },
  waived: { does: 'Waive', did: 'Stipulation waived.' },
};

export const APPLICATION_FORMS: Readonly<Record<string, OwnForm>> = {
  requestDocuments: step('Request documents', 'Documents requested.'),
  startUnderwriting: step('Start underwriting', 'Underwriting started.'),
  requestCollateral: step('Request collateral', 'Collateral requested.'),
  initiateRepayment: step('Start repayment', 'Repayment started.'),

  verifyDocuments: {
    title: 'Verify documents',
    fields: [{ name: 'documentsComplete', label: 'The documents are complete', start: () => true }],
    does: () => 'Record',
    did: () => 'Documents recorded.',
  },

  completeUnderwriting: {
    title: 'Decide',
    fields: [
      {
        name: 'approved',
        label: 'Approve the application',
        hint: 'Default: as the assessment decided.',
        three: true,
        stated: true,
      },
      {
        name: 'dealIndex',
        label: 'Deal number',
        hint: 'A deal from the assessment. Default: the terms applied for.',
      },
      { name: 'reason', label: 'Reason', hint: 'Required if you override the assessment.' },
      {
        name: 'reasonCode',
        label: 'Reason for the override',
        hint: 'To approve what the assessment declined. Default: another reason.',
      },
    ],
    does: ({ approved }) => (approved === true ? 'Approve' : approved === false ? 'Decline' : 'Decide as assessed'),
    did: () => 'Decision recorded.',
  },

  updateStipulation: {
    title: 'Update a stipulation',
    needs: ['stipulations'],
    fields: [
      {
        name: 'stipulationId',
        label: 'Stipulation',
        start: ({ stipulations }) => {
          const left = stipulations.filter(isLeft);
          return left.length === 1 ? left[0]?.stipulationId : undefined;
        },
        choices: ({ stipulations }) =>
          stipulations.filter(isLeft).map((one) => ({ value: one.stipulationId, label: inOneLine(one) })),
      },
      { name: 'state', label: 'New state', hint: 'Received: it is here, and not checked yet.', stated: true },
      {
        name: 'evidence',
        label: 'Evidence',
        hint: 'The document or the contact that meets it. Stored encrypted.',
        needed: ({ state }) => state === 'verified',
        when: ({ state }) => state !== 'waived',
      },
      {
        name: 'reason',
        label: 'Reason',
        hint: 'Stored encrypted with the transaction.',
        needed: ({ state }) => state === 'waived',
        when: ({ state }) => state === 'waived',
      },
    ],
    does: ({ state }) => STIPULATION_WORDS[String(state)]?.does ?? 'Record',
    did: ({ state }) => STIPULATION_WORDS[String(state)]?.did ?? 'Stipulation updated.',
  },

  approveCollateral: {
    title: 'Approve collateral',
    fields: [{ name: 'collateralAmount', label: 'Value of the collateral' }],
    does: () => 'Approve collateral',
    did: () => 'Collateral approved.',
  },

  fundLoan: {
    title: 'Fund loan',
    fields: [],
    more: [{ name: 'metadata', label: 'Details (JSON)', hint: 'Stored with the funding.' }],
    does: () => 'Fund loan',
    did: () => 'Loan funded.',
    grave: true,
  },

  cancelLoan: {
    title: 'Cancel application',
    fields: [{ name: 'reason', label: 'Reason', hint: 'Stored encrypted with the transaction.' }],
    does: () => 'Cancel application',
    did: () => 'Application cancelled.',
    grave: true,
  },

  publishLoan: {
    title: 'Publish',
    fields: [
      {
        name: 'published',
        label: 'Public',
        hint: 'A public loan is shown on the market, without personal data.',
        start: ({ summary }) => summary?.published !== true,
      },
    ],
    does: ({ published }) => (published === false ? 'Withdraw' : 'Publish'),
    did: ({ published }) => (published === false ? 'Withdrawn.' : 'Published.'),
  },

  createLoan: {
    title: 'New loan',
    fields: [
      { name: 'applicationId', label: 'Application number' },
      { name: 'borrowerId', label: 'Borrower number', hint: 'Your own number. No personal data.' },
      { name: 'lenderId', label: 'Lender' },
      { name: 'loanType', label: 'Type of loan', start: () => 'AutoLoan' },
      { name: 'loanAmount', label: 'Amount financed' },
      { name: 'interestRate', label: 'Rate, % per year' },
      { name: 'term', label: 'Term, months' },
      { name: 'paymentFrequency', label: 'Payments' },
      { name: 'originationDate', label: 'Contract date', hint: 'Required for a loan that is not assessed here.' },
      { name: 'firstPaymentDate', label: 'First payment on' },
      {
        name: 'Request',
        label: 'Application',
        hint: 'The applicants, their income and the vehicle. Stored encrypted.',
        shape: APPLICATION,
      },
    ],
    does: ({ applicationId }) => (typeof applicationId === 'string' ? `Create ${applicationId}` : 'Create'),
    did: ({ applicationId }) => `${String(applicationId ?? 'It')} was created.`,
  },

  calculateOffer: {
    title: 'Calculate an offer',
    about:
      'Calculates the decision on this application with this credit report. Nothing is stored, and no bureau is contacted.',
    fields: [
      { name: 'loanAmount', label: 'Amount financed' },
      { name: 'interestRate', label: 'Rate, % per year' },
      { name: 'term', label: 'Term, months' },
      { name: 'paymentFrequency', label: 'Payments' },
      {
        name: 'Request',
        label: 'Application',
        hint: 'The applicants, their income and the vehicle.',
        shape: APPLICATION,
      },
      { name: 'report', label: 'Credit report', hint: 'The applicant’s data from a credit bureau.' },
    ],
    does: () => 'Calculate',
    did: () => 'Calculated.',
  },

  acceptTransfer: {
    title: 'Accept transfer',
    fields: [{ name: 'servicerId', label: 'Servicer', hint: 'The servicer of the loan after the transfer.' }],
    does: () => 'Accept transfer',
    did: () => 'Transfer accepted.',
  },

  cancelTransfer: {
    title: 'Cancel transfer',
    fields: [
      { name: 'what', label: 'Kind of transfer', hint: 'Required if both kinds are scheduled.' },
      { name: 'reason', label: 'Reason' },
    ],
    does: ({ what }) =>
      typeof what === 'string' ? `Cancel transfer of ${words(what).toLowerCase()}` : 'Cancel transfer',
    did: () => 'Transfer cancelled.',
  },

  closePeriod: {
    title: 'Close months',
    fields: [
      { name: 'period', label: 'Month', hint: 'Such as 2026-10. A closed month never changes again.' },
      { name: 'through', label: 'Through', hint: 'The last of several months that are closed in one go.' },
    ],
    does: ({ period, through }) =>
      typeof through === 'string' && through !== ''
        ? `Close through ${monthText(through)}`
        : typeof period === 'string'
          ? `Close ${monthText(period)}`
          : 'Close months',
    did: ({ through }) => (typeof through === 'string' && through !== '' ? 'Months closed.' : 'Month closed.'),
    grave: true,
  },
};
