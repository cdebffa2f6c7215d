/** The loan's events, newest first, at any point in time. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { moment } from '../../../format.ts';
import { Day } from '../../../parts/basics.tsx';
import { useOperation } from '../../../parts/operation/operation.tsx';
import { Empty, ErrorState, Loading } from '../../../parts/states.tsx';
import { Who } from '../../../parts/who.tsx';
import { useCan } from '../../../shell/session.tsx';
import { LINE_GROUPS, type LineGroup } from './event-line.ts';
import type { Summary } from './head.tsx';
import { loanRead } from './loan-read.ts';
import { isNow, type Point } from './point.ts';
import { TimeSlider } from './time-slider.tsx';
import { type Line, timelineOf } from './timeline.ts';
import { Why } from './why.tsx';
import './timeline.css';

const GROUP_LABELS: Record<LineGroup, string> = { money: 'Money', servicing: 'Servicing', application: 'Application' };

export function TimelineTab({ loanId, point, now }: { loanId: string; point: Point; now: Summary }) {
  const [group, setGroup] = useState<LineGroup | 'all'>('all');
  const whole = useQuery(loanRead('readTimeline', loanId));
  const facts = useQuery({ ...loanRead('readTimeline', loanId, point), placeholderData: keepPreviousData });
  const history = useQuery({ ...loanRead('readHistory', loanId, point), placeholderData: keepPreviousData });
  const holds = useQuery(loanRead('listHolds', loanId));
  const lines = useMemo(
    () => timelineOf(facts.data?.data.items ?? [], history.data?.data.rows ?? [], holds.data?.data.items ?? []),
    [facts.data, history.data, holds.data],
  );
  const error = facts.error ?? history.error;
  if (error !== null) return <ErrorState error={error} retry={() => void facts.refetch()} />;
  if (facts.data === undefined || history.data === undefined || whole.data === undefined) return <Loading rows={10} />;
  const shown = lines.filter((line) => group === 'all' || line.group === group);
  return (
    <div className="timeline">
      <TimeSlider point={point} today={now.asOf} end={now.loanDetails.maturityDate} facts={whole.data.data.items} />
      <fieldset className="choice no-print">
        <legend className="hidden-visually">Show</legend>
        {(['all', ...LINE_GROUPS] as const).map((one) => (
          <button
            key={one}
            type="button"
            className="choice-item"
            aria-pressed={group === one}
            onClick={() => setGroup(one)}
          >
            {one === 'all' ? 'Everything' : GROUP_LABELS[one]}
          </button>
        ))}
      </fieldset>
      {shown.length === 0 ? (
        <Empty title="Nothing of this kind happened yet" />
      ) : (
        <ol className="timeline-lines" aria-busy={facts.isPlaceholderData}>
          {shown.map((line) => (
            <TimelineLine key={line.key} {...{ loanId, point, line, now }} />
          ))}
        </ol>
      )}
    </div>
  );
}

function TimelineLine({ loanId, point, line, now }: { loanId: string; point: Point; line: Line; now: Summary }) {
  const [open, setOpen] = useState(false);
  const operate = useOperation();
  const can = useCan();
  const { undo, undoScopes } = line;
  const mayUndo = undoScopes.every((scope) => can(scope)) && now.allowed.includes('undo');
  const undoable = undo !== null && isNow(point) && mayUndo;
  const later = line.recordedAt !== null && line.recordedAt.slice(0, 10) !== line.date;
  return (
    <li className={`timeline-line ${line.undone ? 'undone' : ''}`}>
      <div className="timeline-date">
        <Day date={line.date} />
      </div>
      <div className="timeline-text">
        <div>
          <span className={`timeline-mark ${line.tone}`} aria-hidden="true" />
          <span className="timeline-says">{line.says}</span>
          {line.undone && <span className="quiet"> (undone)</span>}
          {line.more && <span className="timeline-more">{line.more}</span>}
        </div>
        {open && line.explains !== null && (
          <div className="why">
            <Why loanId={loanId} figure={line.explains} point={point} />
          </div>
        )}
      </div>
      <div className="timeline-by">
        by {line.by === null ? 'the contract' : <Who party={line.by} inText />}
        {later && ` · recorded ${moment(line.recordedAt)}`}
        {line.reason === 'hidden' && ' · a reason was given'}
        {line.approvalId !== null && (
          <>
            {' · '}
            <Link to="/approvals/$approvalId" params={{ approvalId: line.approvalId }}>
              approval
            </Link>
          </>
        )}
      </div>
      <div className="timeline-do no-print">
        {line.explains !== null && (
          <button
            type="button"
            className="link small"
            aria-expanded={open}
            aria-label={`Why: ${line.says}`}
            onClick={() => setOpen(!open)}
          >
            why?
          </button>
        )}
        {undoable && (
          <button
            type="button"
            className="link small"
            aria-label={`Undo: ${line.says}`}
            onClick={() =>
              operate('undoTransaction', { loanId, title: `Undo: ${line.says}`, initial: { transactionHash: undo } })
            }
          >
            Undo
          </button>
        )}
      </div>
    </li>
  );
}
