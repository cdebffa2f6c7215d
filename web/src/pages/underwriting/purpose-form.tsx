/** Asks why personal data is to be read. Nothing of it is in the page before; what is read is recorded with the purpose. */
import { type FormEvent, useState } from 'react';
import { Field } from '../../parts/basics.tsx';
import { said } from '../../parts/states.tsx';

export function PurposeForm(props: {
  label: string;
  hint: string;
  busy: boolean;
  error: unknown;
  onPurpose: (purpose: string) => void;
}) {
  const [purpose, setPurpose] = useState('');
  const [empty, setEmpty] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const given = purpose.trim();
    setEmpty(given === '');
    if (given !== '') props.onPurpose(given);
  };
  const problem = props.error ? said(props.error) : null;
  return (
    <form className="stack no-print purpose-form" onSubmit={submit}>
      <Field label="Purpose" hint={props.hint} wrong={empty ? 'Say why you need to see it.' : undefined}>
        {(ids) => (
          <input
            {...ids}
            className="input"
            maxLength={200}
            autoComplete="off"
            placeholder="For example: deciding this application"
            value={purpose}
            onChange={({ target }) => setPurpose(target.value)}
          />
        )}
      </Field>
      {problem && (
        <p className="notice bad" role="alert">
          {problem.title}: {problem.detail}
        </p>
      )}
      <div>
        <button type="submit" className="button" disabled={props.busy}>
          {props.busy ? 'Opening…' : props.label}
        </button>
      </div>
    </form>
  );
}
