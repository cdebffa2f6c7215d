/** `npm run tables`: writes `src/store/db/tables.ts` from `migrations/schema.sql`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tableTypes } from './table-types.ts';

const root = dirname(import.meta.dirname);
writeFileSync(
  join(root, 'src/store/db/tables.ts'),
  tableTypes(readFileSync(join(root, 'migrations/schema.sql'), 'utf8')),
);
console.log('src/store/db/tables.ts written.');
