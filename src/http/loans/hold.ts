/** Holds: placed, released, listed, and the table of what they do. */

import { type Static, type TSchema, Type } from 'typebox';
import type { Change, LoanCommand } from '../../loans/door/write.ts';
import {
  CHAPTERS,
  EFFECTS,
  effectsTable,
  HOLD_AREAS,
  HOLD_KINDS,
  HOLD_STANDINGS,
  type HoldItem,
  SEALED_DETAILS,
} from '../../loans/reads/holds.ts';
import { actorOf } from '../shared/actor.ts';
import { about, named, shape } from '../shared/named.ts';
import { closed, envelope, ok, operation } from '../shared/operation.ts';
import { pageName, pageOf, wholeOrPages } from '../shared/pages.ts';
import { loanIdOf, okText, reading, seen, shown, tagged, viewOptions } from '../shared/read.ts';
import type { RequestReader } from '../shared/request-reader.ts';
import {
  conditionalHeaders,
  date,
  day,
  LoanIdOut,
  loanExample,
  maybe,
  NextCursor,
  NoQuery,
  personalHeaders,
  Reason,
  Reference,
  request,
  time,
  view as viewQuery,
  written,
} from '../shared/shapes.ts';
import { referenceOut, sentences, wordOut } from '../shared/texts.ts';
import { dateOr, loanWrite } from '../shared/write.ts';

export const HoldKind = named('HoldKind', Type.Enum([...HOLD_KINDS], { description: 'The kind of hold.' }));
const Area = named('HoldArea', Type.Enum(Object.keys(HOLD_AREAS), { description: 'An area of servicing.' }));
const Effect = named(
  'HoldEffect',
  Type.Enum(Object.keys(EFFECTS), { description: 'The effect of a hold in an area.' }),
);
const Chapter = Type.Enum([...CHAPTERS], { description: 'The chapter of the bankruptcy code.' });

type SealedName = keyof typeof SEALED_DETAILS;
const SEALED_NAMES = Object.keys(SEALED_DETAILS) as SealedName[];

/** The sealed details as members of a request or an answer. */
function sealedMembers<T extends TSchema>(
  make: (detail: (typeof SEALED_DETAILS)[SealedName]) => T,
): Record<SealedName, T> {
  return Object.fromEntries(SEALED_NAMES.map((name) => [name, make(SEALED_DETAILS[name])])) as Record<SealedName, T>;
}

const HoldDetails = closed(
  {
    chapter: Type.Optional(about(Chapter, 'Bankruptcy only, and required there: the chapter.')),
    filed: Type.Optional(day('Bankruptcy only: when it was filed; default: `from`.')),
    discharged: Type.Optional(day('Bankruptcy only: when the debt was discharged.')),
    reaffirmed: Type.Optional(
      Type.Boolean({ description: 'Bankruptcy only: whether the borrower has reaffirmed the debt; default false.' }),
    ),
    ...sealedMembers(({ longest, about: description }) =>
      Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: longest,
          pattern: '^[^\\u0000-\\u0009\\u000B-\\u001F\\u007F-\\u009F]*$',
          description: `${description} Stored encrypted.`,
        }),
      ),
    ),
  },
  {
    title: 'HoldDetails',
    description:
      'Details of a hold. Chapter and dates are shown to every reader of the loan; texts are stored encrypted.',
  },
);

const PlaceHoldRequest = request(
  {
    kind: HoldKind,
    from: Type.Optional(day('The first day of the hold, today or earlier; default: today.')),
    to: Type.Optional(maybe(day('A date.'), 'The last day of the hold; default null: until it is released.')),
    details: Type.Optional(HoldDetails),
    reason: Reason,
    holdId: Type.Optional(about(Reference, 'Your reference for the hold; default: a new one.')),
  },
  {
    kind: 'bankruptcy',
    from: '2026-02-10',
    details: { chapter: 13, filed: '2026-02-10', caseNumber: '26-10234', court: 'Bankr. D. Del.' },
    reason: 'Notice of the court',
  },
);

const ReleaseHoldRequest = request(
  {
    holdId: about(Reference, 'The hold.'),
    date: Type.Optional(day('The first day on which it is no longer in force; default: today.')),
    chargeRetroactive: Type.Optional(
      Type.Boolean({
        description:
          'With a date in the past: charge the late fees of the days since then, on those days. Default false: late fees begin again today.',
      }),
    ),
    reason: Reason,
  },
  { holdId: 'BK-1', reason: 'Case dismissed' },
);

const holdMembers = {
  holdId: referenceOut('The reference of the hold.'),
  kind: HoldKind,
  from: date('Its first day.'),
  to: maybe(date('A date.'), 'Its last day; null: until it is released.'),
  releasedOn: maybe(date('A date.'), 'The first day on which it is no longer in force; null if it was not released.'),
};

const holdExample = { holdId: 'BK-1', kind: 'bankruptcy', from: '2026-02-10', to: null, releasedOn: null };

const HoldAnswer = written('Hold', holdMembers, holdExample);

const placeHold = loanWrite({
  does: 'place-hold',
  id: 'placeHold',
  tag: 'Servicing',
  summary: 'Place a hold',
  description:
    'Restricts the servicing of a loan from a date on, as `GET /holds/effects` shows. A hold may begin in the past; late fees charged since ' +
    'then are taken back. What a hold forbids is refused with 409 `on_hold`; payments are never refused. A second hold of the same kind for ' +
    'the same days is refused with the same code.',
  body: PlaceHoldRequest,
  answer: HoldAnswer,
  command: (read, body) => ({
    do: 'place-hold',
    holdId: body.holdId === undefined ? `hold-${read.fresh}` : read.reference(body, 'holdId', ''),
    kind: body.kind,
    from: dateOr(read, body, 'from'),
    to: body.to === undefined || body.to === null ? null : read.date(body, 'to', ''),
    bankruptcy: bankruptcyIn(read, body.details),
    detailed: sealedIn(body.details) !== null,
    reason: body.reason,
  }),
  reason: ({ reason }) => reason,
  details: ({ details }) => sealedIn(details),
  tells: holdShown,
});

const releaseHold = loanWrite({
  does: 'release-hold',
  id: 'releaseHold',
  tag: 'Servicing',
  summary: 'Release a hold',
  description:
    'Ends a hold; from `date` on it is no longer in force. With a date in the past, late fees that were not charged since then are charged only with ' +
    '`chargeRetroactive`; without it they begin again on the day of the call.',
  body: ReleaseHoldRequest,
  answer: HoldAnswer,
  command: (read, body) => ({
    do: 'release-hold',
    holdId: read.reference(body, 'holdId', ''),
    date: dateOr(read, body, 'date'),
    chargeRetroactive: body.chargeRetroactive ?? false,
    reason: body.reason,
  }),
  reason: ({ reason }) => reason,
  tells: holdShown,
});

type Details = Static<typeof HoldDetails> | undefined;
type BankruptcyIn = Extract<LoanCommand, { do: 'place-hold' }>['bankruptcy'];

/** Null: none of its members was sent. A missing chapter is reported here, so that the pointer names it. */
function bankruptcyIn(read: RequestReader, details: Details): BankruptcyIn {
  const { chapter, filed, discharged, reaffirmed } = details ?? {};
  if (chapter === undefined) {
    if (filed === undefined && discharged === undefined && reaffirmed === undefined) return null;
    read.note('/details/chapter', { code: 'required', detail: 'A bankruptcy requires its chapter: 7, 11, 12 or 13.' });
    return null;
  }
  const dateIn = (name: 'filed' | 'discharged') =>
    details?.[name] === undefined ? null : read.date(details, name, '/details');
  return {
    chapter,
    filed: dateIn('filed'),
    discharged: dateIn('discharged'),
    reaffirmed: reaffirmed ?? false,
  };
}

function sealedIn(details: Details): Record<string, string> | null {
  const given = SEALED_NAMES.flatMap((name) => {
    const text = details?.[name];
    return text === undefined ? [] : [[name, text] as const];
  });
  return given.length === 0 ? null : Object.fromEntries(given);
}

function holdShown({ loan }: Change, command: LoanCommand): object {
  const id = 'holdId' in command ? command.holdId : null;
  const hold = loan.holds.find(({ holdId }) => holdId === id);
  if (hold === undefined) throw new Error('A hold was placed that the loan does not show.');
  const { holdId, kind, from, to, releasedOn } = hold;
  return { holdId, kind, from, to, releasedOn };
}

const AreaEffect = shape('HoldAreaEffect', 'The effect of a hold in one area.', {
  area: Area,
  effect: Effect,
  basis: sentences('The law or rule it comes from; empty where nothing changes.'),
});

const ListedHold = shape('Hold', 'A hold on a loan.', {
  ...holdMembers,
  standing: Type.Enum([...HOLD_STANDINGS], { description: 'Whether it is in force on the date of the reading.' }),
  chapter: maybe(Type.Integer(), 'The chapter of a bankruptcy; null for other holds.'),
  filed: maybe(date('A date.'), 'When the bankruptcy was filed; null if not known.'),
  discharged: maybe(date('A date.'), 'When the debt was discharged; null if it was not.'),
  reaffirmed: maybe(Type.Boolean(), 'Whether the borrower has reaffirmed the debt; null for other holds.'),
  placedAt: time('When it was recorded.'),
  effects: Type.Array(AreaEffect, { description: 'The areas that it changes; empty when it is not in force.' }),
  detailsGiven: Type.Boolean({ description: 'Whether further details are stored.' }),
  details: maybe(
    shape(
      'HoldTexts',
      'Details of a hold that can name a person.',
      sealedMembers(({ about: description }) => Type.Optional(sentences(description))),
    ),
    'Null when there are none, and without `loans:read_pii` and the key.',
  ),
  reason: maybe(sentences('A text.'), 'Why it was placed; null without `loans:read_pii` and the key.'),
});

const HoldsAnswer = envelope(
  shape('HoldList', 'The holds of a loan.', {
    loanId: LoanIdOut,
    asOf: date('The date of the reading.'),
    items: Type.Array(ListedHold, { description: 'Every hold that has begun by then, the last to begin first.' }),
    nextCursor: NextCursor,
  }),
  {
    loanId: loanExample,
    asOf: '2026-02-15',
    items: [
      {
        ...holdExample,
        standing: 'inForce',
        chapter: 13,
        filed: '2026-02-10',
        discharged: null,
        reaffirmed: false,
        placedAt: '2026-02-11T15:04:05.000Z',
        effects: [{ area: 'lateFees', effect: 'forbidden', basis: '11 USC 362(a)(6)' }],
        detailsGiven: true,
        details: null,
        reason: null,
      },
    ],
    nextCursor: null,
  },
);

export const listHolds = operation({
  ...reading,
  requestHeaders: personalHeaders.requestHeaders,
  at: 'GET /loans/{loan_id}/holds',
  id: 'listHolds',
  summary: 'List the holds on a loan',
  description:
    'Each hold with its dates and effects. With the scope `loans:read_pii` and the key also the details and reasons that were ' +
    'given; that is a disclosure.',
  scopes: ['loans:read'],
  query: closed({ ...viewQuery, ...wholeOrPages }),
  answer: HoldsAnswer,
  problems: ['not_found'],
  async handle(call) {
    const options = viewOptions(call.query);
    const found = seen(await call.services.loans.reads.holds(await actorOf(call), loanIdOf(call), options));
    const { view, items, disclosed } = found;
    const page = pageOf(items, call.query, ({ hold }) => hold.holdId);
    return shown(call, view, [disclosed ? 'personal holds' : 'holds', options, pageName(call.query)], () =>
      okText({ loanId: view.loanId, asOf: view.loan.on, ...page, items: page.items.map(listed) }),
    );
  },
});

function listed({ hold, standing, effects, details, reason }: HoldItem): object {
  const { holdId, kind, from, to, releasedOn, bankruptcy, detailed, recordedAt } = hold;
  return {
    holdId,
    kind,
    from,
    to,
    releasedOn,
    standing,
    chapter: bankruptcy?.chapter ?? null,
    filed: bankruptcy?.filed ?? null,
    discharged: bankruptcy?.discharged ?? null,
    reaffirmed: bankruptcy?.reaffirmed ?? null,
    placedAt: recordedAt,
    effects,
    detailsGiven: detailed,
    details,
    reason,
  };
}

const EffectsAnswer = envelope(
  shape('HoldEffectTable', 'The effects of each kind of hold.', {
    areas: Type.Array(
      shape('HoldAreaMeaning', 'An area of servicing, and the operations that belong to it.', {
        area: Area,
        about: sentences('A description of the area.'),
        operations: Type.Array(wordOut('A word.'), {
          description: 'Operations that a hold refuses when it forbids the area.',
        }),
      }),
      { description: 'Every area.' },
    ),
    effects: Type.Array(
      shape('HoldEffectMeaning', 'An effect and its meaning.', {
        effect: Effect,
        about: sentences('The meaning of the effect.'),
      }),
      { description: 'Every effect.' },
    ),
    holds: Type.Array(
      shape('HoldEffects', 'The effects of one kind of hold.', {
        kind: HoldKind,
        stage: maybe(
          Type.Enum(['stay', 'discharged', 'reaffirmed']),
          'The stage of a bankruptcy: before its discharge, after it, or after it with the debt reaffirmed. Null for other holds.',
        ),
        effects: Type.Array(AreaEffect, { description: 'One for each area.' }),
      }),
      { description: 'Every kind of hold.' },
    ),
  }),
  {
    areas: [{ area: 'notices', about: HOLD_AREAS.notices, operations: ['payment-reminders'] }],
    effects: [{ effect: 'forbidden', about: EFFECTS.forbidden.about }],
    holds: [
      {
        kind: 'ceaseContact',
        stage: null,
        effects: [{ area: 'contact', effect: 'forbidden', basis: '15 USC 1692c(c)' }],
      },
    ],
  },
);

export const listHoldEffects = operation({
  at: 'GET /holds/effects',
  id: 'listHoldEffects',
  tag: 'Reading',
  summary: 'List what each kind of hold does',
  description:
    'For each kind of hold and each area of servicing whether it is allowed, with the law or rule that this comes from, and the operations ' +
    'that belong to the area. Any token is accepted.',
  scopes: [],
  key: 'checked',
  ...conditionalHeaders,
  query: NoQuery,
  answer: EffectsAnswer,
  problems: [],
  handle: (call) => tagged(call, ok(effectsTable())),
});

/** In the order of the OpenAPI document. */
export const holdWrites = [placeHold, releaseHold] as const;
