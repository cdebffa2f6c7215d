/** Entity tags (a short digest of everything that a representation depends on), and the conditional requests that use them. */
import { createHash } from 'node:crypto';

/** A strong tag over the parts (a record's version, the date, the representation's name, or the bytes themselves). */
export function etagOf(...parts: readonly (string | number | bigint)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${String(part).length}:${part}`);
  return `"${hash.digest('base64url').slice(0, 27)}"`;
}

/** The tag of a loan begins with its version, so that `If-Match` accepts a tag as well as the bare version. */
export function loanTag(version: number, ...parts: readonly (string | number | bigint)[]): string {
  return `"${version}-${etagOf(version, ...parts).slice(1)}`;
}

/** Whether `If-None-Match` names this tag (weak comparison, RFC 9110 section 13.1.2), so that the answer is 304. */
export function matchesNone(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** The version of a loan that `If-Match` requires: null for any version; 0, which no loan has, when the header is not a version. */
export function versionWanted(header: string | undefined): number | null {
  if (header === undefined || header.trim() === '*') return null;
  return Number(/^(?:W\/)?"?(\d{1,9})(?:-[\w-]{1,64})?"?$/.exec(header.trim())?.[1] ?? 0);
}
