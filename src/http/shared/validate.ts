/**
 * Validation of bodies and queries against their schemas. In a body nothing is coerced, defaulted or dropped; query values are
 * text and become the number or boolean that the schema names. Path and headers are not validated here: the operation checks
 * them, and their schemas are for the document.
 */
import { Ajv, type ValidateFunction } from 'ajv';
import type { AjvError } from './problems.ts';

/** `true`, or every mistake that was found. Fastify would put a `value` in the place of what was sent; nothing here replaces it. */
export type Validated = true | { error: Error & { validation: readonly AjvError[] } };

const asWritten = { coerceTypes: false, useDefaults: false, removeAdditional: false } as const;
// Formats are for the document: operations read dates themselves, and say what is wrong with one.
const strict = { ...asWritten, strict: false, validateSchema: false, validateFormats: false } as const;
const text = { ...strict, coerceTypes: true, useDefaults: true } as const;
// Shared by all services of a process, so that each schema is compiled once: the tests have dozens of services.
const body = { first: new Ajv({ ...strict }), all: new Ajv({ ...strict, allErrors: true }) };
const query = { first: new Ajv(text), all: new Ajv({ ...text, allErrors: true }) };

/**
 * The check stops at the first error. All errors are gathered only when the value is small, because a large one could
 * produce millions of them. The schemas themselves are checked by a test: compiling the schema of schemas for it took a third of a start.
 */
export function validatorCompiler() {
  return ({ schema, httpPart }: { schema: unknown; httpPart?: string }) => {
    if (httpPart === 'params' || httpPart === 'headers') return notValidated;
    const ajvs = httpPart === 'body' ? body : query;
    // At the first use: compiling the schemas of every operation took a sixth of a start.
    let first: ValidateFunction | undefined;
    let all: ValidateFunction | undefined;
    return (data: unknown): Validated => {
      first ??= ajvs.first.compile(schema as object);
      if (first(data)) return true;
      let failed: ValidateFunction = first;
      if (isSmall(data)) {
        all ??= ajvs.all.compile(schema as object);
        all(data);
        failed = all;
      }
      return { error: Object.assign(new Error('invalid'), { validation: failed.errors ?? [] }) };
    };
  };
}

/** For an operation whose body a worker thread validates. */
export function validateAllButBody(compile: ReturnType<typeof validatorCompiler>): typeof compile {
  return (part) => (part.httpPart === 'body' ? notValidated : compile(part));
}

const notValidated = (_data: unknown): Validated => true;

const SMALL_VALUES = 5_000;
const SMALL_DEPTH = 32;

/** At most `SMALL_VALUES` values, nested at most `SMALL_DEPTH` deep; counting stops at either bound. */
function isSmall(data: unknown): boolean {
  let left = SMALL_VALUES;
  const count = (value: unknown, depth: number): void => {
    left -= 1;
    if (left < 0 || depth > SMALL_DEPTH || typeof value !== 'object' || value === null) {
      if (depth > SMALL_DEPTH) left = -1;
      return;
    }
    for (const member of Object.values(value)) {
      if (left < 0) return;
      count(member, depth + 1);
    }
  };
  count(data, 0);
  return left >= 0;
}
