/**
 * The demonstration of a running service: its organization is created at the first start, filled while requests are served, and its loans
 * are the examples of the playground. The stories and their filling are loaded only when they are needed.
 */
import type { Access } from '../access/access.ts';
import { openSimulator } from '../bureau/simulator/open.ts';
import type { PlainDate } from '../core/calendar.ts';
import { PROPOSED_CODES } from '../loans/books/books.ts';
import { type LoansOptions, type OpenLoans, openLoans } from '../loans/open.ts';
import { changeAccess } from '../store/access/access.ts';
import { whileFillingDemo } from '../store/access/demo.ts';
import { endFilling, readDemo } from '../store/access/sandboxes.ts';
import type { Examples } from './examples.ts';
import type { DemoOptions } from './fill.ts';
import { DEMO_ORGANIZATION } from './organization.ts';
import { type Ask, askForApprovals } from './pending-approvals.ts';
import { demoPeople } from './people.ts';

export type Demonstration = {
  /** The organization's id, so that people can be let in before it is filled; it is created where it may be. Null: there is none. */
  prepare(): Promise<string | null>;
  /** Resolves when it is filled, or could not be. An interrupted filling is completed even when a new one may not begin. */
  fill(): Promise<void>;
  /** Ends the filling; the next start continues it. */
  interrupt(): void;
  /** For the playground; null: there is no demonstration, or it is not complete. */
  examples(): Promise<Examples | null>;
};

export type DemonstrationOptions = {
  /** Whether it is created and filled; its examples are shown where an earlier start has filled it. */
  isWanted: boolean;
  /** Whether it may be created now. */
  mayBegin: boolean;
  access: Access;
  /** The organization of the first client, which may read it and, once it is complete, service it; null: there is none. */
  firstOrganizationId: string | null;
  /** The credentials of its client, which are on disk already. */
  credentials(): { clientId: string; clientSecret: string; apiKey: string };
  /** No rate limits. */
  unlimited: boolean;
  timeZone: string;
  /** Epoch milliseconds. */
  clock: () => number;
  /** The loans that requests are served from. */
  loans: OpenLoans;
  /** For loans whose past is recorded, with a clock of their own. */
  filling: Pick<LoansOptions, 'db' | 'masterKeys' | 'secrets' | 'workers'>;
  ask: Ask;
  log: {
    event(name: string, facts: Readonly<Record<string, number>>): void;
    failure(name: string, error: unknown): void;
  };
};

/** Examples of the playground are at most this old. */
const EXAMPLES_MS = 3_000;

export function openDemonstration(options: DemonstrationOptions): Demonstration {
  const { isWanted, mayBegin, access, loans, log, timeZone } = options;
  const { db, workers } = options.filling;
  const ends = new AbortController();
  let made: { at: number; examples: Promise<Examples | null> } | null = null;
  return { prepare, fill, interrupt: () => ends.abort(), examples };

  function read() {
    return readDemo(db, DEMO_ORGANIZATION);
  }

  async function create() {
    const now = Temporal.Instant.fromEpochMilliseconds(options.clock());
    const today = now.toZonedDateTimeISO(timeZone).toPlainDate().toString() as PlainDate;
    const { unlimited } = options;
    const credentials = options.credentials();
    const created = await access.createDemo({
      name: DEMO_ORGANIZATION,
      start: today,
      timeZone,
      credentials,
      unlimited,
    });
    return { ...created, timeZone, today, filling: true };
  }

  async function prepare() {
    if (!isWanted) return null;
    const known = await read();
    if (known !== null || !mayBegin) return known?.organizationId ?? null;
    const found = await whileFillingDemo(db, async () => (await read()) ?? (await create()));
    return found?.organizationId ?? null;
  }

  async function fill() {
    if (!isWanted) return;
    const started = performance.now();
    try {
      const { fillDemo } = await import('./fill.ts');
      const filled = await whileFillingDemo(db, () =>
        fillDemo({
          sandbox: { read, create, filled: complete },
          people: (organizationId) => demoPeople(access, organizationId),
          show,
          begin: mayBegin,
          open: (clock) =>
            openLoans({
              ...options.filling,
              clock,
              overridesTestClocks: true,
              bureau: openSimulator(workers),
              simulator: openSimulator(workers),
              memory: { loans: 500, openedBytes: 0 },
            }),
          signal: ends.signal,
          onProgress: (percent) => log.event('filling the demo', { percent }),
        }),
      );
      if (filled === null || filled.outcome === 'absent' || filled.outcome === 'filled before') return;
      const { outcome, ...counts } = filled;
      log.event(`demo ${outcome}`, { ...counts, ms: Math.round(performance.now() - started) });
    } catch (error) {
      // Requests are served despite any failure here; the next start continues from this point.
      log.failure('the demo could not be filled', error);
    }
  }

  /** Its loans are recorded: people ask for approvals, and from now on its clock may be moved. */
  async function complete(...[organizationId, past]: Parameters<DemoOptions['sandbox']['filled']>) {
    await loans.books.setCodes({ organizationId, clientId: 'demo' }, PROPOSED_CODES);
    const today = (await read())?.today;
    if (today !== undefined) {
      const people = await demoPeople(access, organizationId);
      await askForApprovals({ loans, ask: options.ask, organizationId, today, people });
    }
    return changeAccess(db, (tx) => endFilling(tx, organizationId, past));
  }

  async function show(organizationId: string) {
    const granteeOrganizationId = options.firstOrganizationId;
    if (granteeOrganizationId === null) return null;
    const reading = await access.grantDemo(organizationId, { granteeOrganizationId, access: 'read' });
    return {
      async handOver() {
        await access.grantDemo(organizationId, { granteeOrganizationId, access: 'servicing' });
        if (reading !== null) await access.revokeGrant(organizationId, reading.grantId);
      },
    };
  }

  function examples() {
    const now = performance.now();
    if (made === null || now - made.at > EXAMPLES_MS) made = { at: now, examples: makeExamples() };
    return made.examples;
  }

  async function makeExamples() {
    try {
      const found = await read();
      if (found === null || found.filling) return null;
      const { examplesIn } = await import('./examples.ts');
      return await examplesIn(loans, found.organizationId);
    } catch (error) {
      log.failure('the examples of the playground could not be made', error);
      return null;
    }
  }
}
