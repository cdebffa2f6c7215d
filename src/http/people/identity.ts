/** The borrower and the vehicle of a loan, masked. */

import { Type } from 'typebox';
import { actorOf } from '../shared/actor.ts';
import { noSuchLoan } from '../shared/ids.ts';
import { about, shape } from '../shared/named.ts';
import { envelope, operation } from '../shared/operation.ts';
import { loanIdOf, okText, reading, shown } from '../shared/read.ts';
import { LoanIdOut, loanExample, maybe, NoQuery, personalHeaders } from '../shared/shapes.ts';
import { sentences } from '../shared/texts.ts';

const masked = (description: string) => maybe(sentences('Masked.'), `${description}; null when the record has none.`);

const MaskedPerson = shape('MaskedPerson', 'A person on a loan, masked.', {
  name: masked('The first name and the initial of the last name'),
  dateOfBirth: masked('`••••` when the date of birth is known'),
  ssn: masked('`••••`, and with a stated purpose the last four digits of the social security number'),
  email: masked('The first letter of the e-mail address'),
  phone: masked('The last four digits of the telephone number at home'),
  workPhone: masked('The last four digits of the telephone number at work'),
});

const personExample = {
  name: 'Robin E.',
  dateOfBirth: '••••',
  ssn: '••••',
  email: 'r•••@•••',
  phone: '•••• 0123',
  workPhone: null,
};

const IdentityAnswer = envelope(
  shape('MaskedIdentity', 'The borrowers and the collateral of a loan, masked.', {
    loanId: LoanIdOut,
    erased: Type.Boolean({
      description: 'Whether the borrower was erased; nothing is left of the people and the vehicle then.',
    }),
    borrower: maybe(about(MaskedPerson, 'The borrower.'), 'Null when the borrower was erased.'),
    coBorrower: maybe(about(MaskedPerson, 'The co-borrower.'), 'Null when there is none.'),
    vehicle: maybe(
      shape('MaskedVehicle', 'The financed vehicle.', {
        description: sentences('Model year, make and model, as far as they are known.'),
        vinLastFour: maybe(sentences('A text.'), 'The last four characters of the VIN; null when it is unknown.'),
      }),
      'Null when there is none.',
    ),
    state: maybe(sentences('A text.'), 'The state of the borrower, two letters; null when it is unknown.'),
  }),
  {
    loanId: loanExample,
    erased: false,
    borrower: personExample,
    coBorrower: null,
    vehicle: { description: '2025 Honda Accord', vinLastFour: '4352' },
    state: 'OH',
  },
);

export const readIdentity = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/identity',
  id: 'readIdentity',
  cost: 3,
  summary: 'The borrower and the vehicle of a loan, masked',
  description:
    'For a page or a list that must tell borrowers apart: first name and initial, the last four digits of telephone numbers. It needs the scope ' +
    'of personal data, but no key and no purpose: what identifies a person is not in the response, and such reads are counted in the audit ' +
    'trail, by person or client and hour. With the header `purpose` and an API key (or a session) it also has the last four digits of the ' +
    'social security number, and is a disclosure.',
  scopes: ['loans:read_pii'],
  query: NoQuery,
  requestHeaders: { ...reading.requestHeaders, purpose: personalHeaders.requestHeaders.purpose },
  answer: IdentityAnswer,
  problems: ['not_found'],
  async handle(call) {
    const found = (await call.services.loans.people.identity(await actorOf(call), loanIdOf(call))) ?? noSuchLoan();
    const { loanId, version, on, revision, disclosed, borrower, coBorrower, vehicle, state } = found;
    const now = { asOf: null, knownAt: null };
    // After the borrower is erased, this is another representation of the same version.
    return shown(
      call,
      { version, loan: { on } },
      [disclosed ? 'personal digits' : 'personal identity', now, revision ?? 'erased'],
      () => okText({ loanId, erased: borrower === null, borrower, coBorrower, vehicle, state }),
    );
  },
});
