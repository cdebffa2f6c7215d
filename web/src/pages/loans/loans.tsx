/** Every loan: search, filters, views, and a list of any length that says the same under its address. */
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { daybook, read } from '../../api.ts';
import { count } from '../../format.ts';
import { PageHead } from '../../parts/basics.tsx';
import { List, type ListColumn } from '../../parts/list.tsx';
import { useOperation } from '../../parts/operation/operation.tsx';
import { usePrinting } from '../../parts/printing.ts';
import { Empty, NoRight } from '../../parts/states.tsx';
import { useShortcuts } from '../../shell/keyboard.tsx';
import { useCan, useSession } from '../../shell/session.tsx';
import { COLLECTIONS_COLUMNS, COLUMN_KEYS, DEFAULT_COLUMNS, LOAN_COLUMNS, NARROW_COLUMNS } from './columns.tsx';
import { ColumnsMenu } from './columns-menu.tsx';
import { csvName } from './csv.ts';
import { ExportButton } from './export-button.tsx';
import { FilterChips, FilterPanel } from './filter-panel.tsx';
import {
  type Filters,
  fromSearch,
  impossible,
  inWords,
  type LoanQuery,
  type Sort,
  sameFilters,
  toQuery,
  toSearch,
} from './filters.ts';
import { collectionsPage, type Loan, orderedPage } from './order.ts';
import { type Begun, PersonalSearch } from './personal-search.tsx';
import { SearchBox } from './search-box.tsx';
import {
  builtInViews,
  dropView,
  keepColumns,
  keepView,
  readColumns,
  readViews,
  type Shelf,
  shelfKey,
} from './views.ts';
import { ViewsBar } from './views-bar.tsx';
import './loans.css';

export function Loans() {
  return useCan()('loans:read') ? <LoansList /> : <NoRight what="loans" scope="loans:read" />;
}

/** A browser may refuse it at every use. */
const SHELF: Shelf = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, value),
};

function LoansList() {
  const can = useCan();
  const navigate = useNavigate();
  const operate = useOperation();
  const { userId, organization } = useSession();
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const filters = useMemo(() => fromSearch(search), [search]);
  const show = (next: Filters, replace = false) => navigate({ to: '/loans', search: toSearch(next) as never, replace });

  const clock = useQuery(read('readClock'));
  const today = clock.data?.data.today ?? null;
  const [viewsKey, columnsKey] = ['views', 'columns'].map((what) =>
    shelfKey(what, organization.organizationId, userId),
  );
  const [own, setOwn] = useState(() => readViews(SHELF, viewsKey as string));
  const [picked, setPicked] = useState(() => readColumns(SHELF, columnsKey as string, COLUMN_KEYS) ?? []);
  const builtIn = builtInViews(today);
  const view = [...own, ...builtIn].find((one) => sameFilters(one.filters, filters));

  const [filtering, setFiltering] = useState(false);
  const [personal, setPersonal] = useState<Begun | null>(null);
  const [total, setTotal] = useState<{ count: number; exact: boolean } | null>(null);
  const [active, setActive] = useState<Loan | undefined>();

  const collecting = filters.sort === 'collections';
  const shown = picked.length > 0 ? picked : collecting ? COLLECTIONS_COLUMNS : DEFAULT_COLUMNS;
  const [crossed] = impossible(filters);
  const query = toQuery(filters);
  const load = (cursor: string | null, signal: AbortSignal) => {
    const list = async (pageQuery: LoanQuery) => (await daybook.listLoans({ query: pageQuery, signal })).data;
    return (collecting ? collectionsPage : orderedPage)(list, query, cursor);
  };
  const open = ({ loanId }: Loan) => void navigate({ to: '/loans/$loanId', params: { loanId } });
  const pay = (loan: Loan | undefined) => loan && operate('submitRepayment', { loanId: loan.loanId });
  useShortcuts([{ keys: 'p', does: 'Take payment for the chosen loan', run: () => pay(active) }], {
    active: active !== undefined && crossed === undefined && can('payments:write'),
  });
  const narrow = useMediaQuery('(max-width: 760px)', false, { getInitialValueInEffect: false });
  const chosen = (narrow ? NARROW_COLUMNS : LOAN_COLUMNS).filter(({ key }) => shown.includes(key));
  const printing = usePrinting();
  const columns: readonly ListColumn<Loan>[] = collecting && !printing ? [...chosen, nextSteps(can, operate)] : chosen;
  const filtersSet = inWords(filters).length;
  return (
    <>
      <PageHead title="Loans" note={crossed === undefined && <TotalText total={total} filtered={filtersSet > 0} />}>
        {crossed === undefined && (
          <ExportButton
            key={JSON.stringify(filters)}
            columns={chosen}
            load={load}
            total={total}
            fileName={csvName(view?.name, today ?? 'today')}
          />
        )}
        <ColumnsMenu
          shown={shown}
          onChange={(next) => {
            keepColumns(SHELF, columnsKey as string, next);
            setPicked([...next]);
          }}
        />
      </PageHead>
      <ViewsBar
        builtIn={builtIn}
        own={own}
        filters={filters}
        onKeep={(name) => setOwn(keepView(SHELF, viewsKey as string, { name, filters }))}
        onDrop={(name) => setOwn(dropView(SHELF, viewsKey as string, name))}
      />
      <SearchBox
        q={filters.q ?? ''}
        personal={can('loans:read_pii')}
        onSearch={(q, again) => {
          const { q: _, ...rest } = filters;
          return show(q === undefined ? rest : { ...rest, q }, again);
        }}
        onPersonal={(kind, value) => setPersonal({ kind, value })}
      >
        <button type="button" className="button" aria-expanded={filtering} onClick={() => setFiltering(!filtering)}>
          {filtersSet > 0 ? `Filters (${filtersSet})` : 'Filters'}
        </button>
      </SearchBox>
      {filtering && (
        <FilterPanel
          key={JSON.stringify(filters)}
          filters={filters}
          onApply={(next) => show({ ...next, ...(filters.q === undefined ? {} : { q: filters.q }) })}
          onClose={() => setFiltering(false)}
        />
      )}
      <FilterChips filters={filters} onChange={show} />
      {crossed === undefined ? (
        <List
          listKey={['listLoans', query, filters.sort]}
          load={load}
          label="Loans"
          columns={columns}
          rowKey={({ loanId }) => loanId}
          onOpen={open}
          onActive={setActive}
          onTotal={setTotal}
          sorted={sortedBy(filters.sort)}
          onSort={(by) => show({ ...filters, sort: nextSort(filters.sort, by) })}
          empty={
            filtersSet > 0 ? (
              <NoMatch
                clear={() => show({ sort: filters.sort })}
                personal={can('loans:read_pii') ? () => setPersonal({}) : undefined}
              />
            ) : (
              <NoLoans />
            )
          }
        />
      ) : (
        <Empty
          title="No loan can match"
          action={
            <button type="button" className="button" onClick={() => show(crossed.without)}>
              Remove this filter
            </button>
          }
        >
          {crossed.message}
        </Empty>
      )}
      <PersonalSearch begun={personal} onClose={() => setPersonal(null)} />
    </>
  );
}

function TotalText(props: { total: { count: number; exact: boolean } | null; filtered: boolean }) {
  if (props.total === null) return <>Counting…</>;
  const { count: many, exact } = props.total;
  const loans = many === 1 && exact ? 'loan' : 'loans';
  return (
    <span role="status">
      {count(many)}
      {exact ? '' : '+'} {loans}
      {props.filtered && (many === 1 && exact ? ' matches' : ' match')}
    </span>
  );
}

/** `personal` opens the search by personal data; undefined: the person may not use it. */
function NoMatch(props: { clear: () => void; personal: (() => void) | undefined }) {
  return (
    <Empty
      title="No loan matches"
      action={
        <div className="line">
          <button type="button" className="button" onClick={props.clear}>
            Clear filters
          </button>
          {props.personal && (
            <button type="button" className="button" onClick={props.personal}>
              Search by name, phone, VIN…
            </button>
          )}
        </div>
      }
    >
      Remove a filter, or search by another id.
    </Empty>
  );
}

function NoLoans() {
  return (
    <Empty
      title="There are no loans yet"
      action={
        <a className="button" href="/docs/">
          Open the API playground
        </a>
      }
    >
      Loans are created through the API, with POST /loans.
    </Empty>
  );
}

/** Actions of a collector on a loan, without opening it. */
function nextSteps(can: (...scopes: string[]) => boolean, operate: ReturnType<typeof useOperation>): ListColumn<Loan> {
  return {
    key: 'next',
    title: 'Next step',
    width: 184,
    cell: ({ loanId, applicationId }) => (
      <span className="line loans-next">
        {can('payments:write') && (
          <button
            type="button"
            className="link small"
            tabIndex={-1}
            aria-label={`Take payment: ${applicationId}`}
            onClick={() => operate('submitRepayment', { loanId })}
          >
            Take payment
          </button>
        )}
        {can('servicing:write') && (
          <button
            type="button"
            className="link small"
            tabIndex={-1}
            aria-label={`Remind: ${applicationId}`}
            onClick={() => operate('remindOfPayment', { loanId })}
          >
            Remind
          </button>
        )}
      </span>
    ),
  };
}

function sortedBy(sort: Sort) {
  if (sort === 'collections') return { by: 'daysPastDue', descending: true };
  return sort.startsWith('-') ? { by: sort.slice(1), descending: true } : { by: sort, descending: false };
}

/** The first click brings what is usually wanted: most days, highest balance, newest; the nearest due date. */
function nextSort(sort: Sort, by: string): Sort {
  const [first, second] = by === 'nextDueDate' ? [by, `-${by}`] : [`-${by}`, by];
  return (sort === first ? second : first) as Sort;
}
