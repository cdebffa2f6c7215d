import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts';
import { bucketOf } from '../../core/delinquency.ts';
import { BUCKETS, isActive } from '../../portfolio/buckets.ts';
import { LEFT } from './roll-rates.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('the place that the database keeps of a position is by the buckets of the engine', async () => {
  const [kept] = await database.db.query<{ place: string }>(
    `SELECT pg_get_expr(d.adbin, d.adrelid) AS place FROM pg_attrdef d
     JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum WHERE a.attrelid = 'positions'::regclass AND a.attname = 'place'`,
  );
  const rows = await database.db.query<{ status: string; days_past_due: number; owed: boolean; place: number }>(
    `SELECT status, days_past_due, principal + interest + fees > 0 AS owed, ${kept?.place} AS place
     FROM unnest('{Funded,Current,Delinquent,Defaulted,ChargedOff,Closed,ClosedEarly}'::text[]) status, generate_series(0, 150) days_past_due,
       (VALUES (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)) figures (principal, interest, fees)`,
  );
  expect(rows).toHaveLength(7 * 151 * 4);
  const placeOf = (status: string, days: number): number => {
    if (isActive(status)) return BUCKETS.indexOf(bucketOf(days));
    return status === 'ChargedOff' ? BUCKETS.length : LEFT;
  };
  for (const { status, days_past_due, owed, place } of rows) {
    expect([status, days_past_due, owed, place]).toEqual([
      ...[status, days_past_due, owed],
      owed ? placeOf(status, days_past_due) : LEFT,
    ]);
  }
});
