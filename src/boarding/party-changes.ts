/**
 * New contact data of a party, and how the record shows it: in the members of `Request` that held the former values. The application itself
 * is kept as it was given; changes are applied to its text when it is shown.
 */
import type { Party } from '../core/loan.ts';
import { isState } from './application-names.ts';
import type { SearchTerms } from './file.ts';
import { memberSpans, type Span, scalarText } from './json-source.ts';
import { normalAddress } from './postal-address.ts';

/** A member that is absent stays as it was; null: the party no longer has one. */
export type PartyChanges = {
  readonly address?: PartyAddress;
  readonly phone?: string | null;
  readonly workPhone?: string | null;
  readonly email?: string | null;
  readonly employer?: string | null;
  readonly firstName?: string;
  readonly middleInitial?: string | null;
  readonly lastName?: string;
};

/** Always whole: a new street in the former city is no address. */
export type PartyAddress = {
  readonly street: string;
  readonly unit?: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly county?: string;
};

export type PartyUpdate = { readonly party: Party; readonly changes: PartyChanges };

/** Whether the state of a new address is one. */
export function hasState({ address }: PartyChanges): boolean {
  return address === undefined || isState(address.state);
}

const OBJECT = { applicant: 'ApplicantInfo', coApplicant: 'CoApplicantInfo' } as const;
const PREFIX = { applicant: 'Applicant', coApplicant: 'CoApplicant' } as const;

/** A record (`"Request":{…},"Response":{…},"Underwriting":{…}`) with these updates, of which a later one overrides an earlier one. */
export function withPartyChanges(record: string, updates: readonly PartyUpdate[]): string {
  let text = record;
  for (const party of ['coApplicant', 'applicant'] as const) {
    const members = new Map<string, string>();
    for (const one of updates) {
      if (one.party === party) for (const [name, value] of membersOf(one)) members.set(name, value);
    }
    if (members.size > 0) text = withMembers(text, OBJECT[party], members);
  }
  return text;
}

/** The members of the record that an update sets. */
function membersOf({ party, changes }: PartyUpdate): [string, string][] {
  const prefix = PREFIX[party];
  const { address } = changes;
  const found: [string, string][] = [];
  const set = (name: string, value: string | null | undefined) => {
    if (value !== undefined) found.push([name, value ?? '']);
  };
  if (address !== undefined) {
    const { street, unit = '', city, zip, county = '' } = address;
    const state = address.state.toUpperCase();
    const line = `${street}${unit === '' ? '' : ` ${unit}`}, ${city}, ${state} ${zip}`;
    set('AddressFull', line);
    set(`${prefix}FullAddress`, line);
    set(`${prefix}Address`, street);
    set(`${prefix}City`, city);
    set(`${prefix}State`, state);
    set(`${prefix}Zip`, zip);
    set('County', county);
    set('StreetNumber', /^\d+/.exec(street)?.[0] ?? '');
    set('UnitNumber', unit);
  }
  set('HomePhone', changes.phone);
  set('EmploymentWorkPhone', changes.workPhone);
  set(`${prefix}Email`, changes.email);
  // An application may have a second address, which would be out of date beside the new one.
  set('Email', changes.email);
  set('EmploymentCompany', changes.employer);
  set(`${prefix}FirstName`, changes.firstName);
  set('MiddleInitial', changes.middleInitial);
  set(`${prefix}LastName`, changes.lastName);
  return found;
}

const REQUEST_AT = '"Request":'.length;

/** The record with members of one object of `Request` replaced where they stand, or appended. */
function withMembers(record: string, object: string, members: ReadonlyMap<string, string>): string {
  const span = objectSpan(record, object);
  if (span === null) throw new Error(`A stored record has no ${object}.`);
  const textOf = ([name, value]: [string, string]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`;
  const missing = new Map(members);
  let text = '';
  let copied = span.start;
  const given = memberSpans(record, span.start);
  for (const { name, start, end } of given) {
    const value = members.get(name);
    if (value === undefined) continue;
    missing.delete(name);
    text += record.slice(copied, start) + JSON.stringify(value);
    copied = end;
  }
  const added = [...missing].map(textOf).join(',');
  text += `${record.slice(copied, span.end - 1)}${given.length > 0 && added !== '' ? ',' : ''}${added}}`;
  return replaced(record, span, text);
}

/** The last member counts, as for every reader of JSON. */
function objectSpan(record: string, object: string): Span | null {
  return memberSpans(record, REQUEST_AT).findLast(({ name }) => name === object) ?? null;
}

function replaced(text: string, { start, end }: Span, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}

/** Whether the record names the party at all: of a co-applicant who is not there, nothing can change. */
export function hasParty(record: string, party: Party): boolean {
  if (party === 'applicant') return true;
  return [...partyTexts(record, party).values()].some((text) => text !== '');
}

/** Terms by which a loan can also be found after an update. Earlier values stay, because a call may come from a former number. */
export function searchTermsOf(record: string, { party, changes }: PartyUpdate): SearchTerms {
  const { email, lastName } = changes;
  const phone = [changes.phone, changes.workPhone].filter((number) => typeof number === 'string');
  const home = changes.address === undefined ? null : normalAddress(changes.address);
  const dateOfBirth = lastName === undefined ? '' : (partyTexts(record, party).get(`${PREFIX[party]}DOB`) ?? '');
  return {
    ...(email ? { email } : {}),
    ...(phone.length === 0 ? {} : { phone }),
    ...(lastName === undefined || !/^\d{4}-?\d{2}-?\d{2}$/.test(dateOfBirth) ? {} : { lastName, dateOfBirth }),
    ...(home === null ? {} : { also: [{ kind: 'address', of: party, text: home }] }),
  };
}

/** The members of a party that are texts or numbers. Nothing beyond the application is looked at. */
export function partyTexts(record: string, party: Party): ReadonlyMap<string, string> {
  const span = objectSpan(record, OBJECT[party]);
  const members = span === null ? [] : memberSpans(record, span.start);
  return new Map(members.map((member) => [member.name, (scalarText(record, member) ?? '').trim()]));
}
