/**
 * A client on a bare socket, because no HTTP library sends malformed requests: writes bytes, reads the answers strictly (an
 * answer that is not well-formed HTTP is an error), and never waits longer than `PATIENCE_MS`.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';

export type WireAnswer = {
  status: number;
  /** Lower-case names; a header that came twice has two values. */
  headers: Map<string, string[]>;
  body: Buffer;
};

export type Exchange = {
  answers: WireAnswer[];
  /** The end of the connection: all answers came, the server closed, or the connection broke (`reset`). */
  end: 'answered' | 'closed' | 'reset';
};

/** After this time without an answer the request counts as forgotten. */
const PATIENCE_MS = 20_000;
/** A server that has not answered by then is assumed to wait for more bytes. */
const QUIET_MS = 40;

export type Wire = {
  open(): boolean;
  /** Sends well-formed requests and reads one answer each; the connection stays open if the server lets it. */
  exchange(bytes: Buffer, methods: readonly string[]): Promise<Exchange>;
  /** Sends any bytes, closes its own side after an answer or a pause, and reads until the server closes too. */
  sendRaw(bytes: Buffer, methods: readonly string[], options: { halfCloseAtOnce: boolean }): Promise<Exchange>;
  destroy(): void;
};

export async function openWire(port: number): Promise<Wire> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  await once(socket, 'connect');
  let received = Buffer.alloc(0);
  let over: 'closed' | 'reset' | null = null;
  let wake = () => {};
  socket.on('data', (chunk: Buffer<ArrayBuffer>) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    wake();
  });
  // The server has closed its side; sending more is useless.
  socket.on('end', () => {
    over ??= 'closed';
    socket.destroy();
    wake();
  });
  socket.on('error', () => {
    over ??= 'reset';
    wake();
  });
  socket.on('close', () => {
    over ??= 'closed';
    wake();
  });

  /** Waits until data arrives or the connection ends; false when `ms` passed before that. */
  const activity = (ms: number) =>
    new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });

  const take = (method: string): WireAnswer | null => {
    for (;;) {
      const read = readAnswer(received, method, over !== null);
      if (read === null) return null;
      received = received.subarray(read.length);
      if (read.answer.status >= 200) return read.answer;
    }
  };

  return {
    open: () => over === null && !socket.destroyed,
    async exchange(bytes, methods) {
      const answers: WireAnswer[] = [];
      socket.write(bytes);
      while (answers.length < methods.length) {
        const answer = take(methods[answers.length] as string);
        if (answer !== null) answers.push(answer);
        else if (over !== null) return { answers, end: over };
        else if (!(await activity(PATIENCE_MS))) throw new Error(`no answer in ${PATIENCE_MS} ms`);
      }
      if (received.length > 0) throw new Error(`bytes after the last answer: ${shown(received)}`);
      return { answers, end: 'answered' };
    },
    async sendRaw(bytes, methods, { halfCloseAtOnce }) {
      const answers: WireAnswer[] = [];
      let saying = true;
      const stop = () => {
        if (saying) socket.end();
        saying = false;
      };
      socket.write(bytes);
      if (halfCloseAtOnce) stop();
      for (;;) {
        const answer = take(methods[Math.min(answers.length, methods.length - 1)] ?? 'GET');
        if (answer !== null) answers.push(answer);
        else if (over !== null) break;
        else {
          if (answers.length > 0) stop();
          if (!(await activity(saying ? QUIET_MS : PATIENCE_MS))) {
            if (!saying) throw new Error(`not closed in ${PATIENCE_MS} ms`);
            stop();
          }
        }
      }
      // A caller that closes its side has gone: an answer that is made while it is sent ends there. Any other one is sent whole.
      if (received.length > 0 && over === 'closed' && (saying || !isStreamed(received))) {
        throw new Error(`half an answer: ${shown(received)}`);
      }
      return { answers, end: over };
    },
    destroy: () => socket.destroy(),
  };
}

/** Whether the bytes are the beginning of an answer in chunks. */
function isStreamed(bytes: Buffer): boolean {
  const head = bytes.subarray(0, Math.max(bytes.indexOf('\r\n\r\n'), 0)).toString('latin1');
  return head.toLowerCase().split('\r\n').includes('transfer-encoding: chunked');
}

const DECODERS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

/** The first answer in the bytes, and how many of them it takes; null while it is incomplete. */
function readAnswer(bytes: Buffer, method: string, ended: boolean): { answer: WireAnswer; length: number } | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) {
    if (bytes.length > 65_536) throw new Error('the head of the answer does not end');
    return null;
  }
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/.exec(statusLine)?.[1]);
  if (!(status >= 100)) throw new Error(`not a status line: ${shown(statusLine)}`);
  const headers: WireAnswer['headers'] = new Map();
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`not a header: ${shown(line)}`);
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value]);
  }
  const start = headEnd + 4;
  const coding = headers.get('content-encoding')?.[0];
  const decode = coding === undefined ? undefined : DECODERS[coding];
  if (coding !== undefined && decode === undefined) throw new Error(`not a coding: ${shown(coding)}`);
  const done = (body: Buffer, end: number) => ({
    answer: { status, headers, body: decode === undefined || body.length === 0 ? body : decode(body) },
    length: end,
  });
  if (status < 200 || status === 204 || status === 304) return done(EMPTY, start);
  const [length, ...more] = headers.get('content-length') ?? [];
  if (more.length > 0) throw new Error('two Content-Length headers');
  if (method === 'HEAD') {
    // The answer to a malformed HEAD has a body, and the connection ends after it.
    if (!closes({ headers })) return done(EMPTY, start);
    if (!ended) return null;
    return bytes.length === start + Number(length) ? done(bytes.subarray(start), bytes.length) : done(EMPTY, start);
  }
  if (headers.get('transfer-encoding')?.[0] === 'chunked') {
    if (length !== undefined) throw new Error('a length of a chunked answer');
    const chunked = readChunks(bytes, start);
    return chunked === null ? null : done(chunked.body, chunked.end);
  }
  if (length === undefined) return ended ? done(bytes.subarray(start), bytes.length) : null;
  if (!/^\d+$/.test(length)) throw new Error(`not a length: ${shown(length)}`);
  const end = start + Number(length);
  return bytes.length < end ? null : done(bytes.subarray(start, end), end);
}

/** The body in chunks from a place on, and where it ends; null while it is incomplete. */
function readChunks(bytes: Buffer, start: number): { body: Buffer; end: number } | null {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = bytes.toString('latin1', at, lineEnd);
    if (!/^[0-9a-f]{1,8}$/i.test(size)) throw new Error(`not the size of a chunk: ${shown(size)}`);
    const from = lineEnd + 2;
    const to = from + Number.parseInt(size, 16);
    if (bytes.length < to + 2) return null;
    if (bytes.toString('latin1', to, to + 2) !== '\r\n') throw new Error('a chunk that does not end');
    at = to + 2;
    if (from === to) return { body: Buffer.concat(parts), end: at };
    parts.push(bytes.subarray(from, to));
  }
}

const EMPTY = Buffer.alloc(0);

export function closes({ headers }: Pick<WireAnswer, 'headers'>): boolean {
  return headers.get('connection')?.[0]?.toLowerCase() === 'close';
}

export function shown(bytes: Buffer | string): string {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1');
  return JSON.stringify(text.length > 1_000 ? `${text.slice(0, 1_000)}… (${text.length})` : text);
}
