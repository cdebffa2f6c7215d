/**
 * Roles: named sets of scopes with limits. The built-in ones are data here; an organization adds its own.
 *
 * A person has the scopes of all their roles. A limit is the amount above which an operation needs another person's approval. Limits come only
 * from roles that give the scope of the operation: of these the most generous counts, and one without a limit lifts it. So a second role can
 * never lift a limit on something that it does not allow in the first place.
 */
import { hasAmount, type OperationWithAmount, WITH_AMOUNT } from '../../core/decide/with-amount.ts';
import { type Cents, cents } from '../../core/money.ts';
import { knownScopes, type Scope } from '../scopes.ts';

/** By operation, in cents. */
export type Limits = Readonly<Partial<Record<OperationWithAmount, Cents>>>;

export type Role = { readonly name: string; readonly scopes: readonly Scope[]; readonly limits: Limits };

/** What each operation with an amount needs; the operations themselves say the same (a test compares). */
export const SCOPE_OF: Readonly<Record<OperationWithAmount, Scope>> = {
  'loan-repay': 'payments:write',
  'assess-fee': 'servicing:write',
  'waive-fee': 'servicing:write',
  settle: 'servicing:write',
  'write-down': 'servicing:write',
  'record-recovery': 'servicing:write',
  'refund-credit': 'servicing:write',
};

export type BuiltInRole = Role & { readonly description: string };

export const BUILT_IN_ROLES: readonly BuiltInRole[] = [
  {
    name: 'agent',
    description: 'Serves borrowers: payments, promises, small fee waivers and refunds.',
    scopes: ['loans:read', 'loans:read_pii', 'payments:write', 'servicing:write'],
    limits: {
      'assess-fee': cents(100_00),
      'waive-fee': cents(50_00),
      settle: cents(0),
      'write-down': cents(0),
      'refund-credit': cents(100_00),
    },
  },
  {
    name: 'collector',
    description: 'Works past due loans: payments, recoveries, extensions.',
    scopes: ['loans:read', 'loans:read_pii', 'payments:write', 'servicing:write'],
    limits: {
      'assess-fee': cents(50_00),
      'waive-fee': cents(25_00),
      settle: cents(0),
      'write-down': cents(0),
      'refund-credit': cents(0),
    },
  },
  {
    name: 'manager',
    description: 'Runs lending and servicing without limits of amount, and may override policy limits.',
    scopes: [
      'public:read',
      'loans:read',
      'loans:read_pii',
      'loans:write',
      'underwriting:write',
      'loans:fund',
      'payments:write',
      'servicing:write',
      'servicing:override',
      'reports:read',
    ],
    limits: {},
  },
  {
    name: 'underwriter',
    description: 'Enters and decides applications.',
    scopes: ['loans:read', 'loans:read_pii', 'loans:write', 'underwriting:write'],
    limits: {},
  },
  {
    name: 'accountant',
    description: 'Reads loans and reports, closes periods, keeps the books. Sees no personal data.',
    scopes: ['loans:read', 'reports:read', 'books:write'],
    limits: {},
  },
  {
    name: 'auditor',
    description: 'Reads everything, writes nothing.',
    scopes: ['public:read', 'loans:read', 'loans:read_pii', 'reports:read', 'audit:read'],
    limits: {},
  },
  {
    name: 'administrator',
    description: 'Manages people, roles and clients, and reads the audit trail. Sees no loans.',
    scopes: ['audit:read', 'admin'],
    limits: {},
  },
];

const BUILT_IN = new Map<string, Role>(BUILT_IN_ROLES.map((role) => [role.name, role]));

export const isBuiltIn = (name: string): boolean => BUILT_IN.has(name);

/** The roles with these names; null for one that is neither built in nor among the organization's own. */
export function rolesNamed(names: readonly string[], own: readonly Role[]): (Role | null)[] {
  return names.map((name) => BUILT_IN.get(name) ?? own.find((role) => role.name === name) ?? null);
}

/** What a person with these roles may do. */
export function rightsOf(roles: readonly Role[]): { scopes: ReadonlySet<Scope>; limits: Limits } {
  const scopes = new Set(knownScopes(roles.flatMap((role) => [...role.scopes])));
  const limits: Partial<Record<OperationWithAmount, Cents>> = {};
  for (const operation of WITH_AMOUNT) {
    const given = roles
      .filter((role) => role.scopes.includes(SCOPE_OF[operation]))
      .map((role) => role.limits[operation] ?? null);
    const amounts = given.filter((amount) => amount !== null);
    if (given.length > 0 && amounts.length === given.length) limits[operation] = cents(Math.max(...amounts));
  }
  return { scopes, limits };
}

/** Stored as JSON text. An operation of a newer version is left out: it has no effect here. */
function readLimits(text: string): Limits {
  const stored = JSON.parse(text) as Record<string, number>;
  const limits: Partial<Record<OperationWithAmount, Cents>> = {};
  for (const [operation, amount] of Object.entries(stored)) if (hasAmount(operation)) limits[operation] = cents(amount);
  return limits;
}

export const ownRole = (row: { name: string; scopes: readonly string[]; limits: string }): Role => ({
  name: row.name,
  scopes: knownScopes(row.scopes),
  limits: readLimits(row.limits),
});
