/** The clock of an organization: it decides what today and now are for its loans, for every caller. */

import { Type } from 'typebox';
import { isRefusal, type Refusal } from '../../core/refusal.ts';
import type { ClockView } from '../../loans/door/clocks.ts';
import type { Unavailable } from '../../loans/door/write.ts';
import { shape } from '../shared/named.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { unavailable } from '../shared/problems.ts';
import { refusedProblem } from '../shared/refusal-problems.ts';
import { RequestReader } from '../shared/request-reader.ts';
import { date, day, time } from '../shared/shapes.ts';
import { sentences } from '../shared/texts.ts';
import { write } from '../shared/writing.ts';
import { administration } from './shared.ts';

const ZoneName = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'An IANA time zone name, such as America/New_York.',
});

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
      description: '`live`: real time. `test`: the clock of a sandbox, which moves only with `POST /clock/advance`.',
    }),
    timeZone: sentences('The current time zone, as an IANA name.'),
    today: date('The business date.'),
    now: time('The time.'),
    advancing: Type.Union(
      [
        shape('ClockAdvance', 'A test clock that is being advanced. Until it is done, writes are dated `at`.', {
          to: date('The date it is being advanced to.'),
          at: date('The date it has reached.'),
          problem: Type.Optional(
            Type.String({
              description:
                'Why it is stuck: the kind of error and its place in the source code. The service retries within five minutes; the clock can also be ' +
                'advanced to another date.',
            }),
          ),
        }),
        Type.Null(),
      ],
      { description: 'Present while the clock is being advanced; otherwise null.' },
    ),
    next: Type.Optional(
      shape('NextTimeZone', 'A time zone change that has not taken effect yet.', {
        timeZone: sentences('The time zone, as an IANA name.'),
        from: time('When it takes effect.'),
      }),
    ),
  }),
  clockExample,
);

export const readClock = operation({
  at: 'GET /clock',
  id: 'readClock',
  tag: 'Access',
  summary: 'Get the clock',
  description:
    'The time and business date of the caller’s organization. "Today", "now" and recorded times of a loan follow the clock of the organization that owns it, also when ' +
    'another organization reads or services it under a grant.',
  scopes: [],
  key: 'checked',
  answer: ClockAnswer,
  problems: [],
  async handle({ services, caller }) {
    return ok(await services.loans.door.clockView(caller.organizationId));
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
    'Takes effect with the organization’s next business day, or the one after it if the next begins within five minutes. No day ' +
    'repeats and the date never goes back: after a move west, the current day lasts until it has ended in the new zone. Until then another ' +
    'call replaces the change, and a call with the current zone cancels it.',
  body: ClockRequest,
  answer: ClockAnswer,
  problems: [],
  async write({ services, caller, body }, { keep }) {
    return told(await services.loans.door.setTimeZone(caller.organizationId, body.timeZone, keep));
  },
  subject: ({ timeZone }) => timeZone,
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
    'Only for a sandbox (otherwise 409 `live_clock`), and only forward. Runs the nightly cycle of every day that ends, in order. Returns ' +
    'when the date is reached, or after 20 seconds with `advancing` while it continues; `GET /clock` shows the progress. Repeating the call ' +
    'waits for the same run, and changes nothing once the date is reached. While the clock is being advanced, a call with another date is a 409, unless `advancing` shows ' +
    'a `problem`.',
  body: AdvanceRequest,
  answer: ClockAnswer,
  problems: ['conflict', 'live_clock'],
  async write({ services, caller, body }) {
    const read = new RequestReader();
    const to = read.date(body, 'to', '');
    read.done();
    return told(await services.loans.cycle.advanceClock(caller.organizationId, to));
  },
  subject: ({ today }) => today,
});
