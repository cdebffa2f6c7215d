/** The small parts that every page is made of. */
import { type ReactNode, useId, useState } from 'react';
import { day, moment, money, words } from '../format.ts';
import './parts.css';

export function PageHead({ title, note, children }: { title: ReactNode; note?: ReactNode; children?: ReactNode }) {
  return (
    <div className="page-head">
      <div>
        <h1>{title}</h1>
        {note && <p className="quiet small">{note}</p>}
      </div>
      {children && <div className="line no-print">{children}</div>}
    </div>
  );
}

/** A titled box. `flush`: without padding, for a table. */
export function Panel(props: { title?: ReactNode; actions?: ReactNode; flush?: boolean; children: ReactNode }) {
  const id = useId();
  return (
    <section className="panel" aria-labelledby={props.title ? id : undefined}>
      {(props.title || props.actions) && (
        <div className="panel-head">
          <h2 id={id}>{props.title}</h2>
          {props.actions && <div className="line no-print">{props.actions}</div>}
        </div>
      )}
      {props.flush ? props.children : <div className="panel-body">{props.children}</div>}
    </section>
  );
}

/** A day, with the ISO date on hover. */
export function Day({ date }: { date: string | null | undefined }) {
  return date ? (
    <time dateTime={date} title={date}>
      {day(date)}
    </time>
  ) : (
    <>—</>
  );
}

export function Moment({ at }: { at: string | null | undefined }) {
  return at ? (
    <time dateTime={at} title={at}>
      {moment(at)}
    </time>
  ) : (
    <>—</>
  );
}

export function Money({ amount }: { amount: string | null | undefined }) {
  return <span className="number">{money(amount)}</span>;
}

/** A quiet action in a row; who cannot see the row hears what it is about. */
export function Action(props: { of: string; onClick: () => void; children: string }) {
  return (
    <button type="button" className="link" aria-label={`${props.children}: ${props.of}`} onClick={props.onClick}>
      {props.children}
    </button>
  );
}

export type Tone = 'neutral' | 'info' | 'late' | 'bad' | 'good';

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

const TONES: Record<string, Tone> = {
  Delinquent: 'late',
  Defaulted: 'bad',
  ChargedOff: 'bad',
  Cancelled: 'bad',
  Closed: 'neutral',
  PaidOff: 'good',
  Settled: 'good',
  Repaid: 'good',
};

export function Status({ status, days }: { status: string; days?: string | number | null }) {
  const late = days !== undefined && days !== null && Number(days) > 0;
  return (
    <Badge tone={TONES[status] ?? (late ? 'late' : 'neutral')}>
      {words(status)}
      {late && ` · ${days} ${Number(days) === 1 ? 'day' : 'days'}`}
    </Badge>
  );
}

/** A figure with its label. `why` unfolds below it. */
export function Figure(props: { label: string; value: ReactNode; note?: ReactNode; why?: ReactNode }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div>
      <div className="figure-label">{props.label}</div>
      <div className="figure-value">{props.value}</div>
      <div className="figure-note">
        {props.note}
        {props.note && props.why && ' · '}
        {props.why && (
          <button
            type="button"
            className="link no-print"
            aria-expanded={open}
            aria-controls={id}
            aria-label={`Why is ${props.label} this amount?`}
            onClick={() => setOpen(!open)}
          >
            why?
          </button>
        )}
      </div>
      {open && (
        <div id={id} className="why">
          {props.why}
        </div>
      )}
    </div>
  );
}

export type Column<Row> = {
  key: string;
  title: string;
  /** Name of a column without a title, for screen readers; default: actions. */
  name?: string;
  cell: (row: Row) => ReactNode;
  /** Right-aligned tabular figures. */
  number?: boolean;
};

/** A plain table for what fits into one answer. For long lists see `list.tsx`. */
export function Table<Row>(props: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, n: number) => string;
  foot?: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <section className="table-box" aria-label={props.label} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {props.columns.map(({ key, title, name = 'Actions', number }) => (
              <th key={key} scope="col" className={number ? 'number' : undefined}>
                {title === '' ? <span className="hidden-visually">{name}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row, n) => (
            <tr key={props.rowKey(row, n)}>
              {props.columns.map(({ key, cell, number }) => (
                <td key={key} className={number ? 'number' : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {props.foot && <tfoot>{props.foot}</tfoot>}
      </table>
    </section>
  );
}

/** A labelled field around any control. */
export function Field(props: {
  label: string;
  hint?: ReactNode;
  wrong?: string | undefined;
  children: (ids: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }) => ReactNode;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{props.label}</label>
      {props.children({ id, 'aria-describedby': `${id}-hint`, 'aria-invalid': props.wrong !== undefined })}
      <div id={`${id}-hint`}>
        {props.hint && <div className="hint">{props.hint}</div>}
        {props.wrong && <div className="wrong">{props.wrong}</div>}
      </div>
    </div>
  );
}
