/**
 * A list of any length. Only the rows in sight are in the page, and pages are loaded as one scrolls. j and k, arrows, Page Up and Down, Home
 * and End go through it, Enter opens, and a refresh keeps place and focus. A grid for screen readers: its rows are named by place.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useShortcuts } from '../shell/keyboard.tsx';
import { type ListColumn, ListHead, type Sorted } from './list-head.tsx';
import { afterKey } from './list-keys.ts';
import { loadedPlaces, placeOf, rowAt } from './page-chain.ts';
import { type PagesOptions, usePages } from './pages.ts';
import { usePrinting } from './printing.ts';
import { ErrorState } from './states.tsx';
import './list.css';

export type { ListColumn };

export type ListProps<Row> = PagesOptions<Row> & {
  label: string;
  columns: readonly ListColumn<Row>[];
  rowKey: (row: Row) => string;
  /** Names a row for screen readers and opens it by click or Enter. */
  onOpen?: (row: Row) => void;
  sorted?: Sorted;
  onSort?: (sort: string) => void;
  empty: ReactNode;
  /** Called when the number of rows is known. */
  onTotal?: (total: { count: number; exact: boolean }) => void;
  /** Called with the row chosen by keyboard. */
  onActive?: (row: Row | undefined) => void;
  /** At most this high in pixels; otherwise down to the end of the window. */
  maxHeight?: number;
};

const ROW = 36;

/** Another list, by its key, begins anew. */
export function List<Row>(props: ListProps<Row>) {
  return <OneList key={JSON.stringify(props.listKey)} {...props} />;
}

function OneList<Row>(props: ListProps<Row>) {
  const { columns, rowKey, onOpen, onTotal, onActive } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const pages = usePages(props);
  const { chain, count } = pages;
  const [active, setActive] = useState(pages.remembered.active);
  const activeRow = active < 0 ? undefined : rowAt(chain, active);
  const height = useHeight(box, Math.min(count, 400) * ROW + ROW + 2, props.maxHeight);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 8,
    scrollMargin: ROW,
    scrollPaddingStart: ROW,
    initialOffset: pages.remembered.offset,
  });
  const inSight = rows.getVirtualItems();
  const first = inSight[0]?.index ?? 0;
  const last = inSight.at(-1)?.index ?? 0;
  const printed = usePrinting() ? loadedPlaces(chain) : null;
  const shown = printed?.map((index) => ({ index, start: 0 })) ?? inSight;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when other rows are shown.
  useEffect(() => pages.show(first, last), [first, last]);

  // The chosen row stays chosen when it moves, as far as it is still loaded.
  const chosen = useRef<string | null>(null);
  useEffect(() => {
    if (activeRow === undefined || chosen.current === null || rowKey(activeRow) === chosen.current) return;
    const moved = placeOf(chain, (row) => rowKey(row) === chosen.current);
    if (moved >= 0) setActive(moved);
    else chosen.current = rowKey(activeRow);
  }, [chain, activeRow, rowKey]);
  const choose = (index: number) => {
    const place = Math.max(0, Math.min(index, count - 1));
    const row = rowAt(chain, place);
    chosen.current = row === undefined ? null : rowKey(row);
    setActive(place);
    rows.scrollToIndex(place);
    box.current?.focus({ preventScroll: true });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends on the row, not on the function.
  useEffect(() => onActive?.(activeRow), [activeRow]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same.
  useLayoutEffect(() => {
    if (chain.total !== null) onTotal?.(chain.total);
  }, [chain.total?.count, chain.total?.exact]);

  const place = useRef({ offset: 0, active });
  place.current = { offset: rows.scrollOffset ?? 0, active };
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it is left.
  useEffect(() => () => pages.remember(place.current), []);

  useShortcuts([
    { keys: 'j', does: 'Next row', run: () => choose(active + 1) },
    { keys: 'k', does: 'Previous row', run: () => choose(Math.max(0, active - 1)) },
  ]);
  const pressed = (event: KeyboardEvent) => {
    if (event.target !== box.current) return;
    if (event.key === 'Enter' && activeRow !== undefined) {
      event.preventDefault();
      onOpen?.(activeRow);
      return;
    }
    const next = afterKey(event.key, active, count, Math.max(1, Math.floor((height ?? 400) / ROW) - 2));
    if (next === null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(next);
  };

  if (pages.error !== null && chain.links[0]?.size === 0) return <ErrorState error={pages.error} retry={pages.retry} />;
  if (chain.ended && count === 0) return <>{props.empty}</>;
  const template = columns.map(({ width }) => `minmax(${width}px, ${width}fr)`).join(' ');
  const width = columns.reduce((sum, column) => sum + column.width, 0);
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a table cannot show a part of its rows at their places. */}
      <div
        ref={box}
        className="list"
        role="grid"
        tabIndex={0}
        aria-label={props.label}
        aria-rowcount={chain.total?.exact ? chain.total.count + 1 : -1}
        aria-colcount={columns.length}
        aria-busy={pages.loading}
        aria-activedescendant={shown.some(({ index }) => index === active) ? `${id}-${active}` : undefined}
        style={variables({ height: px(height) })}
        onKeyDown={pressed}
      >
        <div
          className="list-inner"
          style={variables({ height: px(rows.getTotalSize() + ROW), width: px(width), columns: template })}
        >
          <ListHead columns={columns} sorted={props.sorted} onSort={props.onSort} />
          {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
          <div role="rowgroup">
            {shown.map(({ index, start }) => {
              const row = rowAt(chain, index);
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys for its rows.
                // biome-ignore lint/a11y/useFocusableInteractive: the focus stays on the grid, which names the active row.
                // biome-ignore lint/a11y/useSemanticElements: as above.
                <div
                  key={row === undefined ? index : `${index} ${rowKey(row)}`}
                  id={`${id}-${index}`}
                  role="row"
                  className="list-row"
                  aria-rowindex={index + 2}
                  aria-selected={index === active}
                  style={variables({ top: px(start) })}
                  onClick={(event) => {
                    if (row === undefined || isControl(event.target)) return;
                    choose(index);
                    onOpen?.(row);
                  }}
                >
                  {columns.map(({ key, number, cell }) => (
                    // biome-ignore lint/a11y/useSemanticElements: as above.
                    // biome-ignore lint/a11y/useFocusableInteractive: as above.
                    <div key={key} role="gridcell" className={number ? 'list-cell number' : 'list-cell'}>
                      {row === undefined ? <span className="list-coming" /> : cell(row)}
                    </div>
                  ))}
                </div>
              );
            })}
          </div>
        </div>
      </div>
      {printed !== null && !(chain.ended && printed.length === count) && (
        <p className="list-note">
          Only the {printed.length} rows loaded so far are printed. Export the list to get all rows.
        </p>
      )}
      {pages.error !== null && (
        <div className="list-note">
          <ErrorState error={pages.error} retry={pages.retry} />
        </div>
      )}
    </>
  );
}

const px = (pixels: number | undefined) => (pixels === undefined ? undefined : `${pixels}px`);

/** Measures as variables, so that the style sheet decides what is made of them, for instance in print. */
function variables(measures: Record<string, string | undefined>): CSSProperties {
  return Object.fromEntries(Object.entries(measures).map(([name, value]) => [`--list-${name}`, value]));
}

/** Whether a click was for a link or button in the row. */
function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a, button, input, label') !== null;
}

/** Down to the end of the window, or less where there are few rows. */
function useHeight(box: { current: HTMLElement | null }, content: number, most?: number): number | undefined {
  const [room, setRoom] = useState<number>();
  useLayoutEffect(() => {
    const measure = () => {
      const top = (box.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
      setRoom(Math.max(320, window.innerHeight - top - 17));
    };
    measure();
    // The part above may grow, such as a row of filters.
    const observer = new ResizeObserver(measure);
    if (box.current?.parentElement) observer.observe(document.body);
    window.addEventListener('resize', measure);
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', measure);
    };
  }, [box]);
  return room === undefined ? undefined : Math.min(room, content, most ?? room);
}
