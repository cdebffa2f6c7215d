/** The head of a list: it stays in sight, and a column that sorts is a button. */
import type { Column } from './basics.tsx';

export type ListColumn<Row> = Column<Row> & {
  /** In pixels; the column takes a share of what is left. */
  width: number;
  /** Argument of `onSort`; without it the column does not sort. */
  sort?: string;
};

export type Sorted = { by: string; descending: boolean } | undefined;

export function ListHead<Row>(props: {
  columns: readonly ListColumn<Row>[];
  sorted: Sorted;
  onSort: ((sort: string) => void) | undefined;
}) {
  const { columns, sorted, onSort } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot show a part of its rows at their places.
    <div role="rowgroup" className="list-head">
      {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the focus stays on the grid. */}
      <div role="row" aria-rowindex={1} className="list-head-row">
        {columns.map(({ key, title, number, sort }) => {
          const by = sort !== undefined && sorted?.by === sort ? sorted : undefined;
          return (
            // biome-ignore lint/a11y/useSemanticElements: as above.
            // biome-ignore lint/a11y/useFocusableInteractive: as above.
            <div
              key={key}
              role="columnheader"
              className={number ? 'list-cell number' : 'list-cell'}
              aria-sort={by === undefined ? undefined : by.descending ? 'descending' : 'ascending'}
            >
              {sort === undefined || onSort === undefined ? (
                title
              ) : (
                <button type="button" className="list-sort" onClick={() => onSort(sort)}>
                  {title}
                  <span aria-hidden="true">{by === undefined ? '' : by.descending ? ' ↓' : ' ↑'}</span>
                </button>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
