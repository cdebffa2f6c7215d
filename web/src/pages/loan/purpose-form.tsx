/** Asks why somebody wants to see personal data. The purpose is recorded with the read. */
import { useState } from 'react';
import { Field } from '../../parts/basics.tsx';
import { LONGEST_PURPOSE, PURPOSES, purposeOf } from './revealed.ts';

export function PurposeForm(props: { button: string; busy: boolean; onPurpose: (purpose: string) => void }) {
  const [chosen, setChosen] = useState<string>(PURPOSES[0]);
  const [details, setDetails] = useState('');
  const [tried, setTried] = useState(false);
  const purpose = purposeOf(chosen, details);
  const wrong = purpose === '' ? 'Say why you need it.' : undefined;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (wrong === undefined) props.onPurpose(purpose.slice(0, LONGEST_PURPOSE));
      }}
    >
      <Field label="Purpose">
        {(ids) => (
          <select {...ids} className="input" value={chosen} onChange={(event) => setChosen(event.target.value)}>
            {PURPOSES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label={chosen === 'Other' ? 'Details' : 'Details (optional)'}
        hint="Stored encrypted with the read. Do not enter account or social security numbers."
        wrong={tried ? wrong : undefined}
      >
        {(ids) => (
          <input
            {...ids}
            className="input"
            value={details}
            maxLength={LONGEST_PURPOSE - 40}
            onChange={(event) => setDetails(event.target.value)}
          />
        )}
      </Field>
      <div className="line">
        <button type="submit" className="button primary" disabled={props.busy}>
          {props.busy ? 'Reading…' : props.button}
        </button>
      </div>
    </form>
  );
}
