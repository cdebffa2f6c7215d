/** Personal data that was read for a purpose is shown for so long. */
export const SHOWN_MS = 60_000;

/** Maximum length of a purpose in the service. */
export const LONGEST_PURPOSE = 200;

/** Empty: none is chosen, or the details are missing. */
export function purposeOf(chosen: string, details: string): string {
  const more = details.trim();
  if (chosen === '' || chosen === 'Other') return chosen && more;
  return (more === '' ? chosen : `${chosen}: ${more}`).slice(0, LONGEST_PURPOSE);
}
