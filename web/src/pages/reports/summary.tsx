/** Totals of the portfolio, its statuses and its losses. */
import { Link } from '@tanstack/react-router';
import { count, fromCents, money, percent, words } from '../../format.ts';
import { type Column, Figure, Panel, Table } from '../../parts/basics.tsx';
import { type Ready, Reported } from './reported.tsx';
import { at, percentOf, sliceName } from './series.ts';
import type { ReportProps } from './view.ts';

type Row = Ready<'summary'>['totals'];

const STATUSES = [
  { name: 'Funded', loans: 'fundedCount', principal: 'fundedPrincipal' },
  { name: 'Current', loans: 'currentCount', principal: 'currentPrincipal' },
  { name: 'Delinquent', loans: 'delinquentCount', principal: 'delinquentPrincipal' },
  { name: 'Defaulted', loans: 'defaultedCount', principal: 'defaultedPrincipal' },
] as const;

const CREDIT_AGES = [
  { name: 'credits0To29', from: 0, to: 29 },
  { name: 'credits30To59', from: 30, to: 59 },
  { name: 'credits60To89', from: 60, to: 89 },
  { name: 'credits90To119', from: 90, to: 119 },
  { name: 'credits120AndMore', from: 120, to: null },
] as const;

const SLICE_COLUMNS: readonly Column<Ready<'summary'>['slices'][number]>[] = [
  { key: 'slice', title: '', cell: ({ slice }) => sliceName(slice) },
  { key: 'count', title: 'Open loans', number: true, cell: (row) => count(row.count) },
  { key: 'principal', title: 'Principal', number: true, cell: (row) => money(row.principal) },
  { key: 'interest', title: 'Interest', number: true, cell: (row) => money(row.interest) },
  { key: 'fees', title: 'Fees', number: true, cell: (row) => money(row.fees) },
  { key: 'rate', title: 'Average rate', number: true, cell: (row) => percent(row.averageRate) },
  { key: 'term', title: 'Remaining term', number: true, cell: (row) => months(row.averageRemainingTerm) },
  { key: 'late', title: '30+ days past due', number: true, cell: (row) => percent(row.pastDue30Share) },
  { key: 'loss', title: 'Charged off', number: true, cell: (row) => money(row.totalChargedOff) },
  { key: 'recovered', title: 'Recovered', number: true, cell: (row) => money(row.totalRecovered) },
];

export function Summary({ view }: ReportProps) {
  return (
    <Reported report="summary" view={view}>
      {({ totals, slices, by }) => (
        <>
          <Panel>
            <Figures totals={totals} />
          </Panel>
          <div className="two">
            <Statuses totals={totals} />
            <LossesToDate totals={totals} />
          </div>
          <Credits totals={totals} linked={view.asOf === null} />
          {by !== null && (
            <Panel title={`By ${by}`} flush>
              <Table
                label={`Portfolio by ${by}`}
                columns={SLICE_COLUMNS.map((one) => (one.key === 'slice' ? { ...one, name: words(by) } : one))}
                rows={slices}
                rowKey={({ slice }) => slice}
                foot={
                  <tr>
                    {SLICE_COLUMNS.map(({ key, number, cell }) => (
                      <td key={key} className={number ? 'number' : undefined}>
                        {key === 'slice' ? 'All loans' : cell({ ...totals, slice: '' })}
                      </td>
                    ))}
                  </tr>
                }
              />
            </Panel>
          )}
        </>
      )}
    </Reported>
  );
}

function Figures({ totals }: { totals: Row }) {
  return (
    <div className="figures">
      <Figure label="Open loans" value={count(totals.count)} note={`${money(totals.original)} original`} />
      <Figure label="Principal" value={money(totals.principal)} note="of open loans" />
      <Figure label="Interest" value={money(totals.interest)} note="owed and in the books" />
      <Figure label="Fees" value={money(totals.fees)} note={`${money(totals.credits)} credits`} />
      <Figure label="Average rate" value={percent(totals.averageRate)} note="weighted by principal" />
      <Figure
        label="Remaining term"
        value={months(totals.averageRemainingTerm)}
        note={`age ${months(totals.averageAge)} months`}
      />
      <Figure
        label="30+ days past due"
        value={percent(totals.pastDue30Share)}
        note={`${count(totals.pastDue30Count)} loans · ${money(totals.pastDue30Principal)}`}
      />
      <Figure label="Predicted loss" value={percent(totals.predictedLoss)} note="of original principal" />
    </div>
  );
}

function Statuses({ totals }: { totals: Row }) {
  const whole = at(totals, 'principal');
  const rows = STATUSES.map(({ name, loans, principal }) => ({
    name,
    loans: totals[loans],
    principal: at(totals, principal),
  }));
  return (
    <Panel title="Status" flush>
      <Table
        label="Open loans by status"
        rows={rows}
        rowKey={({ name }) => name}
        columns={[
          { key: 'status', title: 'Status', cell: ({ name }) => name },
          { key: 'loans', title: 'Loans', number: true, cell: ({ loans }) => count(loans) },
          { key: 'principal', title: 'Principal', number: true, cell: ({ principal }) => fromCents(principal) },
          { key: 'share', title: 'Share', number: true, cell: ({ principal }) => percent(percentOf(principal, whole)) },
        ]}
        foot={
          <tr>
            <td>Open loans</td>
            <td className="number">{count(totals.count)}</td>
            <td className="number">{money(totals.principal)}</td>
            <td className="number">{percent(percentOf(whole, whole))}</td>
          </tr>
        }
      />
    </Panel>
  );
}

/** The list of loans is of today: a report of another date does not lead to it. */
function Credits({ totals, linked }: { totals: Row; linked: boolean }) {
  const whole = at(totals, 'credits');
  if (whole === 0n) return null;
  const linkTo = (text: string, from: number, to: number | null) => {
    const search = { minCreditDays: from, ...(to !== null && { maxCreditDays: to }), sort: 'creditSince' };
    return linked ? (
      <Link to="/loans" search={search as never}>
        {text}
      </Link>
    ) : (
      text
    );
  };
  return (
    <Panel title="Credits owed back" flush>
      <Table
        label="Credits owed back to borrowers by age"
        rows={CREDIT_AGES}
        rowKey={({ name }) => name}
        columns={[
          {
            key: 'age',
            title: 'Days since the credit arose',
            cell: ({ from, to }) => linkTo(to === null ? `${from} and more` : `${from}–${to}`, from, to),
          },
          { key: 'loans', title: 'Loans', number: true, cell: ({ name }) => count(totals[`${name}Count`]) },
          { key: 'amount', title: 'Credits', number: true, cell: ({ name }) => money(totals[name]) },
          {
            key: 'share',
            title: 'Share',
            number: true,
            cell: ({ name }) => percent(percentOf(at(totals, name), whole)),
          },
        ]}
        foot={
          <tr>
            <td>{linkTo('All credits', 0, null)}</td>
            <td className="number">{count(CREDIT_AGES.reduce((sum, { name }) => sum + totals[`${name}Count`], 0))}</td>
            <td className="number">{money(totals.credits)}</td>
            <td className="number">{percent(percentOf(whole, whole))}</td>
          </tr>
        }
      />
    </Panel>
  );
}

function LossesToDate({ totals }: { totals: Row }) {
  const gross = at(totals, 'totalChargedOff') + at(totals, 'totalForgiven');
  const rows = [
    { name: 'Charged off', amount: at(totals, 'totalChargedOff') },
    { name: 'Forgiven in settlements and waivers', amount: at(totals, 'totalForgiven') },
    { name: 'Recovered', amount: -at(totals, 'totalRecovered') },
  ];
  return (
    <Panel title="Losses to date" flush>
      <Table
        label="Losses since the beginning of the book"
        rows={rows}
        rowKey={({ name }) => name}
        columns={[
          { key: 'name', title: 'Since the beginning of the book', cell: ({ name }) => name },
          { key: 'amount', title: 'Principal', number: true, cell: ({ amount }) => fromCents(amount) },
        ]}
        foot={
          <>
            <tr>
              <td>Net loss</td>
              <td className="number">{fromCents(gross - at(totals, 'totalRecovered'))}</td>
            </tr>
            <tr className="plain-row">
              <td>
                Still claimed from {count(totals.chargedOffCount)} charged-off{' '}
                {totals.chargedOffCount === 1 ? 'loan' : 'loans'}
              </td>
              <td className="number">{money(totals.chargedOffClaims)}</td>
            </tr>
          </>
        }
      />
    </Panel>
  );
}

const months = (text: string | null | undefined): string =>
  text === null || text === undefined ? '—' : Number(text).toFixed(1);
