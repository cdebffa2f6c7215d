import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newDataKey } from './master-keys.ts';
import {
  commitments,
  newSalt,
  SealBroken,
  sealNote,
  sealRecord,
  unsealDetails,
  unsealNote,
  unsealRecord,
} from './seal.ts';

const LOAN = `0x${'1a'.repeat(32)}`;
const OTHER = `0x${'2b'.repeat(32)}`;

const details = {
  lendingDecisionReason: 'steady income “for years”',
  applicantCreditVision: 'Lone surrogate \ud800, newline \n',
  coApplicantCreditVision: '',
  vin: '1HGCM82633A004352',
  pti: '0.0931',
  dti: '0.3416',
  indexRate: 'SOFR',
  creditReportHash: '0x1a',
  retailInstallmentContractHash: '',
  signs: '',
};
const record = `"Request":{"ApplicantInfo":{"ApplicantSSN":"900-12-3456","Name":"Zoë"}},"Response":{},"Underwriting":{}`;

describe('a sealed record', () => {
  const dataKey = newDataKey();
  const salt = newSalt();
  const sealed = sealRecord(dataKey, LOAN, { ...details, record }, salt);

  test('unseals to what was sealed, byte for byte', () => {
    const opened = unsealRecord(dataKey, LOAN, sealed);
    expect(opened.record.toString('utf8')).toBe(record);
    expect(opened.personal).toEqual(details);
    expect(opened.salt.equals(salt)).toBe(true);
  });

  test('unseals for any text and size', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1_000 }), fc.string(), (bytes, text) => {
        const key = newDataKey();
        const personal = { ...details, lendingDecisionReason: text, record: bytes };
        const opened = unsealRecord(key, LOAN, sealRecord(key, LOAN, personal, salt));
        expect(opened.record.equals(bytes)).toBe(true);
        expect(opened.personal.lendingDecisionReason).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  test('of a megabyte that compresses badly unseals whole', () => {
    const bytes = Buffer.from(randomBytes(800_000).toString('base64'));
    const big = sealRecord(dataKey, LOAN, { ...details, record: bytes }, salt);
    expect(big.length).toBeLessThan(bytes.length * 0.8);
    expect(unsealRecord(dataKey, LOAN, big).record.equals(bytes)).toBe(true);
  });

  test('unseals its small part without unsealing the large one', () => {
    // The last byte belongs to the record: the details do not depend on it, the whole does.
    const spoilt = Buffer.from(sealed);
    spoilt[spoilt.length - 1] = (spoilt.at(-1) ?? 0) ^ 1;
    expect(unsealDetails(dataKey, LOAN, spoilt).personal).toEqual(details);
    expect(unsealDetails(dataKey, LOAN, spoilt).salt.equals(salt)).toBe(true);
    expect(() => unsealRecord(dataKey, LOAN, spoilt)).toThrow(SealBroken);
  });

  test('cannot be unsealed after any one byte was changed', () => {
    for (let i = 0; i < sealed.length; i += 1) {
      const spoilt = Buffer.from(sealed);
      spoilt[i] = (spoilt[i] ?? 0) ^ (1 << (i % 8));
      expect(() => unsealRecord(dataKey, LOAN, spoilt), `byte ${i}`).toThrow(SealBroken);
    }
  });

  test('cannot be unsealed when truncated or extended', () => {
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => unsealRecord(dataKey, LOAN, sealed.subarray(0, length)), `${length} bytes`).toThrow(SealBroken);
    }
    expect(() => unsealRecord(dataKey, LOAN, Buffer.concat([sealed, Buffer.of(0)]))).toThrow(SealBroken);
  });

  test('cannot be unsealed as another loan’s, with another loan’s key, or as another part of the same loan', () => {
    expect(() => unsealRecord(dataKey, OTHER, sealed)).toThrow(SealBroken);
    expect(() => unsealDetails(dataKey, OTHER, sealed)).toThrow(SealBroken);
    expect(() => unsealRecord(newDataKey(), LOAN, sealed)).toThrow(SealBroken);
    expect(() => unsealNote(dataKey, LOAN, sealed)).toThrow(SealBroken);
    expect(() => unsealRecord(dataKey, LOAN, sealNote(dataKey, LOAN, 'x'.repeat(500)))).toThrow(SealBroken);
  });

  test('cannot be assembled from two records of the same loan', () => {
    const later = sealRecord(dataKey, LOAN, { ...details, record: 'later' }, salt);
    const headLength = 5 + 28 + sealed.readUInt32BE(1);
    const mixed = Buffer.concat([sealed.subarray(0, headLength), later.subarray(headLength)]);
    expect(later.readUInt32BE(1), 'the heads are of the same length, so only the seal can detect it').toBe(
      sealed.readUInt32BE(1),
    );
    expect(() => unsealRecord(dataKey, LOAN, mixed)).toThrow(SealBroken);
  });

  test('shows nothing of its text, and is different each time', () => {
    const again = sealRecord(dataKey, LOAN, { ...details, record }, salt);
    expect(again.equals(sealed)).toBe(false);
    for (const text of ['900-12-3456', details.vin, 'steady']) expect(sealed.includes(text)).toBe(false);
  });

  test('needs a salt of 32 bytes', () => {
    expect(() => sealRecord(dataKey, LOAN, { ...details, record }, new Uint8Array(16))).toThrow('32 bytes');
  });
});

test('a note can be unsealed for its own loan only', () => {
  const dataKey = newDataKey();
  const note = sealNote(dataKey, LOAN, 'called in sick – späte Zahlung');
  expect(unsealNote(dataKey, LOAN, note)).toBe('called in sick – späte Zahlung');
  expect(() => unsealNote(dataKey, OTHER, note)).toThrow(SealBroken);
  expect(() => unsealNote(dataKey, LOAN, note.subarray(0, 20))).toThrow(SealBroken);
});

describe('a commitment', () => {
  const salt = newSalt();

  test('is the same for the same part and salt, and different for another part, name or salt', () => {
    const given = commitments(salt, { request: '{"a":1}', details: 'x' });
    expect(Object.keys(given)).toEqual(['request', 'details']);
    expect(given.request).toMatch(/^0x[0-9a-f]{64}$/);
    expect(commitments(salt, { request: Buffer.from('{"a":1}') }).request).toBe(given.request);
    expect(commitments(salt, { request: '{"a":2}' }).request).not.toBe(given.request);
    expect(commitments(salt, { response: '{"a":1}' }).response).not.toBe(given.request);
    expect(commitments(newSalt(), { request: '{"a":1}' }).request).not.toBe(given.request);
  });
});
