/**
 * Roles: named sets of scopes with limits. The built-in ones are data here; an organization adds its own.
 *
 * A person has the scopes of all their roles. A limit is the amount above which an operation needs another person's approval; an operation
 * without an amount that has a limit needs it every time. Limits come only
 * from roles that give the scope of the operation: of these the most generous counts, and one without a limit lifts it. So a second role can
 * never lift a limit on something that it does not allow in the first place. The limit of overrides of an assessment has several sides, its
 * authority: of two, the one that reaches further counts as a whole.
 */
import { hasAmount, type Operation, scopesFor, TRANSITIONS } from '../../core/decide/decide.ts';
import { type Cents, cents } from '../../core/money.ts';
import { OVERRIDE, type OverrideAuthority, widerAuthority } from '../../core/overrides.ts';
import { knownScopes, type Scope } from '../scopes.ts';

/** Operations on no loan that a role can limit, because they move an amount, with the scopes of which they need one. */
const OF_NO_LOAN = { 'record-entry': ['books:write'] } as const satisfies Readonly<Record<string, readonly Scope[]>>;

export type LimitedOperation = Operation | keyof typeof OF_NO_LOAN;

export { GRADES as OVERRIDE_GRADES } from '../../core/grade.ts';
export type { OverrideAuthority } from '../../core/overrides.ts';

const isOfNoLoan = (name: string): name is keyof typeof OF_NO_LOAN => Object.hasOwn(OF_NO_LOAN, name);

/** By operation, in cents. */
export type Limits = Readonly<Partial<Record<LimitedOperation, Cents>>> & { readonly override?: OverrideAuthority };

export type Role = { readonly name: string; readonly scopes: readonly Scope[]; readonly limits: Limits };

/** One of these is needed for the operation. The API takes its requirements from here. */
export function scopesOf(operation: LimitedOperation | typeof OVERRIDE): readonly Scope[] {
  if (operation === OVERRIDE) return scopesFor('complete-underwriting');
  return isOfNoLoan(operation) ? OF_NO_LOAN[operation] : scopesFor(operation);
}

/** Whether a limit can be an amount: otherwise every call needs approval. */
export const isByAmount = (operation: LimitedOperation): boolean => isOfNoLoan(operation) || hasAmount(operation);

export const LIMITABLE = [...Object.keys(TRANSITIONS), ...Object.keys(OF_NO_LOAN)] as readonly LimitedOperation[];

export const isOperation = (name: string): name is LimitedOperation =>
  isOfNoLoan(name) || Object.hasOwn(TRANSITIONS, name);

/** Decisions on a whole loan that an agent or a collector prepares and somebody else agrees to. */
const PREPARED_ONLY: Limits = {
  settle: cents(0),
  'write-down': cents(0),
  'change-rate': cents(0),
  reage: cents(0),
  default: cents(0),
  accelerate: cents(0),
  'charge-off': cents(0),
  'cancel-boarding': cents(0),
  rescind: cents(0),
  transfer: cents(0),
};

export type BuiltInRole = Role & { readonly description: string };

export const BUILT_IN_ROLES: readonly BuiltInRole[] = [
  {
    name: 'agent',
    description: 'Serves borrowers: payments, promises, small fee waivers and refunds.',
    scopes: ['loans:read', 'loans:read_pii', 'payments:write', 'servicing:write', 'events:read'],
    limits: {
      'assess-fee': cents(100_00),
      'waive-fee': cents(50_00),
      'refund-credit': cents(100_00),
      ...PREPARED_ONLY,
    },
  },
  {
    name: 'collector',
    description: 'Works past due loans: payments, recoveries, extensions.',
    scopes: ['loans:read', 'loans:read_pii', 'payments:write', 'servicing:write', 'events:read'],
    limits: {
      'assess-fee': cents(50_00),
      'waive-fee': cents(25_00),
      'refund-credit': cents(0),
      ...PREPARED_ONLY,
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
      'events:read',
    ],
    limits: {},
  },
  {
    name: 'underwriter',
    description: 'Enters and decides applications.',
    scopes: ['loans:read', 'loans:read_pii', 'loans:write', 'underwriting:write', 'events:read'],
    limits: {},
  },
  {
    name: 'accountant',
    description: 'Reads loans and reports, closes periods, keeps the books. Sees no personal data.',
    scopes: ['loans:read', 'reports:read', 'books:write', 'events:read'],
    limits: {},
  },
  {
    name: 'auditor',
    description: 'Reads everything, writes nothing.',
    scopes: ['public:read', 'loans:read', 'loans:read_pii', 'reports:read', 'events:read', 'audit:read'],
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

/** The scopes and limits of a person with these roles. */
export function rightsOf(roles: readonly Role[]): { scopes: ReadonlySet<Scope>; limits: Limits } {
  const scopes = new Set(knownScopes(roles.flatMap((role) => [...role.scopes])));
  const limits: Partial<Record<LimitedOperation, Cents>> = {};
  const limited = new Set(roles.flatMap((role) => Object.keys(role.limits).filter(isOperation)));
  for (const operation of limited) {
    // An operation with several scopes needs one or the other by what a call does: a role that has one of them lifts nothing of another.
    const given = scopesOf(operation).flatMap((scope) => limitBy(roles, operation, scope) ?? []);
    if (given.length > 0) limits[operation] = cents(Math.min(...given));
  }
  const authority = authorityOf(roles);
  return { scopes, limits: authority === null ? limits : { ...limits, override: authority } };
}

/** Null: not limited. */
function authorityOf(roles: readonly Role[]): OverrideAuthority | null {
  const given = roles.filter(({ scopes }) => scopesOf(OVERRIDE).some((scope) => scopes.includes(scope)));
  const found = given.flatMap(({ limits: { override } }) => override ?? []);
  return given.length > 0 && found.length === given.length ? found.reduce(widerAuthority) : null;
}

/** The most generous limit of the roles with the scope; null: one of them has none, or none has the scope. */
function limitBy(roles: readonly Role[], operation: LimitedOperation, scope: Scope): Cents | null {
  const given = roles.filter((role) => role.scopes.includes(scope)).map((role) => role.limits[operation] ?? null);
  const amounts = given.filter((amount) => amount !== null);
  return given.length > 0 && amounts.length === given.length ? cents(Math.max(...amounts)) : null;
}

/** Stored as JSON text. An operation of a newer version is left out: it has no effect here. */
function readLimits(text: string): Limits {
  const { override, ...stored } = JSON.parse(text) as Record<string, number> & { override?: OverrideAuthority };
  const limits: Partial<Record<LimitedOperation, Cents>> = {};
  for (const [operation, amount] of Object.entries(stored))
    if (isOperation(operation)) limits[operation] = cents(amount);
  return override === undefined ? limits : { ...limits, override };
}

export const ownRole = (row: { name: string; scopes: readonly string[]; limits: string }): Role => ({
  name: row.name,
  scopes: knownScopes(row.scopes),
  limits: readLimits(row.limits),
});
