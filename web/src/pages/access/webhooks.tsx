/** Webhook endpoints, what was delivered to them, and sending it again. */
import type { Schemas } from 'daybook-sdk';
import { useState } from 'react';
import { count, words } from '../../format.ts';
import { Action, Badge, Field, Moment, Panel, type Tone } from '../../parts/basics.tsx';
import { nothing, PagedTable } from '../../parts/loaded.tsx';
import { useOperation } from '../../parts/operation/operation.tsx';
import { NoRight } from '../../parts/states.tsx';
import { useCan } from '../../shell/session.tsx';

type Endpoint = Schemas['WebhookEndpoint'];
type Delivery = Schemas['WebhookDelivery'];
const OUTCOMES: Record<string, Tone> = { delivered: 'good', failed: 'late', dead: 'bad' };
const BECAUSE: Record<string, string> = {
  by_user: 'by a user',
  gone: 'the endpoint returned 410',
  failing: 'repeated failures',
};

export function Webhooks() {
  const operate = useOperation();
  const [endpointId, setEndpointId] = useState<string | null>(null);
  const [outcome, setOutcome] = useState('');
  const can = useCan();
  return (
    <>
      <Panel
        title="Endpoints"
        flush
        actions={
          <button
            type="button"
            className="button primary"
            onClick={() => operate('createWebhookEndpoint', { title: 'New endpoint' })}
          >
            New endpoint
          </button>
        }
      >
        <PagedTable<Endpoint>
          operation="listWebhookEndpoints"
          label="Webhook endpoints"
          rowKey={(endpoint) => endpoint.endpointId}
          empty={nothing('No endpoints', 'An endpoint receives signed events about your loans, in order.')}
          columns={[
            { key: 'url', title: 'Address', cell: ({ url }) => <span className="mono">{url}</span> },
            { key: 'about', title: 'Description', cell: ({ description }) => description || '—' },
            {
              key: 'types',
              title: 'Events',
              cell: ({ types }) =>
                types.length === 0 || types.includes('*') ? (
                  'All'
                ) : (
                  <span className="wrap mono">{types.join(', ')}</span>
                ),
            },
            {
              key: 'status',
              title: 'Status',
              cell: ({ status, pausedBecause, failingSince }) =>
                status === 'paused' ? (
                  <Badge tone="bad">Paused{pausedBecause && `: ${BECAUSE[pausedBecause] ?? pausedBecause}`}</Badge>
                ) : failingSince !== null ? (
                  <Badge tone="late">Failing</Badge>
                ) : (
                  <Badge tone="good">Active</Badge>
                ),
            },
            {
              key: 'waiting',
              title: 'Waiting',
              number: true,
              cell: ({ waiting, waitingExact }) => `${count(waiting)}${waitingExact ? '' : '+'}`,
            },
            {
              key: 'oldest',
              title: 'Waiting since',
              cell: ({ oldestWaitingAt }) => <Moment at={oldestWaitingAt} />,
            },
            { key: 'dead', title: 'Dead letters', number: true, cell: ({ deadLetters }) => count(deadLetters) },
            { key: 'last', title: 'Last delivered', cell: ({ lastDeliveredAt }) => <Moment at={lastDeliveredAt} /> },
            {
              key: 'actions',
              title: '',
              cell: (endpoint) => (
                <EndpointActions endpoint={endpoint} show={() => setEndpointId(endpoint.endpointId)} />
              ),
            },
          ]}
        />
      </Panel>
      <Panel
        title={endpointId === null ? 'Deliveries' : 'Deliveries to one endpoint'}
        flush
        actions={
          <>
            {endpointId !== null && (
              <button type="button" className="button" onClick={() => setEndpointId(null)}>
                All endpoints
              </button>
            )}
            <Field label="Outcome">
              {(ids) => (
                <select {...ids} className="input" value={outcome} onChange={(event) => setOutcome(event.target.value)}>
                  <option value="">All</option>
                  {Object.keys(OUTCOMES).map((name) => (
                    <option key={name} value={name}>
                      {words(name)}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          </>
        }
      >
        {can('events:read') ? (
          <PagedTable<Delivery>
            operation="listWebhookDeliveries"
            args={{ query: { ...(endpointId !== null && { endpointId }), ...(outcome !== '' && { outcome }) } }}
            label="Deliveries"
            rowKey={({ deliveryId }) => deliveryId}
            empty={nothing('No deliveries', 'Deliveries appear here as they are sent.')}
            columns={[
              { key: 'at', title: 'When', cell: ({ at }) => <Moment at={at} /> },
              { key: 'type', title: 'Event', cell: ({ type }) => <span className="mono">{type}</span> },
              {
                key: 'outcome',
                title: 'Outcome',
                cell: ({ outcome: one }) => <Badge tone={OUTCOMES[one] ?? 'neutral'}>{words(one)}</Badge>,
              },
              {
                key: 'status',
                title: 'Response',
                cell: ({ status, failure }) => status ?? (failure ? words(failure) : '—'),
              },
              { key: 'attempt', title: 'Attempt', number: true, cell: ({ attempt }) => attempt },
              { key: 'ms', title: 'Time, ms', number: true, cell: ({ ms }) => count(ms) },
              {
                key: 'again',
                title: '',
                cell: ({ endpointId: to, deliveryId }) => (
                  <Action
                    of={deliveryId}
                    onClick={() =>
                      operate('replayWebhook', { title: 'Send again', initial: { endpointId: to, deliveryId } })
                    }
                  >
                    Send again
                  </Action>
                ),
              },
            ]}
          />
        ) : (
          <NoRight what="deliveries" scope="events:read" />
        )}
      </Panel>
    </>
  );
}

function EndpointActions({ endpoint, show }: { endpoint: Endpoint; show: () => void }) {
  const operate = useOperation();
  const { endpointId, url, types, description, status } = endpoint;
  const initial = { endpointId };
  return (
    <span className="line">
      <Action of={url} onClick={show}>
        Deliveries
      </Action>
      <Action
        of={url}
        onClick={() =>
          operate('updateWebhookEndpoint', {
            title: 'Change an endpoint',
            initial: { endpointId, url, types, description, status },
          })
        }
      >
        Change
      </Action>
      <Action of={url} onClick={() => operate('testWebhook', { title: 'Send a test', initial })}>
        Test
      </Action>
      <Action of={url} onClick={() => operate('replayWebhook', { title: 'Send a range again', initial })}>
        Replay
      </Action>
      <Action of={url} onClick={() => operate('rotateWebhookSecret', { title: 'New secret', initial })}>
        New secret
      </Action>
      <Action of={url} onClick={() => operate('deleteWebhookEndpoint', { title: 'Delete an endpoint', initial })}>
        Delete
      </Action>
    </span>
  );
}
