/** A report, or why it is not there: not read yet, being computed, empty, refused. And its definitions, on demand. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Answer, Arguments, Data, OperationId } from 'daybook-sdk';
import type { ReactNode } from 'react';
import { report } from '../../api.ts';
import { count, day, words } from '../../format.ts';
import { Field, Panel } from '../../parts/basics.tsx';
import { Empty, ErrorState, Loading } from '../../parts/states.tsx';
import { ABOUT, DEFINITIONS, type ReportName } from './definitions.ts';
import { sliceName, slicesIn } from './series.ts';
import { queryOf, type ReportProps, type View } from './view.ts';

export const OPERATION_OF = {
  summary: 'readPortfolioSummary',
  delinquency: 'readPortfolioDelinquency',
  'roll-rates': 'readPortfolioRollRates',
  vintages: 'readPortfolioVintages',
  cashflows: 'readPortfolioCashflows',
  yield: 'readPortfolioYield',
  prepayment: 'readPortfolioPrepayment',
} as const satisfies Record<ReportName, OperationId>;

type Of<R extends ReportName> = (typeof OPERATION_OF)[R];
/** The report itself, and not the progress of one. */
export type Ready<R extends ReportName> = Extract<Data<Of<R>>, { totals: unknown }>;

export function Reported<R extends ReportName>(props: {
  report: R;
  view: View;
  /** Titles of figures that differ from their names. */
  titles?: Record<string, string>;
  children: (report: Ready<R>) => ReactNode;
}) {
  const { report: name, view, titles = {} } = props;
  const operation: Of<R> = OPERATION_OF[name];
  const args = { query: queryOf(name, view) } as unknown as Arguments<Of<R>>;
  const query = useQuery(report<Of<R>>(operation, args, { today: view.asOf === null })) as UseQueryResult<
    Answer<Of<R>>
  >;
  if (query.data === undefined) {
    if (query.error !== null) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
    return <SkeletonPanels />;
  }
  const { data, status } = query.data as { data: unknown; status: number };
  if (status === 202) return <Computing {...(data as { asOf: string; done: number; total: number })} />;
  const found = data as Ready<R>;
  if (isEmpty(found)) return <NoLoans knownAt={(data as { knownAt: string | null }).knownAt} />;
  return (
    <>
      {props.children(found)}
      <Definitions report={name} titles={titles} />
    </>
  );
}

/** Nothing is measured: no row, or of the one row no loan. */
function isEmpty({ totals }: { totals: unknown }): boolean {
  if (Array.isArray(totals)) {
    return (
      totals.length === 0 || totals.every((row: { bucket?: string; count?: number }) => row.bucket && row.count === 0)
    );
  }
  const { count: open, chargedOffCount, totalChargedOff } = totals as Record<string, unknown>;
  return open === 0 && chargedOffCount === 0 && totalChargedOff === '0';
}

function NoLoans({ knownAt }: { knownAt: string | null }) {
  return (
    <Panel>
      <Empty title="No loans on this date">
        {knownAt === null
          ? 'No loan was funded and open by then. Choose a later date.'
          : 'No data for this date had been recorded by then. Months before the first nightly cycle were recorded by that cycle: choose “Restated”.'}
      </Empty>
    </Panel>
  );
}

function Computing({ asOf, done, total }: { asOf: string; done: number; total: number }) {
  return (
    <Panel>
      <div className="stack" role="status">
        <p>
          <strong>The positions of {day(asOf)} are being computed.</strong> The report appears here when they are ready.
          You can leave this page in the meantime.
        </p>
        <progress className="progress" max={Math.max(total, 1)} value={done} aria-label="Loans computed" />
        <p className="quiet small">
          {count(done)} of {count(total)} loans
        </p>
      </div>
    </Panel>
  );
}

/** In the shape of what will come. */
function SkeletonPanels() {
  return (
    <>
      <Panel>
        <div className="figures" aria-hidden="true">
          {Array.from({ length: 6 }, (_, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
            <div key={n} className="loading skeleton-figure">
              <div className="loading-row" />
              <div className="loading-row" />
            </div>
          ))}
        </div>
      </Panel>
      <Panel>
        <Loading rows={8} />
      </Panel>
    </>
  );
}

/** Definitions of the figures, folded at first. */
function Definitions({ report: name, titles }: { report: ReportName; titles: Record<string, string> }) {
  return (
    <details className="definitions no-print">
      <summary>Definitions</summary>
      {ABOUT[name].map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <dl className="facts">
        {Object.entries(DEFINITIONS[name]).map(([key, text]) => (
          <div key={key} className="definition">
            <dt>{titles[key] ?? words(key)}</dt>
            <dd>{text.replaceAll('`', '')}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Choice of the slice, where a report shows one at a time. */
export function SliceSelect({
  report: { by, slices },
  view,
  change,
}: ReportProps & { report: { by: string | null; slices: readonly { slice: string }[] } }) {
  if (by === null) return null;
  return (
    <div className="controls no-print">
      <Field label={words(by)}>
        {(ids) => (
          <select
            {...ids}
            className="input"
            value={view.slice === null ? '*' : `=${view.slice}`}
            onChange={({ target: { value } }) => change({ slice: value === '*' ? null : value.slice(1) })}
          >
            <option value="*">All loans</option>
            {slicesIn(slices).map((slice) => (
              <option key={slice} value={`=${slice}`}>
                {sliceName(slice)}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}
