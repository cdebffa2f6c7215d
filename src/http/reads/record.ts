/** Both records of a loan, and publishing the public one. */
import { Type } from 'typebox';
import { actorOf } from '../shared/actor.ts';
import { operation } from '../shared/operation.ts';
import { loanIdOf, personal, reading, seen, shown, viewOptions } from '../shared/read.ts';
import { personalHeaders, request, ViewQuery } from '../shared/shapes.ts';
import { loanWrite } from '../shared/write.ts';
import { FullRecordAnswer, PublicRecordAnswer } from './record-shapes.ts';
import { fullRecordHead, publicRecord, RECORD_END } from './record-text.ts';

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
  summary: 'Get the complete record of a loan',
  description:
    'Includes personal data. Every read, also one answered with 304, is recorded as a disclosure before the response is sent.',
  query: ViewQuery,
  answer: FullRecordAnswer,
  problems: ['not_found'],
  async handle(call) {
    const loanId = loanIdOf(call);
    const options = viewOptions(call.query);
    const found = seen(await call.services.loans.reads.readFull(await actorOf(call), loanId, options));
    const { view, personal: person, record } = found;
    const bytes = record.reduce((sum, piece) => sum + piece.length, 0);
    const representation = ['record', options, bytes] as const;
    return shown(call, view, representation, (plain) => ({
      chunks: [fullRecordHead(view, person, { plain }), ...record, RECORD_END],
    }));
  },
});

export const readLoanData = operation({
  ...reading,
  at: 'GET /loan-data/{loan_id}',
  id: 'readLoanData',
  summary: 'Get the public record of a loan',
  description:
    'Without personal data. `loans:read` gives access to the organization’s own loans, `public:read` to every published loan.',
  scopes: ['public:read', 'loans:read'],
  query: ViewQuery,
  answer: PublicRecordAnswer,
  problems: ['not_found'],
  async handle(call) {
    const loanId = loanIdOf(call);
    const options = viewOptions(call.query);
    const found = seen(await call.services.loans.reads.readPublic(await actorOf(call), loanId, options));
    // After the borrower is erased, the remaining record is another representation of the same version.
    const representation = ['public', options, found.publicPart.length] as const;
    return shown(call, found.view, representation, (plain) => ({ chunks: publicRecord(found, { plain }) }));
  },
});

const publishLoan = loanWrite({
  does: 'publish',
  id: 'publishLoan',
  summary: 'Publish or unpublish a loan',
  description:
    'Clients with `public:read` can read the public record of a published loan. It contains no personal data.',
  body: PublishRequest,
  problems: ['not_eligible'],
  command: (_read, { published }) => ({ do: 'publish', published }),
});

/** In the order of the OpenAPI document. */
export const recordWrites = [publishLoan] as const;
