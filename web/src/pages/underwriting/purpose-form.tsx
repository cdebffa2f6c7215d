/** Asks why personal data is to be read. Nothing of it is in the page before; what is read is recorded with the purpose. */
import { useState } from 'react';
import { Field } from '../../parts/basics.tsx';
import { said } from '../../parts/states.tsx';
import { LONGEST_PURPOSE, purposeOf } from '../loan/revealed.ts';

const PURPOSES = [
  'Deciding the application',
  'Checking documents and stipulations',
  'Question of the applicant or dealer',
  'Review of an earlier decision',
  'Other',
] as const;

export function PurposeForm(props: {
  label: string;
  hint: string;
  busy: boolean;
  error: unknown;
  onPurpose: (purpose: string) => void;
}) {
  const [chosen, setChosen] = useState('');
  const [details, setDetails] = useState('');
  const [tried, setTried] = useState(false);
  const purpose = purposeOf(chosen, details).slice(0, LONGEST_PURPOSE);
  const problem = props.error ? said(props.error) : null;
  return (
    <form
      className="stack no-print purpose-form"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (chosen !== '' && purpose !== '') props.onPurpose(purpose);
      }}
    >
      <p className="quiet">{props.hint}</p>
      <Field label="Purpose" wrong={tried && chosen === '' ? 'Say why you need to see it.' : undefined}>
        {(ids) => (
          <select {...ids} className="input" value={chosen} onChange={({ target }) => setChosen(target.value)}>
            <option value="">Choose…</option>
            {PURPOSES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label={chosen === 'Other' ? 'Details' : 'Details (optional)'}
        wrong={tried && chosen === 'Other' && purpose === '' ? 'Say why you need to see it.' : undefined}
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
