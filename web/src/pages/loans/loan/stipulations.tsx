/**
 * The checklist of a funding: what the last run of underwriting asks for, and what has become of each. Evidence and reasons are sealed; they
 * are read for a purpose and shown for a minute.
 */
import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from 'daybook-sdk';
import { useEffect, useRef, useState } from 'react';
import { daybook, loanPath, read } from '../../../api.ts';
import { words } from '../../../format.ts';
import { Action, Badge, type Column, Moment, Panel, Table, type Tone } from '../../../parts/basics.tsx';
import { STIPULATIONS_ANCHOR } from '../../../parts/open-stipulations.tsx';
import { useOperation } from '../../../parts/operation/operation.tsx';
import { PurposeForm } from '../../../parts/purpose-form.tsx';
import { Empty, ErrorState, Loading } from '../../../parts/states.tsx';
import {
  ACTIONS,
  asked,
  hasExpired,
  holdsUpFunding,
  personOf,
  type Stipulation,
  standing,
  stepsOf,
  TITLES,
} from '../../../parts/stipulations.ts';
import { useCan } from '../../../shell/session.tsx';
import { PURPOSES, useReveal } from '../../origination/reveal.ts';

type Summary = Schemas['LoanSummary'];
/** Evidence and reasons, by the number of the event. */
type Evidence = ReadonlyMap<number, string>;

const TONES: Readonly<Record<Stipulation['state'], Tone>> = {
  open: 'late',
  received: 'info',
  verified: 'good',
  waived: 'neutral',
  expired: 'neutral',
};

export function StipulationsPanel({ loanId, summary }: { loanId: string; summary: Summary }) {
  const query = useQuery(read('listStipulations', loanPath(loanId)));
  const at = useRef<HTMLDivElement>(null);
  const items = query.data?.data.items;
  const [asking, setAsking] = useState(false);
  const evidence = useReveal<Evidence>(async (purpose) => {
    const { data } = await daybook.readTimeline({ ...loanPath(loanId), purpose });
    setAsking(false);
    return new Map(data.items.flatMap(({ version, reason }) => (version && reason ? [[version, reason]] : [])));
  });
  const can = useCan();
  // The tab is loaded after its address has been followed.
  useEffect(() => {
    if (window.location.hash === `#${STIPULATIONS_ANCHOR}`) at.current?.scrollIntoView();
  }, []);
  const isKept = can('loans:read_pii') && items?.some(({ history }) => history.length > 0);
  return (
    <div ref={at} id={STIPULATIONS_ANCHOR} className="checklist">
      <Panel
        title="Stipulations"
        flush
        actions={
          isKept &&
          (evidence.data === null ? (
            <button type="button" className="button" onClick={() => setAsking(true)}>
              Show evidence
            </button>
          ) : (
            <button type="button" className="button" onClick={evidence.close}>
              Hide evidence
            </button>
          ))
        }
      >
        {query.error ? (
          <ErrorState error={query.error} retry={() => void query.refetch()} />
        ) : items === undefined ? (
          <Loading rows={4} label="Loading stipulations" />
        ) : (
          <Checklist {...{ loanId, summary, items }} evidence={evidence.data} />
        )}
      </Panel>
      <Modal opened={asking} onClose={() => setAsking(false)} title="Show evidence" size="md">
        <PurposeForm
          hint="Evidence and reasons may contain personal data. They are shown for one minute, and your purpose is recorded."
          purposes={PURPOSES}
          button="Show for one minute"
          busy={evidence.busy}
          error={evidence.error}
          onPurpose={evidence.open}
        />
      </Modal>
    </div>
  );
}

type Shown = { loanId: string; summary: Summary; items: readonly Stipulation[]; evidence: Evidence | null };

function Checklist({ loanId, summary, items, evidence }: Shown) {
  const stands = standing(items);
  const expired = items.filter(hasExpired);
  if (stands === null && expired.length === 0) {
    return (
      <Empty title="No stipulations">
        {summary.assessed
          ? 'The last run of underwriting asks for nothing beside its decision.'
          : 'It was not assessed here.'}
      </Empty>
    );
  }
  return (
    <>
      {stands === null ? (
        <p className="checklist-standing">The last run of underwriting asks for nothing any more.</p>
      ) : (
        <p className={`checklist-standing ${stands.holdsUp ? 'late' : ''}`}>
          {stands.holdsUp && <span aria-hidden="true">⚠ </span>}
          {stands.text}
        </p>
      )}
      {stands !== null && (
        <Rows
          label="Stipulations of the loan"
          {...{ loanId, summary, evidence }}
          items={items.filter((one) => !hasExpired(one))}
        />
      )}
      {expired.length > 0 && (
        <details className="checklist-expired">
          <summary>{expired.length === 1 ? '1 has expired' : `${expired.length} have expired`}</summary>
          <Rows label="Expired stipulations" {...{ loanId, summary, evidence }} items={expired} />
        </details>
      )}
    </>
  );
}

function Rows({ label, loanId, summary, items, evidence }: Shown & { label: string }) {
  const operate = useOperation();
  const can = useCan();
  const isOpenTo = summary.allowed.includes('update-stipulation');
  const columns: Column<Stipulation>[] = [
    { key: 'state', title: 'State', cell: ({ state }) => <Badge tone={TONES[state]}>{words(state)}</Badge> },
    { key: 'asked', title: 'Stipulation', cell: (one) => <span className="wrap">{asked(one)}</span> },
    { key: 'person', title: 'About', cell: (one) => personOf(one) ?? <span className="quiet">—</span> },
    { key: 'needed', title: 'Needed', cell: Needed },
    { key: 'since', title: 'Recorded', cell: ({ history }) => <Moment at={history.at(-1)?.at} /> },
    ...(evidence === null
      ? []
      : [{ key: 'evidence', title: 'Evidence or reason', cell: (one: Stipulation) => evidenceOf(one, evidence) }]),
    ...(isOpenTo && items.some((one) => stepsOf(one, can).length > 0)
      ? [
          {
            key: 'actions',
            title: '',
            cell: (one: Stipulation) => (
              <span className="line no-print checklist-do">
                {stepsOf(one, can).map((state) => (
                  <Action
                    key={state}
                    of={asked(one)}
                    onClick={() =>
                      operate('updateStipulation', {
                        loanId,
                        title: TITLES[state],
                        initial: { stipulationId: one.stipulationId, state },
                      })
                    }
                  >
                    {ACTIONS[state]}
                  </Action>
                ))}
              </span>
            ),
          },
        ]
      : []),
  ];
  return <Table label={label} rows={items} rowKey={({ stipulationId }) => stipulationId} columns={columns} />;
}

function Needed(one: Stipulation) {
  if (!one.beforeFunding) return <span className="quiet">—</span>;
  return <Badge tone={holdsUpFunding(one) ? 'late' : 'neutral'}>Before funding</Badge>;
}

function evidenceOf({ history }: Stipulation, evidence: Evidence) {
  const given = history.flatMap(({ sequence }) => evidence.get(sequence) ?? []);
  if (given.length === 0) return <span className="quiet">—</span>;
  return <span className="wrap">{given.join(' · ')}</span>;
}
