/** The people and the vehicle of a loan, masked: pure, from the opened record. */
import { memberSpans } from '../../boarding/json-source.ts';
import { partyTexts } from '../../boarding/party-changes.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { Party } from '../../core/loan.ts';
import { VIN } from '../../core/vin.ts';
import { hidden, maskedEmail, maskedName, maskedNumber } from '../../vault/mask.ts';

export type MaskedPerson = {
  readonly name: string | null;
  readonly dateOfBirth: string | null;
  /** Its last digits only where a purpose was stated. */
  readonly ssn: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly workPhone: string | null;
};

export type Identity = {
  /** With the last digits of social security numbers: it was entered as a disclosure. */
  readonly disclosed: boolean;
  readonly loanId: string;
  readonly version: number;
  readonly on: PlainDate;
  /** The revision of the record; null: erased. */
  readonly revision: number | null;
  /** Null: erased. */
  readonly borrower: MaskedPerson | null;
  /** Null: there is none, or erased. */
  readonly coBorrower: MaskedPerson | null;
  /** Null: there is none, or erased. */
  readonly vehicle: { readonly description: string; readonly vinLastFour: string | null } | null;
  /** The borrower's state, two letters; null: unknown. */
  readonly state: string | null;
};

const PREFIX = { applicant: 'Applicant', coApplicant: 'CoApplicant' } as const;

/** `withDigits`: with the last digits of the social security number, which is a disclosure. */
export function personIn(record: string, party: Party, withDigits: boolean): MaskedPerson {
  const texts = partyTexts(record, party);
  const own = (name: string) => texts.get(`${PREFIX[party]}${name}`) ?? '';
  return {
    name: maskedName(own('FirstName'), own('LastName')),
    dateOfBirth: hidden(own('DOB')),
    ssn: withDigits ? maskedNumber(own('SSN')) : hidden(own('SSN')),
    email: maskedEmail(own('Email') || (texts.get('Email') ?? '')),
    phone: maskedNumber(texts.get('HomePhone') ?? ''),
    workPhone: maskedNumber(texts.get('EmploymentWorkPhone') ?? ''),
  };
}

const LOAN_INFO_AT = '"loanInfo":'.length;

/** As the public record describes it; of the number only what that masks. */
export function vehicleIn(publicPart: Buffer, vin: string): Identity['vehicle'] {
  const text = publicPart.toString('utf8');
  const auto = memberSpans(text, LOAN_INFO_AT).find(({ name }) => name === 'Auto');
  const named = (auto ? JSON.parse(text.slice(auto.start, auto.end)) : {}) as Readonly<Record<string, string>>;
  const description = [named.year, named.make, named.model].filter(Boolean).join(' ');
  const vinLastFour = VIN.test(vin) ? vin.slice(-4) : null;
  return description === '' && vinLastFour === null ? null : { description, vinLastFour };
}
