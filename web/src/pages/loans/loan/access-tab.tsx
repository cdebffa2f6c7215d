/** Disclosures of personal data, and the audit trail of the loan. Both reads are recorded, so nothing is read automatically. */
import { useQuery } from '@tanstack/react-query';
import type { Data } from 'daybook-sdk';
import { useState } from 'react';
import { daybook, loanPath } from '../../../api.ts';
import { words } from '../../../format.ts';
import { AUDIT_KINDS } from '../../../parts/audit-kinds.ts';
import { Badge, Moment, Panel, Table } from '../../../parts/basics.tsx';
import { PurposeForm } from '../../../parts/purpose-form.tsx';
import { Empty, ErrorState, Loading, NoRight } from '../../../parts/states.tsx';
import { Who } from '../../../parts/who.tsx';
import { useCan } from '../../../shell/session.tsx';
import { actionNamed } from './actions.ts';
import { PURPOSES } from './revealed.ts';

export function AccessTab({ loanId }: { loanId: string }) {
  const can = useCan();
  return (
    <div className="stack">
      <Panel flush title="Who has seen personal data">
        {can('loans:read_pii') ? (
          <Disclosures loanId={loanId} />
        ) : (
          <NoRight what="disclosures" scope="loans:read_pii" />
        )}
      </Panel>
      <Panel flush title="Audit trail of this loan">
        {can('audit:read') ? <Audit loanId={loanId} /> : <NoRight what="the audit trail" scope="audit:read" />}
      </Panel>
    </div>
  );
}

type Seen = Data<'listDisclosures'>;

function Disclosures({ loanId }: { loanId: string }) {
  const [seen, setSeen] = useState<Seen | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  async function show(purpose: string): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      setSeen((await daybook.listDisclosures({ ...loanPath(loanId), purpose })).data);
    } catch (failed) {
      setError(failed);
    } finally {
      setBusy(false);
    }
  }
  if (seen === null) {
    return (
      <div className="panel-body">
        <PurposeForm
          hint="Stated purposes and reasons for transactions may contain personal data. Viewing this list therefore requires a purpose and is recorded."
          purposes={PURPOSES}
          button="Show disclosures"
          {...{ busy, error }}
          onPurpose={(purpose) => void show(purpose)}
        />
      </div>
    );
  }
  return (
    <>
      <Table
        label="Disclosures"
        rows={seen.items}
        rowKey={({ requestId, at }, n) => `${requestId} ${at} ${n}`}
        columns={[
          { key: 'at', title: 'When', cell: ({ at }) => <Moment at={at} /> },
          {
            key: 'who',
            title: 'Who',
            cell: (one) => (one.clientId === null ? 'Another organization' : <Who party={one} />),
          },
          { key: 'what', title: 'What', cell: ({ what }) => words(what) },
          {
            key: 'purpose',
            title: 'Purpose',
            cell: ({ purpose }) => purpose || <span className="quiet">none stated</span>,
          },
        ]}
      />
      {seen.reasons.length > 0 && (
        <Table
          label="Reasons given for transactions"
          rows={seen.reasons}
          rowKey={({ transactionHash }) => transactionHash}
          columns={[
            { key: 'at', title: 'Recorded', cell: ({ at }) => <Moment at={at} /> },
            { key: 'reason', title: 'Reason given', cell: ({ reason }) => reason },
          ]}
        />
      )}
    </>
  );
}

const AT_MOST = 50;

function Audit({ loanId }: { loanId: string }) {
  const query = useQuery({
    // Not among the keys that live events refresh: each reading is an entry of the trail.
    queryKey: ['audit of a loan', loanId],
    queryFn: ({ signal }) => daybook.listAudit({ query: { loanId, limit: AT_MOST }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  if (query.error !== null) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading rows={8} />;
  const { items, nextCursor } = query.data.data;
  if (items.length === 0) return <Empty title="The audit trail of this loan is empty" />;
  return (
    <>
      <Table
        label="Audit trail"
        rows={items}
        rowKey={({ entryId }) => entryId}
        columns={[
          { key: 'at', title: 'When', cell: ({ at }) => <Moment at={at} /> },
          { key: 'who', title: 'Who', cell: (one) => <Who party={one} /> },
          {
            key: 'kind',
            title: 'Kind',
            cell: ({ kind }) => (
              <Badge tone={AUDIT_KINDS[kind]?.tone ?? 'neutral'}>{AUDIT_KINDS[kind]?.text ?? kind}</Badge>
            ),
          },
          {
            key: 'operation',
            title: 'What',
            cell: ({ operation, subject, count }) => (
              <>
                {actionNamed(operation)?.label ?? words(operation)}
                {subject !== null && <span className="quiet"> {subject}</span>}
                {count > 1 && <span className="quiet"> × {count}</span>}
              </>
            ),
          },
          { key: 'outcome', title: 'Outcome', cell: ({ outcome }) => words(outcome) },
        ]}
      />
      <p className="journal-total no-print">
        <button type="button" className="link" onClick={() => void query.refetch()}>
          Refresh
        </button>
        {nextCursor !== null && (
          <span className="quiet"> · the newest {AT_MOST}; older entries are under Administration</span>
        )}
      </p>
    </>
  );
}
