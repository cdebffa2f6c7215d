/** Outcomes at the time of the request and now, side by side. */
import { count, day, money, words } from '../../format.ts';
import { Entries, type Outlook } from '../../parts/operation/preview.tsx';
import { titleOf } from '../../parts/operation/words.ts';
import { differences } from './differences.ts';

export function Changed({ before, now }: { before: unknown; now: unknown }) {
  const rows = differences(before, now);
  const [old, next] = [before as Outlook, now as Outlook];
  return (
    <section className="stack" aria-label="The outcome has changed">
      <p className="notice late" role="alert">
        The outcome has changed since this was requested. Nothing was done. Review both, then decide again.
      </p>
      <div className="table-box">
        <table className="compare">
          <thead>
            <tr>
              <th scope="col">
                <span className="hidden-visually">Figure</span>
              </th>
              <th scope="col" className="number">
                As requested
              </th>
              <th scope="col" className="number">
                Now
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, was, is }) => (
              <tr key={name}>
                <th scope="row">{titleOf(name)}</th>
                <td className="number">{formatted(name, was)}</td>
                <td className={was === is ? 'number' : 'number changed'}>{formatted(name, is)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="approval-both">
        {(
          [
            ['Entries as requested', old.journal],
            ['Entries now', next.journal],
          ] as const
        ).map(([title, journal]) => (
          <div key={title}>
            <h3 className="small quiet">{title}</h3>
            {journal === undefined || journal.length === 0 ? <p>Nothing is posted.</p> : <Entries journal={journal} />}
          </div>
        ))}
      </div>
    </section>
  );
}

function formatted(name: string, value: string | undefined): string {
  if (value === undefined) return '—';
  if (name === 'delinquentDays') return count(value);
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return day(value);
  if (/^-?[\d,]+(\.\d+)?$/.test(value)) return money(value);
  // A reference stays as it is.
  return /^[A-Za-z]+$/.test(value) ? words(value) : value;
}
