import { expect, it } from 'vitest';
import { kindFor, membersOf, NOTHING_TYPED } from './notice-kinds.ts';

it('begins with the notice that is owed at the step', () => {
  const kinds = [
    'ApplicationSubmitted',
    'UnderwritingStarted',
    'Rejected',
    'Approved',
    'CollateralApproved',
    'Current',
  ];
  expect(kinds.map((status) => kindFor(status, true))).toEqual([
    'incompleteApplication',
    'incompleteApplication',
    'adverseAction',
    'scoreDisclosure',
    'scoreDisclosure',
    null,
  ]);
  // Without a report there is no score to disclose.
  expect([kindFor('Approved', false), kindFor('Cancelled', true)]).toEqual([null, null]);
});

it('sends what belongs to the kind, and of that what was filled in', () => {
  const typed = {
    reasons: 'Income insufficient\n\n  Too many inquiries ',
    missing: ' Proof of income\n',
    respondBy: '2026-02-14',
    scoreRank: ' 41 ',
  };
  expect(membersOf('adverseAction', typed)).toEqual({ reasons: ['Income insufficient', 'Too many inquiries'] });
  expect(membersOf('incompleteApplication', typed)).toEqual({ missing: ['Proof of income'], respondBy: '2026-02-14' });
  expect(membersOf('scoreDisclosure', typed)).toEqual({ scoreRank: 41 });
  for (const kind of ['adverseAction', 'incompleteApplication', 'scoreDisclosure'] as const)
    expect(membersOf(kind, NOTHING_TYPED)).toEqual({});
});
