/** The rights of a client. Scopes are always listed in this order. */
export const SCOPES = [
  'public:read',
  'loans:read',
  'loans:read_pii',
  'loans:write',
  'underwriting:write',
  'loans:fund',
  'payments:write',
  'servicing:write',
  'servicing:override',
  'reports:read',
  'books:write',
  'events:read',
  'audit:read',
  'admin',
] as const;

export type Scope = (typeof SCOPES)[number];

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

/** The known scopes among these, each once, in the listed order. An unknown one (of a newer version) grants nothing. */
export function knownScopes(texts: Iterable<string>): Scope[] {
  const given = new Set(texts);
  return SCOPES.filter((scope) => given.has(scope));
}

/**
 * The scopes of a token: all that the client has, or the requested ones (RFC 6749 section 3.3: separated by
 * spaces). Null when a scope is requested that the client does not have.
 */
export function tokenScopes(requested: string | undefined, has: ReadonlySet<Scope>): Scope[] | null {
  const names = (requested ?? '').split(' ').filter((name) => name !== '');
  if (names.length === 0) return knownScopes(has);
  if (!names.every((name) => isScope(name) && has.has(name))) return null;
  return knownScopes(names);
}
