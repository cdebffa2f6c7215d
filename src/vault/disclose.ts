/**
 * Access to personal data. Unsealing always makes an audit entry: the caller that gets the data gets the entry too, and stores it before
 * the answer is sent.
 */

/** The party that asks for personal data, and its purpose. */
export type Viewer = {
  readonly organizationId: string;
  readonly clientId: string;
  /** The person who looks through the client; absent or null: none. */
  readonly userId?: string | null;
  /** The API key that was sent; null: none. */
  readonly keyId: string | null;
  readonly scopes: ReadonlySet<string>;
  /** As stated by the caller. */
  readonly purpose: string;
  readonly requestId: string;
};

export type Disclosure = {
  /** `''` for a search that found nothing. */
  readonly loanId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly organizationId: string;
  readonly clientId: string;
  readonly userId: string | null;
  readonly keyId: string | null;
  readonly what: DisclosedPart;
  readonly purpose: string;
  readonly requestId: string;
};

/**
 * The full record, a search by personal values, the list of disclosures with the reasons that were given, a notice to the applicant; the
 * deals, the timeline, the holds and requests for approval with their reasons and details, a report of the credit bureau, the
 * last digits of a social security number, the custom data of an owner, and an export with personal columns.
 */
export type DisclosedPart =
  | 'record'
  | 'search'
  | 'disclosures'
  | 'notice'
  | 'deals'
  | 'timeline'
  | 'holds'
  | 'approval'
  | 'report'
  | 'identity'
  | 'customData'
  | 'export';

const DISCLOSING_SCOPE = 'loans:read_pii';

/** Both the scope and the key are required. That the viewer may see the loan at all was checked before. */
function mayDisclose(viewer: Viewer): { readonly denied: 'scope' | 'key' } | null {
  if (!viewer.scopes.has(DISCLOSING_SCOPE)) return { denied: 'scope' };
  return viewer.keyId === null ? { denied: 'key' } : null;
}

/** `unseal` is called only for a viewer who may see what it gives. */
export function disclose<T>(
  viewer: Viewer,
  of: { readonly loanId: string; readonly what: DisclosedPart; readonly at: number },
  unseal: () => T,
): { readonly data: T; readonly entry: Disclosure } | { readonly denied: 'scope' | 'key' } {
  const refused = mayDisclose(viewer);
  if (refused !== null) return refused;
  const { organizationId, clientId, userId = null, keyId, purpose, requestId } = viewer;
  return { data: unseal(), entry: { ...of, organizationId, clientId, userId, keyId, purpose, requestId } };
}
