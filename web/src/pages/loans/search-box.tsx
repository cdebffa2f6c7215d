/** The search by ids. What looks personal never gets into the address: it leads to the search that asks for a purpose. */
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { daybook } from '../../api.ts';
import { useShortcuts } from '../../shell/keyboard.tsx';
import { canBeId, looksPersonal, type Personal, spellings } from './looks-like.ts';

const NAMES: Record<Personal, string> = {
  phone: 'a telephone number',
  email: 'an e-mail address',
  ssn: 'a social security number',
  vin: 'a VIN',
  lastName: 'a name',
};

export function SearchBox(props: {
  q: string;
  /** Whether the person may search by personal data. */
  personal: boolean;
  /** `again`: it is spelled otherwise than it was typed, in place of that. */
  onSearch: (q: string | undefined, again?: boolean) => Promise<void>;
  onPersonal: (kind?: Personal, value?: string) => void;
  /** Further controls beside it. */
  children: ReactNode;
}) {
  const { q, onSearch, onPersonal } = props;
  const [text, setText] = useState(q);
  const [submitted, setSubmitted] = useState(false);
  const [missed, setMissed] = useState<readonly string[]>([]);
  const field = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  useEffect(() => setText(q), [q]);
  const enter = () => {
    field.current?.focus();
    field.current?.select();
  };
  useShortcuts([{ keys: '/', does: 'Search loans', run: enter }]);
  useEffect(() => {
    // From another page, by the same key.
    if (window.location.hash !== '#search') return;
    field.current?.focus();
    window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
  }, []);
  const kind = looksPersonal(text);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted === '') return onSearch(undefined);
    setSubmitted(true);
    if (kind !== null || !canBeId(wanted)) return;
    await search(wanted);
  };
  /** One loan is opened; several are listed. Where none is found as it was typed, the other spellings are tried. */
  const latest = useRef('');
  const search = async (wanted: string) => {
    setSubmitted(false);
    setMissed([]);
    latest.current = wanted;
    void onSearch(wanted);
    for (const q of spellings(wanted)) {
      const { data } = await daybook.listLoans({ query: { q, limit: 2 } });
      if (latest.current !== wanted) return;
      const [only, other] = data.items;
      if (only === undefined) continue;
      if (q !== wanted) await onSearch(q, true);
      if (other === undefined) await navigate({ to: '/loans/$loanId', params: { loanId: only.loanId } });
      return;
    }
    setMissed(spellings(wanted));
  };
  return (
    <div className="loans-search no-print">
      <search>
        <form className="line" onSubmit={(event) => void submit(event)}>
          <input
            ref={field}
            type="search"
            className="input loans-search-field"
            placeholder="Application, borrower or loan id"
            aria-label="Search loans by id"
            aria-keyshortcuts="/"
            autoComplete="off"
            spellCheck={false}
            maxLength={100}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setSubmitted(false);
              setMissed([]);
              latest.current = '';
              if (event.target.value === '' && q !== '') void onSearch(undefined);
            }}
          />
          <button type="submit" className="button">
            Search
          </button>
          {props.personal && (
            <button type="button" className="button" onClick={() => onPersonal()}>
              Search by name, phone, VIN…
            </button>
          )}
          {props.children}
        </form>
      </search>
      <div aria-live="polite">
        {submitted && kind !== null && (
          <p className="notice info loans-hint">
            This looks like {NAMES[kind]}.{' '}
            {props.personal ? (
              <button type="button" className="link" onClick={() => onPersonal(kind, text.trim())}>
                Search by personal data
              </button>
            ) : (
              'Your roles do not allow searching by personal data.'
            )}
            {canBeId(text) && (
              <>
                {props.personal ? ' or ' : ' '}
                <button type="button" className="link" onClick={() => void search(text.trim())}>
                  search for it as an id
                </button>
              </>
            )}
          </p>
        )}
        {submitted && kind === null && !canBeId(text) && (
          <p className="notice info loans-hint">An id has letters, digits and . _ : - only.</p>
        )}
        {missed.length > 0 && missed[0] === q && (
          <p className="notice info loans-hint">No id begins with {missed.join(' or ')}.</p>
        )}
      </div>
    </div>
  );
}
