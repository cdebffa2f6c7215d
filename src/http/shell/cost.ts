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

type Framed = {
  headers: { 'content-length'?: string | undefined; 'transfer-encoding'?: string | undefined };
  context: { bodyCoding: string | null };
};

/** Whether the headers say how large the body is: neither in chunks nor compressed. */
export function saysItsSize({ headers, context }: Framed): boolean {
  return headers['transfer-encoding'] === undefined && context.bodyCoding === null;
}

/**
 * The bytes that a call is charged for before its body is read. Of a body whose size is not known the largest that is accepted is charged,
 * and the difference returned once it has arrived. A body over the limit is refused unread.
 */
export function bytesAnnounced(request: Framed, limit: number): number {
  if (!saysItsSize(request)) return limit;
  const bytes = Number(request.headers['content-length'] ?? 0);
  return bytes <= limit ? bytes : 0;
}
