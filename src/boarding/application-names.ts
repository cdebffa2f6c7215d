/**
 * Checks on applications that are to be assessed here. `Request` accepts unknown members, so a misspelt one would be kept,
 * shown and never read. A name that is close to a known one is therefore refused, and so are a date of birth in the future and a state that
 * cannot be read. A loan that was assessed elsewhere keeps them.
 */
import type { PlainDate } from '../core/calendar.ts';
import type { Reader } from '../core/reader.ts';
import { ARMED_FORCES, STATES } from '../core/states.ts';
import type { Span } from './json-source.ts';
import { namesRead, REQUEST } from './record-members.ts';

type Members = ReadonlyMap<string, Span>;

/** `given` are the members of `Request` as it was sent, `membersOf` those of one of its objects. */
export function checkNames(read: Reader, given: Members, membersOf: (object: string) => Members): void {
  checkNear(read, '/Request', given, [...REQUEST.keys()]);
  for (const [name, shape] of REQUEST) checkNear(read, `/Request/${name}`, membersOf(name), namesRead(shape));
}

/** Values that the service decides by must be readable: the date of birth, and the state. */
export function checkApplicant(read: Reader, applicant: ReadonlyMap<string, string>, today: PlainDate): void {
  const born = applicant.get('ApplicantDOB') ?? '';
  if (born > today.replaceAll('-', '')) {
    const detail = 'Must be a date in the past in the form YYYYMMDD.';
    read.note('/Request/ApplicantInfo/ApplicantDOB', { code: 'format', detail });
  }
  const state = (applicant.get('ApplicantState') ?? '').trim();
  if (state !== '' && !isState(state)) {
    const detail = 'Must be the two-letter code of a US state, district or territory, such as OH.';
    read.note('/Request/ApplicantInfo/ApplicantState', { code: 'enum', detail });
  }
}

export function isState(text: string): boolean {
  return KNOWN_STATES.has(text.toUpperCase());
}

const KNOWN_STATES: ReadonlySet<string> = new Set([...STATES, ...ARMED_FORCES]);

/** At most this many names of one object are checked, to bound the work. */
const LOOKED_AT = 1_000;

function checkNear(read: Reader, at: string, given: Members, known: readonly string[]): void {
  let looked = 0;
  for (const name of given.keys()) {
    if (known.includes(name) || MEANT.has(name)) continue;
    looked += 1;
    if (looked > LOOKED_AT) return;
    // If the known name is present too, this is an additional member of the caller.
    const meant = known.find((one) => !given.has(one) && isNear(name, one));
    if (meant !== undefined) {
      read.note(`${at}/${name}`, { code: 'unknown_member', detail: `Unknown field; did you mean ${meant}?` });
    }
  }
}

/** Words of their own, although close to a known name. */
const MEANT: ReadonlySet<string> = new Set(['Country']);

/** The common prefix of the names of one object: many leave it out. */
const PREFIX = /^(CoApplicant|Applicant|Vehicle|Dealer|RequestedLoan|Employment)/;

/** Equal except for case and separators, without its prefix, or with one typing error; two in a long name. */
function isNear(name: string, known: string): boolean {
  if (name.length > known.length + 4 || !/^[\w .-]+$/.test(name)) return false;
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const [a, b] = [plain(name), plain(known)];
  const rest = plain(known.replace(PREFIX, ''));
  if (a === b || a === rest) return true;
  // A number behind a known name is deliberate: ApplicantAddress2.
  if (/\d/.test(a)) return false;
  return slips(a, b) <= (rest.length >= LONG_NAME ? 2 : 1);
}

const LONG_NAME = 8;

/** Letters that are wrong, missing, too many or swapped with their neighbour. */
function slips(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] as number) + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return last[b.length] as number;
}
