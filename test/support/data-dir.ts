/**
 * A DATA_DIR whose embedded database is created and migrated, and has no client yet: a service started there creates its first one. For
 * tests that are not about the creation itself, this saves most of a first start. `endAll` of `service.ts` removes it.
 */
import { inject } from 'vitest';
import { copyFolder } from './server.ts';
import { newDataDir } from './service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dataDir: string;
  }
}

export function migratedDataDir(): Promise<string> {
  return copyFolder(inject('dataDir'), newDataDir());
}
