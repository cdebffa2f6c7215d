/** Reading bodies: strict UTF-8, strict JSON, and the form that OAuth's token endpoint takes. */
import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { Problem } from './problems.ts';

type Done = (error: Error | null, body?: unknown) => void;

export function readJson(request: FastifyRequest, bytes: Buffer, done: Done): void {
  read(done, () => {
    refuseOtherText(request, bytes);
    if (bytes.length === 0) throw new Problem('invalid_json', 'The body is empty; send a JSON object.');
    try {
      return JSON.parse(bytes.toString('utf8'));
    } catch {
      // The parser's own message quotes the body, which may be personal.
      throw new Problem('invalid_json', 'The body is not valid JSON (RFC 8259).');
    }
  });
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
