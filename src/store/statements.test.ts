import { describe, expect, test } from 'vitest';
import { splitStatements } from './statements.ts';

const texts = (sql: string) => splitStatements(sql).map((statement) => statement.text);

describe('splitting SQL into statements', () => {
  test('each statement knows the line of its first word', () => {
    expect(splitStatements('-- heading\n\nSELECT 1;\n/* why */ SELECT\n  2;;\nSELECT 3')).toEqual([
      { text: 'SELECT 1', line: 3 },
      { text: 'SELECT\n  2', line: 4 },
      { text: 'SELECT 3', line: 6 },
    ]);
  });

  test('comments and blanks alone are no statement', () => {
    expect(texts(' \n-- nothing; here\n/* nor; /* nested; */ here; */ ; ')).toEqual([]);
  });

  test.each([
    ['a string with a doubled quote', "SELECT 'a;''b;'"],
    ['a string that ends in a backslash', "SELECT 'a;\\'"],
    ['a string with escapes', "SELECT E'it\\'s; ''so''; \\\\'"],
    ['a quoted name', 'SELECT 1 AS "a;""b"'],
    ['a dollar-quoted body', 'DO $$ BEGIN; END; $$'],
    ['a body with a tag, and another tag inside', 'DO $body$ SELECT $$;$$; $other$ ; $body$'],
    ['a name with dollar signs', 'SELECT a$b$, c$b$'],
    ['parameters', 'SELECT $1, $2'],
    ['a comment at the end of a line', 'SELECT 1 -- one; or\n  + 2'],
    ['several commands of a rule', 'CREATE RULE r AS ON INSERT TO t DO (DELETE FROM a; DELETE FROM b)'],
    [
      'an SQL body of a function',
      'CREATE OR REPLACE FUNCTION f(x int) RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN x > 1 THEN 2 END; END',
    ],
  ])('%s stays in one piece', (_, statement) => {
    expect(texts(`${statement};\nSELECT 'next'`)).toEqual([statement, "SELECT 'next'"]);
  });

  test('BEGIN outside of a function is a statement like others', () => {
    expect(texts('BEGIN; SELECT 1; END;')).toEqual(['BEGIN', 'SELECT 1', 'END']);
  });

  test('what is never closed goes to the end, for PostgreSQL to refuse', () => {
    expect(texts('SELECT 1; DO $$ a; b;')).toEqual(['SELECT 1', 'DO $$ a; b;']);
  });
});
