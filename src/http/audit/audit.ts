/** The audit trail of an organization. */

import { type Static, Type } from 'typebox';
import type { AuditFilter } from '../../loans/audit/audit.ts';
import { actorOf } from '../shared/actor.ts';
import { idIn } from '../shared/ids.ts';
import { shape } from '../shared/named.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { badCursor } from '../shared/pages.ts';
import { moment } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { hash, hashExample, Limit, loanExample, maybe, NextCursor, time } from '../shared/shapes.ts';
import { idOut, requestIdOut, sentences, wordOut } from '../shared/texts.ts';

const KINDS = ['did', 'tried', 'saw'] as const;

const id = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 128, description }));
const moments = (description: string) =>
  Type.Optional(Type.String({ maxLength: 40, format: 'date-time', description }));

const AuditQuery = closed({
  userId: id('Only entries of this person.'),
  clientId: id('Only entries of this client.'),
  loanId: Type.Optional(Type.String({ maxLength: 66, description: 'Only entries of this loan.' })),
  operation: Type.Optional(
    Type.String({ pattern: '^[a-z0-9-]{1,64}$', description: 'Only entries of this operation, such as `waive-fee`.' }),
  ),
  kind: Type.Optional(Type.Enum([...KINDS], { description: 'Only changes, refused attempts, or reads.' })),
  outcome: Type.Optional(
    Type.String({
      pattern: '^[a-z_]{1,64}$',
      description: '`done`, `refused` for everything refused, or the code of a problem, such as `not_granted`.',
    }),
  ),
  from: moments('Only entries from this time on.'),
  until: moments('Only entries before this time.'),
  limit: Limit(),
  cursor: Type.Optional(Type.String({ maxLength: 100, description: '`nextCursor` of the previous page.' })),
});

const AuditEntry = shape('AuditEntry', 'An action, a refused attempt or a disclosure.', {
  entryId: idOut('The entry.'),
  at: time('When it was entered, in real time.'),
  kind: Type.Enum([...KINDS], {
    description:
      '`did`: a change; `tried`: a request that was refused; `saw`: a read of personal data or of this trail.',
  }),
  operation: wordOut(
    'The operation: of a write of one loan its path, such as `waive-fee`; otherwise a name such as `create-client`.',
  ),
  outcome: wordOut('`done`, `approval_requested` if the write waits for an approval, or the code of the problem.'),
  organizationId: idOut('The organization of the client; another one’s where that one acted on a loan of yours.'),
  clientId: maybe(
    idOut('An id.'),
    'The client; `service` for the service itself, `operator` for a command of the operator; null where none is known.',
  ),
  userId: maybe(
    idOut('An id.'),
    'The person who acted through the client; null if none, and in entries of another organization.',
  ),
  keyId: maybe(idOut('An id.'), 'The API key that was sent; null in entries of another organization.'),
  account: maybe(sentences('A text.'), 'The account of the operating system, for a command of the operator.'),
  loanId: maybe(hash('A loan.'), 'The loan; of a refused request also one that does not exist.'),
  subject: maybe(
    sentences('A text.'),
    'The subject besides a loan: the part that was read, or the id of a client, key, grant, person, month or transfer.',
  ),
  transactionHash: maybe(hash('A transaction.'), 'The last transaction that the write recorded.'),
  approvalId: maybe(idOut('An id.'), 'The approval that it belongs to.'),
  count: Type.Integer({ description: 'How often, where repetitions are counted; otherwise 1.' }),
  requestId: maybe(requestIdOut('An id.'), 'The request.'),
  purposeGiven: Type.Boolean({
    description: 'Whether a purpose was stated. `GET /loans/{loan_id}/disclosures` shows it.',
  }),
  link: maybe(
    shape('AuditLink', 'The place of an entry in the chain of its volume.', {
      volume: Type.Integer({ description: 'The volume.' }),
      number: Type.Integer({ description: 'The number of the link, from 1.' }),
      hash: hash('The hash over the entry and the link before.'),
    }),
    'The link of the entry; null for up to two seconds.',
  ),
});

const AuditAnswer = envelope(
  shape('AuditPage', 'A page of the audit trail.', {
    items: Type.Array(AuditEntry, { description: 'Newest first.' }),
    nextCursor: NextCursor,
  }),
  {
    items: [
      {
        entryId: '019c65f0a1000000002a9f3c1d7e',
        at: '2026-02-15T12:00:00.000Z',
        kind: 'did',
        operation: 'waive-fee',
        outcome: 'done',
        organizationId: 'org_4n7c2q9d',
        clientId: 'client_8r3k2m5t7x',
        userId: 'user_3k9m2p',
        keyId: null,
        account: null,
        loanId: loanExample,
        subject: null,
        transactionHash: hashExample,
        approvalId: null,
        count: 1,
        requestId: '5f0c3c1e-8a8e-4b53-9f5e-0a4c7c1d2e3f',
        purposeGiven: false,
        link: { volume: 3, number: 9_120, hash: hashExample },
      },
    ],
    nextCursor: null,
  },
);

export const listAudit = operation({
  at: 'GET /audit',
  id: 'listAudit',
  cost: 2,
  tag: 'Administration',
  summary: 'List the audit trail',
  description:
    'Who did, tried and saw what: all entries of your organization, and those of others on your loans, newest first. The filters are ' +
    'combined. Entries are never changed; each is linked into a chain that `GET /ledger/roots` covers. Reading the trail is itself recorded.',
  scopes: ['audit:read'],
  key: 'checked',
  query: AuditQuery,
  answer: AuditAnswer,
  problems: [],
  async handle(call) {
    const page = await call.services.loans.audit.list(await actorOf(call), filterIn(call.query));
    if (page === 'bad_cursor') return badCursor();
    const items = page.items.map(({ volume, link, purposeHash, contentHash: _hash, ownerId: _, ...entry }) => ({
      ...entry,
      purposeGiven: purposeHash !== null,
      link: link === null ? null : { volume, ...link },
    }));
    return ok({ items, nextCursor: page.nextCursor });
  },
});

function filterIn(query: Static<typeof AuditQuery>): AuditFilter {
  const { loanId, from, until, limit = 25, cursor = null, ...same } = query;
  const read = new RequestReader();
  const timeIn = (name: 'from' | 'until', given: string | undefined) => {
    if (given === undefined) return {};
    const at = moment(given);
    if (at !== null) return { [name]: new Date(at) };
    read.note(`/${name}`, { code: 'format', detail: 'Must be a time with a time zone, such as 2026-02-15T12:00:00Z.' });
    return {};
  };
  const times = { ...timeIn('from', from), ...timeIn('until', until) };
  const loan = idIn(loanId);
  if (loanId !== undefined && loan === null) {
    read.note('/loanId', { code: 'format', detail: 'Must be `0x` and 64 hexadecimal digits.' });
  }
  read.done();
  return { ...same, ...times, ...(loan === null ? {} : { loanId: loan }), limit, cursor };
}
