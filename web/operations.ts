/** Makes `virtual:operations` of openapi.json while the pages are built, so that no operation and no built-in role can be missing from it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';
import { builtInRolesOf, catalogueOf } from './src/parts/operation/catalogue.ts';

const NAME = 'virtual:operations';
const RESOLVED = `\0${NAME}`;
const contract = path.join(import.meta.dirname, '..', 'openapi.json');

export const operations = (): Plugin => ({
  name: NAME,
  resolveId: (id) => (id === NAME ? RESOLVED : null),
  load(id) {
    if (id !== RESOLVED) return null;
    this.addWatchFile(contract);
    const document = JSON.parse(readFileSync(contract, 'utf8'));
    const all = JSON.stringify(catalogueOf(document));
    // Parsing text is faster than reading a literal of this size.
    const operations = `export default JSON.parse(${JSON.stringify(all)});`;
    return `${operations}\nexport const builtInRoles = ${JSON.stringify(builtInRolesOf(document))};`;
  },
});
