/** The loans that an export goes through, and each of them as the caller sees it at the moment of the export. */
import type { LoanFile } from '../../boarding/file.ts';
import type { PlainDate } from '../../core/calendar.ts';
import type { LoanEvent } from '../../core/event.ts';
import { fold } from '../../core/fold.ts';
import type { Loan } from '../../core/loan.ts';
import { partiesOf } from '../../core/ownership.ts';
import { followed } from '../../policy/impact.ts';
import type { Sql } from '../../store/db/db.ts';
import { volumeOf } from '../../store/db/volumes.ts';
import { type ExportedLoan, type ExportScope, type ListedLoan, readExportLoans } from '../../store/exports/exports.ts';
import type { Actor } from '../door/actor.ts';
import type { Clock, Clocks } from '../door/clocks.ts';
import { eventsIn } from '../door/loan-cache.ts';
import { formerlyOwned, roleOf } from '../door/permissions.ts';
import type { ExportQuery, Moment } from './source.ts';

/** Loans that are looked up at once. */
const LOANS_AT_ONCE = 500;
/** Loans, and events of theirs, that are read at once: about a megabyte, which takes the driver some milliseconds. */
const READ_AT_ONCE = { loans: 64, events: 1_000 };

/** Own loans and those of grants, as they are at the moment of the export. */
export function exportScopesOf({ organizationId, grants }: Actor, { days }: Moment): ExportScope[] {
  const others = grants.filter(
    ({ ownerOrganizationId: owner }) => owner !== organizationId && days[owner] !== undefined,
  );
  const byOwner = Map.groupBy(others, ({ ownerOrganizationId }) => ownerOrganizationId);
  return [
    { organizationId, servicerIds: null },
    ...[...byOwner].map(([owner, given]) => ({
      organizationId: owner,
      servicerIds: given.some(({ servicerId }) => servicerId === null)
        ? null
        : [...new Set(given.map(({ servicerId }) => servicerId as string))],
    })),
  ];
}

export type Walk = {
  readonly sql: Sql;
  readonly actor: Actor;
  readonly asked: Pick<ExportQuery, 'lenderId'>;
  readonly moment: Moment;
  /** The loan to continue after; null: at the first one. */
  readonly after: string | null;
  /** That loan included. */
  readonly including?: boolean;
  /** The numbers that are read at once, if fewer than usual. */
  readonly most?: Partial<typeof READ_AT_ONCE>;
  /** The books of the own lenders too. */
  readonly withBooks?: boolean;
};

export type Portion = {
  readonly volume: number;
  readonly through: number;
  readonly loanIds: readonly string[];
  /** Those of the ids that are of books. */
  readonly books: ReadonlySet<string>;
};

/** The loans that may be in reach, volume by volume and in the order of their ids, as many at a time as can be read at once. */
export async function* portionsOf({
  sql,
  actor,
  asked,
  moment,
  after,
  including = false,
  most,
  withBooks = false,
}: Walk): AsyncGenerator<Portion> {
  const scopes = exportScopesOf(actor, moment);
  const limits = { ...READ_AT_ONCE, ...most };
  const first = after === null ? 0 : volumeOf(sql, after);
  for (let volume = first; volume < moment.heads.length; volume += 1) {
    const through = moment.heads[volume] as number;
    let last = volume === first ? after : null;
    let included = including;
    for (;;) {
      const page = await readExportLoans(sql, {
        ...{ volume, through, scopes, after: last, including: included },
        formerOwner: actor.organizationId,
        lenderId: asked.lenderId,
        withBooks,
        limit: LOANS_AT_ONCE,
      });
      const books = new Set(page.filter(({ isBook }) => isBook).map(({ loanId }) => loanId));
      for (const loanIds of chunksOf(page, limits)) yield { volume, through, loanIds, books };
      last = page.at(-1)?.loanId ?? null;
      included = false;
      if (page.length < LOANS_AT_ONCE) break;
    }
  }
}

function* chunksOf(loans: readonly ListedLoan[], most: { loans: number; events: number }): Generator<string[]> {
  let chunk: string[] = [];
  let events = 0;
  for (const { loanId, version } of loans) {
    if (chunk.length > 0 && (chunk.length === most.loans || events + version > most.events)) {
      yield chunk;
      [chunk, events] = [[], 0];
    }
    chunk.push(loanId);
    events += version;
  }
  if (chunk.length > 0) yield chunk;
}

/** A loan as the caller sees it. */
export type Viewed = {
  readonly loanId: string;
  /** Its owner at the moment that was asked for. */
  readonly organizationId: string;
  readonly createdAt: number;
  readonly file: LoanFile;
  readonly lenderId: string;
  readonly primaryServicerId: string;
  readonly secondaryServicerId: string;
  readonly events: readonly LoanEvent[];
  readonly loan: Loan;
  readonly hashes: readonly string[];
  /** Whether the caller may read its full record now, if it has the scope: a former owner may not. */
  readonly open: boolean;
};

/**
 * As it was known at the moment, on the date that was asked for or on its day then; null: not in reach, or not yet recorded. The same rules
 * as for reads of one loan (`read.ts`).
 */
export function viewedAt(
  stored: ExportedLoan,
  clock: Clock,
  { actor, asked, moment }: { actor: Actor; asked: Pick<ExportQuery, 'asOf' | 'knownAt'>; moment: Moment },
): Viewed | null {
  const recorded = eventsIn(stored.bodies);
  const parties = partiesOf(recorded);
  const { created } = stored;
  const belonging = {
    organizationId: parties.organizationId ?? created.organizationId,
    primaryServicerId: parties.primaryServicerId ?? created.primaryServicerId,
    secondaryServicerId: parties.secondaryServicerId ?? created.secondaryServicerId,
  };
  const lenderId = parties.lenderId ?? created.lenderId;
  const former = formerlyOwned(actor, { ...belonging, parties });
  if (former === null && roleOf(actor, belonging) === null) return null;
  const today = moment.days[former === null ? belonging.organizationId : actor.organizationId];
  if (today === undefined) return null;
  const events = followed(recorded, clock.policies.of(lenderId));
  const until = asked.knownAt === null ? null : Date.parse(asked.knownAt);
  const seen = former === null ? events : events.slice(0, former.events);
  const known = until === null ? seen : seen.filter(({ recordedAt }) => Date.parse(recordedAt) <= until);
  const last = known.at(-1);
  if (last === undefined) return null;
  const day = asked.asOf ?? (today > last.recordedOn ? today : last.recordedOn);
  const on: PlainDate = former !== null && former.lastDay < day ? former.lastDay : day;
  if (known.every(({ date }) => date > on)) return null;
  // On the day of the view: a transfer takes effect on the day on which it was carried out.
  const then = partiesOf(known.filter(({ date }) => date <= on));
  return {
    loanId: stored.loanId,
    organizationId: belonging.organizationId,
    createdAt: created.at,
    file: JSON.parse(stored.file) as LoanFile,
    lenderId: then.lenderId ?? created.lenderId,
    primaryServicerId: then.primaryServicerId ?? created.primaryServicerId,
    secondaryServicerId: then.secondaryServicerId ?? created.secondaryServicerId,
    events: known,
    loan: fold(known, on),
    hashes: stored.hashes.split(','),
    open: roleOf(actor, stored.now) !== null,
  };
}

/** The clock of whoever owned each loan at the moment. */
export async function clocksOf(clocks: Clocks, stored: readonly ExportedLoan[]): Promise<(one: ExportedLoan) => Clock> {
  const ownerOf = ({ bodies, created }: ExportedLoan) =>
    (bodies.includes('"transferred"') ? partiesOf(eventsIn(bodies)).organizationId : null) ?? created.organizationId;
  const owners = new Map(stored.map((one) => [one.loanId, ownerOf(one)]));
  const found = await clocks.of(owners.values());
  return ({ loanId }) => found.get(owners.get(loanId) as string) as Clock;
}
