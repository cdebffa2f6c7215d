/**
 * The filters of the list. Each choice counts at once; what is typed counts when one leaves the field or presses Enter. On a phone they are
 * hidden at first, so that the loans are seen.
 */
import { type ReactNode, useEffect, useState } from 'react';
import { words } from '../../../format.ts';
import { Field, Panel } from '../../../parts/basics.tsx';
import {
  BUCKETS,
  type FilterName,
  filtersOf,
  GRADES,
  type ListQuery,
  mistakeIn,
  ORDERS,
  STATUSES,
  tidy,
} from './query.ts';

type Change = (next: ListQuery) => void;

export function Filters({ query, change }: { query: ListQuery; change: Change }) {
  const set = (name: FilterName | 'sort', value: string) => {
    const { [name]: _, ...others } = query;
    change(value === '' ? others : { ...others, [name]: value });
  };
  const some = Object.keys(filtersOf(query)).length > 0;
  const typed = (name: FilterName, label: string, hint: string) => (
    <Typed key={name} name={name} label={label} hint={hint} value={query[name] ?? ''} set={set} />
  );
  const [open, setOpen] = useState(some || window.matchMedia('(min-width: 761px)').matches);
  return (
    <Panel
      title="Filters"
      actions={
        <>
          {some && (
            <button
              type="button"
              className="link"
              onClick={() => change(query.sort === undefined ? {} : { sort: query.sort })}
            >
              Clear filters
            </button>
          )}
          <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Hide filters' : 'Show filters'}
          </button>
        </>
      }
      flush
    >
      <div className="market-filters" hidden={!open}>
        <Choice label="Status" value={query.status ?? ''} set={(value) => set('status', value)}>
          <option value="">Any</option>
          {STATUSES.map((status) => (
            <option key={status} value={status}>
              {words(status)}
            </option>
          ))}
        </Choice>
        <Choice label="Grade" value={query.grade ?? ''} set={(value) => set('grade', value)}>
          <option value="">Any</option>
          {GRADES.map((grade) => (
            <option key={grade}>{grade}</option>
          ))}
        </Choice>
        <Choice label="Past due" value={query.bucket ?? ''} set={(value) => set('bucket', value)}>
          <option value="">Any</option>
          {BUCKETS.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Choice>
        {typed('vintageFrom', 'Originated from', 'YYYY-MM')}
        {typed('vintageTo', 'Originated to', 'YYYY-MM')}
        {typed('minRate', 'Rate from', '%')}
        {typed('maxRate', 'Rate to', '%')}
        {typed('minBalance', 'Balance from', 'USD')}
        {typed('maxBalance', 'Balance to', 'USD')}
        <Choice
          label="Order"
          value={query.sort ?? '-createdAt'}
          set={(value) => set('sort', value === '-createdAt' ? '' : value)}
        >
          {ORDERS.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Choice>
      </div>
    </Panel>
  );
}

function Choice(props: { label: string; value: string; set: (value: string) => void; children: ReactNode }) {
  return (
    <Field label={props.label}>
      {(ids) => (
        <select {...ids} className="input" value={props.value} onChange={({ target }) => props.set(target.value)}>
          {props.children}
        </select>
      )}
    </Field>
  );
}

function Typed(props: {
  name: FilterName;
  label: string;
  hint: string;
  value: string;
  set: (name: FilterName, value: string) => void;
}) {
  const { name, value } = props;
  const [text, setText] = useState(value);
  const [wrong, setWrong] = useState<string | null>(null);
  useEffect(() => setText(value), [value]);
  const take = () => {
    const tidied = tidy(name, text);
    const mistake = mistakeIn(name, tidied);
    setWrong(mistake);
    if (mistake === null && tidied !== value) props.set(name, tidied);
  };
  return (
    <Field label={props.label} wrong={wrong ?? undefined}>
      {(ids) => (
        <input
          {...ids}
          className="input"
          inputMode={name.startsWith('vintage') ? 'text' : 'decimal'}
          placeholder={props.hint}
          autoComplete="off"
          maxLength={20}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onBlur={take}
          onKeyDown={({ key }) => {
            if (key === 'Enter') take();
          }}
        />
      )}
    </Field>
  );
}
