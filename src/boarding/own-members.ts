/** The caller's own members of a creation, as text: strings as they are meant and numbers as they are written. */
import type { PlainDate } from '../core/calendar.ts';
import type { Cents } from '../core/money.ts';
import type { Reader } from '../core/reader.ts';
import { type Span, scalarText } from './json-source.ts';

/** Members that are `""` or null are left out. */
export type Own = Readonly<Record<string, string>>;

export function textsOf(source: string, members: ReadonlyMap<string, Span>): Own {
  const texts: Record<string, string> = Object.create(null);
  for (const [name, span] of members) {
    const text = scalarText(source, span);
    if (text !== null && text !== '') texts[name] = text;
  }
  return texts;
}

export function amountOr<T>(read: Reader, own: Own, name: string, absent: T): Cents | T {
  return own[name] === undefined ? absent : read.amount(own, name, '');
}

export function dateOf(read: Reader, own: Own, name: string): PlainDate | null {
  return own[name] === undefined ? null : read.date(own, name, '');
}

export function required(read: Reader, pointer: string, detail = 'This field is required.'): void {
  read.note(pointer, { code: 'required', detail });
}

export function contradiction(read: Reader, pointer: string, detail: string): void {
  read.note(pointer, { code: 'contradiction', detail });
}
