/** Pages of a list of requests, the newest first: their order and their cursors. Pure. */

type Placed = { readonly requestedAt: string; readonly approvalId: string };

export const newestFirst = (a: Placed, b: Placed) =>
  a.requestedAt === b.requestedAt ? (a.approvalId < b.approvalId ? 1 : -1) : a.requestedAt < b.requestedAt ? 1 : -1;

export const cursorOf = ({ requestedAt, approvalId }: Placed) => `${Date.parse(requestedAt)}.${approvalId}`;

/** Undefined: it is none of ours. */
export function cursorIn(text: string): { requestedAt: Date; approvalId: string } | undefined {
  const [, at, approvalId] = /^(\d{1,15})\.(approval_[0-9a-f]{32})$/.exec(text) ?? [];
  return at === undefined || approvalId === undefined ? undefined : { requestedAt: new Date(Number(at)), approvalId };
}
