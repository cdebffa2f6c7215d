/** Makes `virtual:operations` of openapi.json while the pages are built, so that no operation can be missing from it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';
import { catalogueOf } from './src/parts/operation/catalogue.ts';

const NAME = 'virtual:operations';
const RESOLVED = `\0${NAME}`;
const contract = path.join(import.meta.dirname, '..', 'openapi.json');

export const operations = (): Plugin => ({
  name: NAME,
  resolveId: (id) => (id === NAME ? RESOLVED : null),
  load(id) {
    if (id !== RESOLVED) return null;
    this.addWatchFile(contract);
    const all = JSON.stringify(catalogueOf(JSON.parse(readFileSync(contract, 'utf8'))));
    // Parsing text is faster than reading a literal of this size.
    return `export default JSON.parse(${JSON.stringify(all)});`;
  },
});
