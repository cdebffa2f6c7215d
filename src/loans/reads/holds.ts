/** The holds of a loan, the table of what they do, and their sealed details for callers that may see personal data. */
import { type Operation, TRANSITIONS } from '../../core/decide/decide.ts';
import { type AreaEffect, EFFECTS, HOLD_AREAS, HOLD_EFFECTS, type HoldArea } from '../../core/hold-effects.ts';
import {
  effectsOf,
  type HOLD_STANDINGS,
  type Hold,
  holdStandingOf,
  holdsInForce,
  isInForce,
} from '../../core/holds.ts';
import type { Loan } from '../../core/loan.ts';
import { readActs, readSealedParts } from '../../store/reads/reads.ts';
import { disclose } from '../../vault/disclose.ts';
import { dataKeyOf } from '../../vault/master-keys.ts';
import { type Note, noteIn } from '../../vault/note.ts';
import { unsealNote } from '../../vault/seal.ts';
import type { TimelineOptions } from './timeline.ts';

export { EFFECTS, HOLD_AREAS, HOLD_KINDS } from '../../core/hold-effects.ts';
export { CHAPTERS, HOLD_STANDINGS } from '../../core/holds.ts';

import type { Actor } from '../door/actor.ts';
import { maySeePersonal } from '../door/permissions.ts';
import type { LoanView, ViewOptions } from './view.ts';

/** A hold, and what it changes while it is in force. */
export type HoldItem = {
  readonly hold: Hold;
  readonly standing: (typeof HOLD_STANDINGS)[number];
  readonly effects: readonly (AreaEffect & { readonly area: HoldArea })[];
  /** Null also where the caller may not see them. */
  readonly details: Readonly<Record<string, string>> | null;
  readonly reason: string | null;
};

/** Details that can name a person: sealed under the loan's key, and shown only as a disclosure. */
export const SEALED_DETAILS = {
  caseNumber: { longest: 64, about: 'The number of the case.' },
  court: { longest: 200, about: 'The court.' },
  attorney: { longest: 500, about: 'The borrower’s attorney: name, address, telephone.' },
  representative: { longest: 500, about: 'Who acts for the borrower or the estate: name, address, telephone.' },
  note: { longest: 2_000, about: 'Anything else, in your own words.' },
} as const;

/** The holds of the loan on its own day, the last to begin first. */
function holdsOf({ holds, on }: Loan): HoldItem[] {
  return holds
    .map((hold) => ({
      hold,
      standing: holdStandingOf(hold, on),
      effects: isInForce(hold, on) ? restrictionsOf(hold, on) : [],
      details: null,
      reason: null,
    }))
    .reverse();
}

/** For a summary. */
export function inForce(loan: Loan): Pick<Hold, 'holdId' | 'kind' | 'from' | 'to'>[] {
  return holdsInForce(loan).map(({ holdId, kind, from, to }) => ({ holdId, kind, from, to }));
}

/** The areas in which something is not as without the hold. */
function restrictionsOf(hold: Hold, on: Loan['on']): HoldItem['effects'] {
  return Object.entries(effectsOf(hold, on)).flatMap(([area, { effect, basis }]) =>
    basis === '' ? [] : [{ area: area as HoldArea, effect, basis }],
  );
}

/** The table of effects, and the operations that belong to each area. */
export function effectsTable() {
  const operations = Object.keys(TRANSITIONS) as Operation[];
  return {
    areas: Object.entries(HOLD_AREAS).map(([area, about]) => ({
      area,
      about,
      operations: operations.filter((operation) => TRANSITIONS[operation].area === area),
    })),
    effects: Object.entries(EFFECTS).map(([effect, { about }]) => ({ effect, about })),
    holds: HOLD_EFFECTS.map(({ kind, stage, effects }) => ({
      kind,
      stage,
      effects: Object.entries(effects).map(([area, one]) => ({ area, ...one })),
    })),
  };
}

export function openHolds({ reads, clock, masterKeys, book, read }: Omit<TimelineOptions, 'journal' | 'clocks'>) {
  /** With sealed details for callers that may see personal data, which is then a disclosure; without them for all others. */
  return async (
    actor: Actor,
    loanId: string,
    how: ViewOptions,
  ): Promise<{ view: LoanView; items: HoldItem[]; disclosed: boolean } | 'before' | null> => {
    const view = await read(actor, loanId, how);
    if (view === null || view === 'before') return view;
    const items = holdsOf(view.loan);
    // Details are the present owner's to show.
    if (items.length === 0 || !maySeePersonal(actor) || view.former === true) return { view, items, disclosed: false };
    const person = (await readSealedParts(reads(actor), loanId))?.person ?? null;
    // The borrower was erased, and the details with them.
    if (person === null) return { view, items, disclosed: false };
    const dataKey = dataKeyOf(masterKeys, person, loanId);
    const acts = await readActs(reads(actor), loanId);
    const notes = new Map<string, Note>();
    view.events.forEach((event, i) => {
      const note = acts[i]?.note ?? null;
      if (event.type === 'holdPlaced' && note !== null) {
        notes.set(event.holdId, noteIn(unsealNote(dataKey, loanId, note)));
      }
    });
    const disclosed = disclose(actor, { loanId, what: 'holds', at: clock() }, () =>
      items.map((item) => ({ ...item, ...notes.get(item.hold.holdId) })),
    );
    if ('denied' in disclosed) throw new Error('A personal read came through without its scope or key.');
    await book.enter(actor, [{ entry: disclosed.entry, dataKey }]);
    return { view, items: disclosed.data, disclosed: true };
  };
}
