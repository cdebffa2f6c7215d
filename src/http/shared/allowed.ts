/** Reasons why operations are not allowed on a loan now: the same problem with which each would be refused. */

import { Type } from 'typebox';
import { REFUSALS } from '../../core/refusal.ts';
import type { NotAllowed } from '../../loans/reads/allowed.ts';
import { shape } from './named.ts';
import { money, placesIn, plainValue } from './numbers.ts';
import { refusedProblem } from './refusal-problems.ts';
import { date, ForbiddingHold, maybe } from './shapes.ts';
import { idOut, sentences, wordOut } from './texts.ts';

const ReasonNotAllowed = shape(
  'ReasonNotAllowed',
  'Why an operation is not allowed. A request for it is refused with the same code.',
  {
    code: wordOut('The code of the problem with which the operation is refused.'),
    refusal: maybe(
      Type.Enum([...REFUSALS]),
      'The exact reason; null: your organization has no grant for the operation, or owned the loan before (`not_granted`).',
    ),
    detail: sentences('The reason in words.'),
    retryable: Type.Optional(Type.Boolean({ description: 'Whether the same request may succeed later.' })),
    limit: Type.Optional(wordOut('The policy limit that the smallest request would exceed, such as `reage.perLife`.')),
    limitValue: Type.Optional(Type.Integer({ description: 'The value of that limit in the policy.' })),
    figure: Type.Optional(Type.Integer({ description: 'The figure of the loan that the limit is compared with.' })),
    holds: Type.Optional(Type.Array(ForbiddingHold, { description: 'The holds in force that forbid it.' })),
    date: Type.Optional(date('The date from which everything is due, of an accelerated loan.')),
    stipulations: Type.Optional(
      Type.Array(idOut('A stipulation.'), { description: 'The open stipulations that come before funding.' }),
    ),
    payoff: Type.Optional(money('The payoff amount.')),
    kept: Type.Optional(money('The amount of a charged-off loan that is still on the books.')),
    credit: Type.Optional(money('The credit owed to the borrower.')),
    daysPastDue: Type.Optional(Type.Integer({ description: 'Days past due.' })),
    defaultDays: Type.Optional(Type.Integer({ description: 'Days past due at which a default may be declared.' })),
  },
);

export const NotAllowedList = Type.Array(
  shape('NotAllowedOperation', 'An operation that is refused now, regardless of the request.', {
    operation: wordOut('The operation, such as `extend`.'),
    reason: ReasonNotAllowed,
  }),
  {
    description:
      'Every other operation, with the reason: your organization’s role, the status, a hold, the state of the loan (for example, nothing is ' +
      'past due), or a policy limit that even the smallest request would exceed.',
  },
);

export const NOT_GRANTED = {
  grant: 'The owner of this loan has not granted your organization this operation.',
  ownership: 'Your organization has transferred this loan to another owner and can only read it.',
};

export function notAllowedItem({ operation, refusal }: NotAllowed): object {
  if (typeof refusal === 'string') {
    return { operation, reason: { code: 'not_granted', refusal: null, detail: NOT_GRANTED[refusal] } };
  }
  // The summary has the status itself, there is no request with a member at fault, and which transactions stand in the way is told to one.
  const { member: _, ...about } = refusal;
  const { code, message, facts } = refusedProblem(about);
  const { refusal: refused, loanStatus: __, transactions: ___, ...more } = facts;
  return { operation, reason: { code, refusal: refused, detail: message, ...more } };
}

const places = placesIn(NotAllowedList);

/** The same list with plain amounts. */
export const plainNotAllowed = (list: readonly object[]): readonly object[] => plainValue(list, places);
