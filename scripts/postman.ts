/** `npm run postman`: writes `docs/postman.json` from openapi.json. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Described, postmanCollection } from './postman-collection.ts';

const root = dirname(import.meta.dirname);
const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')) as Described;
writeFileSync(join(root, 'docs/postman.json'), postmanCollection(document));
console.log('docs/postman.json written.');
