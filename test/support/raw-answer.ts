/** An answer as it came over the connection: nothing decoded. */
import { type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';

export type RawAnswer = { status: number; headers: IncomingHttpHeaders; bytes: Buffer };
type Asked = { method?: string; headers?: Record<string, string>; body?: Buffer | string };

export function rawAnswer(url: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const call = request(url, { method, headers: { ...length, ...headers }, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) });
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}

export function decodedBody({ headers, bytes }: RawAnswer): Buffer {
  switch (headers['content-encoding']) {
    case undefined:
      return bytes;
    case 'zstd':
      return zstdDecompressSync(bytes);
    case 'br':
      return brotliDecompressSync(bytes);
    case 'gzip':
      return gunzipSync(bytes);
    default:
      throw new Error(`Another coding: ${headers['content-encoding']}`);
  }
}
