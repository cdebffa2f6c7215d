/** The member `flags` of an answer: what the bureau says about the file itself. Every flag is optional; an absent one is not set, or not known. */
import { NO_FLAGS } from '../underwriting/report.ts';
import type { FileFlags } from './bureau.ts';

const MATCHES: readonly unknown[] = ['exact', 'partial', 'noMatch', null] satisfies FileFlags['ssnMatch'][];
const ALERTS: readonly unknown[] = ['none', 'initial', 'extended', 'activeDuty'] satisfies FileFlags['fraudAlert'][];

/** The flags, or what is wrong with them, without quoting them. A misspelt flag must not be overlooked: unknown names are an error. */
export function readFlags(given: unknown = {}): FileFlags | string {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'flags is not an object';
  const flags: Record<keyof FileFlags, unknown> = { ...NO_FLAGS, ...given };
  if (Object.keys(flags).length > Object.keys(NO_FLAGS).length) return 'flags has an unknown member';
  for (const name of ['frozen', 'deceased', 'addressDiscrepancy'] as const) {
    if (typeof flags[name] !== 'boolean') return `flags.${name} is neither true nor false`;
  }
  if (!MATCHES.includes(flags.ssnMatch)) return 'flags.ssnMatch is not one of exact, partial, noMatch and null';
  if (!ALERTS.includes(flags.fraudAlert)) {
    return 'flags.fraudAlert is not one of none, initial, extended and activeDuty';
  }
  if (flags.alertPhone !== null && !isTelephone(flags.alertPhone)) {
    return 'flags.alertPhone is neither null nor a telephone number';
  }
  return flags as FileFlags;
}

/** Digits with the usual separators, and an extension. */
function isTelephone(value: unknown): boolean {
  if (typeof value !== 'string' || !/^[0-9 +().x-]{7,30}$/.test(value)) return false;
  const digits = value.replace(/\D/g, '').length;
  return digits >= 7 && digits <= 20;
}
