/** The topics of the command line, in the order in which they are listed: `npm run <topic>`. Only the requested one is loaded. */
import type { Topic } from './arguments.ts';

export const TOPICS: Readonly<Record<string, () => Promise<Topic>>> = {
  migrate: async () => (await import('./migrate.ts')).migrations,
  organizations: async () => (await import('./organizations.ts')).organizations,
  clients: async () => (await import('./clients.ts')).clients,
  users: async () => (await import('./users.ts')).users,
  grants: async () => (await import('./grants.ts')).grants,
  keys: async () => (await import('./keys.ts')).keys,
  nightly: async () => (await import('./nightly.ts')).nightly,
  audit: async () => (await import('./audit.ts')).audit,
  verify: async () => (await import('./verify.ts')).verify,
  export: async () => (await import('./export.ts')).exporting,
  study: async () => (await import('./study.ts')).studying,
  compare: async () => (await import('./compare.ts')).compare,
  openapi: async () => (await import('./openapi.ts')).openapi,
};
