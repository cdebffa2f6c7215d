/** Duplicates and fraud signs of an application: what has something in common with it, and what is unlike its kind. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from 'daybook-sdk';
import { loanPath, read } from '../../../api.ts';
import { day, shortHash } from '../../../format.ts';
import { Badge, Panel, Table } from '../../../parts/basics.tsx';
import { Empty, ErrorState, Loading } from '../../../parts/states.tsx';

type Sign = Schemas['Sign'];

/** Other loans that are shown by name; the rest is counted. */
const NAMED = 5;

export function SignsPanel({ loanId }: { loanId: string }) {
  const query = useQuery(read('listSigns', loanPath(loanId)));
  return (
    <Panel title="Signs" flush>
      {query.error ? (
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Loading rows={3} label="Loading signs" />
      ) : query.data.data.items.length === 0 ? (
        <Empty title="No signs">Nothing in common with other applications, and nothing unlike its kind.</Empty>
      ) : (
        <Table
          label="Duplicates and fraud signs"
          rows={query.data.data.items}
          rowKey={({ sign, found }) => `${sign} ${found}`}
          columns={[
            { key: 'severity', title: 'For', cell: Severity },
            { key: 'about', title: 'Sign', cell: ({ about }) => about },
            { key: 'loans', title: 'Other loans', cell: Others },
            { key: 'since', title: 'Since', cell: ({ since }) => day(since) },
            {
              key: 'found',
              title: 'Found',
              cell: ({ found }) => (found === 'run' ? 'By the last run' : 'After it, or without a run'),
            },
          ]}
        />
      )}
    </Panel>
  );
}

function Severity({ severity }: Sign) {
  return severity === 'review' ? <Badge tone="late">Review</Badge> : <Badge>Information</Badge>;
}

function Others({ loans }: Sign) {
  if (loans.length === 0) return '—';
  const more = loans.length - NAMED;
  return (
    <span className="line">
      {loans.slice(0, NAMED).map((loanId) => (
        <Link key={loanId} to="/loans/$loanId" params={{ loanId }} title={loanId}>
          {shortHash(loanId)}
        </Link>
      ))}
      {more > 0 && <span className="quiet">and {more} more</span>}
    </span>
  );
}
