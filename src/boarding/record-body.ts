/**
 * The body of POST /loans, in any of its forms: the members of a creation beside each other, the four parts of a record (`loanDetails`,
 * `Request`, `Response`, `Underwriting`), or the whole answer of a full read (`message`, `data`). Members that the record does not have may
 * stand beside it. All forms are read as the first one; a mistake is named by its place in the form that was sent.
 */
import { isMistakes, type Mistakes, type Reader } from '../core/reader.ts';
import { isRefusal, type Refusal } from '../core/refusal.ts';
import { isObjectAt, type Span } from './json-source.ts';
import { required } from './own-members.ts';
import { membersAt } from './record-parts.ts';
import { membersOfBody } from './requested-terms.ts';

type Members = ReadonlyMap<string, Span>;

export type CreationBody = {
  /** Every member by its name, wherever it stands. */
  readonly given: Members;
  /** Whether it came with `loanDetails`. */
  readonly isRecord: boolean;
  /** The same with pointers into the body as it was sent. */
  readonly located: (wrong: Mistakes | Refusal) => Mistakes | Refusal;
};

const PARTS = ['Request', 'Response', 'Underwriting'];

export function openBody(read: Reader, source: string): CreationBody | Mistakes {
  const top = membersOfBody(source);
  if (isMistakes(top)) return top;
  const data = objectAt(source, top.get('data'));
  const inside = data === null ? top : membersAt(source, data);
  const details = objectAt(source, inside.get('loanDetails'));
  if (data !== null && details === null) required(read, '/data/loanDetails');
  if (data !== null && objectAt(source, top.get('loanDetails')) !== null) {
    read.note('/loanDetails', {
      code: 'given_twice',
      detail: 'This field is given twice; it is also at /data/loanDetails.',
    });
  }
  const at = data === null ? '' : '/data';
  const given = new Map<string, Span>();
  const places = new Map<string, string>();
  const asSent = new Set<string>();
  const take = (members: Members, place: string, names?: readonly string[]) => {
    for (const [name, span] of members) {
      if (FORM.has(name) || (names !== undefined && !names.includes(name))) continue;
      const before = places.get(name);
      if (before !== undefined && before !== place) {
        const detail = `This field is given twice; it is also at ${before}/${name}.`;
        read.note(`${place}/${name}`, { code: 'given_twice', detail });
        asSent.add(`${place}/${name}`);
        continue;
      }
      given.set(name, span);
      places.set(name, place);
    }
  };
  if (details !== null) take(membersAt(source, details), `${at}/loanDetails`);
  if (data !== null) take(inside, at, PARTS);
  take(top, '');
  return {
    given,
    isRecord: details !== null,
    located(wrong) {
      if (isRefusal(wrong)) {
        const { member } = wrong;
        return member === undefined ? wrong : { ...wrong, member: placed(`/${member}`).slice(1).replaceAll('/', '.') };
      }
      const { mistakes, ...rest } = wrong;
      return { ...rest, mistakes: mistakes.map((one) => ({ ...one, pointer: placed(one.pointer) })) };
    },
  };

  function placed(pointer: string): string {
    const [, name = ''] = pointer.split(/[/.]/);
    if (name === 'data' || name === 'loanDetails' || asSent.has(pointer)) return pointer;
    return `${places.get(name) ?? (details !== null && !BESIDE.has(name) ? `${at}/loanDetails` : '')}${pointer}`;
  }
}

/** The members that only say which form it is. */
const FORM = new Set(['message', 'data', 'loanDetails']);

/** Those that are not in a record: where one is missing, it is missing beside it. */
const BESIDE = new Set(['', 'asOf', 'opening', 'purchase', 'balloonAmount', 'lateFeePolicy', 'loanInfo', 'customData']);

/** Null: absent, or null. */
function objectAt(source: string, span: Span | undefined): Span | null {
  return span !== undefined && isObjectAt(source, span.start) ? span : null;
}
