/**
 * The first client. A database without any client gets one organization and one client with all scopes; one that
 * has a client, active or revoked, is not changed, whatever values are given.
 */
import * as store from '../store/access/access.ts';
import { recordAudit } from '../store/audit/audit.ts';
import type { Db } from '../store/db/db.ts';
import { SCOPES } from './scopes.ts';
import {
  hashSecret,
  isApiKey,
  isClientId,
  isClientSecret,
  newApiKey,
  newClientSecret,
  newId,
  keyring as openKeyring,
} from './secrets.ts';

export type Bootstrapped =
  | { created: true; organizationId: string; clientId: string; clientSecret: string; apiKey: string }
  /** The oldest client. */
  | { created: false; clientId: string };

export type BootstrapValues = {
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  apiKey?: string | undefined;
};

/** The faults of the operator's values, as text that follows the variable's name; empty when all are valid. */
export function bootstrapProblems(values: BootstrapValues): { value: keyof BootstrapValues; problem: string }[] {
  const problems: { value: keyof BootstrapValues; problem: string }[] = [];
  if (values.clientId !== undefined && !isClientId(values.clientId)) {
    problems.push({ value: 'clientId', problem: 'must be 1 to 128 printable characters' });
  }
  if (values.clientSecret !== undefined && !isClientSecret(values.clientSecret)) {
    problems.push({ value: 'clientSecret', problem: 'must be 1 to 512 printable characters' });
  }
  if (values.apiKey !== undefined && !isApiKey(values.apiKey)) {
    problems.push({ value: 'apiKey', problem: 'must be 1 to 512 ASCII characters that an HTTP header can carry' });
  }
  return problems;
}

export async function bootstrap(
  db: Db,
  options: BootstrapValues & {
    clock: () => number;
    /** The root secret `access`, 32 bytes. */
    secret: Uint8Array;
    /** No rate limit for this client, and no ceiling for its organization. */
    unlimited: boolean;
    /** The time zone of its organization; UTC when absent. */
    timeZone?: string;
  },
): Promise<Bootstrapped> {
  const [problem] = bootstrapProblems(options);
  if (problem) throw new Error(`The first client's ${problem.value} ${problem.problem}.`);
  const existing = await store.firstClientId(db);
  if (existing !== null) return { created: false, clientId: existing };

  const clientId = options.clientId ?? newId('client');
  const clientSecret = options.clientSecret ?? newClientSecret();
  const apiKey = options.apiKey ?? newApiKey();
  const organizationId = newId('org');
  const secret_hash = await hashSecret(clientSecret);
  const key_hash = openKeyring(options.secret).hashApiKey(apiKey);
  const created_at = new Date(options.clock());

  const { value } = await store.changeAccess(db, async (tx): Promise<Bootstrapped> => {
    // Several processes may start at once: changes run one after another, and the second process finds the client of the first.
    const first = await store.firstClientId(tx);
    if (first !== null) return { created: false, clientId: first };
    const rate_limit_per_minute = options.unlimited ? 0 : null;
    await store.insertOrganization(tx, {
      organization_id: organizationId,
      name: 'First organization',
      created_at,
      rate_limit_per_minute,
      time_zone: options.timeZone ?? 'UTC',
      clock_kind: 'live',
    });
    await store.insertClient(tx, {
      client_id: clientId,
      organization_id: organizationId,
      name: 'First client',
      secret_hash,
      scopes: [...SCOPES],
      rate_limit_per_minute,
      numbers: 'interface',
      created_at,
      holders: [],
    });
    await store.insertKey(tx, { key_id: newId('key'), client_id: clientId, key_hash, created_at });
    const done = { at: created_at, kind: 'did', operation: 'create-first-client', outcome: 'done' } as const;
    await recordAudit(tx, [{ ...done, organizationId, clientId: 'service', subject: clientId, requestId: null }]);
    return { created: true, organizationId, clientId, clientSecret, apiKey };
  });
  return value;
}
