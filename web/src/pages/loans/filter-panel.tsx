/** The form of the filters, and those that are set. */
import { type FormEvent, useState } from 'react';
import { typedAmount, words } from '../../format.ts';
import { Field } from '../../parts/basics.tsx';
import {
  APPLICATION_STATUSES,
  BUCKETS,
  bucketName,
  ENDED_STATUSES,
  type Filters,
  fromSearch,
  impossible,
  inWords,
  type LoanStatus,
  SERVICED_STATUSES,
  toSearch,
} from './filters.ts';

const GROUPS = [
  { label: 'Serviced', statuses: SERVICED_STATUSES },
  { label: 'Applications', statuses: APPLICATION_STATUSES },
  { label: 'Ended', statuses: ENDED_STATUSES },
] as const;

export function FilterPanel(props: { filters: Filters; onApply: (filters: Filters) => void; onClose: () => void }) {
  const { filters, onApply, onClose } = props;
  const [texts, setTexts] = useState<Record<string, string>>(() => {
    const { status: _, ...rest } = toSearch(filters);
    return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]));
  });
  const [statuses, setStatuses] = useState<readonly LoanStatus[]>(filters.status ?? []);
  const typed = (): Filters =>
    fromSearch({
      ...Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, value.trim()])),
      status: statuses.join(','),
    });
  const crossed = impossible(typed()).map(({ field, message }) => [field, message]);
  const wrong: Record<string, string> = { ...Object.fromEntries(crossed), ...mistakes(texts) };
  const text = (name: string, label: string, kind: 'text' | 'date' | 'amount' | 'days' = 'text') => (
    <Field label={label} wrong={wrong[name]}>
      {(ids) => (
        <input
          {...ids}
          className="input"
          type={kind === 'date' ? 'date' : 'text'}
          inputMode={kind === 'amount' ? 'decimal' : kind === 'days' ? 'numeric' : undefined}
          autoComplete="off"
          value={texts[name] ?? ''}
          onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
        />
      )}
    </Field>
  );
  const apply = (event: FormEvent) => {
    event.preventDefault();
    if (Object.keys(wrong).length > 0) return;
    onApply(typed());
  };
  return (
    <form className="panel panel-body stack no-print" aria-label="Filters" onSubmit={apply}>
      <div>
        {GROUPS.map(({ label, statuses: group }) => (
          <fieldset key={label} className="loans-group">
            <legend>{label}</legend>
            <div>
              {group.map((status) => (
                <label key={status}>
                  <input
                    type="checkbox"
                    checked={statuses.includes(status)}
                    onChange={({ target }) =>
                      setStatuses(target.checked ? [...statuses, status] : statuses.filter((one) => one !== status))
                    }
                  />
                  {words(status)}
                </label>
              ))}
            </div>
          </fieldset>
        ))}
      </div>
      <div className="loans-fields">
        <Field label="Bucket">
          {(ids) => (
            <select
              {...ids}
              className="input"
              value={texts.bucket ?? ''}
              onChange={(event) => setTexts({ ...texts, bucket: event.target.value })}
            >
              <option value="">Any</option>
              {BUCKETS.map((bucket) => (
                <option key={bucket} value={bucket}>
                  {bucketName(bucket)}
                </option>
              ))}
            </select>
          )}
        </Field>
        {text('minDaysPastDue', 'Days past due from', 'days')}
        {text('maxDaysPastDue', 'Days past due to', 'days')}
        {text('minCreditDays', 'Days with a credit from', 'days')}
        {text('maxCreditDays', 'Days with a credit to', 'days')}
        {text('minBalance', 'Balance from', 'amount')}
        {text('maxBalance', 'Balance to', 'amount')}
        {text('dueFrom', 'Due from', 'date')}
        {text('dueTo', 'Due to', 'date')}
        {text('createdFrom', 'Created from', 'date')}
        {text('createdTo', 'Created to', 'date')}
        {text('lenderId', 'Lender id')}
        {text('servicerId', 'Servicer id')}
      </div>
      <div className="line">
        <button type="submit" className="button primary">
          Apply filters
        </button>
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
    </form>
  );
}

/** Error messages for invalid filters. */
function mistakes(texts: Readonly<Record<string, string>>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(texts)) {
    const given = value.trim();
    if (given === '') continue;
    if (/(DaysPastDue|CreditDays)$/.test(name) && !/^\d{1,5}$/.test(given))
      found[name] = 'A number of days, such as 30.';
    if (/Balance$/.test(name) && (typedAmount(given) === null || given.startsWith('-')))
      found[name] = 'An amount, such as 1,500.00.';
    if (/(lender|servicer)Id$/.test(name) && !/^[A-Za-z0-9._:-]{1,64}$/.test(given))
      found[name] = 'Letters, digits and . _ : - only.';
  }
  return found;
}

/** The filters that are set, each with a button that removes it. */
export function FilterChips({ filters, onChange }: { filters: Filters; onChange: (filters: Filters) => void }) {
  const set = inWords(filters);
  if (set.length === 0) return null;
  return (
    <ul className="loans-chips" aria-label="Active filters">
      {set.map(({ text, without }) => (
        <li key={text} className="badge info">
          {text}
          <button
            type="button"
            className="loans-chip-x no-print"
            aria-label={`Remove filter: ${text}`}
            onClick={() => onChange(without)}
          >
            ×
          </button>
        </li>
      ))}
      {set.length > 1 && (
        <li className="no-print">
          <button type="button" className="link small" onClick={() => onChange({ sort: filters.sort })}>
            Clear all
          </button>
        </li>
      )}
    </ul>
  );
}
