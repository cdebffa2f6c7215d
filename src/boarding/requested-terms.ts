/** The requested terms, read the same way for a loan that is created and for an offer: amounts and terms, the vehicle, the economy. */
import type { PlainDate } from '../core/calendar.ts';
import type { Contract } from '../core/loan.ts';
import { type Cents, formatCents, type Rounding, ZERO } from '../core/money.ts';
import type { Mistakes, Reader } from '../core/reader.ts';
import { readContract } from './contract.ts';
import { readMacro } from './forecast.ts';
import { isObjectAt, type Span, TooDeep, valueStart } from './json-source.ts';
import { amountOr, contradiction, type Own, textsOf } from './own-members.ts';
import { membersAt } from './record-parts.ts';
import { readVehicle, type Vehicle } from './vehicle.ts';

export type RequestedTerms = {
  readonly contract: Contract;
  readonly principalAmount: Cents;
  /** Months. */
  readonly term: number;
  readonly prepaidFinanceCharge: Cents;
  /** The part of it that is the lender's fee for making the loan. */
  readonly originationFee: Cents;
  readonly vehicle: Vehicle;
  /** JSON text, as it was given. */
  readonly macro: string;
};

type Members = ReadonlyMap<string, Span>;

/** `application` holds the members of `Request.VehicleInfo`. */
export function readRequestedTerms(
  read: Reader,
  { source, given, own }: { source: string; given: Members; own: Own },
  how: {
    today: PlainDate;
    rounding: Rounding;
    application: ReadonlyMap<string, string>;
    /** Terms of a loan that has ended: they are kept even where they do not fit each other. */
    asGiven?: boolean;
  },
): RequestedTerms {
  const { contract, principalAmount, term } = readContract(read, own, how);
  const macro = readMacro(read, source, given.get('macroEconomicFeatures'));
  const vehicle = readLoanInfo(read, source, given.get('loanInfo'), how.application);
  const originationFee = amountOr(read, own, 'originationFee', ZERO);
  const prepaidFinanceCharge = amountOr(read, own, 'prepaidFinanceCharge', originationFee);
  if (originationFee > prepaidFinanceCharge) {
    const detail = `${formatCents(originationFee)} was given; it is part of the prepaid finance charge, which is ${formatCents(prepaidFinanceCharge)}.`;
    contradiction(read, '/originationFee', detail);
  }
  if (prepaidFinanceCharge > 0 && prepaidFinanceCharge >= contract.amount) {
    const detail = `Must not exceed the loan amount of ${formatCents(contract.amount)}; ${formatCents(prepaidFinanceCharge)} was given.`;
    contradiction(read, own.prepaidFinanceCharge === undefined ? '/originationFee' : '/prepaidFinanceCharge', detail);
  }
  return { contract, principalAmount, term, prepaidFinanceCharge, originationFee, vehicle, macro };
}

/** The members of a body, each by its place in the text. */
export function membersOfBody(source: string): Members | Mistakes {
  try {
    return membersAt(source, { start: valueStart(source), end: source.length });
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    const detail = 'The body is nested too deeply; at most 500 levels of objects and lists are allowed.';
    return { mistakes: [], detail };
  }
}

function readLoanInfo(
  read: Reader,
  source: string,
  span: Span | undefined,
  application: ReadonlyMap<string, string>,
): Vehicle {
  const members = membersAt(source, span);
  const alone = textsOf(source, members);
  const auto = members.get('Auto');
  if (auto === undefined || !isObjectAt(source, auto.start)) return readVehicle(read, alone, application, '/loanInfo');
  if (Object.keys(alone).length > 0) {
    contradiction(read, '/loanInfo', 'Give the vehicle’s fields directly or under Auto, not both.');
  }
  return readVehicle(read, textsOf(source, membersAt(source, auto)), application, '/loanInfo/Auto');
}
