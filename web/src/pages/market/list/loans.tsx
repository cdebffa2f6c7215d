/** All loans that match, of which only the visible ones are in the page. `j` and `k` go through them, Enter opens one. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import { count as counted, money, month, percent, share } from '../../../format.ts';
import { Panel, Status } from '../../../parts/basics.tsx';
import { usePrinting } from '../../../parts/printing.ts';
import { Empty, ErrorState, Loading } from '../../../parts/states.tsx';
import { useShortcuts } from '../../../shell/keyboard.tsx';
import { type MarketLoan, queryText, readPage } from '../data.ts';
import { priceOf } from '../figures.ts';
import { filtersOf, type ListQuery } from './query.ts';

const ROW = 36;

type Column = { title: string; width: number; cell: (loan: MarketLoan) => ReactNode; number?: boolean };

const COLUMNS: readonly Column[] = [
  {
    title: 'Application',
    width: 170,
    cell: ({ loanId, applicationId }) => <Opening loanId={loanId}>{applicationId}</Opening>,
  },
  { title: 'Grade', width: 70, cell: ({ grade }) => grade || '—' },
  { title: 'Status', width: 130, cell: ({ loanStatus }) => <Status status={loanStatus} /> },
  { title: 'Days past due', width: 120, cell: ({ daysPastDue }) => counted(daysPastDue), number: true },
  { title: 'Rate', width: 90, cell: ({ rate }) => percent(rate), number: true },
  { title: 'Term', width: 110, cell: ({ term }) => `${term} months`, number: true },
  { title: 'Original, USD', width: 130, cell: ({ loanAmount }) => money(loanAmount), number: true },
  { title: 'Balance, USD', width: 130, cell: ({ balance }) => money(balance), number: true },
  {
    title: 'Price',
    width: 100,
    cell: ({ fairValuePrice, loanAmount }) => percent(priceOf(fairValuePrice, loanAmount)),
    number: true,
  },
  { title: 'Yield', width: 95, cell: ({ predictedYield }) => share(predictedYield), number: true },
  { title: 'Originated', width: 100, cell: ({ vintage }) => month(vintage) },
];

function Opening({ loanId, children }: { loanId: string; children: ReactNode }) {
  return (
    <Link to="/loans/$loanId" params={{ loanId }} className="market-open">
      {children}
    </Link>
  );
}

/** `count`: how many match, as far as it is known. */
export function Loans({ query, count, clear }: { query: ListQuery; count: number | null; clear: () => void }) {
  const text = queryText({ ...filtersOf(query), sort: query.sort ?? '' });
  const pages = useInfiniteQuery({
    queryKey: ['loans', text],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => readPage(text, pageParam, signal),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  if (pages.data === undefined) {
    return (
      <Panel title="Loans" flush>
        {pages.error === null ? (
          <Loading rows={10} />
        ) : (
          <ErrorState error={pages.error} retry={() => void pages.refetch()} />
        )}
      </Panel>
    );
  }
  const loans = pages.data.pages.flatMap(({ items }) => items);
  const filtered = Object.keys(filtersOf(query)).length > 0;
  if (loans.length === 0) {
    return (
      <Panel title="Loans" flush>
        {filtered ? (
          <Empty
            title="No published loan matches"
            action={
              <button type="button" className="button" onClick={clear}>
                Clear filters
              </button>
            }
          >
            Widen a range, or remove a filter.
          </Empty>
        ) : (
          <Empty title="No loan is published yet">
            A loan appears here when its owner publishes its public record.
          </Empty>
        )}
      </Panel>
    );
  }
  return (
    <Panel title="Loans" actions={<span className="quiet small">Price and yield as at underwriting</span>} flush>
      {loans.some(({ isSample }) => isSample) && (
        <p className="market-sample small">Sample loans: they were invented for the demonstration of this service.</p>
      )}
      <Rows
        loans={loans}
        length={pages.hasNextPage ? Math.max(loans.length + 1, count ?? 0) : loans.length}
        more={() => {
          if (pages.hasNextPage && !pages.isFetching) void pages.fetchNextPage();
        }}
      />
      {pages.error !== null && <ErrorState error={pages.error} retry={() => void pages.fetchNextPage()} />}
    </Panel>
  );
}

/** `length` with those that are still to come: they are read when somebody scrolls to them. */
function Rows({ loans, length, more }: { loans: readonly MarketLoan[]; length: number; more: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  const at = useRef(-1);
  const printing = usePrinting();
  const rows = useVirtualizer({
    count: length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 12,
  });
  const visible = rows.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= loans.length - 20) more();
  }, [last, loans.length, more]);
  const go = (by: number) => {
    at.current = Math.min(Math.max(at.current + by, 0), loans.length - 1);
    rows.scrollToIndex(at.current);
    // The row is there once the list has moved to it.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-row="${at.current}"] a`)?.focus()),
    );
  };
  useShortcuts([
    { keys: 'j', does: 'Next loan', run: () => go(1) },
    { keys: 'k', does: 'Previous loan', run: () => go(-1) },
  ]);
  const shown = printing ? loans.map((_, index) => index) : visible.map(({ index }) => index);
  const above = printing ? 0 : (visible[0]?.start ?? 0);
  const below = printing ? 0 : rows.getTotalSize() - (visible.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <section ref={box} className="table-box market-box" aria-label="Published loans" tabIndex={0}>
      <table className="table market-table" aria-rowcount={length + 1}>
        <colgroup>
          {COLUMNS.map(({ title, width }) => (
            <col key={title} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {COLUMNS.map(({ title, number }) => (
              <th key={title} scope="col" className={number ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <Space height={above} />}
          {shown.map((index) => {
            const loan = loans[index];
            return (
              <tr
                key={index}
                aria-rowindex={index + 2}
                data-row={index}
                onFocus={() => {
                  at.current = index;
                }}
              >
                {COLUMNS.map(({ title, cell, number }) => (
                  <td key={title} className={number ? 'number' : undefined}>
                    {loan === undefined ? <span className="quiet">…</span> : cell(loan)}
                  </td>
                ))}
              </tr>
            );
          })}
          {below > 0 && <Space height={below} />}
        </tbody>
      </table>
    </section>
  );
}

/** In place of the rows that are out of sight. */
function Space({ height }: { height: number }) {
  return (
    <tr>
      <td colSpan={COLUMNS.length} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
