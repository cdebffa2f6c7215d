/** Roles that can approve an operation. */
import { cents } from '../../format.ts';

export type RoleWithLimits = {
  name: string;
  scopes: readonly string[];
  limits: Readonly<Record<string, { amount: string } | undefined>>;
};

/** The roles that every organization has, for people who may not read the list of roles. A test compares them with the service. */
export const BUILT_IN_ROLES: readonly RoleWithLimits[] = [
  withLimits('agent', { 'assess-fee': '100', 'waive-fee': '50', 'refund-credit': '100' }),
  withLimits('collector', { 'assess-fee': '50', 'waive-fee': '25', 'refund-credit': '0' }),
  {
    name: 'manager',
    scopes: ['loans:write', 'underwriting:write', 'loans:fund', 'payments:write', 'servicing:write'],
    limits: {},
  },
  { name: 'underwriter', scopes: ['loans:write', 'underwriting:write'], limits: {} },
];

function withLimits(name: string, own: Record<string, string>): RoleWithLimits {
  const prepared = ['settle', 'write-down', 'change-rate', 'reage', 'default', 'accelerate', 'charge-off', 'transfer'];
  const all = { ...own, ...Object.fromEntries(prepared.map((operation) => [operation, '0'])) };
  return {
    name,
    scopes: ['payments:write', 'servicing:write'],
    limits: Object.fromEntries(Object.entries(all).map(([operation, amount]) => [operation, { amount }])),
  };
}

/** The roles with one of the scopes and without a limit below the amount; without an amount, those without a limit. */
export function approvers(
  { path, scopes }: { path: string; scopes: readonly string[] },
  amount: string | undefined,
  roles: readonly RoleWithLimits[],
): string[] {
  const wanted = cents(amount);
  return roles
    .filter((role) => scopes.some((scope) => role.scopes.includes(scope)))
    .filter(({ limits }) => {
      const limit = limits[path];
      if (limit === undefined) return true;
      return wanted !== null && (cents(limit.amount) ?? 0n) >= wanted;
    })
    .map(({ name }) => name);
}

/** "manager", "manager or underwriter". */
export const eitherOf = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
