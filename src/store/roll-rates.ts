/** Roll rates: the positions of two dates, or of one date and the loans of today, joined loan by loan. */
import type { PlainDate } from '../core/calendar.ts';
import { ACTIVE, BUCKETS } from '../portfolio/buckets.ts';
import type { After, Before, Rolled } from '../portfolio/reports/roll-rates.ts';
import { FENCE } from './books.ts';
import type { Sql } from './db.ts';
import { type Put, parameterList } from './list-names.ts';
import { type KnownBy, type Slice, sliceText } from './portfolio.ts';
import { bucketText, daysToday, type PortfolioScope, statusToday } from './portfolio-facts.ts';

/** Where a row is: a bucket by its number, and then these. */
const [CHARGED_OFF, LEFT, SOLD, NOWHERE] = [
  BUCKETS.length,
  BUCKETS.length + 1,
  BUCKETS.length + 2,
  BUCKETS.length + 3,
] as const;
const PLACES = NOWHERE + 1;

export type RolledAsked = {
  readonly scope: PortfolioScope;
  readonly from: PlainDate;
  /** Null: today, which is this day of the owner. */
  readonly to: { readonly date: PlainDate; readonly today: boolean };
  readonly knownBy: KnownBy;
  readonly by: Slice;
};

/** One hash join over the two dates. Loans that entered and left between them are not counted. */
export async function readRolled(tx: Sql, { scope, from, to, knownBy, by }: RolledAsked): Promise<Rolled[]> {
  const { values, put } = parameterList();
  const before = placesOn({ scope, date: from, knownBy, by }, put);
  const after = to.today
    ? placesToday({ scope, date: to.date, by }, put)
    : placesOn({ scope, date: to.date, knownBy, by }, put);
  const sold = `SELECT volume, loan_id FROM former_owners WHERE organization_id = ${put(scope.organizationId)}
    AND owned_from <= ${put(from)} AND owned_until > ${put(from)} AND owned_until <= ${put(to.date)}`;
  // The way as one number behind a fence, of which the planner expects few: it then adds up in parallel.
  const joined = `SELECT coalesce(a.slice, b.slice) AS slice, a.principal AS principal_from, b.principal AS principal_to,
      coalesce(a.place, ${NOWHERE}) * ${PLACES} + CASE WHEN b.place <= ${CHARGED_OFF} THEN b.place WHEN s.loan_id IS NULL THEN ${LEFT} ELSE ${SOLD} END AS way
    FROM (SELECT * FROM (${before}) every_one WHERE mine) a FULL JOIN (${after}) b ON b.loan_id = a.loan_id AND b.volume = a.volume
    LEFT JOIN (${sold}) s ON s.loan_id = a.loan_id AND s.volume = a.volume
    WHERE a.loan_id IS NOT NULL OR b.mine ${FENCE}`;
  const rows = await tx.query<Record<'slice' | 'loans' | 'principal_from' | 'principal_to', string> & Places>(
    `SELECT slice, way / ${PLACES} AS place_from, way % ${PLACES} AS place_to, loans::text, principal_from::text, principal_to::text FROM (
       SELECT slice, way, count(*) AS loans, coalesce(sum(principal_from), 0) AS principal_from, coalesce(sum(principal_to), 0) AS principal_to
       FROM (${joined}) joined GROUP BY slice, way
     ) rolled`,
    values,
  );
  return rows.flatMap((row) => {
    const way = wayOf(row);
    if (way === null) return [];
    const { slice, loans, principal_from, principal_to } = row;
    return [
      {
        slice,
        ...way,
        count: BigInt(loans),
        principalFrom: way.from === 'new' ? 0n : BigInt(principal_from),
        principalTo: way.to === 'paidOff' || way.to === 'transferred' ? 0n : BigInt(principal_to),
      },
    ];
  });
}

type Places = { place_from: number; place_to: number };

/** Null: the loan was in the balance on neither date. */
function wayOf({ place_from: from, place_to: to }: Places): { from: Before; to: After } | null {
  const isHeld = (place: number) => place <= CHARGED_OFF;
  if (!isHeld(from) && !isHeld(to)) return null;
  return {
    from: isHeld(from) ? heldAt(from) : 'new',
    to: isHeld(to) ? heldAt(to) : to === SOLD ? 'transferred' : 'paidOff',
  };
}

const heldAt = (place: number) => BUCKETS[place] ?? 'chargedOff';

/** As sums count it (`portfolio-facts.ts`): of a loan that is not closed something is owed, or it has left the balance. */
const placeText = (days: string, owed: string): string =>
  `CASE WHEN NOT (${owed}) THEN ${LEFT} WHEN status IN ('${ACTIVE.join("', '")}') THEN ${bucketText(days)}
     WHEN status = 'ChargedOff' THEN ${CHARGED_OFF} ELSE ${LEFT} END AS place`;

const sliced = (by: Slice): string =>
  by === 'servicer'
    ? "coalesce(primary_servicer_id, '')"
    : by === 'grade' || by === 'state'
      ? `coalesce(${by}, '')`
      : sliceText(by);

type Placed = { scope: PortfolioScope; date: PlainDate; by: Slice };

/** A loan may have changed its servicer between the dates, so on the second one those of other servicers are read too. */
const mineText = ({ servicerIds }: PortfolioScope, put: Put): string => {
  if (servicerIds === null) return 'true AS mine';
  const servicers = `${put(servicerIds)}::text[]`;
  return `coalesce(primary_servicer_id = ANY (${servicers}), false) OR coalesce(secondary_servicer_id = ANY (${servicers}), false) AS mine`;
};

/** The last row of each loan by what is known. Few are restated, so those are found first and the rows that they replace left out. */
function placesOn({ scope, date, knownBy, by }: Placed & { knownBy: KnownBy }, put: Put): string {
  const on = put(date);
  const owner = put(scope.organizationId);
  const known = knownBy === 'asReported' ? on : put(knownBy);
  const first = `(SELECT min(known_on) FROM positions WHERE organization_id = ${owner} AND date = ${on}::date)`;
  const replaced =
    knownBy === 'asReported'
      ? ''
      : `AND NOT EXISTS (SELECT 1 FROM positions r WHERE r.organization_id = ${owner} AND r.date = ${on}::date
           AND r.known_on > ${first} AND r.known_on <= ${known}::date AND r.known_on > p.known_on
           AND r.loan_id = p.loan_id AND r.volume = p.volume)`;
  const place = placeText('days_past_due', 'principal > 0 OR fees > 0 OR interest > 0');
  return `SELECT volume, loan_id, principal, ${sliced(by)} AS slice, ${mineText(scope, put)}, ${place}
    FROM positions p WHERE p.organization_id = ${owner} AND p.date = ${on}::date AND p.known_on <= ${known}::date AND NOT p.withdrawn ${replaced}`;
}

/** Every loan that was ever funded: one that was closed long ago was in the balance on neither date, and is left out with the join. */
function placesToday({ scope, date, by }: Placed, put: Put): string {
  const on = put(date);
  const slice = by === 'status' ? statusToday(on) : sliced(by);
  const place = placeText(daysToday(on), 'principal > 0 OR book_fees > 0 OR book_interest > 0');
  return `SELECT volume, loan_id, principal, ${slice} AS slice, ${mineText(scope, put)}, ${place}
    FROM loans WHERE organization_id = ${put(scope.organizationId)} AND status IN ('Funded', 'Current', 'Defaulted', 'ChargedOff', 'Closed', 'ClosedEarly')`;
}
