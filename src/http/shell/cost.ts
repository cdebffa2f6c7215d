/**
 * The cost of a call, in units of the quota. A unit stands for about five milliseconds of processor time: a payment or a small read is one.
 * An operation that takes more says so (`cost`), measured with a typical loan; each full 64 KiB of its body costs one more, or five where
 * the text of every number is kept (`exactNumbers`), because that takes 22 ms.
 */
import type { Operation } from '../shared/operation.ts';

type Costing = Pick<Operation, 'cost' | 'exactNumbers' | 'body'>;

const BODY_BLOCK = 64 * 1024;

export function costOf({ cost = 1, exactNumbers, body }: Costing, bodyBytes: number): number {
  if (body === undefined) return cost;
  return cost + Math.floor(bodyBytes / BODY_BLOCK) * (exactNumbers ? 5 : 1);
}

/**
 * The bytes that a call is charged for before its body is read. Of a body without a length the largest that is accepted is charged, and
 * the difference returned once it has arrived. A body over the limit is refused unread.
 */
export function bytesAnnounced(
  headers: { 'content-length'?: string | undefined; 'transfer-encoding'?: string | undefined },
  limit: number,
): number {
  if (headers['transfer-encoding'] !== undefined) return limit;
  const bytes = Number(headers['content-length'] ?? 0);
  return bytes <= limit ? bytes : 0;
}
