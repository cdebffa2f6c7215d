/** Roles that can approve an operation. */
import { cents } from '../../format.ts';

export type RoleWithLimits = {
  name: string;
  scopes: readonly string[];
  limits: Readonly<Record<string, { amount: string } | undefined>>;
};

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
