/** The lines of a month for another general ledger. */
import { Link } from '@tanstack/react-router';
import { ProblemError } from 'daybook-sdk';
import { useState } from 'react';
import { daybook } from '../../api.ts';
import { count, month } from '../../format.ts';
import { Panel } from '../../parts/basics.tsx';
import { Choice } from '../../parts/choice.tsx';
import { saveFile } from '../../parts/download.ts';
import { errorText } from '../../parts/states.tsx';
import { useView } from '../../parts/view.ts';
import { useToday } from '../../shell/today.tsx';
import { monthsBefore } from '../reports/view.ts';
import { LenderField, MonthField, monthIn, textIn } from './shared.tsx';
import { accountsText } from './sums.ts';

const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;
type Format = keyof typeof TYPES;
type State =
  | { kind: 'ready' | 'busy' }
  | { kind: 'done'; lines: number; file: string }
  | { kind: 'failed'; error: unknown };

export function Export() {
  const [search, change] = useView();
  const today = useToday();
  const period = monthIn(search.period) ?? monthsBefore(today, 1)[0] ?? '';
  const lenderId = textIn(search.lenderId);
  const [format, setFormat] = useState<Format>('csv');
  const [state, setState] = useState<State>({ kind: 'ready' });
  const download = async () => {
    setState({ kind: 'busy' });
    try {
      const query = { period, format, ...(lenderId !== null && { lenderId }) };
      const { body } = await daybook.exportPeriod({ query, accept: TYPES[format] });
      const lines = body.split('\n').filter((line) => line.trim() !== '').length - (format === 'csv' ? 1 : 0);
      const file = `journal-${period}${lenderId === null ? '' : `-${lenderId}`}.${format}`;
      saveFile(file, body, TYPES[format]);
      setState({ kind: 'done', lines, file });
    } catch (error) {
      setState({ kind: 'failed', error });
    }
  };
  return (
    <Panel title="Export of a month">
      <div className="stack">
        <p className="quiet">
          The postings of a completed month, totaled by day, lender, entry and account, under your own account codes.
          Exporting a month again gives the same file.
        </p>
        <div className="controls">
          <MonthField value={period} onChange={(value) => change({ period: value })} />
          <LenderField value={lenderId} onChange={(value) => change({ lenderId: value })} />
          <Choice
            label="Format"
            value={format}
            onChange={setFormat}
            options={[
              { value: 'csv', label: 'CSV' },
              { value: 'ndjson', label: 'NDJSON' },
            ]}
          />
          <button
            type="button"
            className="button primary"
            disabled={state.kind === 'busy'}
            onClick={() => void download()}
          >
            {state.kind === 'busy' ? 'Exporting…' : `Download ${month(period)}`}
          </button>
        </div>
        {state.kind === 'done' && (
          <p className="notice good" role="status">
            {state.file}: {count(state.lines)} lines.
          </p>
        )}
        {state.kind === 'failed' && <Failed error={state.error} />}
      </div>
    </Panel>
  );
}

function Failed({ error }: { error: unknown }) {
  const { title, detail } = errorText(error);
  const { accounts = null } =
    error instanceof ProblemError && error.refusal === 'required' ? (error.problem as { accounts?: string[] }) : {};
  return (
    <div className="notice bad" role="alert">
      <strong>{accounts === null ? title : 'Some accounts have no code yet'}</strong>
      <p>{accounts === null ? detail : `The month has entries in: ${accountsText(accounts)}.`}</p>
      {accounts !== null && (
        <Link to="/books/$part" params={{ part: 'account-codes' }}>
          Set account codes
        </Link>
      )}
    </div>
  );
}
