/** Every operation of the API, one line each; each is described where it is defined. */
import { createClient, listClients, revokeClient, rotateClient, updateClient } from './access/clients.ts';
import { createGrant, listGrants, revokeGrant } from './access/grants.ts';
import { createKey, revokeKey } from './access/keys.ts';
import { readMe } from './access/me.ts';
import { createOAuthToken, createToken, readSigningKeys } from './access/tokens.ts';
import { calculators } from './calculators/calculators.ts';
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
  ...calculators,
]);
