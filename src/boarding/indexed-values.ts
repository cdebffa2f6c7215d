/**
 * The values by which two applications can be of one person, one vehicle, one home or one account: of both applicants, as they are
 * compared. They are personal, and leave a thread only as keyed hashes.
 */
import type { Party } from '../core/loan.ts';
import { addressIn, normalAddress } from './postal-address.ts';

export type IndexedValue = {
  readonly kind: 'ssn' | 'vin' | 'phone' | 'address' | 'account';
  readonly of: Party | 'vehicle';
  /** An address and an account in their one spelling, the others as given. */
  readonly text: string;
};

type Texts = ReadonlyMap<string, string>;

/** `texts` are the members of `ApplicantInfo` and of `CoApplicantInfo`. The telephone is that at home: one at work is shared by colleagues. */
export function indexedValues(texts: Readonly<Record<Party, Texts>>, vin: string): IndexedValue[] {
  const found: IndexedValue[] = isFilled(vin) ? [{ kind: 'vin', of: 'vehicle', text: vin }] : [];
  for (const whose of ['applicant', 'coApplicant'] as const) {
    const own = texts[whose];
    const prefix = PREFIX[whose];
    const value = (name: string) => (own.get(name) ?? '').trim();
    const add = (kind: IndexedValue['kind'], text: string | null) => {
      if (text !== null && isFilled(text)) found.push({ kind, of: whose, text });
    };
    add('ssn', value(`${prefix}SSN`));
    add('phone', value('HomePhone'));
    add('address', homeOf(value, prefix));
    add('account', accountOf(value));
  }
  return found;
}

const PREFIX = { applicant: 'Applicant', coApplicant: 'CoApplicant' } as const;

function homeOf(value: (name: string) => string, prefix: string): string | null {
  const street = value(`${prefix}Address`);
  const parts = { city: value(`${prefix}City`), state: value(`${prefix}State`), zip: value(`${prefix}Zip`) };
  if (street !== '') return normalAddress({ street, unit: value('UnitNumber'), ...parts });
  return normalAddress(addressIn(value(`${prefix}FullAddress`) || value('AddressFull')));
}

/** The routing number of the bank and the number of the account; either alone is shared by many. */
function accountOf(value: (name: string) => string): string | null {
  const routing = value('BankRoutingNumber').replace(/\D/g, '');
  const account = value('BankAccountNumber')
    .replace(/[^A-Za-z0-9]/g, '')
    .toUpperCase();
  return routing.length === 9 && account.length >= 4 && isFilled(account) ? `${routing}|${account}` : null;
}

/** Placeholders are shared by everybody who left a field out: 000-00-0000, 555-555-5555, 123456789. */
function isFilled(text: string): boolean {
  const bare = text.replace(/[^\p{L}\p{N}]/gu, '');
  return bare.length > 1 && new Set(bare).size > 1 && !'12345678901234567'.startsWith(bare);
}
