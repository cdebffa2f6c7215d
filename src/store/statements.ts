/**
 * Splits a file of SQL into its statements, as psql does: a semicolon ends a statement unless it stands in a
 * string, a quoted name, a comment, a dollar-quoted body, parentheses, or the `BEGIN ATOMIC … END` body of a
 * function. Statements are sent one by one so that an error can name its line, and because PostgreSQL wraps
 * several statements sent together in one transaction, which `CREATE INDEX CONCURRENTLY` refuses.
 */
export type Statement = { text: string /** Of its first word, counted from 1. */; line: number };

// A doubled quote inside a string reads as two strings side by side, which ends at the same place.
const TOKEN = new RegExp(
  [
    /--[^\n]*|\/\*/, // comments
    /[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'[^']*'|"[^"]*"/, // strings, quoted names
    /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/, // the start of a dollar-quoted string
    /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/, // words, which may hold dollar signs
    /\S/,
  ]
    .map((part) => part.source)
    .join('|'),
  'g',
);

const CREATES_ROUTINE = /^create (or replace )?(function|procedure)\b/;

export function splitStatements(sql: string): Statement[] {
  const statements: Statement[] = [];
  const token = new RegExp(TOKEN);
  let start: number | undefined;
  let words = '';
  let parentheses = 0;
  let atomic = 0;

  const finish = (end: number) => {
    if (start !== undefined && end > start) {
      const line = sql.slice(0, start).split('\n').length;
      statements.push({ text: sql.slice(start, end).trimEnd(), line });
    }
    start = undefined;
    words = '';
    parentheses = 0;
    atomic = 0;
  };

  for (let match = token.exec(sql); match; match = token.exec(sql)) {
    const text = match[0];
    if (text.startsWith('--')) continue;
    if (text === '/*') {
      token.lastIndex = endOfComment(sql, match.index);
      continue;
    }
    if (text === ';' && parentheses === 0 && atomic === 0) {
      finish(match.index);
      continue;
    }
    start ??= match.index;
    if (text.length > 1 && text.startsWith('$') && text.endsWith('$')) {
      const end = sql.indexOf(text, token.lastIndex);
      token.lastIndex = end < 0 ? sql.length : end + text.length;
    } else if (text === '(') parentheses++;
    else if (text === ')') parentheses = Math.max(0, parentheses - 1);
    else if (/^[a-z]+$/i.test(text)) {
      const word = text.toLowerCase();
      if (words.length < 40) words += `${word} `;
      if (!CREATES_ROUTINE.test(words)) continue;
      if (word === 'begin' || (word === 'case' && atomic > 0)) atomic++;
      else if (word === 'end' && atomic > 0) atomic--;
    }
  }
  finish(sql.length);
  return statements;
}

/** Block comments nest in PostgreSQL. */
function endOfComment(sql: string, start: number): number {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = start;
  let depth = 0;
  for (let match = edge.exec(sql); match; match = edge.exec(sql)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return sql.length;
}
