/**
 * A postal address in one spelling, to be compared and never shown: upper case, without punctuation, with the postal service's
 * abbreviations (Publication 28), the unit apart from the street, and five digits of the ZIP code. The town and the state are left out where
 * there is a ZIP code, which says more and is written in one way.
 */

export type PostalAddress = {
  readonly street: string;
  readonly unit?: string;
  readonly city?: string;
  readonly state?: string;
  readonly zip?: string;
};

/** Null: too little of it is known to tell one door from another. */
export function normalAddress({ street, unit = '', city = '', state = '', zip = '' }: PostalAddress): string | null {
  const words = wordsOf(street);
  const at = words.findIndex((word, i) => i > 0 && UNITS.has(word));
  const line = (at < 0 ? words : words.slice(0, at)).map((word) => SHORT.get(word) ?? word).join(' ');
  const door = [...(at < 0 ? [] : words.slice(at)), ...wordsOf(unit)].filter((word) => !UNITS.has(word));
  const place = /^\D*(\d{5})(?:\D*\d{4})?\D*$/.exec(zip)?.[1] ?? wordsOf(`${city} ${state}`).join(' ');
  // A number and a name, or a post office box.
  if (!/\d/.test(line) || line.length < 4 || place === '') return null;
  return [line, [...new Set(door)].join(' '), place].join('|');
}

/** An address in one text: `12 Main St Apt 4, Columbus, OH 43215`. */
export function addressIn(text: string): PostalAddress {
  const [street = '', ...rest] = text.split(',');
  const tail = rest.at(-1) ?? '';
  const zip = /(\d{5})(?:-?\d{4})?\s*$/.exec(tail)?.[1] ?? '';
  return { street, zip, city: rest.join(' ') };
}

function wordsOf(text: string): string[] {
  const bare = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/#/g, ' UNIT ')
    .replace(/\bP\.?\s*O\.?\s*BOX\b/g, 'POBOX')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return bare === '' ? [] : bare.split(' ');
}

const UNITS: ReadonlySet<string> = new Set(
  'UNIT APT APARTMENT STE SUITE RM ROOM BLDG BUILDING FL FLOOR LOT SPC SPACE TRLR TRAILER NO'.split(' '),
);

/** Publication 28, appendix C: the suffixes that make up most streets; directions. */
const SHORT: ReadonlyMap<string, string> = new Map(
  [
    ...['ALLEY ALY', 'AVENUE AVE', 'AV AVE', 'BOULEVARD BLVD', 'CIRCLE CIR', 'COURT CT', 'CROSSING XING', 'DRIVE DR'],
    ...['EXPRESSWAY EXPY', 'EXTENSION EXT', 'FREEWAY FWY', 'HEIGHTS HTS', 'HIGHWAY HWY', 'HILL HL', 'HOLLOW HOLW'],
    ...['JUNCTION JCT', 'LANE LN', 'MOUNT MT', 'MOUNTAIN MTN', 'PARKWAY PKWY', 'PLACE PL', 'PLAZA PLZ', 'POINT PT'],
    ...[
      'RIDGE RDG',
      'ROAD RD',
      'ROUTE RTE',
      'SAINT ST',
      'SQUARE SQ',
      'STREET ST',
      'STR ST',
      'TERRACE TER',
      'TRAIL TRL',
    ],
    ...['TURNPIKE TPKE', 'VALLEY VLY', 'VIEW VW', 'VILLAGE VLG', 'NORTH N', 'SOUTH S', 'EAST E', 'WEST W'],
    ...['NORTHEAST NE', 'NORTHWEST NW', 'SOUTHEAST SE', 'SOUTHWEST SW', 'COUNTY CO'],
  ].map((pair) => pair.split(' ') as [string, string]),
);
