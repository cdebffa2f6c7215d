/** The clock of an organization: what today and now are for its loans, whoever asks. */
import { Type } from 'typebox';
import { isRefusal, type Refusal } from '../../core/refusal.ts';
import type { ClockView } from '../../loans/clock/clocks.ts';
import type { Unavailable } from '../../loans/loans.ts';
import { date, day } from '../loans/shapes.ts';
import { shape } from '../named.ts';
import { closed, envelope, ok, operation } from '../operation.ts';
import { unavailable } from '../shell/problems.ts';
import { refusedProblem } from '../shell/refusal-problems.ts';
import { RequestReader } from '../shell/request-reader.ts';
import { write } from '../writing.ts';
import { administration, time } from './shared.ts';

const ZoneName = Type.String({ minLength: 1, maxLength: 64, description: 'An IANA name, such as America/New_York.' });

const clockExample = {
  kind: 'live',
  timeZone: 'America/New_York',
  today: '2026-01-15',
  now: '2026-01-15T17:00:00.000Z',
  advancing: null,
};

const ClockAnswer = envelope(
  shape('Clock', 'The clock of an organization.', {
    kind: Type.Enum(['live', 'test'], {
      description: '`live`: real time. `test`, in a sandbox: it moves only by `POST /clock/advance`.',
    }),
    timeZone: Type.String({ description: 'The time zone in force, an IANA name.' }),
    today: date('The business date.'),
    now: time('The time.'),
    advancing: Type.Union(
      [
        shape('ClockAdvance', 'A test clock that is being advanced. Writes meanwhile are dated `at`.', {
          to: date('The date it is advanced to.'),
          at: date('The date it has reached.'),
          problem: Type.Optional(
            Type.String({
              description:
                'Why it cannot go on: the kind of error and its place in the source. It is tried again within five minutes, and may be ' +
                'advanced to another date.',
            }),
          ),
        }),
        Type.Null(),
      ],
      { description: 'Present while the clock is being advanced; else null.' },
    ),
    next: Type.Optional(
      shape('NextTimeZone', 'A time zone that is set and not in force yet.', {
        timeZone: Type.String({ description: 'The time zone, an IANA name.' }),
        from: time('When it comes into force.'),
      }),
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
  { to: day('The date to advance to, at most 3,660 days ahead.') },
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
