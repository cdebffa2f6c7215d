/** The text that is sealed beside an event: the stated reason, and details that may name a person. */
export type Note = { readonly reason: string; readonly details: Readonly<Record<string, string>> | null };

/** Reasons have no control characters, so this cannot be part of one. */
const BETWEEN = '\u0000';

export function noteText({ reason, details }: Note): string {
  return details === null ? reason : `${reason}${BETWEEN}${JSON.stringify(details)}`;
}

export function noteIn(text: string): Note {
  const at = text.indexOf(BETWEEN);
  if (at < 0) return { reason: text, details: null };
  return { reason: text.slice(0, at), details: JSON.parse(text.slice(at + 1)) as Note['details'] };
}
