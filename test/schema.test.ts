import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { SNAPSHOT_FILE, schemaSnapshot } from '../src/store/db/snapshot.ts';
import { testDatabase } from './support/database.ts';

test('migrations/schema.sql is the schema that the migrations make', async () => {
  const { db, drop } = await testDatabase({ migrated: true });
  try {
    const committed = await readFile(SNAPSHOT_FILE, 'utf8').catch(() => '');
    expect(
      await schemaSnapshot(db),
      'migrations/schema.sql differs; write it anew with `npm run migrate -- --snapshot` and look at the difference',
    ).toBe(committed.replaceAll('\r\n', '\n'));
  } finally {
    await drop();
  }
});
