/**
 * The shape of data, learned from examples: which members an object has and what kind of value each is. A model or policy from a file is
 * compared with the shape of the built-in versions before it is checked for sense, so that a wrong type is a clear message with its place
 * and not a failure somewhere inside. Objects that share a member are the same kind of object, and a member that only some of the
 * examples have is optional; objects that share none are alternatives, as the forms of a rule's limit are.
 */
type Kind = 'text' | 'number' | 'boolean' | 'null';

export type Shape = {
  readonly plain: ReadonlySet<Kind>;
  /** The shape of the elements; null: no list was seen here. */
  readonly list: Shape | null;
  readonly objects: readonly ObjectShape[];
};

type ObjectShape = { readonly members: ReadonlyMap<string, Shape>; readonly required: ReadonlySet<string> };

export function shapeOf(examples: readonly unknown[]): Shape {
  const lists = examples.filter((example) => Array.isArray(example));
  const objects = examples.filter(isObject);
  const plain = examples.flatMap((example) => kindOf(example) ?? []);
  return {
    plain: new Set(plain),
    list: lists.length === 0 ? null : shapeOf(lists.flat()),
    objects: alike(objects).map(objectShape),
  };
}

/** Groups of objects that share a member, directly or through others, in the order of their first. */
function alike(objects: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown>[][] {
  type Group = { readonly names: Set<string>; readonly objects: Record<string, unknown>[] };
  const groups: Group[] = [];
  for (const object of objects) {
    const names = Object.keys(object);
    const [first, ...others] = groups.filter((group) => names.some((name) => group.names.has(name)));
    const own: Group = first ?? { names: new Set(), objects: [] };
    if (first === undefined) groups.push(own);
    for (const other of others) {
      groups.splice(groups.indexOf(other), 1);
      own.objects.push(...other.objects);
      for (const name of other.names) own.names.add(name);
    }
    own.objects.push(object);
    for (const name of names) own.names.add(name);
  }
  return groups.map((group) => group.objects);
}

function objectShape(objects: readonly Readonly<Record<string, unknown>>[]): ObjectShape {
  const names = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  const having = (name: string) => objects.filter((object) => Object.hasOwn(object, name));
  return {
    members: new Map(names.map((name) => [name, shapeOf(having(name).map((object) => object[name]))])),
    required: new Set(names.filter((name) => having(name).length === objects.length)),
  };
}

/** Mistakes after the first so many say nothing new. */
const MOST_MISTAKES = 20;

/** Parts that do not fit the shape, each with its place; no value is quoted. */
export function mistakesIn(value: unknown, shape: Shape): string[] {
  const mistakes: string[] = [];
  compare(value, shape, '', (place, what) => {
    if (mistakes.length < MOST_MISTAKES) mistakes.push(place === '' ? what : `${place}: ${what}`);
  });
  return mistakes;
}

type Complain = (place: string, what: string) => void;

function compare(value: unknown, shape: Shape, place: string, complain: Complain): void {
  const kind = kindOf(value);
  const object = fitting(value, shape);
  if (Array.isArray(value) && shape.list !== null) {
    for (const [i, element] of value.entries()) compare(element, shape.list, `${place}[${i}]`, complain);
  } else if (isObject(value) && object !== null) compareMembers(value, object, place, complain);
  else if (kind === null || !shape.plain.has(kind)) complain(place, `must be ${wanted(shape)}`);
}

/** The kind of object that has the most members in common with the value; null: an object with none of them. */
function fitting(value: unknown, { objects }: Shape): ObjectShape | null {
  if (!isObject(value)) return null;
  // The only kind there is fits always, so that every missing member is named.
  if (objects.length === 1) return objects[0] as ObjectShape;
  const common = ({ members }: ObjectShape) => Object.keys(value).filter((name) => members.has(name)).length;
  const best = objects.reduce<ObjectShape | null>(
    (found, one) => (common(one) > (found === null ? 0 : common(found)) ? one : found),
    null,
  );
  return best;
}

function compareMembers(
  value: Readonly<Record<string, unknown>>,
  { members, required }: ObjectShape,
  place: string,
  complain: Complain,
): void {
  const at = (name: string) => (place === '' ? name : `${place}.${name}`);
  for (const name of required) if (!Object.hasOwn(value, name)) complain(at(name), 'is missing');
  for (const [name, member] of Object.entries(value)) {
    const shape = members.get(name);
    if (shape === undefined) complain(at(name), `is unknown; known are ${[...members.keys()].join(', ')}`);
    else compare(member, shape, at(name), complain);
  }
}

function wanted({ plain, list, objects }: Shape): string {
  const words = { text: 'text', number: 'a number', boolean: 'true or false', null: 'null' };
  const kinds = [...plain].map((kind) => words[kind]);
  if (list !== null) kinds.push('a list');
  for (const { members } of objects) kinds.push(`an object with ${[...members.keys()].join(', ')}`);
  return kinds.join(', or ');
}

function kindOf(value: unknown): Kind | null {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
