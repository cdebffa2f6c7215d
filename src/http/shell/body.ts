/** Reading bodies: strict UTF-8, strict JSON (with or without the text of its numbers), and the form of the OAuth token endpoint. */
import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { keepNumberText } from '../../core/reader.ts';
import { Problem } from './problems.ts';

type Done = (error: Error | null, body?: unknown) => void;

export function readJson(request: FastifyRequest, bytes: Buffer, done: Done): void {
  read(done, () => parseJson(request, bytes));
}

/** Keeping the text of numbers takes up to about a microsecond a byte, and blocks the event loop meanwhile. */
export const EXACT_BODY_LIMIT = 512 * 1024;

/**
 * The same values, and the text of each number kept beside them for `numberText`: an amount is read from its decimal text, never
 * from the nearest binary fraction.
 */
export function readExactJson(request: FastifyRequest, bytes: Buffer, done: Done): void {
  read(done, () => {
    const value = parseJson(request, bytes);
    // A reviver costs ten times as much as parsing does; most bodies have their amounts in strings and no number at all.
    return hasNumber(value) ? parseJson(request, bytes, keepNumberText) : value;
  });
}

/** Whether there is a number in it, or may be one, because it is nested or has more than a few values. */
function hasNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'number';
  let left = 32;
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    left -= 1;
    if (left === 0 || typeof member === 'number' || (typeof member === 'object' && member !== null)) return true;
  }
  return false;
}

/** The text of a body that was read as JSON; '' when there was none. */
export function sourceOf(request: FastifyRequest): string {
  return sources.get(request) ?? '';
}

const sources = new WeakMap<FastifyRequest, string>();

function parseJson(request: FastifyRequest, bytes: Buffer, reviver?: typeof keepNumberText): unknown {
  refuseOtherText(request, bytes);
  if (bytes.length === 0) throw new Problem('invalid_json', 'The body is empty; send a JSON object.');
  const source = bytes.toString('utf8');
  sources.set(request, source);
  try {
    return JSON.parse(source, reviver);
  } catch (error) {
    // Nested too deeply is a RangeError.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    // The parser's own message quotes the body, which may be personal.
    throw new Problem('invalid_json', 'The body is not valid JSON (RFC 8259).');
  }
}

export function readForm(request: FastifyRequest, bytes: Buffer, done: Done): void {
  read(done, () => {
    refuseOtherText(request, bytes);
    const form: Record<string, string> = Object.create(null);
    for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
      // RFC 6749 section 3.2: a parameter must not be sent more than once.
      if (name in form) {
        const detail = 'A parameter of the form is sent twice.';
        throw new Problem('oauth_request', detail, { error: 'invalid_request', error_description: detail });
      }
      form[name] = value;
    }
    return form;
  });
}

function read(done: Done, parse: () => unknown): void {
  let value: unknown;
  try {
    value = parse();
  } catch (error) {
    done(error as Error);
    return;
  }
  done(null, value);
}

function refuseOtherText(request: FastifyRequest, bytes: Buffer): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new Problem('unsupported_media_type', 'Bodies are UTF-8; the Content-Type names another charset.');
  }
  if (!isUtf8(bytes)) throw new Problem('invalid_body', 'The body is not valid UTF-8.');
}
