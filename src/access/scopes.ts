/** Every scope and what it allows. Scopes are always listed in this order; nothing else lists them. */
export const SCOPE_TEXTS = {
  'public:read': 'Read the public record of published loans.',
  'loans:read': 'List loans and read them without personal data; use the calculators.',
  'loans:read_pii': 'Read and search personal data. Also requires an API key.',
  'loans:write': 'Create loans; handle documents and collateral; publish and cancel.',
  'underwriting:write': 'Start and complete underwriting.',
  'loans:fund': 'Fund loans.',
  'payments:write': 'Record, acknowledge, return and reverse payments; quote payoffs.',
  'servicing:write': 'Service loans: fees, modifications, default, charge-off, recoveries, closing.',
  'servicing:override': 'Exceed a limit of the policy with `override`.',
  'reports:read': 'Read the journal, the ledger, the books and portfolio reports.',
  'books:write': 'Close months and set account codes.',
  'events:read': 'Read the feed of events, and the deliveries of webhooks.',
  'audit:read': 'Read the audit trail.',
  admin: 'Manage people, roles, clients, API keys, grants, sandboxes and the clock.',
} as const;

export type Scope = keyof typeof SCOPE_TEXTS;

export const SCOPES = Object.keys(SCOPE_TEXTS) as readonly Scope[];

export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPE_TEXTS, text);
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
