/** Underwriting is done on worker threads: it gives the same bytes as without them, its errors contain nothing personal, and it waits its turn. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSimulator } from '../../src/bureau/simulator/open.ts';
import { makeReport } from '../../src/bureau/simulator/report-work.ts';
import { date } from '../../src/core/calendar.ts';
import { percent } from '../../src/core/rate.ts';
import { applicationBody } from '../../src/demo/application.ts';
import type * as UnderwritingWork from '../../src/loans/origination/underwriting-work.ts';
import * as work from '../../src/loans/origination/underwriting-work.ts';
import { readCase } from '../../src/store/reads/reads.ts';
import { dataKeyOf } from '../../src/vault/master-keys.ts';
import { unsealRecord } from '../../src/vault/seal.ts';
import { openWorkers, TooMuchWork, type Workers, WorkersBusy } from '../../src/workers/workers.ts';
import { ACTOR, PLAIN, type TestLoans, testLoans, testMasterKeys } from '../support/loans.ts';

const WHEN = { today: date('2026-01-15'), at: '2026-01-15T12:00:00.000Z' };
const CONDITIONS = { ...WHEN, markupCap: percent('2.5') };
const START = { do: 'start-underwriting' } as const;
let room: TestLoans;
let workers: Workers;
const threads = () =>
  workers.module<typeof UnderwritingWork>(
    new URL('../../src/loans/origination/underwriting-work.ts', import.meta.url),
    {
      limitMs: 60_000,
    },
  );

beforeAll(async () => {
  room = await testLoans();
  workers = openWorkers({ threads: 1 });
});
afterAll(async () => {
  await workers.close();
  await room.close();
});

let applications = 0;
async function application(): Promise<string> {
  applications += 1;
  const source = JSON.stringify({ ...(applicationBody(7) as object), applicationId: `APP-${applications}` });
  const outcome = await room.loans.origination.create(ACTOR, { source, answer: () => 'ok' }, PLAIN);
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.change.loanId;
}

/** The inputs of underwriting, as they are stored. */
async function submitted(loanId: string) {
  const stored = await readCase(room.db, loanId);
  if (stored?.person == null) throw new Error('No such loan.');
  const { person, publicPart } = stored;
  const [created] = (JSON.parse(`[${stored.bodies}]`) as { event: { contract: never } }[]).map(({ event }) => event);
  const dataKey = dataKeyOf(testMasterKeys, person, loanId);
  const contract = created?.contract as never;
  return {
    given: { loanId, dataKey, sealed: person.sealed, file: JSON.parse(stored.file), contract, changes: [] },
    publicPart,
  };
}

describe('on a thread', () => {
  test('a report, an application and its assessment are the same as without one', async () => {
    const { given, publicPart } = await submitted(await application());
    const { loanId, dataKey } = given;
    const read = await threads().run('readApplication', 'org', { ...given, conditions: CONDITIONS });
    expect(read).toEqual(work.readApplication({ ...given, conditions: CONDITIONS }));
    if (read === null || !('subjects' in read)) throw new Error('The application cannot be assessed.');
    expect(read.subjects).toHaveLength(1);

    const [subject] = read.subjects;
    if (subject === undefined) throw new Error('The application names no applicant.');
    const pull = { pullId: 'pull', organizationId: 'org', ...WHEN };
    const report = await openSimulator(workers).pull(subject, pull);
    const inline = makeReport({ subject, pull });
    if ('failed' in report || 'failed' in inline) throw new Error('There is no report.');
    expect(Buffer.from(report.raw).equals(inline.raw)).toBe(true);
    expect(Buffer.from(report.pdf).equals(inline.pdf)).toBe(true);

    const { sealed, hash } = await threads().run('sealedReport', 'org', { loanId, dataKey, report });
    expect(Buffer.from(hash).equals(work.sealedReport({ loanId, dataKey, report: inline }).hash)).toBe(true);
    const made = { run: 1, reportsOf: 1 };
    const shared = { own: { createdOn: WHEN.today, applied: true }, matches: [] };
    const run = { ...given, publicPart, reports: { primary: sealed }, shared, conditions: CONDITIONS, made };
    const there = await threads().run('assess', 'org', run);
    const here = work.assess(run);
    if ('refused' in there || 'refused' in here) throw new Error('It was refused.');
    // The seals differ by their nonces; the commitments are to the texts inside, byte for byte.
    expect(there.commitments).toEqual(here.commitments);
    expect(there.parts.file).toBe(here.parts.file);
    const open = (parts: Uint8Array) => unsealRecord(dataKey, loanId, parts);
    expect(open(there.parts.sealed)).toEqual(open(here.parts.sealed));
  });

  test('an error quotes nothing of its input', async () => {
    const { given } = await submitted(await application());
    const changed = Buffer.from(given.sealed);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    const failed = await threads()
      .run('readApplication', 'org', { ...given, sealed: changed, conditions: CONDITIONS })
      .catch((error: Error) => error);
    expect((failed as Error).message).toBe(
      'Sealed data cannot be decrypted: it was changed, or belongs to another record.',
    );
  });
});

describe('when the threads cannot do it', () => {
  const failing = (error: Error): Workers => ({ ...workers, module: () => ({ run: () => Promise.reject(error) }) });
  const start = (loanId: string, more: Workers) =>
    room
      .another({ workers: more, bureau: openSimulator(workers) })
      .write(ACTOR, { loanId, command: START, reason: null, answer: () => 'ok' }, PLAIN);

  test('because the queue is full, the caller gets Retry-After', async () => {
    const loanId = await application();
    expect(await start(loanId, failing(new WorkersBusy('full')))).toMatchObject({ kind: 'busy' });
  });

  test('because the work exceeds its limit, it is refused, and nothing has changed', async () => {
    const loanId = await application();
    expect(await start(loanId, failing(new TooMuchWork('long')))).toMatchObject({
      kind: 'refused',
      refusal: { refused: 'not_supported', detail: expect.stringContaining('Nothing has changed') },
    });
    expect((await room.write(loanId, START)).kind).toBe('done');
  });

  test('a bureau says so', async () => {
    const subject = {
      ...{ role: 'primary' as const, firstName: '', lastName: '', middleInitial: '', ssn: '666-00-0001' },
      ...{ dateOfBirth: '', address: '', city: '', state: '', zip: '' },
    };
    const pull = { pullId: 'pull', organizationId: 'org', ...WHEN };
    expect(await openSimulator(failing(new WorkersBusy('full'))).pull(subject, pull)).toMatchObject({
      failed: 'unavailable',
      retryable: true,
    });
    expect(await openSimulator(failing(new TooMuchWork('long'))).pull(subject, pull)).toMatchObject({
      failed: 'malformed',
      retryable: false,
    });
  });
});
