import { expect, it } from 'vitest';
import { partyName } from './party.ts';

it('names oneself, colleagues and programs', () => {
  const person = { userId: 'user_5k76dmsio27s', clientId: 'client_abcdefghijk' };
  expect(partyName(person, person.userId, null)).toBe('You');
  expect(partyName(person, 'user_x', 'Kim Sample')).toBe('Kim Sample');
  expect(partyName(person, 'user_x', null)).toBe('Person 5k76dm');
  expect(partyName({ ...person, userId: null }, 'user_x', null)).toBe('Program abcdef');
  expect(partyName({ userId: null, clientId: 'desk' }, 'user_x', null)).toBe('Program desk');
  expect(partyName({ userId: null, clientId: 'service' }, 'user_x', null)).toBe('The nightly run');
  expect(partyName({ userId: null, clientId: null }, 'user_x', null)).toBe('—');
});
