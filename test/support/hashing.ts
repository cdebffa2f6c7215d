/**
 * Hashes of secrets are slow on purpose, and the tests make thousands of clients and people. Within the tests' own threads they cost little;
 * the services that a test starts as processes take what they take.
 */
import { afterAll, beforeAll } from 'vitest';
import { PASSWORD_COST } from '../../src/access/people/passwords.ts';
import { SECRET_COST } from '../../src/access/secrets.ts';

type Costs = { secret: typeof SECRET_COST; password: typeof PASSWORD_COST };

const LOW: Costs = { secret: { ln: 4, r: 8, p: 1 }, password: { memory: 64, passes: 1, parallelism: 1 } };

/** Returns those that were in force. */
function setCosts({ secret, password }: Costs): Costs {
  const before = { secret: { ...SECRET_COST }, password: { ...PASSWORD_COST } };
  Object.assign(SECRET_COST, secret);
  Object.assign(PASSWORD_COST, password);
  return before;
}

const usual = setCosts(LOW);

/** For a file whose tests are about the hashes themselves. */
export function withUsualCosts(): void {
  beforeAll(() => void setCosts(usual));
  afterAll(() => void setCosts(LOW));
}
