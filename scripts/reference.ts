/** `npm run reference`: writes `docs/reference.md` from openapi.json and the definitions of the events. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Contract, referencePage } from './reference-page.ts';

const root = dirname(import.meta.dirname);
const contract = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')) as Contract;
writeFileSync(join(root, 'docs/reference.md'), referencePage(contract));
console.log('docs/reference.md written.');
