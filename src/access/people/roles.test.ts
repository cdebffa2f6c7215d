import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasAmount } from '../../core/decide/decide.ts';
import { type Cents, cents } from '../../core/money.ts';
import { limitsShown } from '../../http/access/roles.ts';
import { operations } from '../../http/routes.ts';
import { SCOPES, type Scope } from '../scopes.ts';
import { BUILT_IN_ROLES, isOperation, LIMITABLE, type Role, rightsOf, rolesNamed, scopesOf } from './roles.ts';

const role = (scopes: Scope[], limits: Record<string, number> = {}): Role => ({
  name: 'one',
  scopes,
  limits: limits as Record<string, Cents>,
});
const limitOf = (...roles: Role[]) => rightsOf(roles).limits['waive-fee'];

describe('the rights of several roles', () => {
  test('are all their scopes, in the listed order', () => {
    expect([...rightsOf([role(['admin', 'loans:read']), role(['loans:read', 'reports:read'])]).scopes]).toEqual([
      'loans:read',
      'reports:read',
      'admin',
    ]);
    expect(rightsOf([])).toEqual({ scopes: new Set(), limits: {} });
  });

  test.each<[string, number | undefined, Role[]]>([
    ['one limit counts', 5000, [role(['servicing:write'], { 'waive-fee': 5000 })]],
    [
      'of two limits the more generous counts, in either order',
      7000,
      [role(['servicing:write'], { 'waive-fee': 5000 }), role(['servicing:write'], { 'waive-fee': 7000 })],
    ],
    [
      'a role that allows the operation without a limit lifts it',
      undefined,
      [role(['servicing:write'], { 'waive-fee': 0 }), role(['servicing:write'])],
    ],
    [
      'a role that does not allow the operation never lifts it',
      0,
      [
        role(['servicing:write'], { 'waive-fee': 0 }),
        role(['loans:read', 'payments:write', 'servicing:override', 'admin']),
      ],
    ],
    [
      'a limit of a role that does not allow the operation does not count',
      100,
      [role(['servicing:write'], { 'waive-fee': 100 }), role(['loans:read'], { 'waive-fee': 90000 })],
    ],
    ['without a role that allows it there is no limit, and no scope either', undefined, [role(['loans:read'])]],
  ])('%s', (_what, expected, roles) => {
    expect(limitOf(...roles)).toBe(expected);
    expect(limitOf(...roles.toReversed())).toBe(expected);
  });

  test.each(LIMITABLE)('hold for %s', (operation) => {
    const needed = scopesOf(operation);
    const limited = role([...needed], { [operation]: 100 });
    const others = SCOPES.filter((scope) => !needed.includes(scope));
    expect(rightsOf([limited, role(others)]).limits[operation]).toBe(cents(100));
    expect(rightsOf([limited, role([...needed])]).limits[operation]).toBeUndefined();
    // A call may need either: who has only one of them is not free of the limit for the other.
    for (const scope of needed) {
      const lifted = needed.length === 1 ? undefined : cents(100);
      expect(rightsOf([limited, role([scope])]).limits[operation]).toBe(lifted);
    }
  });
});

test.each(LIMITABLE)('the scopes of %s are those that the operation requires', (operation) => {
  const { access } = operations.find(({ path, name }) => path === `/${operation}` || name === operation) ?? {};
  expect(access).toMatchObject({ scopes: scopesOf(operation) });
});

describe('the built-in roles', () => {
  const scopesIn = (name: string) => rolesNamed([name], [])[0]?.scopes ?? [];

  test('are those of docs/people.md', () => {
    const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
    const rows = BUILT_IN_ROLES.map(({ name, scopes, limits }) => {
      const shown = Object.entries(limitsShown(limits)).map(([operation, { amount }]) => `\`${operation}\` ${amount}`);
      return `| \`${name}\` | ${code(scopes)} | ${shown.join(', ') || 'none'} |`;
    });
    const text = readFileSync(new URL('../../../docs/people.md', import.meta.url), 'utf8');
    const table = text.slice(text.indexOf('| Role |'), text.indexOf('\n\n', text.indexOf('| Role |')));
    expect(table.split('\n').slice(2)).toEqual(rows);
    expect(text).toContain(code(LIMITABLE.filter(hasAmount)));
  });

  test('limit only what they allow', () => {
    for (const { name, scopes, limits } of BUILT_IN_ROLES) {
      expect(new Set(scopes).size, name).toBe(scopes.length);
      for (const operation of Object.keys(limits)) {
        const needed = isOperation(operation) ? scopesOf(operation) : [];
        expect(
          needed.some((scope) => scopes.includes(scope)),
          `${name}: ${operation}`,
        ).toBe(true);
      }
    }
  });

  test('an auditor can call every read and no write of a loan, of the books or of access', () => {
    const has = new Set(scopesIn('auditor'));
    for (const operation of operations) {
      if (operation.access === 'anonymous') continue;
      const { scopes, key } = operation.access;
      const may = scopes.length === 0 || scopes.some((scope) => has.has(scope));
      const isAdministration = scopes.length === 1 && scopes[0] === 'admin';
      if (operation.method === 'GET' && !isAdministration) expect(may, operation.path).toBe(true);
      // Notices and searches are reads by POST; calculators and sessions change nothing of the organization.
      const isRead = key === 'required' && scopes.includes('loans:read_pii');
      const isOpen = scopes.length === 0 || scopes.includes('loans:read');
      if (operation.method === 'POST' && !isRead && !isOpen) expect(may, operation.path).toBe(false);
    }
  });

  test('only the administrator administers, and sees no loan', () => {
    for (const { name, scopes } of BUILT_IN_ROLES) expect(scopes.includes('admin')).toBe(name === 'administrator');
    expect(scopesIn('administrator')).toEqual(['audit:read', 'admin']);
  });
});
