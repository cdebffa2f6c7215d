/** Servicing policies: their versions, and the policy of a loan. */

import { Type } from 'typebox';
import { amountText } from '../../core/decimal.ts';
import { cents } from '../../core/money.ts';
import { isMistakes, type Mistakes } from '../../core/reader.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { Unavailable } from '../../loans/door/write.ts';
import {
  allowanceIn,
  type DryRun,
  type GivenValues,
  type PolicyVersion,
  shownValues,
} from '../../loans/policies/policies.ts';
import { policyOwner } from '../../loans/reads/view.ts';
import { askerOf, given } from '../books/books.ts';
import { actorOf } from '../shared/actor.ts';
import { about, shape } from '../shared/named.ts';
import { money, numbersOf } from '../shared/numbers.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { Problem, unavailable } from '../shared/problems.ts';
import { loanIdOf, okText, reading, seen, shown, tagged } from '../shared/read.ts';
import { mistakesProblem, RequestReader } from '../shared/request-reader.ts';
import {
  conditionalHeaders,
  date,
  day,
  Limit,
  LoanIdOut,
  loanExample,
  maybe,
  NextCursor,
  Prefer,
  Reference,
  time,
} from '../shared/shapes.ts';
import { idOut, referenceOut, wordOut } from '../shared/texts.ts';
import { dryRunShown, keptAs, write } from '../shared/writing.ts';
import { PolicyValuesIn, PolicyValuesOut, policyValuesExample } from './policy-values.ts';

const LenderId = Type.Union([Reference, Type.Null()], {
  description: 'The lender; null: all lenders without their own policy.',
});

const versionShown = {
  policyId: referenceOut('The policy.'),
  lenderId: maybe(referenceOut('A reference.'), 'The lender; null: all lenders without their own policy.'),
  version: Type.Integer({ description: 'The version, from 1.' }),
  from: date('The date from which it is in force.'),
  figuresFrom: date(
    'The date from which `satisfiedPercent`, `nonAccrualDays`, `returnToAccrual`, `feesInNonAccrual`, `accrueAfterChargeOff` and `smallBalance` count: `from`, but for a lender with loans at the ' +
      'earliest the day after the version was recorded, because entries of today may be posted already.',
  ),
  recordedAt: time('When it was recorded.'),
  clientId: idOut('The client that recorded it.'),
  values: about(PolicyValuesOut, 'All values, including defaults.'),
};

const versionExample = {
  policyId: 'standard',
  lenderId: null,
  version: 2,
  from: '2030-03-01',
  figuresFrom: '2030-03-01',
  recordedAt: '2026-02-15T12:00:00.000Z',
  clientId: 'client_8r3k2m5t7x',
  values: policyValuesExample,
};

function shownVersion({ number: _, values, ...version }: PolicyVersion, plain = false) {
  return { ...version, values: shownValues(values, plain) };
}

const admin = { tag: 'Policies', scopes: ['admin'], key: 'checked' } as const;
const readers = {
  tag: 'Policies',
  scopes: ['admin', 'loans:read'],
  key: 'checked',
  ...conditionalHeaders,
  requestHeaders: { ...conditionalHeaders.requestHeaders, Prefer },
} as const;

type VersionAnswer = { readonly version: PolicyVersion; readonly impact?: DryRun };

/** The result; anything else is thrown as a problem. */
function settled<T extends object>(found: T | Refusal | Mistakes | Unavailable): T {
  if (isMistakes(found)) throw mistakesProblem(found);
  if ('kind' in found && found.kind === 'unavailable') throw unavailable(found.detail, found.retryAfterSeconds);
  return given(found as T | Refusal);
}

const count = (description: string) => Type.Integer({ description });

const Impact = shape(
  'PolicyImpact',
  'Dry run only: what the version would change for open loans. While `complete` is false these are the counts so far; send the same call again.',
  {
    through: date('The date of the comparison, as if nothing more were paid.'),
    complete: Type.Boolean({ description: 'Whether every loan was examined.' }),
    total: count('Open loans of the lender.'),
    done: count('Loans examined so far.'),
    failed: count('Loans that could not be computed.'),
    loansChanged: count('Loans for which anything changes.'),
    feesChanged: count('Late fees that would be added, removed or changed.'),
    amountChanged: money('The sum of all differences of late fees, interest owed and book interest.'),
    changes: shape('PolicyImpactCounts', 'Loans by what changes.', {
      status: count('The status.'),
      daysPastDue: count('Days past due.'),
      lateFees: count('Late fees.'),
      interest: count('Interest owed.'),
      bookInterest: count('Interest on the books, such as non-accrual.'),
      chargeOff: count('Whether a charge-off is due.'),
    }),
    amounts: shape('PolicyImpactAmounts', 'The differences, added up without sign.', {
      lateFees: money('Differences in late fees.'),
      interest: money('Differences in interest owed.'),
      bookInterest: money('Differences in interest on the books.'),
    }),
    values: shape('PolicyImpactValues', 'The values that differ from the version before, by their effect.', {
      figures: Type.Array(wordOut('A word.'), { description: 'Values that change figures of existing loans.' }),
      newLoansOnly: Type.Array(wordOut('A word.'), { description: 'Values that apply only to new loans.' }),
      limitsOnly: Type.Array(wordOut('A word.'), {
        description: 'Values that change limits and rules, and no figures.',
      }),
    }),
  },
);

function shownImpact(impact: DryRun) {
  const { through, complete, total, done, failed, loansChanged, feesChanged } = impact;
  const { status, daysPastDue, lateFees, interest, bookInterest, chargeOff } = impact;
  const { lateFeesCents, interestCents, bookInterestCents, figures, newLoansOnly, limitsOnly } = impact;
  const amount = (of: number) => amountText(cents(of));
  return {
    ...{ through, complete, total, done, failed, loansChanged, feesChanged },
    amountChanged: amount(lateFeesCents + interestCents + bookInterestCents),
    changes: { status, daysPastDue, lateFees, interest, bookInterest, chargeOff },
    amounts: {
      lateFees: amount(lateFeesCents),
      interest: amount(interestCents),
      bookInterest: amount(bookInterestCents),
    },
    values: { figures, newLoansOnly, limitsOnly },
  };
}

export const addPolicy = write({
  ...admin,
  at: 'POST /policies',
  id: 'addPolicy',
  cost: 10,
  exactNumbers: true,
  summary: 'Record a version of a policy',
  description:
    'A new version, in force from `from` on; versions are never changed or deleted. The values are checked as a whole, and every mistake is ' +
    'returned. Waterfall, late fee, grace days and rounding apply to loans created from that date on; all other values apply to every loan of ' +
    'the lender from that date on. What was charged before stays as it was. A lender has one policy. A dry run computes what the version would ' +
    'change for every open loan; with many loans the first responses are the progress, and the same call again has the result. A version that ' +
    'requires fewer approvals than before needs the approval of another administrator, where there is one.',
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
          from: '2030-03-01',
          values: { nonAccrualDays: 90, lateFee: { percent: '5', cap: '50' } },
        },
      ],
    },
  ),
  answer: envelope(
    shape('RecordedPolicy', 'The version that was recorded.', {
      ...dryRunShown,
      ...versionShown,
      impact: Type.Optional(Impact),
    }),
    versionExample,
  ),
  problems: ['conflict'],
  hasAmounts: true,
  hasDryRun: true,
  parameters: {
    through: Type.Optional(
      day(
        'Dry run only: the effect is computed as of this date, as if nothing more were paid; default: 30 days after `from`.',
      ),
    ),
  },
  async write(call, { keep, dryRun }): Promise<VersionAnswer> {
    const { body, caller, services } = call;
    const read = new RequestReader();
    const policyId = read.reference(body, 'policyId', '');
    const lenderId = body.lenderId === null ? null : read.reference(body as { lenderId: string }, 'lenderId', '');
    const from = read.date(body, 'from', '');
    const query = call.query as { through?: string };
    const through = query.through === undefined ? null : read.date(query, 'through', '');
    read.done();
    const asked = { policyId, lenderId, from, values: body.values as GivenValues };
    const asker = { ...askerOf(call), clientId: caller.clientId };
    const { policies } = services.loans;
    if (dryRun) return settled(await policies.dryRun(asker, { ...asked, through }));
    if (through !== null) throw new Problem('invalid_request', 'The parameter through is allowed only in a dry run.');
    const version: PolicyVersion = settled(
      await policies.add(
        asker,
        asked,
        keptAs<PolicyVersion>(keep, (added) => ({ version: added })),
      ),
    );
    return { version };
  },
  subject: ({ version }) => version.policyId,
  shows: ({ version, impact }) => ({
    ...shownVersion(version),
    ...(impact === undefined ? {} : { impact: shownImpact(impact) }),
  }),
  approval: {
    preview({ version: { policyId, lenderId, version, from, values } }) {
      return { policyId, lenderId, version, from, values: shownValues(values) };
    },
  },
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
    const { plain, headers: applied } = numbersOf(call);
    const { limit = 25, cursor } = call.query;
    const before = cursor === undefined ? null : Number(cursor);
    const found = await call.services.loans.policies.list(askerOf(call), { before, limit: limit + 1 });
    const nextCursor = found.length > limit ? String(found[limit - 1]?.number) : null;
    const items = found.slice(0, limit).map((version) => shownVersion(version, plain));
    return tagged(call, ok({ items, nextCursor }), applied);
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
    const { plain, headers: applied } = numbersOf(call);
    const { policy_id: policyId = '' } = call.params;
    const found = await call.services.loans.policies.read(askerOf(call), { policyId, asOf: asOfIn(call.query) });
    if (found === null) throw new Problem('not_found', 'There is no such policy.');
    if ('early' in found) {
      throw new Problem('not_found', `This policy is not in force before ${found.early}.`);
    }
    return tagged(call, ok(shownVersion(found, plain)), applied);
  },
});

export const readLoanPolicy = operation({
  ...reading,
  at: 'GET /loans/{loan_id}/policy',
  id: 'readLoanPolicy',
  summary: 'Get the policy of a loan',
  description:
    'The version in force on a date, with the loan’s own waterfall, late fee, grace days and rounding, which were fixed when it was created.',
  scopes: ['loans:read'],
  query: AsOf,
  answer: envelope(
    shape('LoanPolicy', 'The policy of a loan.', {
      loanId: LoanIdOut,
      asOf: date('The date.'),
      policyId: maybe(referenceOut('A reference.'), 'The policy; null: the lender has none, so the defaults apply.'),
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
      from: '2030-03-01',
      values: policyValuesExample,
    },
  ),
  problems: ['not_found'],
  async handle(call) {
    const asOf = asOfIn(call.query);
    const loanId = loanIdOf(call);
    const options = { asOf, knownAt: null };
    const view = seen(await call.services.loans.reads.read(await actorOf(call), loanId, options));
    const { loan } = view;
    const { on } = loan;
    const { organizationId, lenderId } = policyOwner(view);
    const inForce = await call.services.loans.policies.inForce(organizationId, { lenderId, day: on });
    const values = {
      ...loan.policy,
      rounding: loan.contract.rounding,
      lateFeeByState: {},
      allowance: allowanceIn(inForce),
    };
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
