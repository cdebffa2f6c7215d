/** Servicing policies: which rules are in force from when. A new version shows first what it would change. */
import type { Schemas } from 'daybook-sdk';
import { useState } from 'react';
import { money, words } from '../../format.ts';
import { Action, Day, Moment, Panel } from '../../parts/basics.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { nothing, PagedTable } from '../../parts/loaded.tsx';
import { useOperation } from '../../parts/operation/operation.tsx';
import { useCan } from '../../shell/session.tsx';

type Policy = Schemas['Policy'];

export function Policies() {
  const operate = useOperation();
  const mayChange = useCan()('admin');
  const [shown, setShown] = useState<Policy | null>(null);
  const add = (initial?: Record<string, unknown>) =>
    operate('addPolicy', { title: 'New version of a policy', ...(initial && { initial }) });
  return (
    <Panel
      title="Policies"
      flush
      actions={
        mayChange && (
          <button type="button" className="button primary" onClick={() => add()}>
            New policy
          </button>
        )
      }
    >
      <PagedTable<Policy>
        operation="listPolicies"
        label="Policies"
        rowKey={({ policyId, version }) => `${policyId} ${version}`}
        empty={nothing(
          'No custom policies',
          'Loans follow the built-in rules until you add one. A preview shows which loans a new version would change.',
        )}
        columns={[
          { key: 'policy', title: 'Policy', cell: ({ policyId }) => policyId },
          { key: 'lender', title: 'Lender', cell: ({ lenderId }) => lenderId ?? 'All' },
          { key: 'version', title: 'Version', number: true, cell: ({ version }) => version },
          { key: 'from', title: 'In force from', cell: ({ from }) => <Day date={from} /> },
          { key: 'grace', title: 'Grace days', number: true, cell: ({ values }) => values.graceDays },
          { key: 'late', title: 'Late fee', number: true, cell: ({ values }) => lateFee(values.lateFee) },
          { key: 'recorded', title: 'Recorded', cell: ({ recordedAt }) => <Moment at={recordedAt} /> },
          {
            key: 'actions',
            title: '',
            cell: (policy) => (
              <span className="line">
                <Action of={`${policy.policyId}, ${policy.version}`} onClick={() => setShown(policy)}>
                  All values
                </Action>
                {mayChange && (
                  <Action
                    of={policy.policyId}
                    onClick={() => add({ policyId: policy.policyId, lenderId: policy.lenderId, values: policy.values })}
                  >
                    New version
                  </Action>
                )}
              </span>
            ),
          },
        ]}
      />
      <Drawer
        open={shown !== null}
        title={shown === null ? '' : `${shown.policyId}, version ${shown.version}`}
        onClose={() => setShown(null)}
      >
        {shown && <Values values={shown.values} />}
      </Drawer>
    </Panel>
  );
}

function Values({ values }: { values: object }) {
  return (
    <dl className="facts">
      {Object.entries(values).map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{words(name)}</dt>
          <dd>{valueText(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function valueText(value: unknown) {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.map((one) => words(String(one))).join(' → ');
  if (typeof value === 'object') return Object.keys(value).length === 0 ? 'None' : <Values values={value} />;
  return String(value);
}

function lateFee(fee: Policy['values']['lateFee']): string {
  if (fee === null) return 'None';
  if (fee.flat !== null) return money(fee.flat);
  return fee.percent === null ? '—' : `${fee.percent} %`;
}
