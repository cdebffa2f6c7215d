/** Roll rates: the positions of two dates, or of one date and the loans of today, joined loan by loan. */
import type { PlainDate } from '../../core/calendar.ts';
import { BUCKETS } from '../../portfolio/buckets.ts';
import type { Rolled } from '../../portfolio/reports/roll-rates.ts';
import { FENCE } from '../books/books.ts';
import type { Sql } from '../db/db.ts';
import { PLAIN } from '../db/volumes.ts';
import { type Put, parameterList } from '../reads/list-names.ts';
import { bucketText, daysToday, type PortfolioScope, statusToday } from './facts.ts';
import { type KnownBy, type Slice, sliceText } from './portfolio.ts';

/** The place of a loan: in a bucket by its number, charged off, or no longer in the balance (`positions.place`); then sold, and not there before. */
const CHARGED_OFF = BUCKETS.length;
export const LEFT = CHARGED_OFF + 1;
const [SOLD, NOWHERE] = [LEFT + 1, LEFT + 2] as const;
const PLACES = NOWHERE + 1;

export type RolledQuery = {
  readonly scope: PortfolioScope;
  readonly from: PlainDate;
  /** `today`: the loans as they stand, on this day of their owner. */
  readonly to: { readonly date: PlainDate; readonly today: boolean };
  readonly knownBy: KnownBy;
  readonly by: Slice;
};

/**
 * One hash join over the loans that were in the balance on the two dates. Those that entered and left between them are not counted. Where the
 * tables are spread over servers, each volume is joined by itself, and what they have in common is added up here.
 */
export async function readRolled(tx: Sql, query: RolledQuery): Promise<Rolled[]> {
  if (!tx.volumes.sharded) return rolledIn(tx, query, null);
  const sums = new Map<string, Rolled>();
  for (let volume = 0; volume < tx.volumes.count; volume++) {
    for (const one of await rolledIn(tx, query, volume)) {
      const way = JSON.stringify([one.slice, one.from, one.to]);
      const sum = sums.get(way) ?? { ...one, count: 0n, principalFrom: 0n, principalTo: 0n };
      sums.set(way, {
        ...one,
        count: sum.count + one.count,
        principalFrom: sum.principalFrom + one.principalFrom,
        principalTo: sum.principalTo + one.principalTo,
      });
    }
  }
  return [...sums.values()];
}

/** `volume` null: all of them. */
async function rolledIn(
  tx: Sql,
  { scope, from, to, knownBy, by }: RolledQuery,
  volume: number | null,
): Promise<Rolled[]> {
  const { values, put } = parameterList();
  const here = volume === null ? '' : `AND volume = ${put(volume)}::smallint`;
  const before = placesOn({ scope, date: from, knownBy, by, here }, put);
  const after = to.today
    ? placesToday({ scope, date: to.date, by, here }, put)
    : placesOn({ scope, date: to.date, knownBy, by, here }, put);
  const sold = `SELECT volume, loan_id FROM former_owners WHERE organization_id = ${put(scope.organizationId)} ${here}
    AND owned_from <= ${put(from)} AND owned_until > ${put(from)} AND owned_until <= ${put(to.date)}`;
  // The way as one number behind a fence, of which the planner expects few: it then adds up in parallel.
  const joined = `SELECT coalesce(a.slice, b.slice) AS slice, a.principal AS principal_from, b.principal AS principal_to,
      coalesce(a.place, ${NOWHERE}) * ${PLACES} + coalesce(b.place, CASE WHEN (a.volume, a.loan_id) IN (${sold}) THEN ${SOLD} ELSE ${LEFT} END) AS way
    FROM (SELECT * FROM (${before}) every_one WHERE mine) a FULL JOIN (${after}) b ON b.loan_id = a.loan_id AND b.volume = a.volume
    WHERE a.loan_id IS NOT NULL OR b.mine ${FENCE}`;
  const rows = await tx.query<Record<'slice' | 'loans' | 'principal_from' | 'principal_to', string> & Places>(
    `${volume === null ? PLAIN : ''} SELECT slice, way / ${PLACES} AS place_from, way % ${PLACES} AS place_to, loans::text, principal_from::text, principal_to::text FROM (
       SELECT slice, way, count(*) AS loans, coalesce(sum(principal_from), 0) AS principal_from, coalesce(sum(principal_to), 0) AS principal_to
       FROM (${joined}) joined GROUP BY slice, way
     ) rolled`,
    values,
  );
  return rows.map(({ slice, place_from, place_to, loans, principal_from, principal_to }) => ({
    slice,
    from: place_from === NOWHERE ? 'new' : heldAt(place_from),
    to: place_to === SOLD ? 'transferred' : place_to === LEFT ? 'paidOff' : heldAt(place_to),
    count: BigInt(loans),
    principalFrom: BigInt(principal_from),
    principalTo: BigInt(principal_to),
  }));
}

type Places = { place_from: number; place_to: number };

const heldAt = (place: number) => BUCKETS[place] ?? 'chargedOff';

const sliced = (by: Slice): string =>
  by === 'servicer'
    ? "coalesce(primary_servicer_id, '')"
    : by === 'grade' || by === 'state'
      ? `coalesce(${by}, '')`
      : sliceText(by);

/** `here` restricts each table to a volume, or is empty. */
type Placed = { scope: PortfolioScope; date: PlainDate; by: Slice; here: string };

/** A loan may have changed its servicer between the dates, so on the second one those of other servicers are read too. */
const mineText = ({ servicerIds }: PortfolioScope, put: Put): string => {
  if (servicerIds === null) return 'true AS mine';
  const servicers = `${put(servicerIds)}::text[]`;
  return `coalesce(primary_servicer_id = ANY (${servicers}), false) OR coalesce(secondary_servicer_id = ANY (${servicers}), false) AS mine`;
};

/** The last row of each loan by what is known. Few are restated, so those are found first and the rows that they replace left out. */
function placesOn({ scope, date, knownBy, by, here }: Placed & { knownBy: KnownBy }, put: Put): string {
  const on = put(date);
  const owner = put(scope.organizationId);
  const known = knownBy === 'asReported' ? on : put(knownBy);
  const first = `(SELECT min(known_on) FROM positions WHERE organization_id = ${owner} ${here} AND date = ${on}::date)`;
  const replaced =
    knownBy === 'asReported'
      ? ''
      : `AND NOT EXISTS (SELECT 1 FROM positions r WHERE r.organization_id = ${owner} AND r.date = ${on}::date
           AND r.known_on > ${first} AND r.known_on <= ${known}::date AND r.known_on > p.known_on
           AND r.loan_id = p.loan_id AND r.volume = p.volume ${here})`;
  return `SELECT volume, loan_id, principal, ${sliced(by)} AS slice, ${mineText(scope, put)}, place
    FROM positions p WHERE p.organization_id = ${owner} ${here} AND p.date = ${on}::date AND p.known_on <= ${known}::date
      AND NOT p.withdrawn AND p.place < ${LEFT} ${replaced}`;
}

/** A loan that is closed, or of which nothing is owed, is no longer in the balance. */
function placesToday({ scope, date, by, here }: Placed, put: Put): string {
  const on = put(date);
  const slice = by === 'status' ? statusToday(on) : sliced(by);
  return `SELECT volume, loan_id, principal, ${slice} AS slice, ${mineText(scope, put)},
      CASE WHEN status = 'ChargedOff' THEN ${CHARGED_OFF} ELSE ${bucketText(daysToday(on))} END AS place
    FROM loans WHERE organization_id = ${put(scope.organizationId)} ${here} AND status IN ('Funded', 'Current', 'Defaulted', 'ChargedOff')
      AND (principal > 0 OR book_fees > 0 OR book_interest > 0)`;
}
