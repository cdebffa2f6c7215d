import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Action, actionNamed, GROUPS, whyNot } from './actions.ts';

type Described = { operationId: string; security?: { oauth2?: string[] }[] };
const document = JSON.parse(readFileSync(new URL('../../../../../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, { post?: Described }>;
  components: { schemas: { RoleLimits: { properties: Record<string, unknown> } } };
};
const all = GROUPS.flatMap(({ actions }) => actions);

describe('the operations of a loan', () => {
  it('are all in the menu, once each', () => {
    // Role limits name every operation that the state of a loan decides about.
    // An entry by hand is of no loan, and an override belongs to the decision on an application.
    const names = Object.keys(document.components.schemas.RoleLimits.properties)
      .filter((name) => name !== 'record-entry' && name !== 'override')
      .sort();
    expect(all.map(({ name }) => name).sort()).toEqual(names);
  });

  it('need the scopes that the API names', () => {
    for (const { name, operation, scopes } of all) {
      const post = document.paths[`/v2/chain/${name}`]?.post;
      expect(post?.operationId, name).toBe(operation);
      const needed = (post?.security ?? []).flatMap(({ oauth2 }) => oauth2 ?? []);
      expect([...new Set(needed)].sort(), name).toEqual([...scopes].sort());
    }
  });
});

describe('why an operation cannot be used', () => {
  const close = actionNamed('request-documents') as Action;
  const notAllowed = [
    {
      operation: 'request-documents',
      reason: { detail: 'request-documents is not allowed while the loan is ChargedOff.' },
    },
  ];

  it('is the reason of the service, in words', () => {
    expect(whyNot(close, { allowed: [], notAllowed, can: () => true })).toBe(
      '“Request documents” is not allowed while the loan is Charged off.',
    );
  });

  it('leads to the stipulations that stand before it', () => {
    const reason = { code: 'stipulations_open', detail: 'Stipulations that come before funding are open: law-abc.' };
    const why = whyNot(close, { allowed: [], notAllowed: [{ operation: close.name, reason }], can: () => true });
    expect(why).toBe('Stipulations that come before funding are open: the Underwriting tab has them.');
  });

  it('is the scope, where the person has not got it', () => {
    expect(whyNot(close, { allowed: ['request-documents'], notAllowed: [], can: () => false })).toContain(
      'loans:write',
    );
  });

  it('is nothing where it is allowed', () => {
    expect(whyNot(close, { allowed: ['request-documents'], notAllowed: [], can: () => true })).toBeNull();
  });
});
