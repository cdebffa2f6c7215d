/** The fields of a form: what was given, the main ones, and the others behind "More options". */
import { useContext, useState } from 'react';
import { shortHash } from '../../format.ts';
import { Control, FormContext, isShort } from './controls.tsx';
import { type Draft, draftOf, emptyDraft, isEmpty, segment } from './draft.ts';
import type { Facts } from './facts.ts';
import type { Form, FormField } from './form.ts';
import type { Values } from './own-form.ts';

export function Fields(props: {
  form: Form;
  facts: Facts;
  values: Values;
  draft: Draft;
  setDraft: (draft: Draft) => void;
  example?: unknown;
}) {
  const { form, facts, values, draft, setDraft, example } = props;
  const { wrong } = useContext(FormContext);
  const [open, setOpen] = useState(form.main.length === 0 && form.more.some(({ required }) => required));
  const members = typeof draft === 'object' && 'members' in draft ? draft.members : {};
  const shown = ({ when, fixed, shape }: FormField) =>
    (when === undefined || when(values, facts)) && !(fixed && (shape.kind === 'flag' || shape.kind === 'choice'));
  const one = (field: FormField) =>
    field.fixed ? (
      <div key={field.name} className="field whole">
        <span className="label">{field.label}</span>
        <Fixed field={field} facts={facts} draft={members[field.name] ?? ''} />
      </div>
    ) : (
      <div key={field.name} className={isHalf(field) ? 'half' : 'whole'}>
        <Control
          shape={field.shape}
          label={field.label}
          hint={field.hint}
          required={field.required || field.needed?.(values) === true}
          three={field.three}
          choices={field.choices?.(facts)}
          fills={field.fills?.(facts)}
          pointer={`/${segment(field.name)}`}
          draft={members[field.name] ?? emptyDraft(field.shape)}
          onChange={(next) => setDraft({ members: { ...members, [field.name]: next } })}
        />
      </div>
    );
  // A wrong field behind the fold opens it.
  const wrongInside = form.more.some(({ name }) => [...wrong.keys()].some((at) => at.split('/')[1] === name));
  const filled = form.more.filter(({ name, start }) => start === undefined && !isEmpty(members[name])).length;
  return (
    <>
      {example !== undefined && isEmpty(draft) && (
        <div>
          <button
            type="button"
            className="link"
            onClick={() => {
              const given = example as Record<string, unknown>;
              const all = [...form.main, ...form.more].map(
                ({ name, shape }) => [name, draftOf(shape, given[name])] as const,
              );
              setDraft({ members: Object.fromEntries(all) });
            }}
          >
            Fill in an example
          </button>
        </div>
      )}
      <div className="fields">{form.main.filter(shown).map(one)}</div>
      {form.more.length > 0 && (
        <>
          <div>
            <button type="button" className="fold" aria-expanded={open || wrongInside} onClick={() => setOpen(!open)}>
              More options{filled > 0 && ` (${filled})`}
            </button>
          </div>
          {(open || wrongInside) && <div className="fields">{form.more.filter(shown).map(one)}</div>}
        </>
      )}
    </>
  );
}

/** In the words of the choice, if it is one of the loan's. */
function Fixed({ field, facts, draft }: { field: FormField; facts: Facts; draft: Draft }) {
  const text = typeof draft === 'string' ? draft : '';
  const choice = field.choices?.(facts).find(({ value }) => value === text);
  return choice ? <span>{choice.label}</span> : <span className="mono">{shortHash(text)}</span>;
}

const isHalf = ({ shape, hint, fills, choices }: FormField): boolean =>
  fills === undefined && choices === undefined && isShort(shape, hint);
