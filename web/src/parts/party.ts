/** Name of the person or program that acted. */

/** A person who acts through the console, or a program. */
export type Party = { readonly userId: string | null; readonly clientId: string | null };

/** `own`: the id of whoever reads it; `name`: the person's, where it is known. */
export function partyName({ userId, clientId }: Party, own: string, name: string | null): string {
  if (userId !== null) return userId === own ? 'You' : (name ?? `Person ${shortId(userId)}`);
  return clientId === 'service' ? 'The nightly run' : clientId === null ? '—' : `Program ${shortId(clientId)}`;
}

/** "user_5k76dmsio27s…" as "5k76dm": enough to tell people apart. */
const shortId = (id: string): string => (id.length > 14 ? id.replace(/^[a-z]+_/, '').slice(0, 6) : id);
