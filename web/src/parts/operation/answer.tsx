/** An answer of any operation, readable: facts as a list, rows as a table, parts below, and all of it as JSON. */
import { money, shortHash, words } from '../../format.ts';
import { Day, Moment, Table } from '../basics.tsx';
import { look, partsOf, type Rows, type Scalar } from './answer-parts.ts';
import { titleOf } from './words.ts';

export function AnswerView({ data, depth = 0 }: { data: unknown; depth?: number }) {
  const { facts, tables, lists, objects } = partsOf(data);
  return (
    <div className="answer">
      {facts.length > 0 && (
        <dl className="facts">
          {facts.map(([name, value]) => (
            <div key={name} className="fact">
              <dt>{titleOf(name)}</dt>
              <dd>
                <Value name={name} value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {lists.map(([name, values]) => (
        <div key={name}>
          <h4 className="part">{titleOf(name)}</h4>
          {values.length === 0 ? (
            <p className="quiet">None</p>
          ) : (
            <ul className="plain-list">
              {values.map((value, n) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
                <li key={n}>
                  <Value name={name} value={value} />
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
      {tables.map(([name, rows]) => (
        <div key={name}>
          <h4 className="part">{titleOf(name)}</h4>
          <RowsTable label={titleOf(name)} rows={rows} />
        </div>
      ))}
      {objects.map(([name, value]) =>
        depth >= 3 ? null : (
          <details key={name} open={depth === 0 && Object.keys(value).length <= 12} className="part-box">
            <summary>{titleOf(name)}</summary>
            <AnswerView data={value} depth={depth + 1} />
          </details>
        ),
      )}
    </div>
  );
}

/** The whole answer, for those who write programs. */
export function AsJson({ data }: { data: unknown }) {
  return (
    <details>
      <summary>As JSON</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard. */}
      <pre className="json mono" tabIndex={0}>
        {JSON.stringify(data, null, 2)}
      </pre>
    </details>
  );
}

function RowsTable({ label, rows: { columns, rows, left } }: { label: string; rows: Rows }) {
  const number = (name: string) =>
    rows.every((row) => row[name] === undefined || ['money', 'figure', 'nothing'].includes(look(name, row[name])));
  return (
    <>
      <Table<Rows['rows'][number]>
        label={label}
        rows={rows}
        rowKey={(_, n) => String(n)}
        columns={columns.map((name) => ({
          key: name,
          title: name.split('.').map(titleOf).join(': '),
          number: number(name),
          cell: (row) => <Value name={name} value={row[name] ?? null} />,
        }))}
      />
      {left > 0 && <p className="quiet small">{left} more are in the JSON.</p>}
    </>
  );
}

function Value({ name, value }: { name: string; value: Scalar }) {
  const text = String(value);
  switch (look(name, value)) {
    case 'nothing':
      return <span className="quiet">—</span>;
    case 'yes-no':
      return <>{value === true ? 'Yes' : 'No'}</>;
    case 'day':
      return <Day date={text} />;
    case 'moment':
      return <Moment at={text} />;
    case 'hash':
      return (
        <span className="mono" title={text}>
          {shortHash(text)}
        </span>
      );
    case 'money':
      return <>{money(text)}</>;
    case 'figure':
      return <>{text.replace('-', '−')}</>;
    case 'word':
      return <>{words(text)}</>;
    default:
      return <>{text}</>;
  }
}
