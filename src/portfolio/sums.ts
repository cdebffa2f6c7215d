/**
 * The sums that every report is made of. This list is the one place that says what is added up: the columns of `position_sums`, the SQL that
 * fills them from `positions`, the scan of `loans` for today, the type and the merging of sums all follow from it.
 *
 * A sum is a measure over the positions of some kinds. The kind of a position follows from its status, its bucket and how its month began, so
 * a scan groups by these and adds up each measure once.
 *
 * Conventions of a position (`position.ts`): `openingPrincipal` is 0 for a loan that was charged off before the month. All money received
 * after the charge-off is `recovered`, and in none of the other receipts. `disbursed` also has principal that was boarded or bought; of a
 * loan that was sold it is negative.
 */
import { ACTIVE, BUCKETS, CREDIT_AGES, type CreditAge, type DelinquencyBucket, isActive } from './buckets.ts';

/** Figures of a position. `age`: months from the month of its vintage to that of the date. Those with `null` may be unknown. */
export type Figures = {
  original: number;
  principal: number;
  interest: number;
  fees: number;
  credits: number;
  kept: number;
  rate: string;
  remaining: number;
  age: number;
  openingPrincipal: number;
  disbursed: number;
  principalReceived: number;
  interestReceived: number;
  feesReceived: number;
  unscheduledPrincipal: number;
  chargedOff: number;
  recovered: number;
  forgiven: number;
  returned: number;
  receivedLate: number;
  scheduled: number;
  predictedYield: string | null;
  predictedLoss: string | null;
} & {
  /** The credits where they are of this age; null where they are not. */
  [Name in CreditAge]: number | null;
};
export type Field = keyof Figures;

/** A field; or 1 where it is known and 0 where not. */
export type Factor = Field | { readonly known: Field };

const CREDIT_MEASURES = Object.fromEntries(
  CREDIT_AGES.flatMap(({ name }) => [
    [name, [name]],
    [`${name}Loans`, [{ known: name }]],
  ]),
) as unknown as Readonly<Record<CreditAge | `${CreditAge}Loans`, readonly Factor[]>>;

/** The products that are added up for a position. Without a factor the position counts as 1. */
export const MEASURES = {
  loans: [],
  original: ['original'],
  principal: ['principal'],
  interest: ['interest'],
  fees: ['fees'],
  credits: ['credits'],
  kept: ['kept'],
  ...CREDIT_MEASURES,
  ratePrincipal: ['rate', 'principal'],
  remainingPrincipal: ['remaining', 'principal'],
  agePrincipal: ['age', 'principal'],
  openingPrincipal: ['openingPrincipal'],
  ageOpening: ['age', 'openingPrincipal'],
  disbursed: ['disbursed'],
  principalReceived: ['principalReceived'],
  interestReceived: ['interestReceived'],
  feesReceived: ['feesReceived'],
  unscheduledPrincipal: ['unscheduledPrincipal'],
  chargedOff: ['chargedOff'],
  recovered: ['recovered'],
  forgiven: ['forgiven'],
  returned: ['returned'],
  receivedLate: ['receivedLate'],
  scheduled: ['scheduled'],
  predictedLossOriginal: ['predictedLoss', 'original'],
  predictedLossOf: [{ known: 'predictedLoss' }, 'original'],
  predictedYieldOpening: ['predictedYield', 'openingPrincipal'],
  predictedYieldPrincipal: ['predictedYield', 'principal'],
  predictedOpening: [{ known: 'predictedYield' }, 'openingPrincipal'],
  predictedPrincipal: [{ known: 'predictedYield' }, 'principal'],
} as const satisfies Readonly<Record<string, readonly Factor[]>>;
export type Measure = keyof typeof MEASURES;

/**
 * The beginning of the month of a position: in the balance; the loan entered the book in the month (funded, boarded or bought); or neither,
 * because it was charged off or closed before.
 */
export const BEGINNINGS = ['open', 'entered', 'neither'] as const;
export type Beginning = (typeof BEGINNINGS)[number];

/**
 * The attributes by which sums tell positions apart. The bucket is that of any position, also of one that is charged off. `owed`: something
 * is owed on the date; nothing is of a loan that was sold in the month, or whose last payment is not confirmed yet.
 */
export type SumKind = {
  readonly status: string;
  readonly bucket: DelinquencyBucket;
  readonly began: Beginning;
  readonly owed: boolean;
};

type Definition = { readonly measure: Measure; readonly of: (kind: SumKind) => boolean };

const every = () => true;
const active = ({ status, owed }: SumKind) => owed && isActive(status);
const claim = ({ status, owed }: SumKind) => owed && status === 'ChargedOff';
const closed = ({ status }: SumKind) => status === 'Closed' || status === 'ClosedEarly';
const open = ({ began }: SumKind) => began === 'open';
const entered = ({ began }: SumKind) => began === 'entered';

const sum = (measure: Measure, of: Definition['of']): Definition => ({ measure, of });

const STATUS_SUMS = Object.fromEntries(
  ACTIVE.flatMap((status) => {
    const of = (kind: SumKind) => active(kind) && kind.status === status;
    const name = status.toLowerCase() as Lowercase<typeof status>;
    return [
      [`${name}Count`, sum('loans', of)],
      [`${name}Principal`, sum('principal', of)],
    ];
  }),
) as Record<`${Lowercase<(typeof ACTIVE)[number]>}${'Count' | 'Principal'}`, Definition>;

/** `current` is a status and a bucket; the sums of a bucket are named by its first day. */
export const BUCKET_NAMES = {
  current: 'past0',
  '1-29': 'past1',
  '30-59': 'past30',
  '60-89': 'past60',
  '90-119': 'past90',
  '120+': 'past120',
} as const satisfies Record<DelinquencyBucket, string>;
type BucketName = (typeof BUCKET_NAMES)[DelinquencyBucket];

const BUCKET_SUMS = Object.fromEntries(
  BUCKETS.flatMap((bucket) => {
    const of = (kind: SumKind) => active(kind) && kind.bucket === bucket;
    return [
      [`${BUCKET_NAMES[bucket]}Count`, sum('loans', of)],
      [`${BUCKET_NAMES[bucket]}Principal`, sum('principal', of)],
    ];
  }),
) as Record<`${BucketName}${'Count' | 'Principal'}`, Definition>;

const CREDIT_SUMS = Object.fromEntries(
  CREDIT_AGES.flatMap(({ name }) => [
    [`${name}Count`, sum(`${name}Loans`, every)],
    [name, sum(name, every)],
  ]),
) as Record<CreditAge | `${CreditAge}Count`, Definition>;

/** Balances are of loans that are open and not charged off, flows of every position. */
export const SUMS = {
  // The balance on the date.
  count: sum('loans', active),
  original: sum('original', active),
  principal: sum('principal', active),
  interest: sum('interest', active),
  fees: sum('fees', active),
  credits: sum('credits', every),
  kept: sum('kept', every),
  ...CREDIT_SUMS,
  ratePrincipal: sum('ratePrincipal', active),
  remainingPrincipal: sum('remainingPrincipal', active),
  agePrincipal: sum('agePrincipal', active),
  predictedLossOriginal: sum('predictedLossOriginal', active),
  predictedLossOf: sum('predictedLossOf', active),
  claimCount: sum('loans', claim),
  claimPrincipal: sum('principal', claim),
  closedCount: sum('loans', closed),
  ...STATUS_SUMS,
  ...BUCKET_SUMS,
  // The month up to the date.
  openingPrincipal: sum('openingPrincipal', every),
  ageOpening: sum('ageOpening', every),
  enteredCount: sum('loans', entered),
  entered: sum('original', entered),
  disbursed: sum('disbursed', every),
  principalReceived: sum('principalReceived', every),
  interestReceived: sum('interestReceived', every),
  feesReceived: sum('feesReceived', every),
  unscheduledPrincipal: sum('unscheduledPrincipal', every),
  chargedOff: sum('chargedOff', every),
  recovered: sum('recovered', every),
  forgiven: sum('forgiven', every),
  returned: sum('returned', every),
  receivedLate: sum('receivedLate', every),
  scheduled: sum('scheduled', every),
  predictedYieldOpening: sum('predictedYieldOpening', every),
  predictedYieldPrincipal: sum('predictedYieldPrincipal', active),
  predictedOpening: sum('predictedOpening', every),
  predictedPrincipal: sum('predictedPrincipal', active),
  // Sums of loans that were in the balance when the month began: a speed is measured on these.
  openPrincipalReceived: sum('principalReceived', open),
  openUnscheduled: sum('unscheduledPrincipal', open),
  openChargedOff: sum('chargedOff', open),
} as const satisfies Readonly<Record<string, Definition>>;
export type SumName = keyof typeof SUMS;
export const SUM_NAMES = Object.keys(SUMS) as SumName[];

/** Measures with decimals: percentages times cents. All others are whole. */
const DECIMAL: ReadonlySet<Measure> = new Set<Measure>([
  'ratePrincipal',
  'predictedLossOriginal',
  'predictedYieldOpening',
  'predictedYieldPrincipal',
]);

/** Decimals of a percentage that are kept: sums of measures with decimals are in units of 10^-10. */
export const DECIMALS = 10;

export const isDecimal = (measure: Measure): boolean => DECIMAL.has(measure);

/** Whole cents or counts; of measures with decimals, units of 10^-10. */
export type Sums = Readonly<Record<SumName, bigint>>;

export const NOTHING: Sums = Object.freeze(Object.fromEntries(SUM_NAMES.map((name) => [name, 0n]))) as Sums;

export function mergeSums(...all: readonly Sums[]): Sums {
  const total = { ...NOTHING };
  for (const one of all) for (const name of SUM_NAMES) total[name] += one[name];
  return total;
}

/** The result of a scan for the positions of one kind: each measure added up. Measures that were not asked for are absent. */
export type Measured = { readonly kind: SumKind; readonly measures: Partial<Readonly<Record<Measure, bigint>>> };

/** The sums of positions that were added up by kind. */
export function sumsOf(all: Iterable<Measured>): Sums {
  const total = { ...NOTHING };
  for (const { kind, measures } of all) {
    for (const name of SUM_NAMES) {
      const { measure, of } = SUMS[name];
      const value = measures[measure];
      if (value !== undefined && of(kind)) total[name] += value;
    }
  }
  return total;
}

/** The measures that some sums are made of. */
export function measuresOf(names: readonly SumName[]): Measure[] {
  return [...new Set(names.map((name) => SUMS[name].measure))];
}
