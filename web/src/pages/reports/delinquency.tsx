/** Open loans by days past due. */

import { useState } from 'react';
import { count, fromCents, money, percent, words } from '../../format.ts';
import { type Column, Panel, Table } from '../../parts/basics.tsx';
import { Choice } from '../../parts/choice.tsx';
import { placeName } from './matrix.ts';
import { type Ready, Reported } from './reported.tsx';
import { at, percentOf, sliceName, slicesIn, total } from './series.ts';
import type { ReportProps } from './view.ts';

type Row = Ready<'delinquency'>['totals'][number];
type Slice = Ready<'delinquency'>['slices'][number];

const days = (bucket: string) => (bucket === 'current' ? 'Current' : `${placeName(bucket)} days`);
/** Current, late, and past what is usually written off soon. */
const tone = (bucket: string) => (bucket === 'current' ? 'info' : ['90-119', '120+'].includes(bucket) ? 'bad' : 'late');

const COLUMNS: readonly Column<Row>[] = [
  { key: 'bucket', title: 'Days past due', cell: ({ bucket }) => days(bucket) },
  { key: 'count', title: 'Loans', number: true, cell: (row) => count(row.count) },
  { key: 'countShare', title: 'Share of loans', number: true, cell: (row) => percent(row.countShare) },
  { key: 'principal', title: 'Principal', number: true, cell: (row) => money(row.principal) },
  { key: 'principalShare', title: 'Share of principal', number: true, cell: (row) => percent(row.principalShare) },
  {
    key: 'bar',
    title: '',
    name: 'Share of principal as a bar',
    cell: ({ bucket, principalShare }) => (
      <div className="bar" aria-hidden="true">
        {Number(principalShare) > 0 && (
          <div className={`bar-part ${tone(bucket)}`} style={{ width: `${Number(principalShare)}%` }} />
        )}
      </div>
    ),
  },
];

export function Delinquency({ view }: ReportProps) {
  return (
    <Reported report="delinquency" view={view}>
      {({ totals, slices, by }) => (
        <>
          <Panel title="Days past due" flush>
            <Table
              label="Open loans by days past due"
              columns={COLUMNS}
              rows={totals}
              rowKey={({ bucket }) => bucket}
              foot={<Foot rows={totals} />}
            />
          </Panel>
          {by !== null && <BySlice by={by} slices={slices} />}
        </>
      )}
    </Reported>
  );
}

/** All of them, and those that are 30 days late or more. */
function Foot({ rows }: { rows: readonly Row[] }) {
  const late = rows.filter(({ bucket }) => bucket !== 'current' && bucket !== '1-29');
  const loans = (of: readonly Row[]) => of.reduce((sum, row) => sum + row.count, 0);
  return (
    <>
      {[
        { name: '30 days and more', of: late },
        { name: 'Open loans', of: rows },
      ].map(({ name, of }) => (
        <tr key={name}>
          <td>{name}</td>
          <td className="number">{count(loans(of))}</td>
          <td className="number">{percent(percentOf(BigInt(loans(of)), BigInt(loans(rows))))}</td>
          <td className="number">{fromCents(total(of, 'principal'))}</td>
          <td className="number">{percent(percentOf(total(of, 'principal'), total(rows, 'principal')))}</td>
          <td />
        </tr>
      ))}
    </>
  );
}

function BySlice({ by, slices }: { by: string; slices: readonly Slice[] }) {
  const [unit, setUnit] = useState<'principal' | 'principalShare' | 'count'>('principal');
  const names = slicesIn(slices);
  const buckets = [...new Set(slices.map(({ bucket }) => bucket))];
  const found = (slice: string, bucket: string) => slices.find((row) => row.slice === slice && row.bucket === bucket);
  const shown = (row: Slice | undefined) =>
    unit === 'count' ? count(row?.count) : unit === 'principal' ? money(row?.principal) : percent(row?.principalShare);
  return (
    <Panel
      title={`By ${by}`}
      flush
      actions={
        <Choice
          label="Figures"
          value={unit}
          onChange={setUnit}
          options={[
            { value: 'principal', label: 'Principal' },
            { value: 'principalShare', label: 'Share' },
            { value: 'count', label: 'Loans' },
          ]}
        />
      }
    >
      <Table
        label={`Days past due by ${by}`}
        rows={names}
        rowKey={(slice) => slice}
        columns={[
          { key: 'slice', title: '', name: words(by), cell: sliceName },
          ...buckets.map((bucket) => ({
            key: bucket,
            title: days(bucket),
            number: true,
            cell: (slice: string) => shown(found(slice, bucket)),
          })),
          {
            key: 'all',
            title: unit === 'count' ? 'Loans' : 'Principal',
            number: true,
            cell: (slice: string) => {
              const mine = slices.filter((row) => row.slice === slice);
              return unit === 'count'
                ? count(mine.reduce((sum, row) => sum + row.count, 0))
                : fromCents(mine.reduce((sum, row) => sum + at(row, 'principal'), 0n));
            },
          },
        ]}
      />
    </Panel>
  );
}
