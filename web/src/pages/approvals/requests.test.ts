import { describe, expect, it } from 'vitest';
import { changedOutcome, daysLeft, type Request, requestValues, standingOf } from './requests.ts';

const request = {
  state: 'pending',
  requestedBy: { organizationId: 'org_1', clientId: 'client_abcdefgh', userId: 'user_5k76dmsio27s' },
} as Request;
const scopes = ['servicing:write'];

describe('who may decide', () => {
  it('somebody else with the scope of the operation', () => {
    expect(standingOf(request, { userId: 'user_other', scopes }, scopes)).toBe('decide');
    expect(standingOf(request, { userId: 'user_other', scopes: ['loans:read'] }, scopes)).toBe('noRight');
  });
  it('not who has asked; they may withdraw', () => {
    expect(standingOf(request, { userId: 'user_5k76dmsio27s', scopes }, scopes)).toBe('own');
  });
  it('a person may approve what a program has asked', () => {
    const byProgram = { ...request, requestedBy: { ...request.requestedBy, userId: null } };
    expect(standingOf(byProgram, { userId: 'user_5k76dmsio27s', scopes }, scopes)).toBe('decide');
  });
  it.each(['approved', 'rejected', 'lapsed'] as const)('nobody, once it is %s', (state) => {
    expect(standingOf({ ...request, state }, { userId: 'user_other', scopes }, scopes)).toBe('over');
  });
});

it('parts what was sent from what is sealed', () => {
  expect(requestValues({ feeId: 'late-3', amount: '80.00', reason: null })).toEqual({
    visible: { feeId: 'late-3', amount: '80.00' },
    hidden: ['reason'],
  });
  expect(requestValues(null)).toEqual({ visible: {}, hidden: [] });
});

it('takes the new outcome from the problem that says so, and from no other', () => {
  const preview = { loanStatus: 'Current' };
  expect(changedOutcome({ code: 'outcome_changed', preview, previewHash: '0x1' })).toEqual({
    preview,
    previewHash: '0x1',
  });
  expect(changedOutcome({ code: 'already_decided', preview, previewHash: '0x1' })).toBeNull();
  expect(changedOutcome({ code: 'outcome_changed' })).toBeNull();
});

it('says how many days are left', () => {
  expect([
    daysLeft('2026-11-17', '2026-11-17'),
    daysLeft('2026-11-18', '2026-11-17'),
    daysLeft('2026-11-24', '2026-11-17'),
    daysLeft('2026-11-16', '2026-11-17'),
    daysLeft('2026-11-24', null),
  ]).toEqual(['today', 'tomorrow', 'in 7 days', null, null]);
});
