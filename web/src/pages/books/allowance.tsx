/** The allowance: what is required, part by part, beside what is booked; the booked months as a chart; and what became of them. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from 'daybook-sdk';
import { report } from '../../api.ts';
import { cents, count, day, money, month, percent, words } from '../../format.ts';
import { Field, Panel, Table } from '../../parts/basics.tsx';
import { Chart } from '../../parts/chart.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useOperation } from '../../parts/operation/operation.tsx';
import { Empty } from '../../parts/states.tsx';
import { useView } from '../../parts/view.ts';
import { useCan } from '../../shell/session.tsx';
import { useToday } from '../../shell/today.tsx';
import { monthEnd, monthsBefore } from '../reports/view.ts';
import { LenderField, MonthChoice, textIn } from './shared.tsx';

type Report = Schemas['AllowanceReport'];
type Slice = Schemas['AllowanceSlice'];
type BackTest = Schemas['AllowanceBackTest'];

const BY = ['pool', 'grade', 'bucket', 'vintage', 'lender'] as const;
type By = (typeof BY)[number];
const BY_LABELS: Readonly<Record<By, string>> = {
  pool: 'Pool',
  grade: 'Grade',
  bucket: 'Days past due',
  vintage: 'Vintage',
  lender: 'Lender',
};

/** The month that shows today. */
const TODAY = 'today';

export function Allowance() {
  const [search, change] = useView();
  const today = useToday();
  const by = BY.find((one) => one === search.by) ?? 'pool';
  const months = monthsBefore(today, 24);
  const period = months.find((one) => one === textIn(search.period)) ?? null;
  const lenderId = textIn(search.lenderId);
  const asOf = period === null ? {} : { asOf: monthEnd(period) };
  const args = { query: { by, ...asOf, ...(lenderId !== null && { lenderId }) } };
  const query = useQuery(report('readAllowance', args, { today: period === null }));
  return (
    <>
      <div className="controls no-print">
        <MonthChoice
          label="At the end of"
          months={[TODAY, ...months]}
          named={(one) => (one === TODAY ? 'Today' : undefined)}
          value={period ?? TODAY}
          onChange={(value) => change({ period: value === TODAY ? null : value })}
        />
        <Field label="Divided by">
          {(ids) => (
            <select
              {...ids}
              className="input"
              value={by}
              onChange={({ target: { value } }) => change({ by: value === 'pool' ? null : value })}
            >
              {BY.map((one) => (
                <option key={one} value={one}>
                  {BY_LABELS[one]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <LenderField value={lenderId} onChange={(value) => change({ lenderId: value })} />
      </div>
      <Loaded query={query}>
        {(found) => (
          <>
            <Booking bookedThrough={found.bookedThrough} last={months[0] ?? ''} />
            <Required report={found} by={by} />
            <Months report={found} />
          </>
        )}
      </Loaded>
      <BackTests lenderId={lenderId} />
    </>
  );
}

/** The next month to be booked, once it is over. */
function Booking({ bookedThrough, last }: { bookedThrough: string | null; last: string }) {
  const may = useCan()('books:write');
  const operate = useOperation();
  const queries = useQueryClient();
  if (!may || last === '' || (bookedThrough !== null && bookedThrough >= last)) return null;
  return (
    <Panel
      title={`Allowance of ${month(last)}`}
      actions={
        <button
          type="button"
          className="button primary"
          onClick={() =>
            operate('bookAllowance', {
              title: `Propose the allowance of ${month(last)}`,
              initial: { period: last },
              onDone: () => {
                void queries.invalidateQueries({ queryKey: ['book'] });
                void queries.invalidateQueries({ queryKey: ['report'] });
              },
            })
          }
        >
          Propose {month(last)}…
        </button>
      }
    >
      <p className="quiet">
        {bookedThrough === null ? 'No month is booked yet.' : `Booked through ${month(bookedThrough)}.`} The preview
        shows what would be posted; somebody else approves it. Book a month before you close it.
      </p>
    </Panel>
  );
}

const amountColumn = (key: 'principal' | 'modelled' | 'required' | 'booked' | 'difference', title: string) => ({
  key,
  title,
  number: true,
  cell: (row: Slice) => money(row[key]),
});

function Required({ report: { asOf, totals, slices, lenders }, by }: { report: Report; by: By }) {
  const overlays = lenders.flatMap((one) => one.overlays.map((overlay) => ({ ...overlay, lenderId: one.lenderId })));
  return (
    <>
      <Panel title={`Required on ${day(asOf)}`} flush>
        <Table<Slice>
          label={`Allowance by ${BY_LABELS[by].toLowerCase()}`}
          rows={slices}
          rowKey={({ slice }) => slice}
          columns={[
            { key: 'slice', title: BY_LABELS[by], cell: ({ slice }) => sliceText(slice, by) },
            { key: 'loans', title: 'Loans', number: true, cell: ({ loans }) => count(loans) },
            amountColumn('principal', 'Principal'),
            amountColumn('modelled', 'By the model'),
            amountColumn('required', 'Required'),
            { key: 'rate', title: 'Rate', number: true, cell: ({ rate }) => percent(rate) },
            amountColumn('booked', 'Last booked'),
            amountColumn('difference', 'Difference'),
          ]}
          foot={
            <tr>
              <td>In all, beside the account</td>
              <td className="number">{count(totals.loans)}</td>
              <td className="number">{money(totals.principal)}</td>
              <td className="number">{money(totals.modelled)}</td>
              <td className="number">{money(totals.required)}</td>
              <td className="number">{percent(totals.rate)}</td>
              <td className="number">{money(totals.booked)}</td>
              <td className="number">{money(totals.difference)}</td>
            </tr>
          }
        />
        <p className="panel-body quiet small">
          The loss that is expected over the life of the loans, given how many days past due they are. No interest is in
          it.
          {lenders[0] !== undefined &&
            ` Model ${lenders[0].modelVersion}; the economy of the policy for ${lenders[0].horizon} months, then ${lenders[0].reversion} months back to the average.`}
        </p>
      </Panel>
      {overlays.length > 0 && (
        <Panel title="Overlays" flush>
          <Table
            label="Overlays"
            rows={overlays}
            rowKey={({ lenderId, name }) => `${lenderId} ${name}`}
            columns={[
              { key: 'lender', title: 'Lender', cell: ({ lenderId }) => lenderId },
              { key: 'name', title: 'Name', cell: ({ name }) => name },
              { key: 'reason', title: 'Reason', cell: ({ reason }) => reason },
              { key: 'amount', title: 'Amount', number: true, cell: ({ amount }) => money(amount) },
            ]}
          />
        </Panel>
      )}
    </>
  );
}

function sliceText(slice: string, by: By): string {
  if (slice === '') return 'Unknown';
  if (by === 'vintage') return month(slice);
  return slice
    .replace(/^none:/, 'No grade:')
    .replace(':', ' · ')
    .replace('chargedOff', words('chargedOff'));
}

const PARTS = ['opening', 'other', 'chargedOff', 'recovered', 'provision', 'closing'] as const;
const PART_TITLES = ['Opening', 'By hand', 'Charged off', 'Recovered', 'Provision', 'Closing'] as const;

function Months({ report: { months } }: { report: Report }) {
  if (months.length === 0) return null;
  const values = (name: (typeof PARTS)[number]) => months.map((one) => Number(cents(one[name]) ?? 0n));
  return (
    <Panel title="Booked months" flush>
      <div className="panel-body">
        <Chart
          title="Allowance by month"
          unit="cents"
          months
          fromZero
          x={months.map(({ period }) => monthEnd(period))}
          lines={[
            { label: 'Allowance', color: '--chart-balance', values: values('closing') },
            { label: 'Charged off', color: '--chart-loss', values: values('chargedOff') },
            { label: 'Recovered', color: '--chart-received', values: values('recovered') },
            { label: 'Provision', color: '--chart-interest', values: values('provision'), dashed: true },
          ]}
        />
      </div>
      <Table<Report['months'][number]>
        label="Roll-forward of the allowance"
        rows={months.toReversed()}
        rowKey={({ period }) => period}
        columns={[
          { key: 'period', title: 'Month', cell: ({ period }) => month(period) },
          ...PARTS.map((name, i) => ({
            key: name,
            title: PART_TITLES[i] ?? name,
            number: true,
            cell: (one: Report['months'][number]) => money(one[name]),
          })),
        ]}
      />
    </Panel>
  );
}

const testColumn = (key: 'required' | 'expected' | 'lost' | 'difference', title: string) => ({
  key,
  title,
  number: true,
  cell: (row: BackTest) => money(row[key]),
});

function BackTests({ lenderId }: { lenderId: string | null }) {
  const args = { query: lenderId === null ? {} : { lenderId } };
  const query = useQuery(report('listAllowanceBackTests', args, { today: false }));
  return (
    <Panel title="What became of them" flush>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No month is booked yet">
              Each booked allowance is compared here with what was lost of its loans since.
            </Empty>
          ) : (
            <Table<BackTest>
              label="Back-tests"
              rows={items}
              rowKey={(one) => `${one.period} ${one.lenderId}`}
              columns={[
                { key: 'period', title: 'Month', cell: ({ period }) => month(period) },
                { key: 'lender', title: 'Lender', cell: (one) => one.lenderId },
                { key: 'months', title: 'Months since', number: true, cell: ({ months }) => count(months) },
                testColumn('required', 'Booked'),
                testColumn('expected', 'Expected by now'),
                testColumn('lost', 'Lost by now'),
                testColumn('difference', 'Difference'),
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
