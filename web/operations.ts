/**
 * Makes modules of openapi.json while the pages are built: `virtual:operations`, so that no operation can be missing from it; `virtual:roles`,
 * the built-in roles; and `virtual:menu`, the menu of a loan with the scopes that the contract names, which a page can have without all
 * the forms.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';
import { builtInRolesOf, catalogueOf } from './src/parts/operation/catalogue.ts';
import { MENU } from './src/parts/operation/forms.ts';

const contract = path.join(import.meta.dirname, '..', 'openapi.json');
const document = () => JSON.parse(readFileSync(contract, 'utf8'));
const catalogue = () => catalogueOf(document());

const MODULES: Readonly<Record<string, () => string>> = {
  // Parsing text is faster than reading a literal of this size.
  'virtual:operations': () => `export default JSON.parse(${JSON.stringify(JSON.stringify(catalogue()))});`,
  // Apart from the operations, which the first page does not load.
  'virtual:roles': () => `export default ${JSON.stringify(builtInRolesOf(document()))};`,
  'virtual:menu': () => `export default ${JSON.stringify(menu())};`,
};

export const operations = (): Plugin => ({
  name: 'operations',
  resolveId: (id) => (id in MODULES ? `\0${id}` : null),
  load(id) {
    const made = MODULES[id.slice(1)];
    if (!id.startsWith('\0') || made === undefined) return null;
    this.addWatchFile(contract);
    return made();
  },
});

function menu() {
  const all = new Map(catalogue().map((one) => [one.id, one]));
  return MENU.map(({ title, actions }) => ({
    title,
    actions: Object.entries(actions).map(([operation, label]) => {
      const one = all.get(operation);
      if (one === undefined) throw new Error(`The menu names ${operation}, which openapi.json does not have.`);
      return { name: one.path, operation, label, scopes: one.scopes };
    }),
  }));
}
