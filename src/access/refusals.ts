/**
 * Refusals that have no caller, or that a caller could cause without end: an invalid token, a wrong secret, an exceeded quota. They are
 * counted, and written to the audit trail once a minute: one entry for each address and cause, in the operator's trail. The address is there
 * as a keyed digest of its block alone (guard.ts). A wrong secret for a client that exists counts in the trail of that client's
 * organization too. Callers choose how many addresses there are, so their number is bounded; the rest are counted together.
 */
import { type AuditEntry, recordAudit } from '../store/audit/audit.ts';
import type { Db } from '../store/db/db.ts';
import { addressBlock } from './guard.ts';

export type CountedRefusal = {
  readonly address: string;
  /** The code of the problem. */
  readonly outcome: string;
  /** Null: the caller is not known. */
  readonly clientId: string | null;
};

export type Refusals = {
  count(refusal: CountedRefusal): void;
  /** A wrong secret for a client that exists. */
  countGuess(client: { readonly organizationId: string; readonly clientId: string }): void;
  /** Writes what was counted to the audit trail. */
  flush(): Promise<void>;
};

/** Names counted apart in one minute. */
const MOST = 5_000;
const EVERY_MS = 60_000;
/** In place of the address. */
const OTHERS = 'others';

export function openRefusals(options: {
  db: Db;
  clock: () => number;
  nameOf: (text: string) => string;
  most?: number;
}): Refusals & { start(): void; stop(): void } {
  const { db, clock, nameOf, most = MOST } = options;
  type Counted = Pick<AuditEntry, 'organizationId' | 'clientId' | 'operation' | 'outcome' | 'subject'>;
  let counts = new Map<string, Counted & { count: number }>();
  let timer: NodeJS.Timeout | undefined;

  function add(one: Counted, count = 1): void {
    const name = JSON.stringify(Object.values(one));
    const known = counts.get(name);
    if (known !== undefined) known.count += count;
    else if (counts.size < most) counts.set(name, { ...one, count });
    else addToOthers(one, count);
  }

  /** One for each cause, beyond the bound: there are few causes. */
  function addToOthers({ operation, outcome }: Counted, count: number): void {
    const rest = { organizationId: '', clientId: null, operation, outcome, subject: OTHERS };
    const name = JSON.stringify(Object.values(rest));
    const known = counts.get(name);
    if (known === undefined) counts.set(name, { ...rest, count });
    else known.count += count;
  }

  async function flush(): Promise<void> {
    if (counts.size === 0) return;
    const taken = [...counts.values()];
    counts = new Map();
    const at = new Date(clock());
    try {
      await recordAudit(
        db,
        taken.map((one) => ({ at, kind: 'tried' as const, ...one, requestId: null })),
      );
    } catch {
      // Without a database they are counted on.
      for (const { count, ...one } of taken) add(one, count);
    }
  }

  return {
    count({ address, outcome, clientId }) {
      const subject = nameOf(addressBlock(address));
      add({ organizationId: '', clientId, operation: 'request', outcome, subject });
    },
    countGuess({ organizationId, clientId }) {
      add({
        organizationId,
        clientId: null,
        operation: 'create-token',
        outcome: 'invalid_credentials',
        subject: clientId,
      });
    },
    flush,
    start() {
      timer = setInterval(() => void flush(), EVERY_MS);
      timer.unref();
    },
    stop() {
      clearInterval(timer);
    },
  };
}
