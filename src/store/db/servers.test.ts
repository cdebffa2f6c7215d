import { describe, expect, test } from 'vitest';
import { serversOf } from './servers.ts';

describe('the servers of a connection string', () => {
  const urls = (text: string) =>
    serversOf({ connectionString: text }).each.map(({ connection }) =>
      'connectionString' in connection ? connection.connectionString : '',
    );
  const roleOf = (text: string) => serversOf({ connectionString: text }).role;

  test.each([
    ['postgres://u:p@a:5432/d', ['postgres://u:p@a:5432/d']],
    ['postgres://u:p@/d?host=/run/postgresql', ['postgres://u:p@/d?host=/run/postgresql']],
    ['postgres://u:p@a:5432,b:5433/d', ['postgres://u:p@a:5432/d', 'postgres://u:p@b:5433/d']],
    ['postgres://a,b/d', ['postgres://a/d', 'postgres://b/d']],
    [
      'postgresql://u@[::1]:5432,[::2]/d?sslmode=require',
      ['postgresql://u@[::1]:5432/d?sslmode=require', 'postgresql://u@[::2]/d?sslmode=require'],
    ],
    [
      'postgres://u:p%40x@a,b/d?target_session_attrs=read-write&options=-c%20x',
      ['postgres://u:p%40x@a/d?options=-c%20x', 'postgres://u:p%40x@b/d?options=-c%20x'],
    ],
    ['postgres://u@/d?host=a,b&port=1,2', ['postgres://u@a/d?port=1', 'postgres://u@b/d?port=2']],
    ['postgres://u@/d?host=/run/a,b&port=7', ['postgres://u@/d?host=%2Frun%2Fa&port=7', 'postgres://u@b/d?port=7']],
    ['postgres://u@a/d?target_session_attrs=any', ['postgres://u@a/d']],
  ])('%s', (text, each) => {
    expect(urls(text)).toEqual(each);
  });

  test('the writable one is wanted unless it says otherwise', () => {
    expect(roleOf('postgres://a,b/d')).toBe('write');
    expect(roleOf('postgres://a,b/d?target_session_attrs=primary')).toBe('write');
    expect(roleOf('postgres://a,b/d?target_session_attrs=any')).toBe('any');
    expect(roleOf('postgres://a,b/d?target_session_attrs=standby')).toBe('standby');
    expect(roleOf('postgres://a,b/d?target_session_attrs=read-only')).toBe('standby');
  });
});
