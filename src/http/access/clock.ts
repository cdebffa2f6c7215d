/** The clock of an organization: what today and now are for its loans, whoever asks. */
import { Type } from 'typebox';
import { isRefusal, type Refusal } from '../../core/refusal.ts';
import type { ClockView } from '../../loans/clock/clocks.ts';
import type { Unavailable } from '../../loans/loans.ts';
import { day } from '../loans/shapes.ts';
import { closed, envelope, ok, operation } from '../operation.ts';
import { unavailable } from '../shell/problems.ts';
import { refusedProblem } from '../shell/refusal-problems.ts';
import { RequestReader } from '../shell/request-reader.ts';
import { write } from '../writing.ts';
import { administration, Timestamp } from './shared.ts';

const ZoneName = Type.String({ minLength: 1, maxLength: 64, description: 'An IANA name, such as America/New_York.' });

const DayText = Type.String({ description: 'YYYY-MM-DD.' });

const Problem = Type.String({ description: 'The kind of error and its place in the source.' });

const clockExample = {
  kind: 'live',
  timeZone: 'America/New_York',
  today: '2026-01-15',
  now: '2026-01-15T17:00:00.000Z',
  advancing: null,
};

const ClockAnswer = envelope(
  Type.Object({
    kind: Type.Enum(['live', 'test'], {
      description: '`live`: real time in the time zone. `test`, of a sandbox: it moves only when told.',
    }),
    timeZone: Type.String({ description: 'The zone in force now.' }),
    today: Type.String({ description: 'The business day, YYYY-MM-DD.' }),
    now: Timestamp,
    advancing: Type.Union([Type.Object({ to: DayText, at: DayText, problem: Type.Optional(Problem) }), Type.Null()], {
      description:
        'Of a clock that is being moved: the day it is moved to, and the one it has reached. What is written meanwhile is dated by the latter. ' +
        '`problem` when it could not be moved on: it is tried again, at most five minutes later, and may be advanced to another day.',
    }),
    next: Type.Optional(
      Type.Object(
        { timeZone: Type.String(), from: Timestamp },
        { description: 'A zone that was set and is not in force yet, with the moment from which it is.' },
      ),
    ),
  }),
  clockExample,
);

export const readClock = operation({
  at: 'GET /clock',
  id: 'readClock',
  tag: 'Access',
  summary: 'What day it is',
  description:
    'Of the caller’s organization. "Today", "now" and the recorded time of a loan are those of the organization that owns it, also when ' +
    'another one reads or services it by a grant.',
  scopes: [],
  key: 'checked',
  answer: ClockAnswer,
  problems: [],
  async handle({ services, caller }) {
    return ok(await services.loans.clock(caller.organizationId));
  },
});

const ClockRequest = closed({ timeZone: ZoneName }, { examples: [{ timeZone: 'America/Chicago' }] });

export const setClock = write({
  ...administration,
  at: 'POST /clock',
  id: 'setClock',
  cost: 5,
  summary: 'Set the time zone of the business day',
  description:
    'In force from the organization’s next business day on, or from the one after that when the next begins within five minutes. No day ' +
    'comes twice and none goes back: after a move to the west the present day lasts until the new zone has left it. Until then a further ' +
    'call replaces it, and one with the zone in force withdraws it.',
  body: ClockRequest,
  answer: ClockAnswer,
  problems: [],
  async write({ services, caller, body }, { keep }) {
    return told(await services.loans.setTimeZone(caller.organizationId, body.timeZone, keep));
  },
});

function told(clock: ClockView | Refusal | Unavailable): ClockView {
  if (isRefusal(clock)) throw refusedProblem(clock);
  if (clock.kind === 'unavailable') throw unavailable(clock.detail, clock.retryAfterSeconds);
  return clock;
}

const AdvanceRequest = closed(
  { to: day('The day to be reached, at most 3,660 days from the present one.') },
  {
    examples: [{ to: '2026-02-15' }],
  },
);

export const advanceClock = write({
  ...administration,
  at: 'POST /clock/advance',
  id: 'advanceClock',
  cost: 50,
  summary: 'Advance a test clock',
  description:
    'Only the clock of a sandbox (409 `live_clock`), and only forward. The nightly cycle of every day that ends is run, in order. Answers ' +
    'when the day is reached, or after 20 seconds with `advancing` while it goes on; `GET /clock` tells how far it is. The same call again ' +
    'joins it, and once the day is reached changes nothing. While a clock is being moved, another day is a 409, unless `advancing` shows ' +
    'a `problem`.',
  body: AdvanceRequest,
  answer: ClockAnswer,
  problems: ['conflict', 'live_clock'],
  async write({ services, caller, body }) {
    const read = new RequestReader();
    const to = read.date(body, 'to', '');
    read.done();
    return told(await services.loans.advanceClock(caller.organizationId, to));
  },
});
