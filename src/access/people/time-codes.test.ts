import { describe, expect, test } from 'vitest';
import { newRecoveryCodes, readRecoveryCode, recoveryCodeHash } from './recovery-codes.ts';
import { base32, codeAt, codeUri, stepOfCode } from './time-codes.ts';

/** The secret of the test vectors, as both RFCs have it. */
const SECRET = Buffer.from('12345678901234567890');

describe('time codes', () => {
  // RFC 6238, appendix B: the rows for SHA-1, with eight digits.
  test.each([
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ])('at second %i the code of RFC 6238 is %s', (seconds, code) => {
    expect(codeAt(SECRET, Math.floor(seconds / 30), 8)).toBe(code);
  });

  // RFC 4226, appendix D.
  test('the first ten codes are those of RFC 4226', () => {
    expect(Array.from({ length: 10 }, (_, step) => codeAt(SECRET, step))).toEqual([
      ...['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'],
    ]);
  });

  test('a code is accepted one step early and late, and tells its step', () => {
    const at = (step: number) => (step * 30 + 7) * 1_000;
    const code = codeAt(SECRET, 1_000);
    expect([998, 999, 1_000, 1_001, 1_002].map((step) => stepOfCode(SECRET, code, at(step)))).toEqual([
      ...[null, 1_000, 1_000, 1_000, null],
    ]);
    for (const wrong of ['', '000000', code.slice(1), `${code}0`, 'abcdef', '١٢٣٤٥٦']) {
      expect(stepOfCode(SECRET, wrong, at(1_000)), wrong).toBeNull();
    }
  });

  test('the secret is told to the app in Base32 (RFC 4648, section 10)', () => {
    expect(['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text)))).toEqual([
      ...['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI'],
    ]);
    expect(codeUri(SECRET, 'a&b@c.example')).toBe(
      'otpauth://totp/Daybook%3Aa%26b%40c.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Daybook&algorithm=SHA1&digits=6&period=30',
    );
  });
});

describe('recovery codes', () => {
  test('are ten different ones of 80 bits, read with or without dashes and in lower case', () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) {
      expect(code).toMatch(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/);
      expect(readRecoveryCode(` ${code.toLowerCase().replaceAll('-', ' ')}`)).toBe(code.replaceAll('-', ''));
      expect(recoveryCodeHash('user_a', code)).toEqual(recoveryCodeHash('user_a', code.toLowerCase()));
      expect(recoveryCodeHash('user_a', code)).not.toEqual(recoveryCodeHash('user_b', code));
    }
    for (const other of ['123456', '', 'ABCD-EFGH-IJKL-MNO', 'ABCD-EFGH-IJKL-MN01'])
      expect(readRecoveryCode(other)).toBeNull();
  });
});
