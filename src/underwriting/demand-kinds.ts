/** The kinds of demands, and what a lending policy says of them. */
/** Each with the members of `Request` that it rests on: those of the person, with their prefix, and others. */
export const KINDS = {
  fraudAlert: {},
  activeDutyAlert: {},
  identity: { own: ['SSN'] },
  signedContract: {},
  title: {},
  insurance: {},
  proofOfIncome: { plain: ['MonthlyGross', 'OtherIncomeAmount', 'ReportedIncome', 'EstimatedIncome'], own: ['Income'] },
  incomeSource: { plain: ['MonthlyGross', 'OtherIncomeAmount', 'ReportedIncome', 'EstimatedIncome'], own: ['Income'] },
  residence: { own: ['Address', 'City', 'State', 'Zip'] },
  housing: { plain: ['HousingMonthlyPayment'] },
  birthDate: { own: ['DOB'] },
  references: {},
  vehicleIdentification: { vehicle: ['VehicleVIN'] },
  vehicleInspection: { vehicle: ['VehicleVIN'] },
  odometerStatement: { vehicle: ['VehicleMileage'] },
  resolveSign: {},
  other: {},
} as const satisfies Readonly<Record<string, RestsOn>>;

export type RestsOn = { own?: readonly string[]; plain?: readonly string[]; vehicle?: readonly string[] };

export type DemandKind = keyof typeof KINDS;
export const DEMAND_KINDS = Object.keys(KINDS) as DemandKind[];

/** A demand of the lending policy: of every approval, or of a rule that is broken. */
export type PolicyDemand = { readonly kind: DemandKind; readonly text: string };

/** The scope that a waiver needs. */
export const WAIVERS = ['underwriting:write', 'loans:fund', 'nobody'] as const;
export type Waiver = (typeof WAIVERS)[number];
