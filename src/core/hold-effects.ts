/**
 * The effects of each kind of hold, as data: for every area of servicing whether it is allowed, and the law or rule that this comes from.
 * If the law leaves it open, the basis says "practice": what servicers usually do. Every operation that a hold can affect uses this
 * table (`holds.ts`).
 *
 * The sources were not compared with their current text. Those of the Fair Debt Collection Practices Act (15 USC 1692) and of Regulation F
 * (12 CFR 1006) apply to debt collectors, and for a creditor's own loans are practice. Two are not confirmed: that the interagency guidance
 * on major disasters allows the charge-off clock to stop, and that 15 USC 1692g(b) covers repossession.
 */
export const HOLD_KINDS = [
  'bankruptcy',
  'military',
  'deceased',
  'fraud',
  'dispute',
  'ceaseContact',
  'attorney',
  'disaster',
  'litigation',
] as const;
export type HoldKind = (typeof HOLD_KINDS)[number];

/** The areas of servicing that a hold affects. */
export const HOLD_AREAS = {
  lateFees: 'Late fees and other penalties.',
  autopay: 'Automatic debits.',
  notices: 'Letters and reminders that ask for payment.',
  contact: 'Calls, messages and visits to collect.',
  repossession: 'Repossession, acceleration and other enforcement.',
  creditReporting: 'Reporting to credit bureaus.',
  chargeOffClock: 'The days until the loan must be charged off.',
  funding: 'The disbursement of an approved loan.',
} as const;
export type HoldArea = keyof typeof HOLD_AREAS;

/** A ground on which something may be done that a hold otherwise forbids. */
export type Exception = 'required' | 'attorney' | 'representative' | 'courtOrder';

/** The meaning of each effect, and the acts it lets through: all, none, or those with one ground. */
export const EFFECTS = {
  allowed: { lets: 'all', about: 'As without the hold.' },
  forbidden: { lets: 'none', about: 'Forbidden while the hold is in force.' },
  requiredOnly: { lets: 'required', about: 'Only notices that the law requires.' },
  attorneyOnly: { lets: 'attorney', about: 'Only with the borrower’s attorney.' },
  representativeOnly: { lets: 'representative', about: 'Only with the representative of the estate.' },
  courtOrderOnly: { lets: 'courtOrder', about: 'Only with an order of the court.' },
  suppressed: { lets: 'none', about: 'Nothing is reported.' },
  disputed: { lets: 'all', about: 'Reported as disputed by the consumer.' },
  bankruptcyCode: { lets: 'all', about: 'Reported with the bankruptcy indicator of the chapter.' },
  deceasedCode: { lets: 'all', about: 'Reported with the code for a deceased consumer.' },
  disasterCode: { lets: 'all', about: 'Reported as affected by a disaster.' },
  runs: { lets: 'all', about: 'The days count as without the hold.' },
  stopped: { lets: 'all', about: 'The days of the hold do not count.' },
  within60Days: { lets: 'all', about: 'Charge-off is due within 60 days of the filing, or earlier if past due.' },
  within90Days: {
    lets: 'all',
    about: 'Charge-off is due within 90 days of the first day of the hold, or earlier if past due.',
  },
} as const satisfies Record<string, { lets: 'all' | 'none' | Exception; about: string }>;
export type Effect = keyof typeof EFFECTS;

/** Days until a charge-off is required, for the effects that set them. */
export const DAYS_TO_CHARGE_OFF: Readonly<Partial<Record<Effect, number>>> = { within60Days: 60, within90Days: 90 };

/** The stages of a bankruptcy; other holds have none. */
export type HoldStage = 'stay' | 'discharged' | 'reaffirmed';

export type AreaEffect = { readonly effect: Effect; readonly basis: string };

export type EffectRow = {
  readonly kind: HoldKind;
  readonly stage: HoldStage | null;
  readonly effects: Readonly<Record<HoldArea, AreaEffect>>;
};

const STAY = '11 USC 362(a)(6)';
const DISCHARGE = '11 USC 524(a)(2)';
const FFIEC = 'FFIEC Uniform Retail Credit Classification';
const PRACTICE = 'practice';

/** One row for each kind, and for each stage of a bankruptcy. */
export const HOLD_EFFECTS: readonly EffectRow[] = [
  row('bankruptcy', 'stay', {
    lateFees: ['forbidden', STAY],
    autopay: ['forbidden', STAY],
    notices: ['requiredOnly', STAY],
    contact: ['attorneyOnly', `${STAY}; 15 USC 1692c(a)(2)`],
    repossession: ['courtOrderOnly', '11 USC 362(a)(3)-(5), (d)'],
    creditReporting: ['bankruptcyCode', 'Metro 2; 15 USC 1681s-2(a)(1)'],
    chargeOffClock: ['within60Days', FFIEC],
  }),
  // The lien survives a discharge; the debt can no longer be collected from the borrower.
  row('bankruptcy', 'discharged', {
    lateFees: ['forbidden', DISCHARGE],
    autopay: ['forbidden', DISCHARGE],
    notices: ['requiredOnly', DISCHARGE],
    contact: ['forbidden', DISCHARGE],
    creditReporting: ['bankruptcyCode', 'Metro 2; 15 USC 1681s-2(a)(1)'],
    chargeOffClock: ['within60Days', FFIEC],
  }),
  // A debt that was reaffirmed is owed as if there had been no discharge.
  row('bankruptcy', 'reaffirmed', {
    creditReporting: ['bankruptcyCode', 'Metro 2; 11 USC 524(c)'],
  }),
  row('military', null, {
    // Stricter than the law, under which fees count towards the limit of 6 % (`military-service.ts`).
    lateFees: ['forbidden', '50 USC 3937(d)(1)'],
    repossession: ['courtOrderOnly', '50 USC 3952'],
  }),
  row('deceased', null, {
    lateFees: ['forbidden', PRACTICE],
    autopay: ['forbidden', 'Nacha return codes R14, R15'],
    notices: ['requiredOnly', PRACTICE],
    contact: ['representativeOnly', '15 USC 1692c(d); 12 CFR 1006.6(a)(4)'],
    creditReporting: ['deceasedCode', 'Metro 2'],
    funding: ['forbidden', PRACTICE],
  }),
  row('fraud', null, {
    lateFees: ['forbidden', PRACTICE],
    autopay: ['forbidden', PRACTICE],
    notices: ['requiredOnly', PRACTICE],
    creditReporting: ['suppressed', '15 USC 1681s-2(a)(6)'],
    chargeOffClock: ['within90Days', FFIEC],
    funding: ['forbidden', PRACTICE],
  }),
  row('dispute', null, {
    notices: ['requiredOnly', '15 USC 1692g(b)'],
    contact: ['forbidden', '15 USC 1692g(b)'],
    repossession: ['forbidden', '15 USC 1692g(b)'],
    creditReporting: ['disputed', '15 USC 1681s-2(a)(3)'],
  }),
  row('ceaseContact', null, {
    notices: ['requiredOnly', '15 USC 1692c(c)'],
    contact: ['forbidden', '15 USC 1692c(c)'],
  }),
  row('attorney', null, {
    notices: ['requiredOnly', '15 USC 1692c(a)(2)'],
    contact: ['attorneyOnly', '15 USC 1692c(a)(2)'],
  }),
  row('disaster', null, {
    lateFees: ['forbidden', PRACTICE],
    repossession: ['forbidden', PRACTICE],
    creditReporting: ['disasterCode', 'Metro 2'],
    chargeOffClock: ['stopped', 'Interagency guidance on major disasters'],
  }),
  row('litigation', null, {
    notices: ['requiredOnly', '15 USC 1692c(a)(2)'],
    contact: ['attorneyOnly', '15 USC 1692c(a)(2)'],
    repossession: ['courtOrderOnly', PRACTICE],
    funding: ['forbidden', PRACTICE],
  }),
];

/** Areas that are not named are not affected, and have no basis. */
function row(
  kind: HoldKind,
  stage: HoldStage | null,
  named: Partial<Record<HoldArea, readonly [Effect, basis: string]>>,
): EffectRow {
  const areas = Object.keys(HOLD_AREAS) as HoldArea[];
  const effects = areas.map((area): [HoldArea, AreaEffect] => {
    const [effect, basis] = named[area] ?? [area === 'chargeOffClock' ? 'runs' : 'allowed', ''];
    return [area, { effect, basis }];
  });
  return { kind, stage, effects: Object.fromEntries(effects) as EffectRow['effects'] };
}
