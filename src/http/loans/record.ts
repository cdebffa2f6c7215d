/** Both records of a loan, and publishing the public one. */
import { Type } from 'typebox';
import { operation } from '../operation.ts';
import { actorOf } from './actor.ts';
import { loanIdOf, personal, reading, seen, shown, viewOptions } from './read.ts';
import { FullRecordAnswer, PublicRecordAnswer } from './record-shapes.ts';
import { fullRecordHead, publicRecord, RECORD_END } from './record-text.ts';
import { personalHeaders, request, ViewQuery } from './shapes.ts';
import { loanWrite } from './write.ts';

const PublishRequest = request(
  { published: Type.Boolean({ description: 'Whether every client with `public:read` may read the public record.' }) },
  { published: true },
);

export const readLoan = operation({
  ...personal,
  ...personalHeaders,
  at: 'GET /loans/{loan_id}',
  aliases: ['applications/{loan_id}'],
  id: 'readLoan',
  cost: 5,
  summary: 'The complete record, personal data included',
  description: 'Every read is a disclosure, entered durably before the answer leaves; a 304 is one too.',
  query: ViewQuery,
  answer: FullRecordAnswer,
  problems: ['not_found'],
  async handle(call) {
    const loanId = loanIdOf(call);
    const options = viewOptions(call.query);
    const found = seen(await call.services.loans.readFull(await actorOf(call), loanId, options));
    const { view, personal: person, record } = found;
    const representation = ['record', options, record.length] as const;
    return shown(call, view, representation, (plain) => ({
      chunks: [fullRecordHead(view, person, { plain }), record, RECORD_END],
    }));
  },
});

export const readLoanData = operation({
  ...reading,
  at: 'GET /loan-data/{loan_id}',
  id: 'readLoanData',
  summary: 'The public record, without personal data',
  description: 'Of own loans with `loans:read`; of every published loan with `public:read`.',
  scopes: ['public:read', 'loans:read'],
  query: ViewQuery,
  answer: PublicRecordAnswer,
  problems: ['not_found'],
  async handle(call) {
    const loanId = loanIdOf(call);
    const options = viewOptions(call.query);
    const found = seen(await call.services.loans.readPublic(await actorOf(call), loanId, options));
    // What is left of it when the borrower is erased is another representation of the same version.
    const representation = ['public', options, found.publicPart.length] as const;
    return shown(call, found.view, representation, (plain) => ({ chunks: publicRecord(found, { plain }) }));
  },
});

export const publishLoan = loanWrite({
  does: 'publish',
  id: 'publishLoan',
  summary: 'Show the public record to everybody, or stop it',
  description: 'To every client with `public:read`. The public record holds nothing about the person.',
  scopes: ['loans:write'],
  body: PublishRequest,
  command: (_read, { published }) => ({ do: 'publish', published }),
});
