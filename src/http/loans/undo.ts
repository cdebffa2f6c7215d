/** Undo: a fact is taken back as if it had never been recorded. */
import { Type } from 'typebox';
import { hashExample, Reason, request } from '../shared/shapes.ts';
import { loanWrite } from '../shared/write.ts';

const UndoRequest = request(
  {
    transactionHash: Type.String({
      pattern: '^0x[0-9A-Fa-f]{64}$',
      description: 'The transaction to undo: the `transactionHash` of the call that recorded it, or of `/timeline`.',
    }),
    chargeRetroactive: Type.Optional(
      Type.Boolean({
        description:
          'For a hold or military service: charge the late fees that it kept from being charged, on their own days. Default false: late fees begin again today.',
      }),
    ),
    reason: Reason,
  },
  { transactionHash: hashExample, reason: 'Entered on the wrong loan' },
);

const undoTransaction = loanWrite({
  does: 'undo',
  id: 'undoTransaction',
  tag: 'Servicing',
  summary: 'Undo a transaction',
  description:
    'Takes back a fact that is not money (a fee, a quote, a change of terms, a charge-off, a step of the application). The undo is itself a ' +
    'transaction; as of any date the loan is then what it would have been without the fact, and `changes` lists the differences; only late fees that ' +
    'a hold or military service kept from being charged are charged from the undo on, or on their own days with `chargeRetroactive`. 409 `depends` ' +
    'lists later transactions that must be undone first. For payments use `reverse-repayment` or `return-repayment`. A step of the ' +
    'application also needs the scope of that step. Undoing the same transaction again returns the first response.',
  problems: ['depends'],
  body: UndoRequest,
  command: (_read, { transactionHash, reason, chargeRetroactive = false }) => ({
    do: 'undo',
    transactionHash: transactionHash.toLowerCase(),
    chargeRetroactive,
    reason,
  }),
  reason: ({ reason }) => reason,
});

/** In the order of the OpenAPI document. */
export const undoWrites = [undoTransaction] as const;
