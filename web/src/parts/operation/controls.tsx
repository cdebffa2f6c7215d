/** The controls of a form, one for each kind of shape. What is wrong stands under its control. */
import { createContext, type ReactNode, useContext, useId, useState } from 'react';
import { words } from '../../format.ts';
import { Field as Labelled } from '../basics.tsx';
import { type Draft, draftOf, emptyDraft, isEmpty, NOTHING, requestOf, segment } from './draft.ts';
import type { Choice } from './own-form.ts';
import { emptyIsValue, type Field, type Shape } from './shape.ts';
import { choiceLabel, labelOf } from './words.ts';

export type Given = {
  shape: Shape;
  label: string;
  hint?: string | undefined;
  required: boolean;
  pointer: string;
  draft: Draft;
  onChange: (draft: Draft) => void;
  /** Options to choose from instead of typing. */
  choices?: readonly Choice[] | undefined;
  /** Values for one click. */
  fills?: readonly Choice[] | undefined;
  three?: boolean | undefined;
};

/** Error messages by pointer; and whether null clears a value, as in an update. */
export const FormContext = createContext<{ wrong: ReadonlyMap<string, string>; clears: boolean }>({
  wrong: new Map(),
  clears: false,
});

export function Control(given: Given) {
  switch (given.shape.kind) {
    case 'object':
      return <ObjectControl {...given} />;
    case 'list':
      return given.shape.item.kind === 'choice' ? <ChecksControl {...given} /> : <ListControl {...given} />;
    case 'map':
      return <MapControl {...given} />;
    case 'either':
      return <EitherControl {...given} />;
    case 'flag':
      return given.three ? <ThreeControl {...given} /> : <CheckControl {...given} />;
    case 'only':
      return <CheckControl {...given} />;
    default:
      return <TextControl {...given} />;
  }
}

const marked = ({ label, required, shape }: Given) => (required && !emptyIsValue(shape) ? `${label} *` : label);

function TextControl(given: Given) {
  const { shape, draft, onChange, pointer, required, choices } = given;
  const { wrong, clears } = useContext(FormContext);
  const nothing = draft === NOTHING;
  const text = typeof draft === 'string' ? draft : '';
  const options =
    choices !== undefined && choices.length > 0
      ? choices
      : shape.kind === 'choice'
        ? shape.of.map((one) => ({ value: String(one), label: choiceLabel(one) }))
        : null;
  return (
    <Labelled label={marked(given)} hint={given.hint} wrong={wrong.get(pointer)}>
      {(ids) => (
        <>
          {options === null ? (
            <Typed {...{ shape, text, ids, required, pointer }} disabled={nothing} onChange={onChange} />
          ) : (
            <select
              {...ids}
              className="input"
              aria-required={required}
              value={text}
              disabled={nothing}
              onChange={(event) => onChange(event.target.value)}
            >
              <option value="">{required ? 'Choose…' : '—'}</option>
              {text !== '' && options.every(({ value }) => value !== text) && <option value={text}>{text}</option>}
              {options.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
          {given.fills !== undefined && given.fills.length > 0 && (
            <div className="fills">
              {given.fills.map(({ label, value }) => (
                <button
                  key={label}
                  type="button"
                  className="fill"
                  aria-pressed={text === value}
                  onClick={() => onChange(value)}
                >
                  {label}
                </button>
              ))}
            </div>
          )}
          {clears && shape.nullable && !required && (
            <label className="check small">
              <input type="checkbox" checked={nothing} onChange={() => onChange(nothing ? '' : NOTHING)} />
              Clear
            </label>
          )}
        </>
      )}
    </Labelled>
  );
}

function Typed(props: {
  shape: Shape;
  text: string;
  ids: { id: string; 'aria-describedby': string; 'aria-invalid': boolean };
  required: boolean;
  pointer: string;
  disabled: boolean;
  onChange: (text: string) => void;
}) {
  const { shape, text, ids, required, disabled, onChange } = props;
  const common = { ...ids, className: 'input', 'aria-required': required, value: text, disabled };
  if (shape.kind === 'json') {
    return (
      <textarea
        {...common}
        className="input mono"
        rows={8}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  if (shape.kind === 'text' && (shape.max ?? 0) >= 500) {
    return (
      <textarea
        {...common}
        rows={2}
        maxLength={shape.max}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          // A reason is one line: Enter goes on, as in every other field.
          if (event.key !== 'Enter' || event.shiftKey) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
    );
  }
  const isNumber = shape.kind === 'decimal' || shape.kind === 'whole';
  const format = shape.kind === 'text' ? shape.format : undefined;
  return (
    <input
      {...common}
      type={format === 'date' ? 'date' : format === 'email' ? 'email' : 'text'}
      inputMode={shape.kind === 'whole' ? 'numeric' : isNumber ? 'decimal' : undefined}
      className={isNumber ? 'input figure' : 'input'}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function CheckControl(given: Given) {
  const { draft, onChange, label, hint, pointer } = given;
  const { wrong } = useContext(FormContext);
  const id = useId();
  const checked = draft === true || draft === 'yes';
  return (
    <div className="field">
      <label className="check">
        <input type="checkbox" checked={checked} aria-describedby={id} onChange={() => onChange(!checked)} />
        {label}
      </label>
      <div id={id}>
        {hint && <div className="hint">{hint}</div>}
        {wrong.has(pointer) && <div className="wrong">{wrong.get(pointer)}</div>}
      </div>
    </div>
  );
}

function ThreeControl(given: Given) {
  const { draft, onChange, pointer } = given;
  const { wrong } = useContext(FormContext);
  return (
    <Labelled label={given.label} hint={given.hint} wrong={wrong.get(pointer)}>
      {(ids) => (
        <select {...ids} className="input" value={String(draft)} onChange={(event) => onChange(event.target.value)}>
          <option value="">—</option>
          <option value="yes">Yes</option>
          <option value="no">No</option>
        </select>
      )}
    </Labelled>
  );
}

/** A part of the form with its own fields. One with many fields is folded until somebody opens it. */
function ObjectControl(given: Given) {
  const { shape, draft, required } = given;
  return (
    <Group {...given} folds={!required && isEmpty(draft)}>
      <Members {...given} fields={shape.kind === 'object' ? shape.fields : []} />
    </Group>
  );
}

function Members(props: Pick<Given, 'draft' | 'onChange' | 'pointer'> & { fields: readonly Field[] }) {
  const { fields, draft, onChange, pointer } = props;
  const members = typeof draft === 'object' && 'members' in draft ? draft.members : {};
  return (
    <div className="fields">
      {fields.map(({ name, shape, required, label = labelOf(name) }) => (
        <div key={name} className={isShort(shape, shape.note ?? '') ? 'half' : 'whole'}>
          <Control
            {...{ shape, label, required }}
            hint={shape.note}
            three={shape.kind === 'flag' && !required}
            pointer={`${pointer}/${segment(name)}`}
            draft={members[name] ?? emptyDraft(shape)}
            onChange={(one) => onChange({ members: { ...members, [name]: one } })}
          />
        </div>
      ))}
    </div>
  );
}

/** Dates, figures and short lists stand side by side. */
export function isShort(shape: Shape, hint: string): boolean {
  if (hint.length > 60) return false;
  return (
    shape.kind === 'whole' ||
    shape.kind === 'decimal' ||
    shape.kind === 'choice' ||
    (shape.kind === 'text' && (shape.format === 'date' || shape.like !== undefined))
  );
}

function Group({
  label,
  hint,
  required,
  pointer,
  folds = false,
  children,
}: Given & { folds?: boolean; children: ReactNode }) {
  const { wrong } = useContext(FormContext);
  // Folded only at first: while somebody types in it, it stays open.
  const [unfolded, setOpen] = useState(!folds);
  const open = unfolded || [...wrong.keys()].some((at) => at.startsWith(pointer));
  return (
    <fieldset className="group">
      <legend>
        <button type="button" className="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          {required ? `${label} *` : label}
        </button>
      </legend>
      {open && hint && <p className="hint">{hint}</p>}
      {wrong.has(pointer) && <p className="wrong">{wrong.get(pointer)}</p>}
      {open && children}
    </fieldset>
  );
}

function ListControl(given: Given) {
  const { shape, draft, onChange, pointer, label } = given;
  if (shape.kind !== 'list') return null;
  const items = Array.isArray(draft) ? draft : [];
  const simple = !['object', 'either', 'map', 'list'].includes(shape.item.kind);
  const replace = (n: number, one: Draft) => onChange(items.map((before, i) => (i === n ? one : before)));
  return (
    <Group {...given} folds={!given.required && items.length === 0}>
      {items.map((one, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries have no other name.
        <div key={n} className={simple ? 'entry' : 'entry tall'}>
          <Control
            shape={shape.item}
            label={simple ? `${label} ${n + 1}` : `${n + 1}`}
            required
            pointer={`${pointer}/${n}`}
            draft={one}
            onChange={(next) => replace(n, next)}
          />
          <button
            type="button"
            className="button plain remove"
            aria-label={`Remove ${label} ${n + 1}`}
            onClick={() => onChange(items.filter((_, i) => i !== n))}
          >
            Remove
          </button>
        </div>
      ))}
      <div>
        <button
          type="button"
          className="button"
          disabled={items.length >= (shape.max ?? Number.POSITIVE_INFINITY)}
          onClick={() => onChange([...items, emptyDraft(shape.item)])}
        >
          Add<span className="hidden-visually"> to {label}</span>
        </button>
      </div>
    </Group>
  );
}

/** Several of a few: a checkbox for each. */
function ChecksControl(given: Given) {
  const { shape, draft, onChange, pointer, hint } = given;
  const { wrong } = useContext(FormContext);
  if (shape.kind !== 'list' || shape.item.kind !== 'choice') return null;
  // Scopes stay as they are written everywhere.
  const asWritten = shape.item.of.some((one) => String(one).includes(':'));
  const chosen = Array.isArray(draft) ? draft.filter((one) => one !== '') : [];
  return (
    <fieldset className="group">
      <legend>{marked(given)}</legend>
      {hint && <p className="hint">{hint}</p>}
      <div className="checks">
        {shape.item.of.map((one) => {
          const value = String(one);
          const on = chosen.includes(value);
          return (
            <label key={value} className="check">
              <input
                type="checkbox"
                checked={on}
                onChange={() => onChange(on ? chosen.filter((other) => other !== value) : [...chosen, value])}
              />
              {asWritten ? value : choiceLabel(one)}
            </label>
          );
        })}
      </div>
      {wrong.has(pointer) && <p className="wrong">{wrong.get(pointer)}</p>}
    </fieldset>
  );
}

function MapControl(given: Given) {
  const { shape, draft, onChange, pointer, label } = given;
  if (shape.kind !== 'map') return null;
  const pairs = typeof draft === 'object' && 'pairs' in draft ? draft.pairs : [];
  const replace = (n: number, one: (typeof pairs)[number]) =>
    onChange({ pairs: pairs.map((before, i) => (i === n ? one : before)) });
  // A member with one field of its own is shown as that field.
  const only = shape.value.kind === 'object' && shape.value.fields.length === 1 ? shape.value.fields[0] : undefined;
  return (
    <Group {...given} folds={!given.required && pairs.length === 0}>
      {pairs.map(({ key, value }, n) => {
        const members = typeof value === 'object' && 'members' in value ? value.members : {};
        const at = `${pointer}/${segment(key)}`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is being typed.
          <div key={n} className={only ? 'entry pair' : 'entry tall'}>
            <Control
              shape={shape.keys ? { kind: 'choice', of: shape.keys } : { kind: 'text' }}
              label="For"
              required
              pointer={`${at}#`}
              draft={key}
              onChange={(next) => replace(n, { key: String(next), value })}
            />
            {only ? (
              <Control
                shape={only.shape}
                label={labelOf(only.name)}
                required
                pointer={`${at}/${segment(only.name)}`}
                draft={members[only.name] ?? ''}
                onChange={(next) => replace(n, { key, value: { members: { [only.name]: next } } })}
              />
            ) : (
              <Control
                shape={shape.value}
                label="Value"
                required
                pointer={at}
                draft={value}
                onChange={(next) => replace(n, { key, value: next })}
              />
            )}
            <button
              type="button"
              className="button plain remove"
              aria-label={`Remove ${label} ${key}`}
              onClick={() => onChange({ pairs: pairs.filter((_, i) => i !== n) })}
            >
              Remove
            </button>
          </div>
        );
      })}
      <div>
        <button
          type="button"
          className="button"
          onClick={() => onChange({ pairs: [...pairs, { key: '', value: emptyDraft(shape.value) }] })}
        >
          Add<span className="hidden-visually"> to {label}</span>
        </button>
      </div>
    </Group>
  );
}

function EitherControl(given: Given) {
  const { shape, draft, onChange } = given;
  const id = useId();
  const [note, setNote] = useState('');
  if (shape.kind !== 'either') return null;
  const { option, value } = typeof draft === 'object' && 'option' in draft ? draft : { option: 0, value: '' };
  const chosen = shape.options[option] ?? { kind: 'json' as const };
  return (
    <fieldset className="group">
      <legend>{marked(given)}</legend>
      {given.hint && <p className="hint">{given.hint}</p>}
      <div className="line">
        {shape.options.map((one, n) => (
          <label key={one.kind} className="check">
            <input
              type="radio"
              name={id}
              checked={n === option}
              onChange={() => {
                const next = startOf(one, chosen, value);
                setNote(next === null ? NOT_THERE : '');
                if (next !== null) onChange({ option: n, value: next });
              }}
            />
            {optionLabel(one)}
          </label>
        ))}
      </div>
      {note !== '' && (
        <p className="wrong" role="alert">
          {note}
        </p>
      )}
      {chosen.kind === 'object' && chosen.title !== undefined ? (
        <Members
          fields={chosen.fields}
          {...given}
          draft={value}
          onChange={(next) => onChange({ option, value: next })}
        />
      ) : (
        chosen.kind !== 'only' && (
          <Control
            {...given}
            shape={chosen}
            label={optionLabel(chosen)}
            hint={chosen.note}
            draft={value}
            onChange={(next) => onChange({ option, value: next })}
          />
        )
      )}
    </fieldset>
  );
}

/** In any order, and figures with or without quotes and commas. */
function saysSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return figureText(one) === figureText(other);
  }
  const [a, b] = [one as Record<string, unknown>, other as Record<string, unknown>];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => saysSame(a[name], b[name]));
}
const figureText = (value: unknown): string => String(value ?? '').replaceAll(',', '');

const NOT_THERE =
  'Some of this input cannot be shown there: correct invalid values, or remove members that have no field.';

/** Two notations of one value keep it (null: the other notation cannot express it); other alternatives start empty. */
function startOf(next: Shape, before: Shape, draft: Draft): Draft | null {
  if (next.title !== undefined) {
    const { value, mistakes } = requestOf(before, draft, false);
    const there = draftOf(next, value);
    const same = next.kind === 'json' || saysSame(requestOf(next, there, false).value, value);
    return mistakes.length === 0 && same ? there : null;
  }
  const empty = emptyDraft(next);
  return empty === false ? true : empty;
}

function optionLabel(shape: Shape): string {
  if (shape.title !== undefined) return shape.title;
  if (shape.kind === 'only') return 'Always';
  if (shape.kind === 'text') return 'Reference';
  if (shape.kind === 'decimal') return 'Amount';
  if (shape.kind !== 'object') return words(shape.kind);
  return shape.fields.map(({ name }) => labelOf(name)).join(' and ');
}
