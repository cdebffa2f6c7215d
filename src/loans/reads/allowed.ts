/** The operations that an actor can do with a loan now, and for each other operation the refusal that it would get. */

import { OPERATION_NAMES, type Operation, refusedNow } from '../../core/decide/decide.ts';
import type { Situation } from '../../core/decide/operation.ts';
import { foldAll } from '../../core/fold.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { Actor } from '../door/actor.ts';
import { mayDo, roleOf } from '../door/permissions.ts';
import type { LoanState, LoanView, ViewOptions } from './view.ts';

/** `grant`: the actor's role does not include it; `ownership`: the actor is a former owner; both in any state of the loan. */
export type NotAllowed = { readonly operation: Operation; readonly refusal: Refusal | 'grant' | 'ownership' };

export type Allowed = {
  readonly view: LoanState;
  readonly allowed: readonly Operation[];
  readonly notAllowed: readonly NotAllowed[];
};

type Reads = {
  readState(actor: Actor, loanId: string, how: ViewOptions): Promise<LoanState | 'before' | null>;
  read(actor: Actor, loanId: string, how: ViewOptions): Promise<LoanView | 'before' | null>;
};

export function openAllowed({ readState, read }: Reads) {
  return async (actor: Actor, loanId: string, how: ViewOptions): Promise<Allowed | 'before' | null> => {
    const view = await readState(actor, loanId, how);
    if (view === null || view === 'before') return view;
    const quick = judged(actor, view);
    if (quick !== 'needs_events') return quick;
    const whole = await read(actor, loanId, how);
    if (whole === null || whole === 'before') return whole;
    const { events, ...state } = whole;
    const judgedAgain = judged(actor, { ...state, history: () => ({ folding: foldAll(events), events }) });
    if (judgedAgain === 'needs_events') throw new Error('A loan was judged without its history.');
    return judgedAgain;
  };
}

function judged(actor: Actor, view: LoanState): Allowed | 'needs_events' {
  const { file, loan, status, organizationId } = view;
  const { primaryServicerId, secondaryServicerId } = file;
  const role = roleOf(actor, { organizationId, primaryServicerId, secondaryServicerId });
  const denied = view.former === true ? 'ownership' : 'grant';
  const when = { today: loan.on, at: `${loan.on}T00:00:00.000Z` };
  const situation: Situation = { history: view.history(), loan, status, when, onFile: file };
  const allowed: Operation[] = [];
  const notAllowed: NotAllowed[] = [];
  for (const operation of OPERATION_NAMES) {
    const refusal = mayDo(role, operation) ? refusedNow(operation, situation) : denied;
    if (refusal === 'needs_events') return refusal;
    if (refusal === null) allowed.push(operation);
    else notAllowed.push({ operation, refusal });
  }
  return { view, allowed, notAllowed };
}
