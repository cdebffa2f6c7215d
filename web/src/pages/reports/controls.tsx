/** As of when, as known when, and divided by what. */
import { useState } from 'react';
import { day, words } from '../../format.ts';
import { Field } from '../../parts/basics.tsx';
import '../../parts/controls.css';
import { useToday } from '../../shell/today.tsx';
import { isMonthEnd, monthEndsBefore, type ReportTab, SLICES, takesKnownAt, type View } from './view.ts';

/** Five years; an earlier day can be typed. */
const MONTH_ENDS = 60;

type Change = (change: Readonly<Record<string, string | null>>) => void;

export function Controls({ report, view, change }: { report: ReportTab; view: View; change: Change }) {
  return (
    <div className="controls no-print">
      <AsOf report={report} view={view} change={change} />
      {report === 'roll-rates' && <From view={view} change={change} />}
      <KnownAtField view={view} change={change} />
      <Field label="Divide by">
        {(ids) => (
          <select
            {...ids}
            className="input"
            value={view.by ?? ''}
            onChange={({ target: { value } }) => change({ by: value === '' ? null : value, slice: null })}
          >
            <option value="">Nothing</option>
            {SLICES.filter((name) => report !== 'vintages' || name !== 'status').map((name) => (
              <option key={name} value={name}>
                {words(name)}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}

function AsOf({ report, view, change }: { report: ReportTab; view: View; change: Change }) {
  const today = useToday();
  const ends = monthEndsBefore(today, MONTH_ENDS);
  const [other, setOther] = useState(view.asOf !== null && !ends.includes(view.asOf));
  // A view that is kept known on a day before the new date would be refused.
  const choose = (asOf: string | null) => {
    const early = view.knownAt !== null && view.knownAt !== 'asReported' && view.knownAt < (asOf ?? today);
    change({ asOf, from: null, ...(early && { knownAt: null }) });
  };
  return (
    <>
      <Field label="As of">
        {(ids) => (
          <select
            {...ids}
            className="input"
            value={other ? 'other' : (view.asOf ?? '')}
            onChange={({ target: { value } }) => {
              setOther(value === 'other');
              if (value !== 'other') choose(value === '' ? null : value);
            }}
          >
            <option value="">{report === 'roll-rates' ? 'Last month end' : 'Today'}</option>
            {ends.map((end) => (
              <option key={end} value={end}>
                {day(end)}
              </option>
            ))}
            <option value="other">Another date…</option>
          </select>
        )}
      </Field>
      {other && (
        <Field label="Day">
          {(ids) => (
            <input
              {...ids}
              className="input"
              type="date"
              max={today}
              defaultValue={view.asOf ?? ''}
              onChange={({ target: { value } }) => value !== '' && value <= today && choose(value)}
            />
          )}
        </Field>
      )}
    </>
  );
}

/** The first date of roll rates. */
function From({ view, change }: { view: View; change: Change }) {
  const today = useToday();
  const to = view.asOf ?? monthEndsBefore(today, 1)[0] ?? '';
  const ends = monthEndsBefore(to, 24);
  return (
    <Field label="From">
      {(ids) => (
        <select
          {...ids}
          className="input"
          value={view.from ?? ends[0] ?? ''}
          onChange={({ target: { value } }) => change({ from: value === ends[0] ? null : value })}
        >
          {ends.map((end, n) => (
            <option key={end} value={end}>
              {day(end)}
              {[0, 2, 5, 11].includes(n) ? ` · ${n + 1} month${n === 0 ? '' : 's'}` : ''}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function KnownAtField({ view, change }: { view: View; change: Change }) {
  const possible = takesKnownAt(view.asOf);
  const onADay = view.knownAt !== null && view.knownAt !== 'asReported';
  const today = useToday();
  const earliest = view.asOf ?? today;
  return (
    <>
      <Field label="Known">
        {(ids) => (
          <select
            {...ids}
            className="input"
            disabled={!possible}
            title={possible ? undefined : 'Only month ends can be shown as known earlier.'}
            value={!possible ? '' : onADay ? 'day' : (view.knownAt ?? '')}
            onChange={({ target: { value } }) =>
              change({ knownAt: value === '' ? null : value === 'day' ? knownDay(earliest, today) : value })
            }
          >
            <option value="">Restated with current data</option>
            <option value="asReported">As reported at the time</option>
            <option value="day">As known on a date…</option>
          </select>
        )}
      </Field>
      {possible && onADay && (
        <Field label="Known on">
          {(ids) => (
            <input
              {...ids}
              className="input"
              type="date"
              min={earliest}
              max={today}
              value={view.knownAt ?? ''}
              onChange={({ target: { value } }) => value !== '' && change({ knownAt: value })}
            />
          )}
        </Field>
      )}
    </>
  );
}

/** A month end is first asked for as it was known on its own day. */
const knownDay = (asOf: string, today: string): string => (isMonthEnd(asOf) && asOf < today ? asOf : today);
