/**
 * Entries of a form, and the request that they make. A draft has the form of its shape: text for single controls, `{ option, value }`
 * where there are alternatives, pairs for members by name. Empty entries are left out of the request.
 */
import { emptyIsValue, type Field, type Shape } from './shape.ts';

/** In place of a value: it is sent as null, which takes away what is there. */
export const NOTHING = { nothing: true } as const;

export type Draft =
  | string
  | boolean
  | typeof NOTHING
  | Draft[]
  | { option: number; value: Draft }
  | { pairs: { key: string; value: Draft }[] }
  | { members: Readonly<Record<string, Draft>> };
export type Mistake = { pointer: string; detail: string };

export const REQUIRED = 'This field is required.';

export function emptyDraft(shape: Shape): Draft {
  switch (shape.kind) {
    case 'flag':
      return '';
    case 'only':
      return false;
    case 'object':
      return { members: Object.fromEntries(shape.fields.map((field) => [field.name, emptyDraft(field.shape)])) };
    case 'map':
      return { pairs: [] };
    case 'list':
      return Array.from({ length: Math.min(shape.min ?? 0, 1) }, () => emptyDraft(shape.item));
    case 'either':
      return { option: 0, value: emptyDraft(shape.options[0] ?? { kind: 'json' }) };
    default:
      return '';
  }
}

const OF_OBJECTS: readonly Shape['kind'][] = ['object', 'map', 'json'];

/** Whether nothing of the object would be lost. */
function hasRoomFor(shape: Shape, value: object): boolean {
  if (shape.kind !== 'object') return shape.kind === 'map' || shape.kind === 'json';
  return Object.keys(value).every((name) => shape.fields.some((field) => field.name === name));
}

/** A draft that makes this value; what does not fit the shape is left empty. */
export function draftOf(shape: Shape, value: unknown): Draft {
  if (value === null && shape.nullable) return shape.kind === 'object' ? emptyDraft(shape) : NOTHING;
  if (value === undefined || value === null) return emptyDraft(shape);
  switch (shape.kind) {
    case 'flag':
      return value === true ? 'yes' : value === false ? 'no' : '';
    case 'only':
      return value === true;
    case 'object': {
      const given = value as Record<string, unknown>;
      return {
        members: Object.fromEntries(shape.fields.map(({ name, shape: of }) => [name, draftOf(of, given[name])])),
      };
    }
    case 'map':
      return { pairs: Object.entries(value).map(([key, one]) => ({ key, value: draftOf(shape.value, one) })) };
    case 'list':
      return Array.isArray(value) ? value.map((one) => draftOf(shape.item, one)) : emptyDraft(shape);
    case 'either': {
      const isObject = typeof value === 'object';
      const found = shape.options.findIndex((one) =>
        one.kind === 'only' ? value === true : isObject ? hasRoomFor(one, value) : !OF_OBJECTS.includes(one.kind),
      );
      const option = Math.max(0, found);
      return { option, value: draftOf(shape.options[option] ?? { kind: 'json' }, value) };
    }
    case 'json':
      return JSON.stringify(value, null, 2);
    case 'text':
      if (shape.digits) return String(value).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
      return typeof value === 'object' ? '' : String(value);
    default:
      return typeof value === 'object' ? '' : String(value);
  }
}

/** The value that a draft makes, and what is wrong with it, by JSON pointer. Undefined: it is left out. */
export function requestOf(shape: Shape, draft: Draft, required = true): { value: unknown; mistakes: Mistake[] } {
  const mistakes: Mistake[] = [];
  const value = read(shape, draft, required, '', mistakes);
  return { value, mistakes };
}

function read(shape: Shape, draft: Draft, required: boolean, pointer: string, mistakes: Mistake[]): unknown {
  if (typeof draft === 'object' && 'nothing' in draft) return null;
  switch (shape.kind) {
    case 'object':
      return readObject(shape.fields, shape.nullable === true, draft, required, pointer, mistakes);
    case 'map':
      return readMap(shape.value, draft, required, pointer, mistakes);
    case 'list': {
      // One entry is offered to begin with; while all are empty there is none.
      const entries = Array.isArray(draft) && !isEmpty(draft) ? draft : [];
      const items = entries.flatMap((one, n) => {
        const value = read(shape.item, one, true, `${pointer}/${n}`, mistakes);
        return value === undefined ? [] : [value];
      });
      if (items.length === 0 && !required) return undefined;
      if (items.length < (shape.min ?? 0)) {
        mistakes.push({
          pointer,
          detail: shape.min === 1 ? 'At least one is needed.' : `At least ${shape.min} are needed.`,
        });
      }
      return items;
    }
    case 'either': {
      const { option, value } = typeof draft === 'object' && 'option' in draft ? draft : { option: 0, value: '' };
      return read(shape.options[option] ?? { kind: 'json' }, value, required, pointer, mistakes);
    }
    case 'only':
      return draft === true ? true : undefined;
    case 'flag':
      return readFlag(draft, required, pointer, mistakes);
    default:
      return readText(shape, typeof draft === 'string' ? draft : '', required, pointer, mistakes);
  }
}

function readObject(
  fields: readonly Field[],
  nullable: boolean,
  draft: Draft,
  required: boolean,
  pointer: string,
  mistakes: Mistake[],
): unknown {
  const members = typeof draft === 'object' && 'members' in draft ? draft.members : {};
  const found: Mistake[] = [];
  const entries = fields.flatMap(({ name, shape, required: needed }) => {
    const value = read(shape, members[name] ?? emptyDraft(shape), needed, `${pointer}/${segment(name)}`, found);
    return value === undefined ? [] : [[name, value] as const];
  });
  // An optional part of which nothing is filled in is left out, whatever it would need.
  const empty = fields.every(({ name }) => isEmpty(members[name]));
  if (empty && !required) return undefined;
  if (empty && nullable && found.length > 0) return null;
  mistakes.push(...found);
  return Object.fromEntries(entries);
}

function readMap(of: Shape, draft: Draft, required: boolean, pointer: string, mistakes: Mistake[]): unknown {
  const pairs = typeof draft === 'object' && 'pairs' in draft ? draft.pairs : [];
  const entries = pairs
    .filter(({ key, value }) => key !== '' || !isEmpty(value))
    .map(({ key, value }) => {
      const at = `${pointer}/${segment(key)}`;
      if (key === '') mistakes.push({ pointer: at, detail: 'Choose a name.' });
      return [key, read(of, value, true, at, mistakes)] as const;
    });
  return entries.length === 0 && !required ? undefined : Object.fromEntries(entries);
}

function readFlag(draft: Draft, required: boolean, pointer: string, mistakes: Mistake[]): boolean | undefined {
  if (draft === true || draft === 'yes') return true;
  if (draft === 'no' || (draft === false && required)) return false;
  if (required) mistakes.push({ pointer, detail: REQUIRED });
  return undefined;
}

function readText(shape: Shape, typed: string, required: boolean, pointer: string, mistakes: Mistake[]): unknown {
  const text = typed.trim();
  if (text === '') {
    if (required && emptyIsValue(shape)) return null;
    if (required) mistakes.push({ pointer, detail: REQUIRED });
    return undefined;
  }
  const wrong = (detail: string) => mistakes.push({ pointer, detail });
  switch (shape.kind) {
    case 'whole':
      return readWhole(shape, text, wrong);
    case 'decimal':
      return readDecimal(shape, text, wrong);
    case 'choice': {
      const chosen = shape.of.find((one) => String(one) === text);
      if (chosen === undefined) wrong('Choose one from the list.');
      return chosen;
    }
    case 'json':
      try {
        return JSON.parse(text);
      } catch {
        wrong('This is not valid JSON.');
        return undefined;
      }
    case 'text':
      checkText(shape, text, wrong);
      return shape.digits ? text.replaceAll('-', '') : text;
    default:
      return text;
  }
}

/** Commas only where they group thousands: a comma in place of the point would be a hundred times as much. */
const FIGURE = /^-?(?:\d{0,30}|[1-9]\d{0,2}(?:,\d{3}){1,9})(?:\.\d{0,12})?$/;

function readDecimal(
  shape: Shape & { kind: 'decimal' },
  text: string,
  wrong: (detail: string) => void,
): number | string | undefined {
  const plain = text
    .replace('−', '-')
    .replace(/^(-?)\$/, '$1')
    .replace(/^\$(-?)/, '$1');
  if (!FIGURE.test(plain) || !/\d/.test(plain)) wrong('Enter a figure such as 506.20 or 1,506.20.');
  else if (shape.positive && plain.startsWith('-')) wrong('Enter a figure that is not negative.');
  else return shape.number ? Number(plain.replaceAll(',', '')) : plain;
  return undefined;
}

function readWhole(
  shape: Shape & { kind: 'whole' },
  text: string,
  wrong: (detail: string) => void,
): number | string | undefined {
  const value = /^-?(?:\d{1,16}|[1-9]\d{0,2}(?:,\d{3}){1,5})$/.test(text)
    ? Number(text.replaceAll(',', ''))
    : Number.NaN;
  const { min, max, asText } = shape;
  if (!Number.isSafeInteger(value)) {
    wrong('Enter a whole number.');
    return undefined;
  }
  if (min !== undefined && value < min) wrong(`At least ${min}.`);
  else if (max !== undefined && value > max) wrong(`At most ${max}.`);
  return asText ? String(value) : value;
}

function checkText(shape: Shape & { kind: 'text' }, text: string, wrong: (detail: string) => void): void {
  const { format, pattern, max, like } = shape;
  if (format === 'date' && !/^\d{4}-\d\d-\d\d$/.test(text)) wrong('Enter a date.');
  else if (format === 'email' && !/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text)) wrong('Enter an e-mail address.');
  else if (max !== undefined && text.length > max) wrong(`At most ${max} characters.`);
  else if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) {
    if (like !== undefined) wrong(`Enter ${like}.`);
    else if (pattern.includes('A-Za-z0-9._:-')) wrong('Use letters, digits and . _ : - only, at most 64.');
    else wrong(notAllowed(text, pattern));
  }
}

/** Characters that the pattern refuses, if it refuses single ones. */
function notAllowed(text: string, pattern: string): string {
  const form = new RegExp(pattern, 'u');
  const found = [...new Set(text)].filter((one) => one.trim() !== '' && !form.test(one));
  return found.length === 0 || found.length === new Set(text).size
    ? 'This has characters that are not allowed here.'
    : `Not allowed here: ${found.slice(0, 5).join(' ')}`;
}

/** Counts the controls with another value. */
export function differences(before: Draft, now: Draft): number {
  if (before === now) return 0;
  if (typeof before === 'object' && 'members' in before && typeof now === 'object' && 'members' in now) {
    const names = new Set([...Object.keys(before.members), ...Object.keys(now.members)]);
    return [...names].reduce((sum, name) => sum + differences(before.members[name] ?? '', now.members[name] ?? ''), 0);
  }
  if (typeof before === 'object' && 'option' in before && typeof now === 'object' && 'option' in now)
    return before.option === now.option ? differences(before.value, now.value) : 1 + differences('', now.value);
  if (typeof now === 'object' && 'members' in now && before === '')
    return Object.values(now.members).filter((one) => !isEmpty(one)).length;
  // A longer text is worth as much as several fields.
  if (typeof now === 'string') return now.length >= 15 ? 3 : 1;
  return JSON.stringify(before) === JSON.stringify(now) ? 0 : 1;
}

export function isEmpty(draft: Draft | undefined): boolean {
  if (draft === undefined || draft === '' || draft === false) return true;
  if (typeof draft !== 'object') return typeof draft === 'string' && draft.trim() === '';
  if (Array.isArray(draft)) return draft.every(isEmpty);
  if ('members' in draft) return Object.values(draft.members).every(isEmpty);
  if ('pairs' in draft) return draft.pairs.every(({ key, value }) => key === '' && isEmpty(value));
  return 'option' in draft ? isEmpty(draft.value) : false;
}

/** A member of a JSON pointer (RFC 6901). */
export const segment = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Every place at which a control shows what is wrong with it. */
export function pointersOf(shape: Shape, draft: Draft, pointer = ''): string[] {
  const here = pointer === '' ? [] : [pointer];
  if (typeof draft !== 'object') return here;
  if (Array.isArray(draft)) {
    return shape.kind === 'list'
      ? [...here, ...draft.flatMap((one, n) => pointersOf(shape.item, one, `${pointer}/${n}`))]
      : here;
  }
  if ('members' in draft && shape.kind === 'object') {
    return [
      ...here,
      ...shape.fields.flatMap((field) =>
        pointersOf(field.shape, draft.members[field.name] ?? '', `${pointer}/${segment(field.name)}`),
      ),
    ];
  }
  if ('pairs' in draft && shape.kind === 'map') {
    return [
      ...here,
      ...draft.pairs.flatMap(({ key, value }) => pointersOf(shape.value, value, `${pointer}/${segment(key)}`)),
    ];
  }
  if ('option' in draft && shape.kind === 'either') {
    const option = shape.options[draft.option];
    return [...here, ...(option ? pointersOf(option, draft.value, pointer) : [])];
  }
  return here;
}

/** Each mistake at its control, or at the nearest one around it; those that have none are `rest`. */
export function placed(
  mistakes: readonly Mistake[],
  known: ReadonlySet<string>,
): { at: ReadonlyMap<string, string>; rest: readonly Mistake[] } {
  const at = new Map<string, string>();
  const rest: Mistake[] = [];
  for (const mistake of mistakes) {
    let pointer = mistake.pointer;
    while (pointer !== '' && !known.has(pointer)) pointer = pointer.slice(0, pointer.lastIndexOf('/'));
    if (pointer === '') rest.push(mistake);
    else if (!at.has(pointer)) at.set(pointer, mistake.detail);
  }
  return { at, rest };
}
