/**
 * Two sliders over time: the business day that the figures are for, and the moment up to which records count. Moving one changes the address
 * once the hand has come to rest, and everything on the page is read again at that point.
 */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState } from 'react';
import { day, moment } from '../../../format.ts';
import { addDays, daysBetween, isNow, momentsOf, type Point, placeOf, queryOf } from './point.ts';

const REST_MS = 250;
/** Reach of the slider into the future. */
const AHEAD_DAYS = 184;

export function TimeSlider(props: {
  point: Point;
  /** The loan's day now. */
  today: string;
  /** The last day that is scheduled; empty: none is. */
  end: string;
  facts: readonly { readonly date: string; readonly recordedAt: string }[];
}) {
  const { point, today, facts } = props;
  const ids = useId();
  const first = facts.reduce((earliest, { date }) => (date < earliest ? date : earliest), today);
  const last = props.end > today ? ([props.end, addDays(today, AHEAD_DAYS)].sort()[0] ?? today) : today;
  const moments = momentsOf(facts);
  const latest = Math.max(0, moments.length - 1);
  const span = Math.max(1, daysBetween(first, last));
  const [asOf, setAsOf] = useMoved(daysBetween(first, point.asOf ?? today), (days) => {
    const date = addDays(first, days);
    return go({ ...point, asOf: date === today ? null : date });
  });
  const [known, setKnown] = useMoved(placeOf(moments, point.knownAt), (place) =>
    go({ ...point, knownAt: place >= latest ? null : (moments[place] ?? null) }),
  );
  const navigate = useNavigate();
  const go = (next: Point) =>
    void navigate({ to: '.', search: queryOf(next) as never, replace: true, resetScroll: false });
  const date = addDays(first, asOf);
  const knownText = known >= latest ? 'now' : moment(moments[known]);
  return (
    <div className="time no-print">
      <div className="time-row">
        <label htmlFor={`${ids}-asOf`}>As of</label>
        <div className="time-track">
          <div className="time-marks" aria-hidden="true">
            {facts.map(({ date: on, recordedAt }, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: marks have a place and nothing else.
              <span key={`${recordedAt} ${n}`} style={{ left: `${(100 * daysBetween(first, on)) / span}%` }} />
            ))}
            <span className="time-today" style={{ left: `${(100 * daysBetween(first, today)) / span}%` }} />
          </div>
          <input
            id={`${ids}-asOf`}
            type="range"
            min={0}
            max={span}
            value={asOf}
            aria-valuetext={date === today ? `today, ${day(date)}` : day(date)}
            onChange={(event) => setAsOf(Number(event.target.value))}
          />
        </div>
        <output className="time-value" htmlFor={`${ids}-asOf`}>
          {day(date)}
          <span className="quiet">{date === today ? ' · today' : date > today ? ' · future' : ''}</span>
        </output>
      </div>
      <div className="time-row">
        <label htmlFor={`${ids}-known`}>Known at</label>
        <div className="time-track">
          <input
            id={`${ids}-known`}
            type="range"
            min={0}
            max={Math.max(1, latest)}
            value={latest === 0 ? 1 : known}
            disabled={latest === 0}
            aria-valuetext={knownText}
            onChange={(event) => setKnown(Number(event.target.value))}
          />
        </div>
        <output className="time-value" htmlFor={`${ids}-known`}>
          {knownText}
          {known < latest && <span className="quiet"> · without {latest - known} later</span>}
        </output>
      </div>
      <div className="time-foot">
        <span className="quiet small">
          {isNow(point)
            ? 'Move a slider to see the loan on another day, or as it was known at another time.'
            : 'Figures and timeline are as of this point. Actions apply today.'}
        </span>
        {!isNow(point) && (
          <button type="button" className="button small-button" onClick={() => go({ asOf: null, knownAt: null })}>
            Back to today
          </button>
        )}
      </div>
    </div>
  );
}

/** A value that follows the slider at once and is reported when it rests; it also follows changes from outside, such as the back button. */
function useMoved(value: number, rested: (value: number) => void): [number, (value: number) => void] {
  const [moved, setMoved] = useState<number | null>(null);
  const tell = useRef(rested);
  tell.current = rested;
  useEffect(() => {
    if (moved === null) return;
    const timer = setTimeout(() => tell.current(moved), REST_MS);
    return () => clearTimeout(timer);
  }, [moved]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what came from outside replaces what was moved.
  useEffect(() => setMoved(null), [value]);
  return [moved ?? value, setMoved];
}
