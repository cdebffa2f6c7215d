/** The topics of the command line, in the order in which they are listed: `npm run <topic>`. */
import type { Topic } from './arguments.ts';
import { clients } from './clients.ts';
import { exporting } from './export.ts';
import { grants } from './grants.ts';
import { keys } from './keys.ts';
import { migrations } from './migrate.ts';
import { nightly } from './nightly.ts';
import { openapi } from './openapi.ts';
import { organizations } from './organizations.ts';
import { verify } from './verify.ts';

export const TOPICS: Readonly<Record<string, Topic>> = {
  migrate: migrations,
  organizations,
  clients,
  grants,
  keys,
  nightly,
  verify,
  export: exporting,
  openapi,
};
