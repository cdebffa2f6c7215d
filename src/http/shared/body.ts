/** Reading bodies: strict UTF-8, strict JSON (with or without the text of its numbers), and the form of the OAuth token endpoint. */
import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { keepNumberText } from '../../core/reader.ts';
import { type BodyLimits, scanJson } from './body-limits.ts';
import { Problem } from './problems.ts';

type Done = (error: Error | null, body?: unknown) => void;
export type ReadBody = (request: FastifyRequest, bytes: Buffer, done: Done) => void;

/** The way in which a body becomes the value that the operation works with, here or on a worker thread. */
export type JsonForm = {
  limits: BodyLimits;
  /** Keeps the text of each number beside its value, for `numberText`: an amount is never read from the nearest binary fraction. */
  exactNumbers: boolean;
};

export function readJson(form: JsonForm): ReadBody {
  return (request, bytes, done) =>
    read(done, () => {
      refuseOtherCharset(request);
      const { source, value } = parseJson(bytes, form);
      request.context.source = source;
      return value;
    });
}

/** The bytes as they came, for a worker thread to read. */
export function readBytes(request: FastifyRequest, bytes: Buffer, done: Done): void {
  read(done, () => {
    refuseOtherCharset(request);
    return bytes;
  });
}

export function parseJson(bytes: Uint8Array, { limits, exactNumbers }: JsonForm): { source: string; value: unknown } {
  refuseOtherText(bytes);
  if (bytes.length === 0) throw new Problem('invalid_json', 'The body is empty; send a JSON object.');
  const scanned = scanJson(bytes, limits);
  if (scanned.exceeded !== null) throw exceededProblem(scanned.exceeded, limits);
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  // A reviver costs ten times as much as parsing does; most bodies have their amounts in strings and no number at all.
  return { source, value: exactNumbers && scanned.hasNumbers ? parse(source, keepNumberText) : parse(source) };
}

function parse(source: string, reviver?: typeof keepNumberText): unknown {
  try {
    return JSON.parse(source, reviver);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The parser's own message quotes the body, which may be personal.
    throw new Problem('invalid_json', 'The body is not valid JSON (RFC 8259).');
  }
}

function exceededProblem(exceeded: 'members' | 'levels', { members, levels }: BodyLimits): Problem {
  const detail =
    exceeded === 'members'
      ? `The body has too many fields and list entries; this operation accepts at most ${members.toLocaleString('en-US')}.`
      : `The body is nested too deeply; this operation accepts at most ${levels} levels of objects and lists.`;
  return new Problem('invalid_body', detail);
}

export function readForm(request: FastifyRequest, bytes: Buffer, done: Done): void {
  read(done, () => {
    refuseOtherCharset(request);
    refuseOtherText(bytes);
    const form: Record<string, string> = Object.create(null);
    for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
      // RFC 6749 section 3.2: a parameter must not be sent more than once.
      if (name in form) {
        const detail = 'A form parameter is sent twice.';
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

function refuseOtherCharset(request: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new Problem('unsupported_media_type', 'The body must be UTF-8, but the Content-Type names another charset.');
  }
}

function refuseOtherText(bytes: Uint8Array): void {
  if (!isUtf8(bytes)) throw new Problem('invalid_body', 'The body is not valid UTF-8.');
}
