/** `npm run migrate`. */
import { readConfig } from '../config.ts';
import { makeDays } from '../store/db/by-day.ts';
import type { Db } from '../store/db/db.ts';
import { formatStatus, migrate, migrationStatus, readMigrations } from '../store/db/migrate.ts';
import { writeSnapshot } from '../store/db/snapshot.ts';
import { openVolumes } from '../store/db/volumes.ts';
import type { Invocation, Topic } from './arguments.ts';
import { record } from './audited.ts';
import { withDatabase } from './database.ts';

export const migrations: Topic = {
  usage: `Usage: npm run migrate [-- options]
  (none)       bring the database up to date
  --status     show which migrations are applied without changing anything (exit code 1 when one is pending or changed)
  --snapshot   bring the database up to date and write migrations/schema.sql from it`,
  commands: {
    '': {
      may: ['json', 'status', 'snapshot'],
      run: (given) =>
        given.values.status
          ? withDatabase((db) => showStatus(db, given))
          : withDatabase((db) => bringUpToDate(db, given), { makes: true }),
    },
  },
};

async function showStatus(db: Db, { values }: Invocation): Promise<void> {
  const states = await migrationStatus(db, await readMigrations());
  console.log(values.json ? JSON.stringify(states, null, 2) : formatStatus(states));
  if (states.some(({ state }) => state !== 'applied')) process.exitCode = 1;
}

async function bringUpToDate(db: Db, given: Invocation): Promise<void> {
  const { values } = given;
  const tell = ({ number, name }: { number: number; name: string }, ms: number) =>
    console.error(`applied ${String(number).padStart(4, '0')}_${name}.sql in ${Math.round(ms)} ms`);
  const applied = await migrate(db, await readMigrations(), tell);
  if (values.snapshot) console.error(`wrote ${await writeSnapshot(db)}`);
  await openVolumes(db, readConfig(process.env).volumes);
  await makeDays(db);
  if (applied > 0) await record(db, given, { kind: 'did', subject: `${applied} applied` });
  if (values.json) console.log(JSON.stringify({ applied }));
  else if (applied === 0) console.log('The database is up to date.');
  else console.log(applied === 1 ? '1 migration applied.' : `${applied} migrations applied.`);
}
