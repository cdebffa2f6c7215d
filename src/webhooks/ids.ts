/** Ids of endpoints, replays and deliveries. */
import { randomBytes } from 'node:crypto';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** 120 random bits. */
export function newId(prefix: 'endpoint' | 'replay' | 'evt_test'): string {
  return `${prefix}_${Array.from(randomBytes(24), (byte) => LETTERS[byte & 31]).join('')}`;
}

/** The order of the ids is that of the attempts. */
export function newDeliveryId(at: number): string {
  return `delivery_${at.toString(16).padStart(12, '0')}${randomBytes(8).toString('hex')}`;
}

/** True of text with the form of an id of the service: nothing else can exist, and text with a NUL would fail in SQL. */
export const isId = (text: string): boolean => /^[A-Za-z0-9_]{1,120}$/.test(text);
