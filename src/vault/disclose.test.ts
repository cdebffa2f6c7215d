import { expect, test, vi } from 'vitest';
import { disclose } from './disclose.ts';

const viewer = {
  organizationId: 'org_a',
  clientId: 'desk',
  keyId: 'key_1',
  scopes: new Set(['loans:read', 'loans:read_pii']),
  purpose: 'support call',
  requestId: 'r-1',
};
const of = { loanId: `0x${'1a'.repeat(32)}`, what: 'record', at: 1_768_478_400_000 } as const;

test('the data comes with its audit entry', () => {
  expect(disclose(viewer, of, () => 'personal')).toEqual({
    data: 'personal',
    entry: {
      ...of,
      organizationId: 'org_a',
      clientId: 'desk',
      userId: null,
      keyId: 'key_1',
      purpose: 'support call',
      requestId: 'r-1',
    },
  });
});

test('without the scope or the key nothing is unsealed', () => {
  const unseal = vi.fn();
  expect(disclose({ ...viewer, scopes: new Set(['loans:read', 'admin']) }, of, unseal)).toEqual({ denied: 'scope' });
  expect(disclose({ ...viewer, keyId: null }, of, unseal)).toEqual({ denied: 'key' });
  expect(unseal).not.toHaveBeenCalled();
});
