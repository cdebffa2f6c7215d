/** Servicing policies: their versions, and the policy that a loan is under. */
import { Type } from 'typebox';
import { isMistakes } from '../../core/reader.ts';
import { type GivenValues, type PolicyVersion, shownValues } from '../../loans/policy/policies.ts';
import { about, shape } from '../named.ts';
import { closed, envelope, ok, operation } from '../operation.ts';
import { Problem, unavailable } from '../shell/problems.ts';
import { mistakesProblem, RequestReader } from '../shell/request-reader.ts';
import { dryRunShown, write } from '../writing.ts';
import { actorOf, applied, wantsPlain } from './actor.ts';
import { askerOf, given } from './books.ts';
import { PolicyValuesIn, PolicyValuesOut, policyValuesExample } from './policy-values.ts';
import { loanIdOf, okText, reading, seen, shown, tagged } from './read.ts';
import { date, day, Limit, LoanIdOut, loanExample, maybe, NextCursor, Prefer, Reference, time } from './shapes.ts';

const LenderId = Type.Union([Reference, Type.Null()], {
  description: 'The lender; null: all lenders without a policy of their own.',
});

const versionShown = {
  policyId: Type.String({ description: 'The policy.' }),
  lenderId: maybe(Type.String(), 'The lender; null: all lenders without a policy of their own.'),
  version: Type.Integer({ description: 'The version, from 1.' }),
  from: date('The date from which it is in force.'),
  figuresFrom: date(
    'The date from which `satisfiedPercent`, `nonAccrualDays` and `accrueAfterChargeOff` count for existing loans: the next day if the ' +
      'version was recorded on its first day, because entries of that day may be posted already.',
  ),
  recordedAt: time('When it was recorded.'),
  clientId: Type.String({ description: 'The client that recorded it.' }),
  values: about(PolicyValuesOut, 'All values, including defaults.'),
};

const versionExample = {
  policyId: 'standard',
  lenderId: null,
  version: 2,
  from: '2026-03-01',
  figuresFrom: '2026-03-01',
  recordedAt: '2026-02-15T12:00:00.000Z',
  clientId: 'client_8r3k2m5t7x',
  values: policyValuesExample,
};

function shownVersion({ number: _, values, ...version }: PolicyVersion, plain: boolean) {
  return { ...version, values: shownValues(values, plain) };
}

const admin = { tag: 'Policies', scopes: ['admin'], key: 'checked' } as const;
const readers = {
  tag: 'Policies',
  scopes: ['admin', 'loans:read'],
  key: 'checked',
  conditional: true,
  requestHeaders: { Prefer },
} as const;

export const addPolicy = write({
  ...admin,
  at: 'POST /policies',
  id: 'addPolicy',
  cost: 10,
  exactNumbers: true,
  summary: 'Record a version of a policy',
  description:
    'A new version, in force from `from` on; versions are never changed or deleted. The values are checked as a whole and every contradiction is ' +
    'named. Waterfall, late fee, grace days and rounding apply to loans created from that date on; all other values apply to every loan of ' +
    'the lender from that date on. What was charged before stays as it was. A lender has one policy.',
  body: closed(
    {
      policyId: Reference,
      lenderId: LenderId,
      from: day('The first date on which it is in force: today or later.'),
      values: PolicyValuesIn,
    },
    {
      examples: [
        {
          policyId: 'standard',
          lenderId: null,
          from: '2026-03-01',
          values: { nonAccrualDays: 90, lateFee: { percent: '5', cap: '50' } },
        },
      ],
    },
  ),
  answer: envelope(
    shape('RecordedPolicy', 'The version that was recorded.', { ...dryRunShown, ...versionShown }),
    versionExample,
  ),
  problems: ['conflict'],
  hasAmounts: true,
  async write(call, { keep }) {
    const { body, caller, services } = call;
    const read = new RequestReader();
    const policyId = read.reference(body, 'policyId', '');
    const lenderId = body.lenderId === null ? null : read.reference(body as { lenderId: string }, 'lenderId', '');
    const from = read.date(body, 'from', '');
    read.done();
    const asked = { policyId, lenderId, from, values: body.values as GivenValues };
    const asker = { ...askerOf(call), clientId: caller.clientId };
    const added = await services.loans.policies.add(asker, asked, keep);
    if (isMistakes(added)) throw mistakesProblem(added);
    if ('kind' in added) throw unavailable(added.detail, added.retryAfterSeconds);
    return given(added);
  },
  shows: shownVersion,
});

export const listPolicies = operation({
  ...readers,
  at: 'GET /policies',
  id: 'listPolicies',
  summary: 'List the versions of policies',
  description: 'All versions of all policies, newest first.',
  query: closed({
    limit: Limit(),
    cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,6}$', description: '`nextCursor` of the previous page.' })),
  }),
  answer: envelope(
    shape('PolicyPage', 'A page of versions.', {
      items: Type.Array(shape('PolicyVersion', 'A version of a policy.', versionShown), {
        description: 'Newest first.',
      }),
      nextCursor: NextCursor,
    }),
    { items: [versionExample], nextCursor: null },
  ),
  problems: [],
  async handle(call) {
    const plain = wantsPlain(call.headers);
    const { limit = 25, cursor } = call.query;
    const before = cursor === undefined ? null : Number(cursor);
    const found = await call.services.loans.policies.list(askerOf(call), { before, limit: limit + 1 });
    const nextCursor = found.length > limit ? String(found[limit - 1]?.number) : null;
    const items = found.slice(0, limit).map((version) => shownVersion(version, plain));
    return tagged(call, ok({ items, nextCursor }), applied(plain));
  },
});

const AsOf = closed({ asOf: Type.Optional(day('The version in force on this date; default: today.')) });

function asOfIn(query: { asOf?: string }) {
  const read = new RequestReader();
  const asOf = query.asOf === undefined ? null : read.date(query, 'asOf', '');
  read.done();
  return asOf;
}

export const readPolicy = operation({
  ...readers,
  at: 'GET /policies/{policy_id}',
  id: 'readPolicy',
  summary: 'Get a policy',
  description: 'The version in force on a date.',
  params: { policy_id: Type.String({ description: 'The policy.' }) },
  query: AsOf,
  answer: envelope(shape('Policy', 'The version of a policy that is in force.', versionShown), versionExample),
  problems: ['not_found'],
  async handle(call) {
    const plain = wantsPlain(call.headers);
    const { policy_id: policyId = '' } = call.params;
    const found = await call.services.loans.policies.read(askerOf(call), { policyId, asOf: asOfIn(call.query) });
    if (found === null) throw new Problem('not_found', 'There is no such policy.');
    if ('early' in found) {
      throw new Problem('not_found', `This policy is in force from ${found.early} on, and not before.`);
    }
    return tagged(call, ok(shownVersion(found, plain)), applied(plain));
  },
});

export const readLoanPolicy = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/policy',
  id: 'readLoanPolicy',
  summary: 'Get the policy that a loan is under',
  description:
    'The version in force on a date, with the loan’s own waterfall, late fee, grace days and rounding, which were fixed when it was created.',
  scopes: ['loans:read'],
  query: AsOf,
  answer: envelope(
    shape('LoanPolicy', 'The policy that a loan is under.', {
      loanId: LoanIdOut,
      asOf: date('The date.'),
      policyId: maybe(Type.String(), 'The policy; null: the lender has none, so the defaults apply.'),
      version: Type.Integer({ description: 'The version; 0 without a policy.' }),
      from: maybe(
        Type.String({ format: 'date' }),
        'The date from which the version is in force; null without a policy.',
      ),
      values: about(PolicyValuesOut, 'All values, as they apply to the loan.'),
    }),
    {
      loanId: loanExample,
      asOf: '2026-03-15',
      policyId: 'standard',
      version: 2,
      from: '2026-03-01',
      values: policyValuesExample,
    },
  ),
  problems: ['not_found'],
  async handle(call) {
    const asOf = asOfIn(call.query);
    const loanId = loanIdOf(call);
    const options = { asOf, knownAt: null };
    const view = seen(await call.services.loans.readState(await actorOf(call), loanId, options));
    const { loan, file, organizationId } = view;
    const { on } = loan;
    const asked = { lenderId: file.lenderId, day: on };
    const inForce = await call.services.loans.policies.inForce(organizationId, asked);
    const values = { ...loan.policy, rounding: loan.contract.rounding, lateFeeByState: {} };
    const at = inForce === null ? '' : `${inForce.policyId} ${inForce.version} ${inForce.figuresFrom}`;
    return shown(call, view, ['policy', options, at], (plain) =>
      okText({
        loanId,
        asOf: on,
        policyId: inForce?.policyId ?? null,
        version: inForce?.version ?? 0,
        from: inForce?.from ?? null,
        values: shownValues(values, plain),
      }),
    );
  },
});
