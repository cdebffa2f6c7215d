/**
 * Applications whose decision is close, and edits of them: what is left out, what adds risk, and what says the same in another way. Bodies
 * of POST /calculate-offer with the credit reports of their people.
 */
import type { Random } from './fuzz/random.ts';

type Values = Record<string, unknown>;
export type Application = Values & {
  readonly Request: Readonly<Record<string, Values>>;
  readonly report: Values;
  readonly coApplicantReport?: Values;
};

/** An answer, as far as edits are compared by it; `deals` are those of a whole offer. */
export type Offered = {
  decision: string;
  rate: number;
  grade: string;
  deals: unknown;
  stipulations: readonly string[];
};

export type Edit = {
  readonly name: string;
  readonly kind: 'leaves out' | 'adds risk' | 'same';
  /** Whether the rate must not fall. */
  readonly ofRate?: boolean;
  /** Null: there is nothing to edit in this one. */
  edit(application: Application, random: Random): Application | null;
};

const money = (dollars: number) => `${Math.round(dollars)}`;

/** Most are near a limit of the policy: the decision of a good applicant is hard to change. */
export function anyApplication(random: Random): Application {
  const value = 6_000 + random.int(30_000);
  const amount = Math.round(value * (0.6 + random.int(50) / 100));
  const age = random.weighted([
    [3, () => random.int(8)],
    [1, () => random.int(16)],
  ])();
  const year = 2026 - age;
  const mileage = random.weighted([
    [8, () => age * 12_000 + random.int(20_000)],
    [2, () => 90_000 + random.int(110_000)],
  ])();
  const income = 1_200 + random.int(9_000);
  const isJoint = random.chance(0.3);
  return {
    loanAmount: money(amount),
    principalAmount: money(amount - random.pick([0, 0, 800, 2_000])),
    interestRate: (6 + random.int(1_400) / 100).toFixed(2),
    term: random.pick([36, 48, 60, 60, 72, 84]),
    asOf: '2026-01-15',
    Request: {
      ApplicantInfo: {
        ApplicantAddress: '12 Sample Street',
        ApplicantCity: 'Springfield',
        ApplicantDOB: random.chance(0.05) ? '20080601' : '19840302',
        ApplicantFirstName: 'Petra',
        ApplicantIncome: money(income * 12),
        ApplicantIncomePrimary: money(income * 12),
        ApplicantLastName: 'Larksmere',
        ApplicantSSN: '900-42-0042',
        ApplicantState: random.pick(['OH', 'TX', 'NY', 'FL', 'AR', 'MI', 'CA']),
        ApplicantZip: '00042',
        County: 'Example County',
        EmploymentCompany: 'Example Mills',
        EmploymentTotalMonths: '31',
        EmploymentType: 'Full Time',
        HousingMonthlyPayment: money(random.int(Math.round(income * 0.5))),
        MonthlyGross: income,
        OtherIncomeAmount: random.chance(0.2) ? '350' : '',
        OtherIncomeType: random.chance(0.2) ? 'Second job' : '',
      },
      ApplicationInfo: { ApplicantsNumber: isJoint ? '2' : '1', ApplicationType: 'Complete', RefiBool: 'False' },
      CoApplicantInfo: isJoint
        ? {
            CoApplicantAddress: random.pick(['12 Sample Street', '9 Other Road']),
            CoApplicantDOB: random.chance(0.05) ? '20080601' : '19850917',
            CoApplicantSSN: '900-42-0043',
            CoApplicantState: random.pick(['OH', 'NY', 'AR']),
            HousingMonthlyPayment: money(random.int(1_200)),
            MonthlyGross: 800 + random.int(3_000),
          }
        : { CoApplicantSSN: '' },
      DealerInfo: { DealerID: 'DLR-1001', DealerName: 'Example Motors', DealerState: 'OH' },
      RequestedTermsInfo: {
        RequestedLoanAmount: money(amount),
        RequestedLoanDownPayment: money(random.int(3_000)),
        RequestedLoanTerm: '60',
      },
      VehicleInfo: {
        VehicleAge: String(age),
        VehicleMileage: String(mileage),
        VehicleRetailValue: money(value * 1.15),
        VehicleVIN: '1Z9BXK273TJDBK042',
        VehicleWholesaleValue: money(value),
        VehicleYear: String(year),
      },
    },
    report: anyReport(random),
    ...(isJoint ? { coApplicantReport: anyReport(random) } : {}),
  };
}

function anyReport(random: Random): Values {
  if (random.chance(0.04)) return { hit: false, score: null, reportDate: '2026-01-15', tradeLines: [] };
  return {
    hit: true,
    score: random.chance(0.04) ? null : 500 + random.int(260),
    scoreFactors: ['Length of time accounts have been established'],
    reportDate: '2026-01-15',
    inFileSince: `${1995 + random.int(30)}-03-01`,
    inquiries: random.int(9),
    tradeLines: Array.from({ length: random.int(9) }, (_, i) => anyAccount(random, i)),
    flags: random.weighted<Values>([
      [30, {}],
      [1, { frozen: true }],
      [1, { deceased: true }],
      [1, { ssnMatch: 'noMatch' }],
      [1, { ssnMatch: 'partial' }],
      [1, { addressDiscrepancy: true }],
      [1, { fraudAlert: 'initial', alertPhone: '202-555-0116' }],
    ]),
  };
}

function anyAccount(random: Random, i: number): Values {
  const isCard = random.chance(0.6);
  const high = 500 + random.int(12_000);
  const isOpen = random.chance(0.75);
  const balance = isOpen ? random.int(high) : 0;
  const late = random.pick([0, 0, 0, 1, 3]);
  return {
    subscriber: `EXAMPLE NATIONAL ${i}`,
    account_type: isCard ? 'CC' : 'AU',
    account_num: `****${1000 + i}`,
    opened: `${2012 + random.int(13)}-05-01`,
    closed: isOpen ? '' : '2025-06-01',
    payment: isOpen ? Math.round(balance / (isCard ? 40 : 30)) + 20 : 0,
    terms: isCard ? 'MIN' : '60M',
    portfolio_type: isCard ? 'revolving' : 'installment',
    balance,
    high_balance: high,
    past_due: isOpen && random.chance(0.15) ? 60 : 0,
    rating: late > 0 ? '02' : '01',
    '30dpd': late,
    '60dpd': Math.max(0, late - 1),
    '90dpd': Math.max(0, late - 2),
    account_class: isCard ? 'credit card' : 'auto',
  };
}

// ---- edits ----

type Part = keyof Application['Request'];

const within = (application: Application, part: Part, changes: Values): Application => ({
  ...application,
  Request: { ...application.Request, [part]: { ...application.Request[part], ...changes } },
});
const given = (application: Application, part: Part, name: string) => {
  const value = application.Request[part]?.[name];
  return value === undefined || value === null || String(value).trim() === '' ? null : value;
};

const EMPTY = ['', null, undefined, ' ', 'n/a'] as const;

/** Members that an applicant may leave empty; income and value have others that stand in for them. */
const LEFT_OUT: readonly (readonly [part: Part, names: readonly string[]])[] = [
  [
    'ApplicantInfo',
    [
      ...['ApplicantAddress', 'ApplicantCity', 'ApplicantDOB', 'ApplicantIncome', 'ApplicantIncomePrimary'],
      ...['ApplicantSSN', 'ApplicantState', 'ApplicantZip', 'County', 'EmploymentCompany', 'EmploymentTotalMonths'],
      ...['EmploymentType', 'HousingMonthlyPayment', 'MonthlyGross', 'OtherIncomeAmount', 'OtherIncomeType'],
    ],
  ],
  ['ApplicationInfo', ['ApplicantsNumber', 'ApplicationType', 'RefiBool']],
  [
    'CoApplicantInfo',
    [
      ...['CoApplicantAddress', 'CoApplicantDOB', 'CoApplicantSSN', 'CoApplicantState', 'HousingMonthlyPayment'],
      'MonthlyGross',
    ],
  ],
  ['DealerInfo', ['DealerID', 'DealerName', 'DealerState']],
  ['RequestedTermsInfo', ['RequestedLoanAmount', 'RequestedLoanDownPayment', 'RequestedLoanTerm']],
  [
    'VehicleInfo',
    ['VehicleAge', 'VehicleMileage', 'VehicleRetailValue', 'VehicleVIN', 'VehicleWholesaleValue', 'VehicleYear'],
  ],
];

const leavesOut: Edit[] = LEFT_OUT.flatMap(([part, names]) =>
  names.map((name) => ({
    name: `${part}.${name} left out`,
    kind: 'leaves out' as const,
    edit(application: Application, random: Random) {
      if (given(application, part, name) === null) return null;
      const left = within(application, part, { [name]: random.pick(EMPTY) });
      if (name !== 'CoApplicantSSN') return left;
      // Without a number there is no report of theirs either.
      const { coApplicantReport: _, ...alone } = left;
      return alone as Application;
    },
  })),
);

const numberOf = (text: unknown) => Number(String(text).replace(/[$,]/g, ''));

/** A figure of the request, as a factor of what is stated. */
function restated(part: Part, name: string, least: number, most: number): Edit {
  return {
    name: `${part}.${name} restated`,
    kind: 'adds risk',
    edit(application, random) {
      const value = given(application, part, name);
      if (value === null || Number.isNaN(numberOf(value))) return null;
      const factor = least + ((most - least) * random.int(1_000)) / 1_000;
      return within(application, part, { [name]: money(numberOf(value) * factor) });
    },
  };
}

const structured = (name: string, edit: (application: Application, random: Random) => Values): Edit => ({
  name,
  kind: 'adds risk',
  edit: (application, random) => ({ ...application, ...edit(application, random) }),
});

const addsRisk: Edit[] = [
  ...(['MonthlyGross', 'ApplicantIncome', 'ApplicantIncomePrimary', 'OtherIncomeAmount'] as const).map((name) =>
    restated('ApplicantInfo', name, 0.3, 1),
  ),
  restated('ApplicantInfo', 'HousingMonthlyPayment', 1, 3),
  restated('CoApplicantInfo', 'MonthlyGross', 0.2, 1),
  restated('CoApplicantInfo', 'HousingMonthlyPayment', 1, 3),
  restated('VehicleInfo', 'VehicleMileage', 1, 3),
  restated('VehicleInfo', 'VehicleWholesaleValue', 0.5, 1),
  restated('VehicleInfo', 'VehicleRetailValue', 0.4, 1),
  restated('RequestedTermsInfo', 'RequestedLoanDownPayment', 1, 4),
  {
    name: 'an older model year',
    kind: 'adds risk',
    edit(application, random) {
      const year = given(application, 'VehicleInfo', 'VehicleYear');
      if (year === null) return null;
      const older = 1 + random.int(5);
      const age = given(application, 'VehicleInfo', 'VehicleAge');
      return within(application, 'VehicleInfo', {
        VehicleYear: String(Number(year) - older),
        ...(age === null ? {} : { VehicleAge: String(Number(age) + older) }),
      });
    },
  },
  {
    ...structured('a larger loan', ({ loanAmount, principalAmount }, random) => {
      const more = 100 + random.int(6_000);
      return { loanAmount: money(Number(loanAmount) + more), principalAmount: money(Number(principalAmount) + more) };
    }),
    ofRate: false,
  },
  structured('interest alone at first', ({ term }, random) => ({
    amortizationType: 'InterestOnly',
    interestOnlyCount: String(1 + random.int(Number(term) - 2)),
  })),
  structured('a balloon', ({ loanAmount }, random) => ({
    amortizationType: 'Balloon',
    balloonAmount: money((Number(loanAmount) * (5 + random.int(90))) / 100),
  })),
  structured('a first payment that is deferred', (_, random) => ({
    firstPaymentDate: `${2026 + random.int(3)}-${String(3 + random.int(10)).padStart(2, '0')}-15`,
  })),
  structured('charges paid beside it', (_, random) => ({ prepaidFinanceCharge: money(random.int(2_500)) })),
  structured('a contract of an earlier day', (_, random) => ({
    originationDate: `2025-${String(1 + random.int(12)).padStart(2, '0')}-15`,
  })),
  structured('a contract of a later day', (_, random) => ({
    originationDate: `2026-${String(2 + random.int(11)).padStart(2, '0')}-15`,
  })),
];

const anotherAmount = (value: unknown, random: Random): string => {
  const plain = numberOf(value);
  const text = plain.toFixed(2);
  const grouped = text.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return random.pick([text, grouped, `$${grouped}`, ` ${text} `]);
};

const same: Edit[] = [
  {
    name: 'amounts in another form',
    kind: 'same',
    edit(application, random) {
      const { ApplicantInfo, VehicleInfo } = application.Request;
      const again = (values: Values | undefined, names: readonly string[]) =>
        Object.fromEntries(
          names.flatMap((name) => {
            const value = values?.[name];
            return value === '' || value === null || value === undefined || Number.isNaN(numberOf(value))
              ? []
              : [[name, anotherAmount(value, random)]];
          }),
        );
      const first = within(
        application,
        'ApplicantInfo',
        again(ApplicantInfo, ['HousingMonthlyPayment', 'MonthlyGross']),
      );
      return within(first, 'VehicleInfo', again(VehicleInfo, ['VehicleWholesaleValue', 'VehicleRetailValue']));
    },
  },
  {
    name: 'the economy as the applicant sees it',
    kind: 'same',
    edit: (application, random) => ({
      ...application,
      macroEconomicFeatures: {
        ...{ unemployment: '0', unemploymentRate: String(random.int(9)), cpi: '0', fedRate: '0', fedFundsRate: '0' },
      },
    }),
  },
  {
    name: 'another age, sex and ZIP code',
    kind: 'same',
    edit: (application, random) =>
      within(application, 'ApplicantInfo', {
        ApplicantAge: String(18 + random.int(60)),
        ApplicantZip: String(10_000 + random.int(80_000)),
      }),
  },
  {
    name: 'accounts in another order',
    kind: 'same',
    edit: (application) => ({
      ...application,
      report: { ...application.report, tradeLines: (application.report.tradeLines as object[]).toReversed() },
    }),
  },
  {
    name: 'members in another order',
    kind: 'same',
    edit: (application) => ({
      ...application,
      Request: Object.fromEntries(
        Object.entries(application.Request)
          .toReversed()
          .map(([name, values]) => [name, Object.fromEntries(Object.entries(values).toReversed())]),
      ),
    }),
  },
];

/** One to three edits; those that say the same stay among themselves, because they must change nothing. */
export function edited(application: Application, random: Random): { body: Application; edits: readonly Edit[] } {
  for (;;) {
    const of = random.chance(0.15) ? same : [...leavesOut, ...addsRisk];
    let body = application;
    const edits: Edit[] = [];
    for (
      let left = random.weighted([
        [6, 1],
        [3, 2],
        [1, 3],
      ] as const);
      left > 0;
      left -= 1
    ) {
      const edit = random.pick(of);
      const next = edits.includes(edit) ? null : edit.edit(body, random);
      if (next === null) continue;
      body = next;
      edits.push(edit);
    }
    if (edits.length > 0) return { body, edits };
  }
}
