/** Roles: named sets of scopes with limits, built in and the organization's own. */
import { Type } from 'typebox';
import type { ChangedRole } from '../../access/people/own-roles.ts';
import {
  BUILT_IN_ROLES,
  LIMITABLE,
  type Limits,
  OVERRIDE_GRADES,
  type OverrideAuthority,
  type Role,
} from '../../access/people/roles.ts';
import { SCOPES } from '../../access/scopes.ts';
import { type Cents, formatCents } from '../../core/money.ts';
import { shape } from '../shared/named.ts';
import { money } from '../shared/numbers.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { pageOf, wholeOrPages } from '../shared/pages.ts';
import { missing } from '../shared/read.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { Amount, maybe, NextCursor } from '../shared/shapes.ts';
import { wordOut } from '../shared/texts.ts';
import { write } from '../shared/writing.ts';
import { administration, RoleName, ScopeName } from './shared.ts';

const LIMITS_ARE =
  'By operation, the amount above which a call needs approval; an operation that is absent has no limit. An operation without an ' +
  'amount that has a limit, which is then 0.00, needs approval every time. `override`: the approvals against the assessment that need none.';

const AUTHORITY = {
  amount: 'The highest loan amount; null: any.',
  grades: 'The grades; null: any.',
  rules: 'The rules of the lending policy that may be overridden, by their ids; null: any.',
} as const;

export const LimitsShape = shape(
  'RoleLimits',
  LIMITS_ARE,
  Object.fromEntries([
    ...LIMITABLE.map((operation) => [
      operation,
      Type.Optional(shape('RoleLimit', 'A limit.', { amount: money('The most that needs no approval.') })),
    ]),
    [
      'override',
      Type.Optional(
        shape('OverrideAuthority', 'The overrides of an assessment that need no approval.', {
          amount: maybe(money('An amount.'), AUTHORITY.amount),
          grades: maybe(Type.Array(Type.Enum([...OVERRIDE_GRADES])), AUTHORITY.grades),
          rules: maybe(Type.Array(wordOut('The id of a rule.')), AUTHORITY.rules),
        }),
      ),
    ],
  ]),
);

type LimitShown =
  | { amount: string }
  | { amount: string | null; grades: readonly string[] | null; rules: readonly string[] | null };

export function limitsShown({ override, ...limits }: Limits): Record<string, LimitShown> {
  const shown = LIMITABLE.flatMap((operation): [string, LimitShown][] => {
    const amount = limits[operation];
    return amount === undefined ? [] : [[operation, { amount: formatCents(amount) }]];
  });
  if (override === undefined) return Object.fromEntries(shown);
  const { amount, grades, rules } = override;
  return Object.fromEntries([
    ...shown,
    ['override', { amount: amount === null ? null : formatCents(amount), grades, rules }],
  ]);
}

const RoleShape = shape('Role', 'A named set of scopes with limits.', {
  name: RoleName,
  description: Type.String({ description: 'The purpose of the role; empty for a custom role.' }),
  builtIn: Type.Boolean({ description: 'Whether every organization has it; built-in roles cannot be changed.' }),
  scopes: Type.Array(ScopeName, { description: 'The scopes of the role.' }),
  limits: LimitsShape,
});

const shownRole = (role: Role & { description: string; builtIn: boolean }) => ({
  ...role,
  limits: limitsShown(role.limits),
});

export const listRoles = operation({
  ...administration,
  scopes: ['admin', 'audit:read'],
  at: 'GET /roles',
  id: 'listRoles',
  summary: 'List roles',
  description: 'The built-in roles, and the organization’s own by name.',
  query: closed(wholeOrPages),
  answer: envelope(
    shape('RoleList', 'The roles that people of the organization can have.', {
      items: Type.Array(RoleShape, { description: 'Built-in roles first.' }),
      nextCursor: NextCursor,
    }),
    {
      // All built-in roles: the console names them to people who may not read the list.
      items: [
        ...BUILT_IN_ROLES.map((role) => shownRole({ ...role, builtIn: true })),
        {
          name: 'night-desk',
          description: '',
          builtIn: false,
          scopes: ['loans:read', 'servicing:write'],
          limits: { 'waive-fee': { amount: '20.00' } },
        },
      ],
      nextCursor: null,
    },
  ),
  problems: [],
  async handle({ services, caller, query }) {
    const roles = await services.access.listRoles(caller.organizationId);
    return ok(pageOf(roles.map(shownRole), query, ({ name }) => name));
  },
});

const AuthorityRequest = closed(
  {
    amount: Type.Optional(maybe(Amount, AUTHORITY.amount)),
    grades: Type.Optional(
      maybe(
        Type.Array(Type.Enum([...OVERRIDE_GRADES]), { maxItems: OVERRIDE_GRADES.length, uniqueItems: true }),
        AUTHORITY.grades,
      ),
    ),
    rules: Type.Optional(
      maybe(
        Type.Array(Type.String({ pattern: '^[a-z][a-z0-9-]{0,59}$', description: 'The id of a rule.' }), {
          maxItems: 200,
          uniqueItems: true,
        }),
        AUTHORITY.rules,
      ),
    ),
  },
  {
    title: 'OverrideAuthorityRequest',
    description: 'The overrides of an assessment that need no approval. What is left out is not limited.',
  },
);

const RoleRequest = closed(
  {
    name: RoleName,
    scopes: Type.Array(ScopeName, {
      minItems: 1,
      maxItems: SCOPES.length,
      uniqueItems: true,
      description: 'The scopes of the role.',
    }),
    limits: Type.Optional(
      closed(
        Object.fromEntries([
          ...LIMITABLE.map((operation) => [
            operation,
            Type.Optional(closed({ amount: Amount }, { title: 'RoleLimitRequest', description: 'A limit.' })),
          ]),
          ['override', Type.Optional(AuthorityRequest)],
        ]),
        { title: 'RoleLimitsRequest', description: `${LIMITS_ARE} Default: no limits.` },
      ),
    ),
  },
  {
    examples: [
      { name: 'night-desk', scopes: ['loans:read', 'servicing:write'], limits: { 'waive-fee': { amount: '20.00' } } },
    ],
  },
);

const RoleAnswer = envelope(shape('RoleUpdate', 'The role that was changed.', { name: RoleName }), {
  name: 'night-desk',
});

type GivenAuthority = Partial<Omit<OverrideAuthority, 'amount'>> & { readonly amount?: string | number | null };
type GivenLimits = { readonly override?: GivenAuthority };

function readAuthority(read: RequestReader, given: GivenAuthority): OverrideAuthority {
  const { amount = null, grades = null, rules = null } = given;
  return { amount: amount === null ? null : read.amount(given, 'amount', '/limits/override'), grades, rules };
}

export const putRole = write({
  ...administration,
  at: 'POST /roles',
  id: 'putRole',
  cost: 5,
  summary: 'Create or replace a role of the organization',
  description:
    'People who have the role have its new scopes and limits within a second on every instance. A limit needs the scope of its operation. Nobody ' +
    'changes a role that they have themselves, and the last active administrator keeps `admin`. A client gives only scopes that its token has; if these ' +
    'include `loans:read_pii` or `loans:fund`, the header `key` is also required.',
  body: RoleRequest,
  answer: RoleAnswer,
  subject: ({ name }: ChangedRole) => name,
  problems: ['conflict', 'key_required'],
  exactNumbers: true,
  async write({ services, caller, body }, { keep }) {
    const { name, scopes } = body;
    const limits: Record<string, Cents | OverrideAuthority> = {};
    const read = new RequestReader();
    const { override, ...amounts } = (body.limits ?? {}) as GivenLimits;
    for (const [operation, limit] of Object.entries(amounts as Record<string, { amount: string | number }>)) {
      limits[operation] = read.amount(limit, 'amount', `/limits/${operation}`);
    }
    if (override !== undefined) limits.override = readAuthority(read, override);
    read.done();
    return services.access.administering(keep).putRole(caller, { name, scopes, limits });
  },
  shows: ({ name }) => ({ name }),
  // The people who have the role by then are part of what it does.
  approval: { preview: ({ begin, cease }, body) => ({ ...body, begin, cease }) },
});

export const removeRole = write({
  ...administration,
  at: 'POST /remove-role',
  id: 'removeRole',
  cost: 5,
  summary: 'Remove a role of the organization',
  description: 'Refused while someone has the role, disabled people included. Built-in roles stay.',
  body: closed({ name: RoleName }, { examples: [{ name: 'night-desk' }] }),
  answer: RoleAnswer,
  subject: (done: { name: string }) => done.name,
  problems: ['not_found', 'conflict'],
  async write({ services, caller, body }, { keep }) {
    return (
      (await services.access.administering(keep).removeRole(caller, body.name)) ?? missing('role of the organization')
    );
  },
});
