/**
 * Time-based one-time codes (RFC 6238): HMAC-SHA-1, 30 seconds, 6 digits, which is what every authenticator app understands. SHA-1 is
 * safe here: HMAC does not depend on collisions. A code is accepted one step early or late, for clocks that differ.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const STEP_SECONDS = 30;
const DRIFT_STEPS = 1;

/** 160 bits, the length that RFC 4226 recommends. */
export const newCodeSecret = (): Buffer => randomBytes(20);

/** HOTP (RFC 4226 section 5.3) of a time step. */
export function codeAt(secret: Uint8Array, step: number, digits = 6): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac[19] as number) & 15;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The time step that the code belongs to; null: it is wrong, or of another time. All steps are compared, so that the time tells nothing. */
export function stepOfCode(secret: Uint8Array, code: string, nowMs: number): number | null {
  const current = Math.floor(nowMs / 1_000 / STEP_SECONDS);
  let found: number | null = null;
  for (let step = current - DRIFT_STEPS; step <= current + DRIFT_STEPS; step += 1) {
    if (isEqual(codeAt(secret, step), code)) found = step;
  }
  return found;
}

function isEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 without padding: 20 bytes are 32 letters exactly. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + BASE32[(value << (5 - bits)) & 31] : text;
}

/** The content of the QR code for an authenticator app. */
export function codeUri(secret: Uint8Array, account: string): string {
  const label = `Daybook:${account}`;
  const parameters = `secret=${base32(secret)}&issuer=Daybook&algorithm=SHA1&digits=6&period=${STEP_SECONDS}`;
  return `otpauth://totp/${encodeURIComponent(label)}?${parameters}`;
}
