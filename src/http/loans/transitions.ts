/** The table of transitions. */
import { Type } from 'typebox';
import { STATUSES } from '../../core/loan.ts';
import { transitions } from '../../loans/figures.ts';
import { envelope, type Operation, ok, operation } from '../operation.ts';
import { tagged } from './read.ts';
import { NoQuery, readHeaders, Status } from './shapes.ts';

const TransitionsAnswer = envelope(
  Type.Object({
    statuses: Type.Array(Status),
    operations: Type.Array(
      Type.Object({
        operation: Type.String(),
        aliases: Type.Array(Type.String()),
        from: Type.Array(Status),
        to: Type.String(),
      }),
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
    summary: 'Which operations each status allows, and where they lead',
    description: 'The table that decides; a refused move (409) names from it what is allowed. Any token will do.',
    scopes: [],
    key: 'checked',
    conditional: true,
    query: NoQuery,
    requestHeaders: { 'If-None-Match': readHeaders.requestHeaders['If-None-Match'] },
    answerHeaders: { ETag: readHeaders.answerHeaders.ETag },
    answer: TransitionsAnswer,
    problems: [],
    handle: (call) => tagged(call, table),
  });
}
