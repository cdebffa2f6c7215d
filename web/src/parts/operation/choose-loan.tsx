/** Choice of the loan, for an operation that was not opened from one. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { read } from '../../api.ts';
import { money } from '../../format.ts';
import { Field, Status } from '../basics.tsx';
import { ErrorState, Loading } from '../states.tsx';

const PAUSE_MS = 250;

export function ChooseLoan({ choose }: { choose: (loanId: string) => void }) {
  const [typed, setTyped] = useState('');
  const [q, setQ] = useState('');
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => box.current?.focus(), []);
  useEffect(() => {
    const timer = setTimeout(() => setQ(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const found = useQuery(read('listLoans', { query: { limit: 8, ...(q !== '' && { q }) } }));
  const items = found.data?.data.items ?? [];
  return (
    <form
      className="doing"
      onSubmit={(event) => {
        event.preventDefault();
        const [first] = items;
        if (/^0x[\da-f]{64}$/.test(typed.trim())) choose(typed.trim());
        else if (first && typed.trim() === q) choose(first.loanId);
      }}
    >
      <Field label="Loan" hint="Search by application, borrower or loan number.">
        {(ids) => (
          <input
            {...ids}
            ref={box}
            className="input"
            value={typed}
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </Field>
      {found.isError && <ErrorState error={found.error} />}
      {found.isPending && <Loading rows={4} />}
      {found.isSuccess && items.length === 0 && <p className="quiet">No loan was found.</p>}
      <ul className="plain-list picks">
        {items.map(({ loanId, applicationId, borrowerId, loanStatus, remainingBalance }) => (
          <li key={loanId}>
            <button type="button" className="pick" onClick={() => choose(loanId)}>
              <span>{applicationId}</span>
              <Status status={loanStatus} />
              <span className="quiet small">{borrowerId}</span>
              <span className="number">{money(remainingBalance)}</span>
            </button>
          </li>
        ))}
      </ul>
    </form>
  );
}
