/** Saves what is listed as a file. It goes on while one looks at other rows, and can be cancelled. */
import { useEffect, useRef, useState } from 'react';
import { count } from '../../format.ts';
import { saveFile } from '../../parts/download.ts';
import type { Page } from '../../parts/page-chain.ts';
import { errorText } from '../../parts/states.tsx';
import type { LoanColumn } from './columns.tsx';
import { listAsCsv } from './export.ts';
import type { Loan } from './order.ts';

export function ExportButton(props: {
  columns: readonly LoanColumn[];
  load: (cursor: string | null, signal: AbortSignal) => Promise<Page<Loan>>;
  fileName: string;
  total: { count: number; exact: boolean } | null;
}) {
  const [rows, setRows] = useState<number | null>(null);
  const [note, setNote] = useState('');
  const work = useRef<AbortController | null>(null);
  useEffect(() => () => work.current?.abort(), []);
  const start = async () => {
    const ends = new AbortController();
    work.current = ends;
    setRows(0);
    setNote('');
    try {
      const { columns, load, fileName } = props;
      const lines = await listAsCsv({ columns, load, onProgress: setRows, signal: ends.signal });
      saveFile(fileName, lines.join(''), 'text/csv;charset=utf-8');
      setNote(`${count(lines.length - 1)} loans exported`);
    } catch (error) {
      setNote(ends.signal.aborted ? 'Export cancelled' : `Export failed: ${errorText(error).title}`);
    } finally {
      setRows(null);
    }
  };
  const { total } = props;
  return (
    <div className="line" aria-live="polite">
      {rows === null ? (
        <>
          {note !== '' && <span className="small quiet">{note}</span>}
          <button type="button" className="button" disabled={total?.count === 0} onClick={() => void start()}>
            Export CSV
          </button>
        </>
      ) : (
        <>
          <progress
            aria-label="Export"
            {...(total?.exact && { value: rows, max: Math.max(1, total.count) })}
            className="loans-progress"
          />
          <span className="small quiet number">{count(rows)}</span>
          <button type="button" className="button" onClick={() => work.current?.abort()}>
            Cancel export
          </button>
        </>
      )}
    </div>
  );
}
