/** Values that may contain personal data, such as the reason: shown for a minute for a stated purpose, and recorded. */

import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { daybook } from '../../api.ts';
import { words } from '../../format.ts';
import { Field } from '../../parts/basics.tsx';
import { AnswerView } from '../../parts/operation/answer.tsx';
import { SHOWN_MS } from '../../parts/purpose.ts';
import { ErrorState } from '../../parts/states.tsx';
import { useCan } from '../../shell/session.tsx';

export function Sealed({ approvalId, hidden }: { approvalId: string; hidden: readonly string[] }) {
  const allowed = useCan()('loans:read_pii');
  const [asking, setAsking] = useState(false);
  const [purpose, setPurpose] = useState('');
  const reveal = useMutation({
    mutationFn: async () => {
      const { data } = await daybook.readApproval({ path: { approval_id: approvalId }, purpose: purpose.trim() });
      return Object.fromEntries(hidden.map((name) => [name, data.body?.[name] ?? null]));
    },
    gcTime: 0,
  });
  const { data, reset } = reveal;
  useEffect(() => {
    if (data === undefined) return;
    const timer = setTimeout(reset, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [data, reset]);
  const names = hidden.map((name) => words(name).toLowerCase()).join(', ');
  if (data !== undefined) {
    return (
      <div aria-live="polite">
        <AnswerView data={data} />
        <p className="small quiet">Shown for one minute. This disclosure was recorded.</p>
      </div>
    );
  }
  if (!allowed)
    return <p className="small quiet approval-sealed">Hidden: {names}. You need permission to view personal data.</p>;
  if (!asking) {
    return (
      <p className="small quiet approval-sealed">
        Hidden: {names}.{' '}
        <button type="button" className="link" onClick={() => setAsking(true)}>
          Reveal
        </button>
      </p>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (purpose.trim() !== '') reveal.mutate();
  };
  return (
    <form className="stack" onSubmit={submit}>
      <Field label="Purpose" hint="Recorded with your name and the time.">
        {(ids) => (
          <input
            {...ids}
            className="input"
            maxLength={200}
            autoComplete="off"
            value={purpose}
            onChange={(event) => setPurpose(event.target.value)}
          />
        )}
      </Field>
      {reveal.error !== null && <ErrorState error={reveal.error} />}
      <div className="line">
        <button type="submit" className="button" disabled={purpose.trim() === '' || reveal.isPending}>
          Reveal {names}
        </button>
        <button type="button" className="button plain" onClick={() => setAsking(false)}>
          Cancel
        </button>
      </div>
    </form>
  );
}
