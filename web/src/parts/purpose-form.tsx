/** Asks why somebody wants to see personal data. Nothing of it is in the page before; the purpose is recorded with the read. */
import { type ReactNode, useState } from 'react';
import { Field } from './basics.tsx';
import { LONGEST_PURPOSE, purposeOf } from './purpose.ts';
import { ErrorState } from './states.tsx';

export function PurposeForm(props: {
  /** Note on the data shown and the record of it. */
  hint: ReactNode;
  purposes: readonly string[];
  button: string;
  busy: boolean;
  error: unknown;
  onPurpose: (purpose: string) => void;
}) {
  const [chosen, setChosen] = useState('');
  const [details, setDetails] = useState('');
  const [tried, setTried] = useState(false);
  const purpose = purposeOf(chosen, details);
  const wrong = tried && purpose === '' ? 'Enter a purpose.' : undefined;
  return (
    <form
      className="stack no-print purpose-form"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (purpose !== '') props.onPurpose(purpose);
      }}
    >
      <p className="quiet">{props.hint}</p>
      <Field label="Purpose" wrong={chosen === '' ? wrong : undefined}>
        {(ids) => (
          <select
            {...ids}
            data-autofocus
            className="input"
            value={chosen}
            onChange={({ target }) => setChosen(target.value)}
          >
            <option value="">Choose…</option>
            {[...props.purposes, 'Other'].map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label={chosen === 'Other' ? 'Details' : 'Details (optional)'}
        hint="Stored encrypted with the read. Do not enter account or social security numbers."
        wrong={chosen === 'Other' ? wrong : undefined}
      >
        {(ids) => (
          <input
            {...ids}
            className="input"
            autoComplete="off"
            maxLength={LONGEST_PURPOSE - 40}
            value={details}
            onChange={({ target }) => setDetails(target.value)}
          />
        )}
      </Field>
      {props.error !== null && <ErrorState error={props.error} />}
      <div>
        <button type="submit" className="button primary" disabled={props.busy}>
          {props.busy ? 'Reading…' : props.button}
        </button>
      </div>
    </form>
  );
}
