import { randomBytes } from 'node:crypto';
import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createZstdDecompress,
  gunzipSync,
  zstdDecompressSync,
} from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { CODINGS } from './coding.ts';
import { compressNow, compressOnce, compressPieces, piecesOf } from './compress.ts';

const DECODE = {
  zstd: (bytes: Buffer) => zstdDecompressSync(bytes),
  br: (bytes: Buffer) => brotliDecompressSync(bytes),
  gzip: (bytes: Buffer) => gunzipSync(bytes),
};
const OPEN = {
  zstd: () => createZstdDecompress(),
  br: () => createBrotliDecompress(),
  gzip: () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
};
const row = (n: number) => `{"row":${n},"é":"${randomBytes(20).toString('hex')}"}\n`;

describe.each(CODINGS)('%s', (coding) => {
  test('gives back every byte: at once, once, in pieces of any size', async () => {
    const pieces = ['', 'a', Buffer.from('bc'), row(1).repeat(3), randomBytes(700_000), '', 'é'.repeat(400_000)];
    const whole = Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)));
    expect(DECODE[coding](compressNow(whole, coding)).equals(whole)).toBe(true);
    expect(DECODE[coding](await compressOnce(whole, coding)).equals(whole)).toBe(true);
    for (const isLive of [false, true]) {
      const made: Buffer[] = [];
      for await (const piece of compressPieces(piecesOf(pieces), coding, { isLive })) made.push(piece);
      expect(DECODE[coding](Buffer.concat(made)).equals(whole)).toBe(true);
    }
    const nothing: Buffer[] = [];
    for await (const piece of compressPieces(piecesOf([]), coding, { isLive: true })) nothing.push(piece);
    expect(DECODE[coding](Buffer.concat(nothing))).toHaveLength(0);
  });

  test('a caller can read every row that was made before the next one is', async () => {
    let asked = 0;
    async function* rows() {
      for (; asked < 20; asked += 1) yield row(asked);
    }
    const decoder = OPEN[coding]();
    let read = '';
    decoder.setEncoding('utf8').on('data', (text: string) => {
      read += text;
    });
    const compressed = compressPieces(rows(), coding, { isLive: true });
    for (let n = 0; n < 20; n += 1) {
      const { value } = await compressed.next();
      await new Promise<void>((resolve) => decoder.write(value as Buffer, () => resolve()));
      expect([asked, read.split('\n').length - 1]).toEqual([n, n + 1]);
    }
    await compressed.return(undefined);
  });

  test('nothing is made for a caller that does not read', async () => {
    let made = 0;
    const piece = randomBytes(100_000);
    async function* rows() {
      for (; ; made += 1) yield piece;
    }
    const compressed = compressPieces(rows(), coding, { isLive: true });
    await compressed.next();
    for (let n = 0; n < 20; n += 1) await new Promise(setImmediate);
    expect(made).toBe(0);
    await compressed.return(undefined);
  });

  test('what fails to be made fails, and ends what makes it', async () => {
    let ended = false;
    async function* rows() {
      try {
        yield 'a';
        throw new Error('no more rows');
      } finally {
        ended = true;
      }
    }
    const compressed = compressPieces(rows(), coding, { isLive: true });
    await compressed.next();
    await expect(compressed.next()).rejects.toThrow('no more rows');
    expect(ended).toBe(true);
  });
});
