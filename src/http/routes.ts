/** Every operation of the API, one line each; each is described where it is defined. */
import { createClient, listClients, revokeClient, rotateClient, updateClient } from './access/clients.ts';
import { createGrant, listGrants, revokeGrant } from './access/grants.ts';
import { createKey, revokeKey } from './access/keys.ts';
import { readMe } from './access/me.ts';
import { createOAuthToken, createToken, readSigningKeys } from './access/tokens.ts';
import { calculateApr } from './calculators/apr.ts';
import { calculateIrr } from './calculators/irr.ts';
import { calculateSchedule } from './calculators/schedule.ts';
import { simulateLoan } from './calculators/simulate.ts';
import { loanReads } from './loans/reads.ts';
import { loanWrites } from './loans/writes.ts';
import { type Operation, withAliases } from './operation.ts';

/** In the order of the OpenAPI document. */
export const operations: readonly Operation[] = withAliases([
  // Loans: writes, then reads.
  ...loanWrites,
  ...loanReads,

  // Access: tokens, and who the caller is.
  createToken,
  createOAuthToken,
  readSigningKeys,
  readMe,

  // Administration: clients, keys and grants of an organization.
  listClients,
  createClient,
  updateClient,
  rotateClient,
  revokeClient,
  createKey,
  revokeKey,
  listGrants,
  createGrant,
  revokeGrant,

  // Calculators: stateless.
  calculateApr,
  calculateSchedule,
  simulateLoan,
  calculateIrr,
]);
