/** Holds: placed and released. */
import type { PlainDate } from '../calendar.ts';
import type { HoldKind } from '../hold-effects.ts';
import { type Bankruptcy, concernsFunding, overlapping } from '../holds.ts';
import { holdIn } from '../references.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { BEFORE_FUNDING, type Family, FUNDED, type When } from './operation.ts';
import { futureDate, onHoldBy, refuseDate } from './refusals.ts';

export type HoldCommand =
  | {
      do: 'place-hold';
      holdId: string;
      kind: HoldKind;
      /** Null: today, or for a repeated call the first day of the hold. */
      from: PlainDate | null;
      /** The last day; null: until it is released. */
      to: PlainDate | null;
      /** For a bankruptcy, and for nothing else. */
      bankruptcy: Bankruptcy | null;
      /** Whether there are details, which are sealed beside the event. */
      detailed: boolean;
      reason: string;
    }
  | {
      do: 'release-hold';
      holdId: string;
      date: PlainDate | null;
      reason: string;
      /** Late fees of the days from `date` up to today are charged on those days; absent: late fees begin again today. */
      chargeRetroactive?: boolean;
    };

/** Holds of one loan, ended ones included. A loan in servicing has a handful. */
const MOST_HOLDS = 100;

export const hold: Family<HoldCommand> = {
  'place-hold': {
    from: [...BEFORE_FUNDING, ...FUNDED],
    to: 'unchanged',
    by: 'servicer',
    records: ['holdPlaced'],
    onHistory: true,
    needsReason: 'A hold requires a reason.',
    refuse: (command, when) => refuseSpan(command, when) ?? refuseBankruptcy(command, when),
    notIn: (status, { kind }) =>
      BEFORE_FUNDING.includes(status) && !concernsFunding(kind)
        ? `The loan is ${status}. Before funding only holds that stop it can be placed: fraud, deceased, litigation.`
        : null,
    repeat: {
      of({ folding }, { holdId, kind, from, to, bankruptcy }) {
        const first = holdIn(folding, holdId);
        if (first === null) return null;
        const same =
          first.kind === kind &&
          (from === null || first.from === from) &&
          first.to === to &&
          JSON.stringify(first.bankruptcy) === JSON.stringify(bankruptcy);
        const detail = 'This loan already has another hold with this id; use a new one.';
        return same ? 'same' : refuse('reference_conflict', detail, { member: 'holdId' });
      },
      original: (events, { holdId }) => eventOf('holdPlaced', events, holdId),
    },
    decide({ history, loan, when }, { holdId, kind, from: given, to, bankruptcy, detailed }) {
      const { holds } = history.folding.working;
      if (holds.length >= MOST_HOLDS) {
        return refuse(
          'not_supported',
          `This loan has had ${MOST_HOLDS} holds, which is the limit. Close it and board the remaining balance as a new loan.`,
        );
      }
      const from = given ?? when.today;
      const other = overlapping(holds, { kind, from, to });
      if (other !== null) {
        const until = other.to === null ? '' : ` to ${other.to}`;
        const detail = `The ${kind} hold ${other.holdId} from ${other.from}${until} covers some of these days. Release it first, or choose other dates.`;
        return onHoldBy([other], detail);
      }
      const dated = refuseDate(loan, from, when);
      if (dated !== null) return { ...dated, member: 'from' };
      // Until it is funded, this is the day on which it was created.
      if (loan.stage !== 'Funded' && from < loan.stretchSince) {
        const detail = `The loan was created on ${loan.stretchSince}; a hold cannot begin before that.`;
        return refuse('date_before_contract', detail, { member: 'from' });
      }
      const facts = { ...(bankruptcy === null ? {} : { bankruptcy }), detailed };
      return [{ type: 'holdPlaced', holdId, kind, to, ...facts, date: from }];
    },
  },

  'release-hold': {
    from: [...BEFORE_FUNDING, 'Rejected', 'Cancelled', ...FUNDED],
    to: 'unchanged',
    by: 'servicer',
    records: ['holdReleased'],
    onHistory: true,
    needsReason: 'The release of a hold requires a reason.',
    repeat: {
      of({ folding }, { holdId, date }) {
        const releasedOn = holdIn(folding, holdId)?.releasedOn ?? null;
        if (releasedOn === null) return null;
        if (date === null || date === releasedOn) return 'same';
        return refuse('reference_conflict', `This hold was released on ${releasedOn}.`, { member: 'date' });
      },
      original: (events, { holdId }) => eventOf('holdReleased', events, holdId),
    },
    decide({ history, when }, { holdId, date, chargeRetroactive = false }) {
      const one = holdIn(history.folding, holdId);
      if (one === null) return refuse('unknown_reference', 'This loan has no hold with this id.', { member: 'holdId' });
      const day = date ?? when.today;
      if (day < one.from) return wrongDate(`The hold begins on ${one.from}; it cannot be released before that.`);
      if (one.to !== null && day > one.to)
        return wrongDate(`The last day of the hold is ${one.to}; the release cannot be later.`);
      if (day > when.today) return futureDate('date');
      const feesFrom = day < when.today && !chargeRetroactive ? { feesFrom: when.today } : {};
      return [{ type: 'holdReleased', holdId, ...feesFrom, date: day }];
    },
  },
};

function refuseSpan({ from, to }: { from: PlainDate | null; to: PlainDate | null }, { today }: When): Refusal | null {
  return to !== null && to < (from ?? today)
    ? refuse('contradiction', 'The last day of a hold must not be before its first.', { member: 'to' })
    : null;
}

function refuseBankruptcy(
  { kind, from, bankruptcy }: { kind: HoldKind; from: PlainDate | null; bankruptcy: Bankruptcy | null },
  { today }: When,
): Refusal | null {
  const wrong = (detail: string) => refuse('contradiction', detail, { member: 'details' });
  if (bankruptcy === null) {
    if (kind !== 'bankruptcy') return null;
    return refuse('required', 'A bankruptcy requires its chapter: details.chapter is 7, 11, 12 or 13.', {
      member: 'details',
    });
  }
  if (kind !== 'bankruptcy') {
    return wrong('chapter, filed, discharged and reaffirmed are details of a bankruptcy; leave them out.');
  }
  const { filed, discharged } = bankruptcy;
  if (filed !== null && filed > (from ?? today)) return wrong('The hold cannot begin before the bankruptcy was filed.');
  if (discharged !== null && discharged < (filed ?? from ?? today)) {
    return wrong('A bankruptcy cannot be discharged before it was filed.');
  }
  return discharged !== null && discharged > today
    ? refuse('date_in_future', 'The discharge cannot be in the future.', { member: 'details' })
    : null;
}

function wrongDate(detail: string): Refusal {
  return refuse('contradiction', detail, { member: 'date' });
}

/** The event of this type with this hold. */
function eventOf(
  type: 'holdPlaced' | 'holdReleased',
  events: readonly { type: string }[],
  holdId: string,
): number | null {
  const at = events.findIndex((event) => event.type === type && 'holdId' in event && event.holdId === holdId);
  return at < 0 ? null : at;
}
