/**
 * Detects personal data typed into the search for ids. Ids may stand in the address of the page; a telephone number,
 * a name or a VIN may not: they go into the search by personal data, which asks for a purpose and is recorded.
 */

export type Personal = 'phone' | 'email' | 'ssn' | 'vin' | 'lastName';

export function looksPersonal(text: string): Personal | null {
  const wanted = text.trim();
  if (wanted.includes('@')) return 'email';
  if (/^\d{3}[-_.: ]\d{2}[-_.: ]\d{4}$/.test(wanted)) return 'ssn';
  if (/^[A-HJ-NPR-Z\d]{17}$/i.test(wanted)) return 'vin';
  const digits = wanted.replaceAll(/[\s().+-]/g, '');
  if (/^\d{9}$/.test(digits)) return 'ssn';
  if (/^\d{10,15}$/.test(digits) || /^\d{3}[-. ]\d{4}$/.test(wanted)) return 'phone';
  // Ids have digits; names have letters, and may have spaces, hyphens and apostrophes. The first letters of ids are short or end with a sign.
  if (/^\p{L}[\p{L} .'’-]*\p{L}$/u.test(wanted) && (wanted.length > 4 || wanted !== wanted.toUpperCase()))
    return 'lastName';
  return null;
}

/** Whether the service would take it as an id, or the beginning of one. */
export const canBeId = (text: string): boolean => /^[A-Za-z0-9._:-]{1,66}$/.test(text.trim());

/** Ids are exact, and people type them as they like: as it is typed, in capitals, in small letters. */
export const spellings = (text: string): string[] => [...new Set([text, text.toUpperCase(), text.toLowerCase()])];
