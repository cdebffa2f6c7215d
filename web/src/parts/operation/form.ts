/** The form of an operation: our own where there is one, and everything else from the schema. */
import { words } from '../../format.ts';
import type { Operation } from './catalogue.ts';
import { type Draft, draftOf, emptyDraft } from './draft.ts';
import type { Facts } from './facts.ts';
import { FORMS } from './forms.ts';
import type { OwnField, OwnForm } from './own-form.ts';
import type { Field, Shape } from './shape.ts';
import { labelOf } from './words.ts';

export type FormField = Field &
  Pick<OwnField, 'start' | 'choices' | 'fills' | 'needed' | 'when'> & {
    label: string;
    hint: string;
    /** Given by the page that opened the form, and only shown. */
    fixed: boolean;
    /** Yes, no or not said: a checkbox cannot tell the last two apart. */
    three: boolean;
  };

export type Form = Pick<OwnForm, 'does' | 'did' | 'takenBackBy'> & {
  title: string;
  /** Description of the operation. */
  about: string;
  main: readonly FormField[];
  more: readonly FormField[];
  needs: NonNullable<OwnForm['needs']>;
  grave: boolean;
};
export type Begun = { loanId?: string | undefined; initial?: Readonly<Record<string, unknown>> | undefined };

/** Up to so many optional fields are shown at once. */
const FEW = 4;
/** Figures that name something: whoever opened the form has chosen it. */
const NAMES = /(Id|Hash|_id)$/;

export function formOf(operation: Operation, { loanId, initial = {} }: Begun = {}): Form {
  const own = FORMS[operation.id];
  const omitted = new Set([...(own?.omit ?? []), ...(loanId === undefined ? [] : ['loanId', 'loan_id'])]);
  const all = fieldsOf(operation).filter(({ name }) => !omitted.has(name));
  const ownFields = new Map([...(own?.fields ?? []), ...(own?.more ?? [])].map((one) => [one.name, one]));
  const dressed = (field: Field): FormField => {
    const given = ownFields.get(field.name);
    return {
      ...field,
      ...(given?.shape && { shape: given.shape }),
      ...(given?.start && { start: given.start }),
      ...(given?.choices && { choices: given.choices }),
      ...(given?.fills && { fills: given.fills }),
      ...(given?.needed && { needed: given.needed }),
      ...(given?.when && { when: given.when }),
      label: given?.label ?? labelOf(field.name),
      hint: given?.hint ?? (own === undefined || field.shape.kind === 'object' ? (field.shape.note ?? '') : ''),
      fixed: initial[field.name] !== undefined && (NAMES.test(field.name) || given?.stated === true),
      three: field.shape.kind === 'flag' && !field.required && (given === undefined || given.three === true),
    };
  };
  const byName = new Map(all.map((field) => [field.name, field]));
  const named = (fields: readonly OwnField[] = []) => fields.flatMap(({ name }) => byName.get(name) ?? []);
  const rest = all.filter(({ name }) => !ownFields.has(name));
  const optional = rest.filter(({ name, required }) => !required && initial[name] === undefined);
  // An answer is wanted first; what narrows it comes second.
  const few = own === undefined && operation.method === 'POST' && optional.length <= FEW;
  const shown = [...named(own?.fields), ...rest.filter((field) => few || !optional.includes(field))];
  const more = [...named(own?.more), ...(few ? [] : optional)];
  // Names that were given come first, whatever the order of the schema.
  const main = shown.map(dressed);
  return {
    title: own?.title ?? operation.summary,
    about: own === undefined ? operation.note : (own.about ?? ''),
    main: [...main.filter(({ fixed }) => fixed), ...main.filter(({ fixed }) => !fixed)],
    more: more.map(dressed),
    needs: own?.needs ?? [],
    does: own?.does ?? (() => words(operation.id)),
    did: own?.did ?? (() => 'Done.'),
    ...(own?.takenBackBy && { takenBackBy: own.takenBackBy }),
    grave: own?.grave === true,
  };
}

/** Members of the body, and parts of the address: an operation has one or the other, but for a few options of a dry run. */
export function fieldsOf({ body, parts, query }: Operation): readonly Field[] {
  const members = body?.kind === 'object' ? body.fields : [];
  const names = new Set(members.map(({ name }) => name));
  return [...members, ...[...parts, ...query].filter(({ name }) => !names.has(name))];
}

export const shapeOfForm = ({ main, more }: Form): Shape => ({ kind: 'object', fields: [...main, ...more] });

/** Initial draft of the form. */
export function begin({ main, more }: Form, facts: Facts, { initial = {} }: Begun): Draft {
  const members = [...main, ...more].map(({ name, shape, start }) => {
    const value = initial[name] ?? start?.(facts);
    return [name, value === undefined ? emptyDraft(shape) : draftOf(shape, value)] as const;
  });
  return { members: Object.fromEntries(members) };
}

/** Distributes the values of the form to path, query and body. */
export function sent(
  { body, parts, query }: Operation,
  values: Readonly<Record<string, unknown>>,
  loanId: string | undefined,
): { path?: Record<string, unknown>; query?: Record<string, unknown>; body?: Record<string, unknown> } {
  const all = loanId === undefined ? values : { ...values, loanId, loan_id: loanId };
  const pick = (fields: readonly Field[]) =>
    Object.fromEntries(fields.flatMap(({ name }) => (all[name] === undefined ? [] : [[name, all[name]] as const])));
  const members = body?.kind === 'object' ? body.fields : [];
  return {
    ...(parts.length > 0 && { path: pick(parts) }),
    ...(query.length > 0 && { query: pick(query) }),
    ...(body !== null && { body: pick(members) }),
  };
}

/** Whether it is about one loan. */
export const isOfLoan = (operation: Operation): boolean =>
  fieldsOf(operation).some(({ name, required }) => required && (name === 'loanId' || name === 'loan_id'));

/** The label of every field, also of those within others, by its name. */
export function labelsOf({ main, more }: Form): ReadonlyMap<string, string> {
  const inner = (shape: Shape): (readonly [string, string])[] =>
    shape.kind === 'object'
      ? shape.fields.flatMap((field) => [
          ...inner(field.shape),
          [field.name, field.label ?? labelOf(field.name)] as const,
        ])
      : shape.kind === 'either'
        ? shape.options.flatMap(inner)
        : [];
  const all = [...main, ...more];
  return new Map([
    ...all.flatMap(({ shape }) => inner(shape)),
    ...all.map(({ name, label }) => [name, label] as const),
  ]);
}
