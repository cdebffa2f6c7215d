/** The clock of the organization. In a sandbox it can be advanced, and what happens on the way shows at once. */

import builtInRoles from 'virtual:roles';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createClient, type Schemas } from 'daybook-sdk';
import { useRef, useState } from 'react';
import { daybook, prefix, read } from '../../api.ts';
import { day } from '../../format.ts';
import { Action, Badge, Day, Field, Figure, Moment, Panel } from '../../parts/basics.tsx';
import { Loaded, PagedTable } from '../../parts/loaded.tsx';
import { useOperation } from '../../parts/operation/operation.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Empty, ErrorState, errorText } from '../../parts/states.tsx';
import { useSession } from '../../shell/session.tsx';
import { dayAfter } from './days.ts';

type Clock = Schemas['Clock'];
type Sandbox = Schemas['Sandbox'];

export function Sandboxes() {
  const query = useQuery({
    ...read('readClock'),
    // While it advances, its day is watched.
    refetchInterval: ({ state }) => (state.data?.data.advancing ? 500 : false),
  });
  return (
    <>
      <Panel title="Clock">
        <Loaded query={query} rows={3}>
          {(clock) => <ClockOf clock={clock} />}
        </Loaded>
      </Panel>
      {query.data?.data.kind === 'live' && <OwnSandboxes />}
    </>
  );
}

function ClockOf({ clock }: { clock: Clock }) {
  const operate = useOperation();
  return (
    <div className="stack">
      <div className="figures">
        <Figure label="Today" value={<Day date={clock.today} />} />
        <Figure label="Time zone" value={clock.timeZone} />
        <Figure label="Kind" value={clock.kind === 'test' ? 'Test clock' : 'Real time'} />
      </div>
      {clock.kind === 'test' ? (
        <Advance clock={clock} />
      ) : (
        <p>
          <button
            type="button"
            className="button"
            onClick={() => operate('setClock', { title: 'Change the time zone' })}
          >
            Change the time zone
          </button>
        </p>
      )}
    </div>
  );
}

const STEPS = [
  { days: 1, text: '1 day' },
  { days: 7, text: '1 week' },
  { days: 31, text: '31 days' },
];

function Advance({ clock }: { clock: Clock }) {
  const queries = useQueryClient();
  const [to, setTo] = useState('');
  const advance = useMutation({
    mutationFn: (until: string) => daybook.advanceClock({ body: { to: until } }),
    onSettled: () => queries.invalidateQueries(),
  });
  const busy = advance.isPending || clock.advancing !== null;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (to !== '') advance.mutate(to);
      }}
    >
      <p>
        Every day in between is processed: the nightly cycle runs, late fees are assessed and loans become past due.
      </p>
      <div className="line">
        {STEPS.map(({ days, text }) => (
          <button
            key={days}
            type="button"
            className="button"
            disabled={busy}
            onClick={() => advance.mutate(dayAfter(clock.today, days))}
          >
            Advance {text}
          </button>
        ))}
      </div>
      <div className="line">
        <Field label="Advance to">
          {(ids) => (
            <input
              {...ids}
              type="date"
              className="input"
              min={dayAfter(clock.today, 1)}
              value={to}
              onChange={(event) => setTo(event.target.value)}
            />
          )}
        </Field>
        <button type="submit" className="button primary" disabled={busy || to === ''}>
          {to === '' ? 'Advance' : `Advance to ${day(to)}`}
        </button>
      </div>
      <div role="status">
        {clock.advancing !== null && (
          <div className="stack">
            <p>
              Advancing to {day(clock.advancing.to)}: now at {day(clock.advancing.at)}. You can leave this page.
            </p>
            {clock.advancing.problem && <p className="notice bad">{clock.advancing.problem}</p>}
          </div>
        )}
        {busy && <progress aria-label="Advancing" />}
        {!busy && advance.isSuccess && <p className="notice good">The date is now {day(clock.today)}.</p>}
      </div>
      {advance.isError && <ErrorState error={advance.error} />}
    </form>
  );
}

function OwnSandboxes() {
  const operate = useOperation();
  const [made, setMade] = useState<Made | null>(null);
  return (
    <Panel title="Sandboxes" flush actions={<NewSandbox onMade={setMade} />}>
      {made && <Way made={made} />}
      <PagedTable<Sandbox>
        operation="listSandboxes"
        label="Sandboxes"
        rowKey={({ organizationId }) => organizationId}
        empty={
          <Empty title="No sandboxes">
            A sandbox is a separate organization for testing. Its clock stands still until you advance it.
          </Empty>
        }
        columns={[
          { key: 'name', title: 'Name', cell: ({ name }) => name },
          { key: 'today', title: 'Current date', cell: ({ today }) => <Day date={today} /> },
          {
            key: 'id',
            title: 'Organization',
            cell: ({ organizationId }) => <span className="mono">{organizationId}</span>,
          },
          { key: 'created', title: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} /> },
          {
            key: 'status',
            title: '',
            cell: ({ organizationId, name, endedAt }) =>
              endedAt !== null ? (
                <Badge>Ended</Badge>
              ) : (
                <Action
                  of={name}
                  onClick={() => operate('endSandbox', { title: `End ${name}`, initial: { organizationId } })}
                >
                  End
                </Action>
              ),
          },
        ]}
      />
    </Panel>
  );
}

type Made = { name: string; clientId: string; clientSecret: string; apiKey: string; invitationUrl: string };

/** Makes a sandbox and, with the credentials that it comes with, an invitation to its console for the same person. */
function NewSandbox({ onMade }: { onMade: (made: Made) => void }) {
  const session = useSession();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const sending = useRef(false);
  const make = useMutation({
    mutationFn: async (): Promise<Made> => {
      const { data } = await daybook.createSandbox({ body: { name: name.trim() } });
      const { clientId, clientSecret, apiKey } = data;
      const inside = createClient({
        baseUrl: window.location.origin + prefix,
        auth: { clientId, clientSecret, apiKey },
      });
      // Together every right: a role with limits would add none.
      const roles = builtInRoles.filter(({ limits }) => Object.keys(limits).length === 0).map(({ name }) => name);
      const person = { email: session.email, name: session.name, roles };
      const { data: invited } = await inside.createUser({ body: person });
      // A new sandbox has no policy that could ask for one.
      if ('approvalId' in invited) throw new Error('The invitation waits for an approval.');
      return { name: name.trim(), clientId, clientSecret, apiKey, invitationUrl: invited.invitationUrl ?? '' };
    },
    onSuccess: (made) => {
      setName('');
      onMade(made);
    },
    onSettled: () => {
      sending.current = false;
      return queries.invalidateQueries({ queryKey: ['book', 'listSandboxes'] });
    },
  });
  return (
    <form
      className="line"
      onSubmit={(event) => {
        event.preventDefault();
        // Pressed twice it is one.
        if (name.trim() === '' || sending.current) return;
        sending.current = true;
        make.mutate();
      }}
    >
      <Field label="Name of the new sandbox" wrong={make.isError ? errorText(make.error).detail : undefined}>
        {(ids) => (
          <input
            {...ids}
            className="input"
            value={name}
            maxLength={200}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <button type="submit" className="button primary" disabled={make.isPending || name.trim() === ''}>
        {make.isPending ? 'Creating…' : 'Create sandbox'}
      </button>
    </form>
  );
}

/** Shown once: how to get in. */
function Way({ made }: { made: Made }) {
  return (
    <div className="panel-body stack">
      <p className="notice info">
        {made.name} is ready. These credentials are shown only once. Opening its console signs you out here and in
        there.
      </p>
      <p>
        <a className="button primary" href={made.invitationUrl}>
          Open the console of {made.name}
        </a>
      </p>
      <dl className="facts">
        <dt>Client id</dt>
        <dd className="mono">{made.clientId}</dd>
      </dl>
      <Secret label="Client secret" value={made.clientSecret} />
      <Secret label="API key" value={made.apiKey} />
    </div>
  );
}
