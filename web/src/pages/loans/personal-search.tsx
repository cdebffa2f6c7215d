/** The search by personal data and custom data: exact, with a purpose, and recorded. Nothing of it stands in the address or is kept. */
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { daybook } from '../../api.ts';
import { Field, Money, Status } from '../../parts/basics.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { ErrorState } from '../../parts/states.tsx';
import type { Personal } from './looks-like.ts';

type Kind = Personal | 'customData';

const KINDS: Record<Kind, { label: string; placeholder: string; mode?: 'tel' | 'email' | 'numeric' }> = {
  phone: { label: 'Telephone number', placeholder: '+1 555 010 1234', mode: 'tel' },
  lastName: { label: 'Last name', placeholder: '' },
  vin: { label: 'VIN', placeholder: '17 letters and digits' },
  email: { label: 'E-mail address', placeholder: '', mode: 'email' },
  ssn: { label: 'Social security number', placeholder: '9 digits', mode: 'numeric' },
  customData: { label: 'Custom data', placeholder: '' },
};
const PURPOSES = [
  'Call from the borrower',
  'Call to the borrower',
  'Letter or e-mail from the borrower',
  'Insurance or title',
];

export type Begun = { kind?: Personal | undefined; value?: string | undefined };

export function PersonalSearch({ begun, onClose }: { begun: Begun | null; onClose: () => void }) {
  return (
    <Drawer open={begun !== null} title="Search by personal data" onClose={onClose}>
      {begun !== null && <SearchForm begun={begun} />}
    </Drawer>
  );
}

function SearchForm({ begun }: { begun: Begun }) {
  const [kind, setKind] = useState<Kind>(begun.kind ?? 'phone');
  const [value, setValue] = useState(begun.value ?? '');
  const [birth, setBirth] = useState('');
  const [name, setName] = useState('');
  const [purpose, setPurpose] = useState('');
  const search = useMutation({
    mutationFn: async () => {
      const body =
        kind === 'lastName'
          ? { lastName: value.trim(), dateOfBirth: birth }
          : kind === 'customData'
            ? { customData: { [name.trim()]: value } }
            : { [kind]: value.trim() };
      return (await daybook.searchLoans({ body, purpose: purpose.trim() })).data;
    },
    gcTime: 0,
  });
  const ready =
    value.trim() !== '' &&
    purpose.trim() !== '' &&
    (kind !== 'lastName' || birth !== '') &&
    (kind !== 'customData' || name.trim() !== '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready && !search.isPending) search.mutate();
  };
  return (
    <form className="stack" onSubmit={submit}>
      <Field label="Search by">
        {(ids) => (
          <select
            {...ids}
            className="input"
            value={kind}
            onChange={(event) => {
              setKind(event.target.value as Kind);
              setValue('');
              search.reset();
            }}
          >
            {Object.entries(KINDS).map(([name, { label }]) => (
              <option key={name} value={name}>
                {name === 'lastName' ? 'Last name and date of birth' : label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {kind === 'customData' && (
        <Field label="Name" hint="The name of the member, with its capital letters.">
          {(ids) => (
            <input
              {...ids}
              className="input"
              autoComplete="off"
              spellCheck={false}
              maxLength={40}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
      )}
      <Field
        label={kind === 'customData' ? 'Value' : KINDS[kind].label}
        hint="Enter the complete value. Partial matches are not supported."
      >
        {(ids) => (
          <input
            {...ids}
            className="input"
            data-autofocus
            inputMode={KINDS[kind].mode}
            placeholder={KINDS[kind].placeholder}
            autoComplete="off"
            spellCheck={false}
            maxLength={254}
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        )}
      </Field>
      {kind === 'lastName' && (
        <Field label="Date of birth">
          {(ids) => (
            <input
              {...ids}
              className="input"
              type="date"
              value={birth}
              onChange={(event) => setBirth(event.target.value)}
            />
          )}
        </Field>
      )}
      <Field label="Purpose" hint="Recorded with your name, the time and every loan found.">
        {(ids) => (
          <input
            {...ids}
            className="input"
            list="purposes"
            autoComplete="off"
            maxLength={200}
            value={purpose}
            onChange={(event) => setPurpose(event.target.value)}
          />
        )}
      </Field>
      <datalist id="purposes">
        {PURPOSES.map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
      <div className="line">
        <button type="submit" className="button primary" disabled={!ready || search.isPending}>
          {search.isPending ? 'Searching…' : 'Search'}
        </button>
      </div>
      {search.error !== null && <ErrorState error={search.error} />}
      <div aria-live="polite">
        {search.data !== undefined && (
          <>
            <p className="small quiet">{foundText(search.data)}. The search was recorded.</p>
            <ul className="loans-found">
              {search.data.items.map(({ loanId, applicationId, borrowerId, loanStatus, delinquentDays, balance }) => (
                <li key={loanId}>
                  <Link to="/loans/$loanId" params={{ loanId }} className="loans-found-link">
                    <span>
                      <strong>{applicationId}</strong> <span className="quiet">{borrowerId}</span>
                    </span>
                    <Money amount={balance} />
                    <Status status={loanStatus} days={delinquentDays} />
                  </Link>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </form>
  );
}

function foundText({ items, more }: { readonly items: readonly unknown[]; readonly more: boolean }): string {
  if (items.length === 0) return 'No loans match';
  if (more) return `More than ${items.length} loans match; these are the newest`;
  return items.length === 1 ? 'One loan matches' : `${items.length} loans match`;
}
