/** Duplicates and fraud signs of a loan. */
import { Type } from 'typebox';
import { COMPARED, SEVERITIES, SIGN_NAMES } from '../../loans/origination/signs.ts';
import { actorOf } from '../shared/actor.ts';
import { noSuchLoan } from '../shared/ids.ts';
import { about, named, shape } from '../shared/named.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { pageOf, wholeOrPages } from '../shared/pages.ts';
import { loanIdOf, reading, tagged } from '../shared/read.ts';
import { date, LoanIdOut, loanExample, maybe, NextCursor } from '../shared/shapes.ts';
import { sentences } from '../shared/texts.ts';

const Sign = shape(
  'Sign',
  'Something that may be a duplicate or fraud, and may have an ordinary reason. It decides nothing.',
  {
    sign: about(named('SignName', Type.Enum([...SIGN_NAMES], { description: 'A sign.' })), 'What it is.'),
    severity: about(
      named('SignSeverity', Type.Enum([...SEVERITIES], { description: 'The weight of a sign.' })),
      '`review`: worth a person’s time before the loan is funded; `info`: worth knowing.',
    ),
    about: sentences('The sign in a sentence.'),
    compared: Type.Array(
      shape('ComparedValue', 'A value that was compared. The value itself is not shown.', {
        what: about(
          named('ComparedKind', Type.Enum([...COMPARED], { description: 'A kind of value that is compared.' })),
          'The kind of value.',
        ),
        of: Type.Enum(['applicant', 'coApplicant', 'vehicle'], {
          description: 'Whose value of this application it is.',
        }),
        with: sentences('What it was compared with.'),
      }),
      { description: 'The values that were compared.' },
    ),
    loans: Type.Array(LoanIdOut, {
      description:
        'The other loans, the newest first, at most 100 of each kind of value; those that the caller may see. Empty: the sign is about this application alone.',
    }),
    since: date('The first day on which it could be seen.'),
    found: Type.Enum(['run', 'since'], {
      description:
        '`run`: the last underwriting run found it, and the decision was made with it in view; `since`: it has come up since, or there was no run.',
    }),
  },
);

const SignsAnswer = envelope(
  shape('SignList', 'The signs of a loan.', {
    loanId: LoanIdOut,
    ranOn: maybe(date('A date.'), 'The day of the last underwriting run; null: there was none.'),
    items: Type.Array(Sign, { description: 'Those of the run first.' }),
    nextCursor: NextCursor,
  }),
  {
    loanId: loanExample,
    ranOn: '2026-02-15',
    items: [
      {
        sign: 'sameVin',
        severity: 'review',
        about: 'Another application or open loan has the same vehicle.',
        compared: [{ what: 'vin', of: 'vehicle', with: 'other applications and open loans' }],
        loans: [`0x${'4d'.repeat(32)}`],
        since: '2026-02-15',
        found: 'run',
      },
    ],
    nextCursor: null,
  },
);

export const listSigns = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/signs',
  id: 'listSigns',
  cost: 5,
  summary: 'Duplicates and fraud signs',
  description:
    'What the application has in common with other applications and open loans of its owner (the person, the vehicle, the telephone, the ' +
    'address, the bank account), applications in quick succession, and figures that are unlike those of their kind. As the last run found ' +
    'them, and what has come up since. Each says what was compared; no personal value is shown, and loans that the caller may not see are not ' +
    'named. A sign decides nothing.',
  scopes: ['loans:read'],
  query: closed(wholeOrPages),
  answer: SignsAnswer,
  problems: ['not_found'],
  async handle(call) {
    const loanId = loanIdOf(call);
    const found = (await call.services.loans.origination.signs(await actorOf(call), loanId)) ?? noSuchLoan();
    const page = pageOf(found.items, call.query, ({ sign, found: when }) => `${sign} ${when}`);
    const loan = { 'X-Loan-Id': loanId, 'X-Loan-Version': String(found.version) };
    return tagged(call, ok({ loanId, ranOn: found.ranOn, ...page }), loan);
  },
});
