/**
 * Generates the clients from openapi.json into a folder. It is a process and a package of its own because the generators need the
 * programmable compiler of TypeScript 5, wherever npm has put them: TypeScript 7, with which the service is checked, has none.
 */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

registerHooks({
  resolve: (name, context, next) =>
    next(name, name === 'typescript' ? { ...context, parentURL: import.meta.url } : context),
});
const { default: openapiTS, astToString } = await import('openapi-typescript');
const { createClient } = await import('@hey-api/openapi-ts');

const { generate } = await import('orval');

const [document, folder] = process.argv.slice(2);
writeFileSync(join(folder, 'daybook.ts'), astToString(await openapiTS(pathToFileURL(document))));
await createClient({
  input: document,
  output: { path: join(folder, 'daybook'), importFileExtension: '.ts' },
  logs: { level: 'silent' },
});
await generate(
  {
    input: { target: document },
    output: {
      target: join(folder, 'orval/daybook.ts'),
      client: 'fetch',
      override: { mutator: { path: join(folder, 'fetch-daybook.ts'), name: 'fetchDaybook', extension: '.ts' } },
    },
  },
  folder,
);
