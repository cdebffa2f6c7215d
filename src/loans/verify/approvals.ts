/** The approvals of a loan, compared with its history: what was approved has its transaction, and what names an approval was approved. */

import type { CheckedBook } from '../../store/verify/verify.ts';
import { objectOf, type Transaction } from './chain.ts';
import type { Tell } from './complaint.ts';

export function checkApprovals(row: CheckedBook, transactions: readonly Transaction[], tell: Tell): void {
  const approvalOf = new Map<string, string>();
  const sequenceOf = new Map<string, number>();
  for (const { hash, body, sequence } of transactions) {
    // Most transactions name none, and need not be read for it.
    if (!body.includes('"approvalId"')) continue;
    const event = objectOf(body)?.event as { approvalId?: unknown } | undefined;
    if (typeof event?.approvalId !== 'string') continue;
    approvalOf.set(hash, event.approvalId);
    sequenceOf.set(event.approvalId, sequence);
  }
  const approved = new Set<string>();
  for (const line of row.approved === null ? [] : row.approved.split('\n')) {
    const [approvalId = '', hash = ''] = line.split(' ');
    approved.add(approvalId);
    if (approvalOf.get(`0x${hash}`) !== approvalId) {
      tell('approvals', null, `${approvalId} is approved and has no transaction of its loan`);
    }
  }
  for (const [approvalId, sequence] of sequenceOf) {
    if (!approved.has(approvalId)) tell('approvals', sequence, `${approvalId} is not approved`);
  }
}
