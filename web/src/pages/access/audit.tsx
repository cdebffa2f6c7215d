/** The audit trail, with filters. */

import { Link } from '@tanstack/react-router';
import type { Schemas } from 'daybook-sdk';
import { useState } from 'react';
import { shortHash, words } from '../../format.ts';
import { AUDIT_KINDS } from '../../parts/audit-kinds.ts';
import { Badge, Field, Moment, Panel } from '../../parts/basics.tsx';
import { nothing, PagedTable } from '../../parts/loaded.tsx';
import { Who } from '../../parts/who.tsx';

type Entry = Schemas['AuditEntry'];

export function Audit() {
  const [kind, setKind] = useState('');
  const [operation, setOperation] = useState('');
  const [userId, setUserId] = useState('');
  const query = {
    ...(kind !== '' && { kind }),
    ...(operation.trim() !== '' && { operation: operation.trim() }),
    ...(userId.trim() !== '' && { userId: userId.trim() }),
  };
  return (
    <Panel
      title="Audit trail"
      flush
      actions={
        <>
          <Field label="Kind">
            {(ids) => (
              <select {...ids} className="input" value={kind} onChange={(event) => setKind(event.target.value)}>
                <option value="">All</option>
                {Object.entries(AUDIT_KINDS).map(([name, { text }]) => (
                  <option key={name} value={name}>
                    {text}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Operation">
            {(ids) => (
              <input
                {...ids}
                className="input"
                value={operation}
                placeholder="waive-fee"
                onChange={(event) => setOperation(event.target.value)}
              />
            )}
          </Field>
          <Field label="Person">
            {(ids) => (
              <input
                {...ids}
                className="input"
                value={userId}
                placeholder="user_…"
                onChange={(event) => setUserId(event.target.value)}
              />
            )}
          </Field>
        </>
      }
    >
      <PagedTable<Entry>
        operation="listAudit"
        args={{ query }}
        label="Audit trail"
        rowKey={({ entryId }) => entryId}
        empty={nothing('No entries', 'Nothing matches these filters.')}
        columns={[
          { key: 'at', title: 'When', cell: ({ at }) => <Moment at={at} /> },
          {
            key: 'kind',
            title: '',
            cell: ({ kind: one }) => (
              <Badge tone={AUDIT_KINDS[one]?.tone ?? 'neutral'}>{AUDIT_KINDS[one]?.text ?? one}</Badge>
            ),
          },
          { key: 'operation', title: 'Operation', cell: ({ operation: one }) => words(one) },
          { key: 'outcome', title: 'Outcome', cell: ({ outcome }) => words(outcome) },
          {
            key: 'who',
            title: 'Who',
            cell: (one) => <Who party={one} />,
          },
          {
            key: 'loan',
            title: 'Loan',
            cell: ({ loanId }) =>
              loanId === null ? (
                '—'
              ) : (
                <Link to={`/loans/${loanId}`} className="mono">
                  {shortHash(loanId)}
                </Link>
              ),
          },
          { key: 'subject', title: 'Subject', cell: ({ subject }) => <span className="mono">{subject ?? '—'}</span> },
          { key: 'count', title: 'Count', number: true, cell: ({ count: times }) => times },
          { key: 'purpose', title: 'Purpose given', cell: ({ purposeGiven }) => (purposeGiven ? 'Yes' : '—') },
        ]}
      />
    </Panel>
  );
}
