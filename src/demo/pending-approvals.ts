/**
 * The requests that wait for a decision in the demonstration: a waiver above an agent's limit, and a collector's settlement. They are made by
 * the operations themselves, in the name of its people. Repeating them changes nothing.
 */
import { rightsOf, rolesNamed } from '../access/people/roles.ts';
import { addDays, type PlainDate } from '../core/calendar.ts';
import type { LoanStatus } from '../core/loan.ts';
import type { Actor } from '../loans/door/actor.ts';
import type { OpenLoans } from '../loans/open.ts';
import type { DemoPeople, DemoRole } from './people.ts';

/** Carries out an operation by its path, as a request with this body would. */
export type Ask = (actor: Actor, path: string, body: object) => Promise<unknown>;

export async function askForApprovals(options: {
  loans: Pick<OpenLoans, 'reads'>;
  ask: Ask;
  organizationId: string;
  /** By the demonstration's clock. */
  today: PlainDate;
  people: DemoPeople;
}): Promise<void> {
  const { loans, ask, organizationId, today, people } = options;
  const actorWith = (role: DemoRole): Actor => {
    const { scopes, limits } = rightsOf(rolesNamed([role], []).filter((one) => one !== null));
    const plain = { clientId: 'demo', keyId: null, grants: [], requestId: 'demo', purpose: '' };
    return { organizationId, userId: people[role].userId, scopes, limits, ...plain };
  };
  const oldest = async (status: LoanStatus) => {
    const actor = { ...actorWith('manager'), scopes: new Set(['loans:read']) };
    const page = await loans.reads.list(actor, { status: [status], limit: 1, cursor: null, sort: 'createdAt' });
    return page === 'bad_cursor' ? null : (page.items[0] ?? null);
  };
  const [current, defaulted] = [await oldest('Current'), await oldest('Defaulted')];
  if (current !== null) {
    const { loanId } = current;
    const feeId = 'courier-1';
    await ask(actorWith('manager'), '/assess-fee', { loanId, feeId, name: 'Courier fee', amount: '80' });
    await ask(actorWith('agent'), '/waive-fee', { loanId, feeId, reason: 'The title copy never arrived' });
  }
  if (defaulted !== null) {
    const { loanId, remainingBalance } = defaulted;
    const amount = String(Math.round((remainingBalance * 6) / 100_000) * 100);
    const goodThrough = addDays(today, 30);
    const reason = 'Offers to pay at once, from the sale of another car';
    await ask(actorWith('collector'), '/settle', { loanId, quoteId: 'SETTLE-1', amount, goodThrough, reason });
  }
}
