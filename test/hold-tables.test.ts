/** The tables about holds in docs/servicing.md are those of the data. A failure shows the table as it should be. */
import { expect, test } from 'vitest';
import { documentAt } from './support/documents.ts';
import { areasTable, basesTable, effectsTable, meaningsTable, operationsTable } from './support/hold-tables.ts';

const tables = { areasTable, effectsTable, meaningsTable, operationsTable, basesTable };

test.each(Object.entries(tables))('%s', (_, made) => {
  const text = documentAt('docs/servicing.md');
  const expected = made();
  const head = expected.split('\n')[0] as string;
  // Only the table that is meant, so that a difference is readable.
  const found = text.split('\n\n').find((part) => part.startsWith(head)) ?? '';
  expect(found).toBe(expected);
});
