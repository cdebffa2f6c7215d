/** The table of transitions. */

import { Type } from 'typebox';
import { STATUSES } from '../../core/loan.ts';
import { transitions } from '../../loans/reads/figures.ts';
import { shape } from '../shared/named.ts';
import { envelope, type Operation, ok, operation } from '../shared/operation.ts';
import { tagged } from '../shared/read.ts';
import { conditionalHeaders, NoQuery, Status } from '../shared/shapes.ts';
import { sentences, wordOut } from '../shared/texts.ts';

const TransitionsAnswer = envelope(
  shape('TransitionTable', 'Which operations each status allows.', {
    statuses: Type.Array(Status, { description: 'Every status of a loan.' }),
    operations: Type.Array(
      shape('Transition', 'An operation and the statuses that allow it.', {
        operation: wordOut('The name of the operation, which is also its path.'),
        aliases: Type.Array(wordOut('A word.'), { description: 'Other paths for the same operation.' }),
        from: Type.Array(Status, { description: 'The statuses in which it is allowed.' }),
        to: sentences('The resulting status, as text.'),
      }),
      { description: 'All operations that change a loan.' },
    ),
  }),
  {
    statuses: ['Approved', 'Funded'],
    operations: [
      { operation: 'fund-loan', aliases: ['disburse-loan'], from: ['Approved', 'CollateralApproved'], to: 'Funded' },
    ],
  },
);

/** `writes` are the operations with their aliases. */
export function listTransitions(writes: readonly Operation[]): Operation {
  const aliases = new Map(writes.map(({ path, aliases: others = [] }) => [path.slice(1), others]));
  const operations = transitions().map(({ operation: name, from, to }) => ({
    operation: name,
    aliases: aliases.get(name) ?? [],
    from,
    to,
  }));
  const table = ok({ statuses: STATUSES, operations });
  return operation({
    at: 'GET /transitions',
    id: 'listTransitions',
    tag: 'Reading',
    summary: 'List the operations that each status allows',
    description:
      'The statuses of a loan and the operations between them. If an operation is not allowed (409), the error lists those that are. Any token is accepted.',
    scopes: [],
    key: 'checked',
    ...conditionalHeaders,
    query: NoQuery,
    answer: TransitionsAnswer,
    problems: [],
    handle: (call) => tagged(call, table),
  });
}
