/** The people on a loan: their contact data. */
import { Type } from 'typebox';
import { PARTIES } from '../../core/loan.ts';
import { about, named, shape } from '../shared/named.ts';
import { effective, maybe, Reason, request } from '../shared/shapes.ts';
import { dateOr, loanWrite } from '../shared/write.ts';

const text = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$', description });

const phone = (description: string) =>
  maybe(
    Type.String({ pattern: '^[0-9+(). -]{7,30}$', description: '7 to 30 digits, spaces and `+ ( ) . -`.' }),
    description,
  );

const PartyAddress = shape(
  'PartyAddress',
  'A whole address in the United States. It replaces the former one in all its parts.',
  {
    street: text(120, 'Number and street.'),
    unit: Type.Optional(text(30, 'Apartment or unit.')),
    city: text(80, 'City.'),
    state: Type.String({ pattern: '^[A-Za-z]{2}$', description: 'The two-letter code of the state, such as OH.' }),
    zip: Type.String({ pattern: '^[0-9]{5}(-[0-9]{4})?$', description: 'ZIP code: 43215 or 43215-1234.' }),
    county: Type.Optional(text(80, 'County.')),
  },
  { additionalProperties: false },
);

const PartyChanges = shape(
  'PartyChanges',
  'The new values. Omitted values do not change; null removes a value.',
  {
    address: Type.Optional(PartyAddress),
    phone: Type.Optional(phone('Home or mobile telephone number.')),
    workPhone: Type.Optional(phone('Work telephone number.')),
    email: Type.Optional(
      maybe(
        Type.String({
          maxLength: 254,
          pattern: '^[^\\s@]{1,64}@[^\\s@]{1,189}$',
          description: 'Such as a@example.com.',
        }),
        'E-mail address.',
      ),
    ),
    employer: Type.Optional(maybe(text(120, 'The name of the employer.'), 'Employer.')),
    firstName: Type.Optional(text(60, 'First name.')),
    middleInitial: Type.Optional(maybe(text(10, 'One letter, or a name.'), 'Middle initial.')),
    lastName: Type.Optional(text(60, 'Last name.')),
  },
  { additionalProperties: false, minProperties: 1 },
);

const UpdatePartyRequest = request(
  {
    party: named('LoanParty', Type.Enum([...PARTIES], { description: 'The applicant or the co-applicant.' })),
    changes: PartyChanges,
    date: about(effective, 'The date from which the new values apply; default: today. Not in the future.'),
    reason: Reason,
  },
  {
    party: 'applicant',
    changes: { address: { street: '12 Oak St', city: 'Dayton', state: 'OH', zip: '45402' }, phone: '937-555-0142' },
    reason: 'Called in with the new address',
  },
);

const updateParty = loanWrite({
  does: 'update-party',
  id: 'updateParty',
  tag: 'Servicing',
  summary: 'Change the contact data of a borrower',
  description:
    'A new address, telephone number, e-mail address, employer or name of the applicant or the co-applicant. The values are stored ' +
    'encrypted, one version for each change. The full record shows those of today, and with `asOf` those of that date. The response, the ' +
    'ledger and the public record contain none of them. Searches find the loan by new and former values. A social security number or a ' +
    'date of birth cannot be changed.',
  cost: 3,
  body: UpdatePartyRequest,
  command: (read, { party, changes, ...body }) => ({
    do: 'update-party',
    party,
    changes,
    date: dateOr(read, body, 'date'),
    reason: body.reason,
  }),
  reason: ({ reason }) => reason,
});

/** In the order of the OpenAPI document. */
export const partyWrites = [updateParty] as const;
