/** Requests of each calculator with the answers they get; the tests run them and compare every character. */
type Example = { readonly request: object; readonly answer: object };

/** 12 CFR 1026 Appendix J (c)(2)(i) and (ii): 9.69 % and 11.82 %. */
export const apr: readonly Example[] = [
  {
    request: {
      advances: [{ date: '1978-01-10', amount: '5000.00' }],
      payments: [{ firstDate: '1978-02-10', count: 24, amount: '230.00', every: { unit: 'month', multiple: 1 } }],
    },
    answer: {
      aprPercent: '9.6857080623',
      amountFinanced: '5000.00',
      financeCharge: '520.00',
      totalOfPayments: '5520.00',
      unitPeriod: { unit: 'month', multiple: 1 },
      firstPaymentUnitPeriods: { full: 1, fraction: '0.0000000000' },
    },
  },
  {
    request: {
      advances: [{ date: '1978-02-10', amount: 6000 }],
      payments: [{ firstDate: '1978-04-01', count: 36, amount: 200, every: { unit: 'month' } }],
    },
    answer: {
      aprPercent: '11.8165082908',
      amountFinanced: '6000.00',
      financeCharge: '1200.00',
      totalOfPayments: '7200.00',
      unitPeriod: { unit: 'month', multiple: 1 },
      firstPaymentUnitPeriods: { full: 1, fraction: '0.6333333333' },
    },
  },
];

export const schedule: readonly Example[] = [
  {
    request: {
      disbursements: [{ date: '2026-01-15', amount: '25,000.00' }],
      annualRatePercent: 7.25,
      firstPaymentDate: '2026-03-01',
      count: 6,
      paymentFrequency: 'Monthly',
      prepaidFinanceCharges: '150.00',
    },
    answer: {
      levelPayment: '4267.85',
      rows: [
        {
          n: 1,
          dueDate: '2026-03-01',
          payment: '4267.85',
          interest: '223.46',
          principal: '4044.39',
          balance: '20955.61',
        },
        {
          n: 2,
          dueDate: '2026-04-01',
          payment: '4267.85',
          interest: '129.03',
          principal: '4138.82',
          balance: '16816.79',
        },
        {
          n: 3,
          dueDate: '2026-05-01',
          payment: '4267.85',
          interest: '100.21',
          principal: '4167.64',
          balance: '12649.15',
        },
        {
          n: 4,
          dueDate: '2026-06-01',
          payment: '4267.85',
          interest: '77.89',
          principal: '4189.96',
          balance: '8459.19',
        },
        {
          n: 5,
          dueDate: '2026-07-01',
          payment: '4267.85',
          interest: '50.41',
          principal: '4217.44',
          balance: '4241.75',
        },
        { n: 6, dueDate: '2026-08-01', payment: '4267.87', interest: '26.12', principal: '4241.75', balance: '0.00' },
      ],
      totals: { payment: '25607.12', interest: '607.12', principal: '25000.00' },
      aprPercent: '8.9106888295',
      financeCharge: '757.12',
      amountFinanced: '24850.00',
    },
  },
  {
    request: {
      disbursements: [{ date: '2026-01-31', amount: '10000.00' }],
      annualRatePercent: '6',
      dayCount: '30/360',
      dueDates: ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'],
      balloonAmount: '4000.00',
      rounding: 'half-even',
    },
    answer: {
      levelPayment: '1539.02',
      rows: [
        {
          n: 1,
          dueDate: '2026-02-28',
          payment: '1539.02',
          interest: '46.67',
          principal: '1492.35',
          balance: '8507.65',
        },
        {
          n: 2,
          dueDate: '2026-03-31',
          payment: '1539.02',
          interest: '46.79',
          principal: '1492.23',
          balance: '7015.42',
        },
        {
          n: 3,
          dueDate: '2026-04-30',
          payment: '1539.02',
          interest: '35.08',
          principal: '1503.94',
          balance: '5511.48',
        },
        { n: 4, dueDate: '2026-05-31', payment: '5539.04', interest: '27.56', principal: '5511.48', balance: '0.00' },
      ],
      totals: { payment: '10156.10', interest: '156.10', principal: '10000.00' },
      aprPercent: '6.0352496899',
      financeCharge: '156.10',
      amountFinanced: '10000.00',
    },
  },
];

export const simulation: readonly Example[] = [
  {
    request: {
      terms: {
        disbursements: [{ date: '2026-01-15', amount: '1200.00' }],
        annualRatePercent: '12',
        firstPaymentDate: '2026-02-15',
        count: 4,
        paymentFrequency: 'Monthly',
      },
      lateFeePolicy: { percent: '5', floor: '10.00', cap: '25.00', graceDays: 10 },
      events: [
        { type: 'payment', date: '2026-02-15', amount: '307.43', refId: 'ach-1' },
        { type: 'payment', date: '2026-03-14', amount: '307.43', refId: 'ach-2' },
        { type: 'return', date: '2026-03-30', refId: 'ach-2' },
        { type: 'payment', date: '2026-04-02', amount: '400.00' },
        { type: 'fee', date: '2026-04-03', amount: '15.00', name: 'returned payment' },
      ],
      asOf: '2026-04-10',
    },
    answer: {
      asOf: '2026-04-10',
      status: 'Current',
      events: [
        {
          type: 'payment',
          date: '2026-02-15',
          refId: 'ach-1',
          amount: '307.43',
          allocation: { fees: '0.00', interest: '12.23', principal: '295.20', credit: '0.00' },
          balance: '904.80',
        },
        {
          type: 'payment',
          date: '2026-03-14',
          refId: 'ach-2',
          amount: '307.43',
          allocation: { fees: '0.00', interest: '8.03', principal: '299.40', credit: '0.00' },
          balance: '605.40',
        },
        {
          type: 'return',
          date: '2026-03-30',
          refId: 'ach-2',
          amount: '307.43',
          allocation: { fees: '0.00', interest: '-8.03', principal: '-299.40', credit: '0.00' },
          balance: '904.80',
        },
        {
          type: 'payment',
          date: '2026-04-02',
          refId: 'payment-1',
          amount: '400.00',
          allocation: { fees: '15.37', interest: '13.68', principal: '370.95', credit: '0.00' },
          balance: '533.85',
        },
        {
          type: 'fee',
          date: '2026-04-03',
          feeId: 'fee-1',
          amount: '15.00',
          allocation: { fees: '0.00', interest: '0.00', principal: '0.00', credit: '0.00' },
          balance: '533.85',
        },
      ],
      installments: [
        {
          n: 1,
          dueDate: '2026-02-15',
          amount: '307.43',
          paid: '307.43',
          paidAhead: '0.00',
          paidLate: '0.00',
          open: '0.00',
          satisfiedOn: '2026-02-15',
        },
        {
          n: 2,
          dueDate: '2026-03-15',
          amount: '307.43',
          paid: '307.43',
          paidAhead: '0.00',
          paidLate: '307.43',
          open: '0.00',
          satisfiedOn: '2026-04-02',
        },
        {
          n: 3,
          dueDate: '2026-04-15',
          amount: '307.43',
          paid: '77.20',
          paidAhead: '77.20',
          paidLate: '0.00',
          open: '230.23',
          satisfiedOn: null,
        },
        {
          n: 4,
          dueDate: '2026-05-15',
          amount: '307.44',
          paid: '0.00',
          paidAhead: '0.00',
          paidLate: '0.00',
          open: '308.92',
          satisfiedOn: null,
        },
      ],
      fees: [
        {
          feeId: 'late-2',
          name: 'late fee',
          kind: 'penalty',
          date: '2026-03-30',
          amount: '15.37',
          paid: '15.37',
          waived: '0.00',
          open: '0.00',
          installment: 2,
        },
        {
          feeId: 'fee-1',
          name: 'returned payment',
          kind: 'fee',
          date: '2026-04-03',
          amount: '15.00',
          paid: '0.00',
          waived: '0.00',
          open: '15.00',
          installment: null,
        },
      ],
      principal: '533.85',
      accruedInterest: '1.40',
      unpaidFees: '15.00',
      credits: '0.00',
      perDiem: '0.18',
      payoff: '550.25',
      daysPastDue: 0,
      pastDueAmount: '0.00',
      bucket: 'current',
      nextDueDate: '2026-04-15',
      nextDueAmount: '230.23',
    },
  },
];

/** The documented examples of the spreadsheet functions IRR (8.66 %) and XIRR (37.34 %). */
export const irr: readonly Example[] = [
  {
    request: { cashflows: ['-70000', '12000', '15000', '18000', '21000', '26000'], periodsPerYear: 1 },
    answer: { irrPercent: '8.6630948037' },
  },
  {
    request: {
      cashflows: [
        { date: '2008-01-01', amount: -10000 },
        { date: '2008-03-01', amount: 2750 },
        { date: '2008-10-30', amount: 4250 },
        { date: '2009-02-15', amount: 3250 },
        { date: '2009-04-01', amount: 2750 },
      ],
    },
    answer: { irrPercent: '37.3362533519' },
  },
];
