import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { operations } from '../routes.ts';

const META = new Ajv({ strict: false });

test.each(operations.map(({ id, body, query }) => [id, body, query] as const))(
  'the schemas of %s are valid, as the validator takes for granted',
  (_id, ...schemas) => {
    for (const schema of schemas) if (schema !== undefined) expect(META.validateSchema(schema)).toBe(true);
  },
);
