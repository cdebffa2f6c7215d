/**
 * The chain of the audit trail: in each volume every entry has a link, numbered from 1, whose hash covers the entry and the link before.
 * An entry that is changed, removed, inserted or moved breaks every link from there on; the last links are under the roots of the ledger.
 */
import { canonical } from './canonical.ts';
import { GENESIS_HASH, hashOf } from './chain.ts';

/**
 * An entry as it is hashed: every member, absent ones as null. The purpose is personal and stands there as the SHA-256 of its sealed bytes;
 * `contentHash` is the SHA-256 of the list of rows that the change left.
 */
export type AuditFacts = {
  readonly entryId: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly organizationId: string;
  readonly ownerId: string | null;
  readonly clientId: string | null;
  readonly contentHash: string | null;
  readonly userId: string | null;
  readonly keyId: string | null;
  readonly account: string | null;
  readonly kind: string;
  readonly operation: string;
  readonly outcome: string;
  readonly loanId: string | null;
  readonly subject: string | null;
  readonly transactionHash: string | null;
  readonly approvalId: string | null;
  readonly count: number;
  readonly purposeHash: string | null;
  readonly requestId: string | null;
};

export type AuditLink = { readonly number: number; readonly entryId: string; readonly hash: string };

/** The last link of a volume: the one that the next follows. */
export type AuditHead = { readonly number: number; readonly hash: string };

/** Before the first. */
export const NO_LINKS: AuditHead = { number: 0, hash: GENESIS_HASH };

export function auditLinkHash(volume: number, number: number, previous: string, entry: AuditFacts): string {
  return hashOf(canonical({ entry, number, previous, volume }));
}

/** The link of an entry behind the last one. */
export function nextAuditLink(volume: number, last: AuditHead, entry: AuditFacts): AuditLink {
  const number = last.number + 1;
  return { number, entryId: entry.entryId, hash: auditLinkHash(volume, number, last.hash, entry) };
}

/** A line of an export: the entry, its link, and the hash of the link before. */
export type ExportedEntry = {
  readonly entry: AuditFacts;
  readonly link: { readonly volume: number; readonly number: number; readonly previous: string; readonly hash: string };
};

/**
 * The fault of a line of an export; null: none. `last` is the line before it of the same volume. Every line is checked against its own
 * hash, and against the one before where that is the link before; a gap is told apart, because an export may be of one organization.
 */
export function checkExported({ entry, link }: ExportedEntry, last: ExportedEntry['link'] | null): string | null {
  const { volume, number, previous, hash } = link;
  if (auditLinkHash(volume, number, previous, entry) !== hash) return 'the entry or its link was changed';
  if (last === null) return null;
  if (number <= last.number) return 'is not in the order of the links';
  return number === last.number + 1 && previous !== last.hash ? 'does not follow the link before it' : null;
}
