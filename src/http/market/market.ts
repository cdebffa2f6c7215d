/**
 * The requests of the public market: published loans for everybody, without a token. They read as a client of the service itself that holds
 * `public:read` and nothing else, and are counted by network address. `docs/market.md` says what they answer.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { amountText, groupedText } from '../../core/decimal.ts';
import type { Cents } from '../../core/money.ts';
import type { Actor } from '../../loans/door/actor.ts';
import { MARKET_SORTS } from '../../loans/market/cursor.ts';
import {
  GRADES,
  type MarketLoan,
  type MarketQuery,
  type MarketTotals,
  type MarketValue,
  type MarketView,
} from '../../loans/market/market.ts';
import type { MarketMonth } from '../../loans/market/performance.ts';
import { BUCKETS } from '../../loans/reads/figures.ts';
import type { PublicView } from '../../loans/reads/view.ts';
import { statusesIn } from '../reads/lists.ts';
import { publicDetails, publicRecord } from '../reads/record-text.ts';
import { header } from '../shared/actor.ts';
import { etagOf, matchesNone } from '../shared/etag.ts';
import { idIn } from '../shared/ids.ts';
import { numbersOf } from '../shared/numbers.ts';
import { type Answer, anonymousOperation, type Call, closed, type Operation } from '../shared/operation.ts';
import { badCursor } from '../shared/pages.ts';
import { Problem } from '../shared/problems.ts';
import { RequestReader } from '../shared/request-reader.ts';

const CLOSED = 'The public market of this service is closed.';
const NOT_THERE = 'No such loan on the market. It may have been withdrawn by its owner.';
/** The public, and caches on the way, may use an answer for so long. */
const FRESH = 'public, max-age=10';

type MarketCall<Q> = Call<unknown, Q> & { actor: Actor };

function marketGet<Q extends TSchema>(
  id: string,
  path: `/market/data/${string}`,
  { query, cost }: { query: Q; cost: number },
  handle: (call: MarketCall<Static<Q>>) => Promise<Answer>,
): Operation {
  return anonymousOperation({
    ...{ outside: true, hidden: true, perAddress: true, conditional: true, isSecret: false, cost, query },
    at: `GET ${path}`,
    id,
    tag: 'Pages',
    summary: path,
    description: path,
    answer: Type.Object({}),
    problems: [],
    handle(call) {
      const client = call.services.market;
      if (client === null) throw new Problem('not_found', CLOSED);
      const { organizationId, clientId, scopes } = client;
      const actor = {
        organizationId,
        clientId,
        keyId: null,
        scopes,
        grants: [],
        requestId: call.requestId,
        purpose: '',
      };
      return handle({ ...call, actor } as unknown as MarketCall<Static<Q>>);
    },
  });
}

/** Nobody has an option here: the header alone says which form the amounts have. */
const formOf = ({ headers }: Pick<Call, 'headers'>) => numbersOf({ headers, caller: null });

/** Answered with 304 where the caller has it already; `tag` is all that it depends on, and `make` is called only if it is sent. */
async function cached(
  call: Pick<Call, 'headers'>,
  tag: readonly (string | number)[],
  make: () => Promise<Answer> | Answer,
): Promise<Answer> {
  const form = formOf(call);
  const etag = etagOf(String(form.plain), ...tag);
  const about = { ETag: etag, 'Cache-Control': FRESH, Vary: 'Prefer', ...form.headers };
  if (matchesNone(header(call.headers, 'if-none-match'), etag)) return { unchanged: true, headers: about };
  return { ...(await make()), headers: about };
}

function cachedData(call: Pick<Call, 'headers'>, data: object): Promise<Answer> {
  const text = JSON.stringify({ message: 'ok', data });
  return cached(call, [text], () => ({ text }));
}

// ---- which loans ----

const listOf = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength }));
const month = Type.Optional(Type.String({ pattern: '^(19|20|21)\\d\\d-(0[1-9]|1[0-2])$' }));
const rate = Type.Optional(Type.String({ pattern: '^\\d{1,3}(\\.\\d{1,4})?$' }));
const amount = Type.Optional(Type.String({ maxLength: 64 }));
const filters = {
  status: listOf(400),
  grade: listOf(20),
  bucket: Type.Optional(Type.Enum([...BUCKETS, '120-plus'])),
  vintageFrom: month,
  vintageTo: month,
  minRate: rate,
  maxRate: rate,
  minBalance: amount,
  maxBalance: amount,
};
const Filters = closed(filters);
const ORDERS = MARKET_SORTS.flatMap((name) => [name, `-${name}`] as const);
const List = closed({
  ...filters,
  sort: Type.Optional(Type.Enum([...ORDERS])),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  cursor: Type.Optional(Type.String({ maxLength: 400 })),
});
const Nothing = closed({});

function askedIn(query: Static<typeof Filters>): MarketQuery {
  const read = new RequestReader();
  const given = <T>(name: keyof typeof query, value: () => T) => (query[name] === undefined ? {} : { [name]: value() });
  const asked = {
    ...given('status', () => statusesIn(query.status ?? '', read, '')),
    ...given('grade', () => gradesIn(query.grade ?? '', read)),
    ...given('bucket', () => (query.bucket === '120-plus' ? '120+' : query.bucket)),
    ...given('vintageFrom', () => `${query.vintageFrom}-01`),
    ...given('vintageTo', () => `${query.vintageTo}-01`),
    ...given('minRate', () => query.minRate),
    ...given('maxRate', () => query.maxRate),
    ...given('minBalance', () => read.amount(query, 'minBalance', '')),
    ...given('maxBalance', () => read.amount(query, 'maxBalance', '')),
  } as MarketQuery;
  read.done();
  for (const [least, most] of RANGES) {
    const [from, to] = [asked[least], asked[most]];
    const wrong =
      from !== undefined && to !== undefined && (least === 'minRate' ? Number(from) > Number(to) : from > to);
    if (wrong) read.note(`/${least}`, { code: 'contradiction', detail: `Must not be more than ${most}.` });
  }
  read.done();
  return asked;
}

const RANGES = [
  ['vintageFrom', 'vintageTo'],
  ['minRate', 'maxRate'],
  ['minBalance', 'maxBalance'],
] as const;

function gradesIn(text: string, read: RequestReader): string[] {
  const asked = text.split(',').map((one) => one.trim());
  if (asked.some((one) => !(GRADES as readonly string[]).includes(one))) {
    const detail = `Must be one or more of these, separated by commas: ${GRADES.join(', ')}.`;
    read.note('/grade', { code: 'enum', detail });
  }
  return [...new Set(asked)];
}

type Money = (of: Cents | null) => string | null;

function moneyFor(call: Pick<Call, 'headers'>): Money {
  const { plain } = formOf(call);
  return (of) => (of === null ? null : amountText(of, plain));
}

const listLoans = marketGet('marketLoans', '/market/data/loans', { query: List, cost: 4 }, async (call) => {
  const { sort = '-createdAt', limit = 50, cursor = null, ...conditions } = call.query;
  const { market } = call.services.loans;
  const found = await market.list(call.actor, { ...askedIn(conditions), sort, limit, cursor });
  if (found === 'bad_cursor') return badCursor('Must be the nextCursor of a previous page with the same sort.');
  const { plain } = formOf(call);
  const money = moneyFor(call);
  const listed = ({ loanAmount, balance, fairValuePrice, ...loan }: MarketLoan) => ({
    ...loan,
    loanAmount: money(loanAmount),
    balance: money(balance),
    fairValuePrice: groupedText(fairValuePrice, plain),
  });
  return cachedData(call, { ...found, items: found.items.map(listed) });
});

const summary = marketGet('marketSummary', '/market/data/summary', { query: Filters, cost: 10 }, async (call) => {
  const { buckets, chargedOff, grades, ...found } = await call.services.loans.market.summary(
    call.actor,
    askedIn(call.query),
  );
  const money = moneyFor(call);
  const totals = <T extends MarketTotals>(of: T) => ({ ...of, balance: money(of.balance) });
  return cachedData(call, {
    ...totals(found),
    buckets: buckets.map(totals),
    chargedOff: totals(chargedOff),
    grades: grades.map(totals),
  });
});

// ---- one loan ----

async function viewedIn({
  services,
  actor,
  params,
}: MarketCall<unknown>): Promise<MarketView<PublicView> & { loanId: string }> {
  const loanId = idIn(params.loan_id);
  const view = loanId === null ? null : await services.loans.market.loan(actor, loanId);
  if (loanId === null || view === null) throw new Problem('not_found', NOT_THERE);
  return { ...view, loanId };
}

/** The values that the answers about a loan depend on: another day, version or assessment gives another. */
function tagOf({ found }: MarketView<PublicView>, name: string): (string | number)[] {
  return [name, found.view.loanId, found.view.version, found.view.loan.on, found.publicPart.length];
}

const readLoan = marketGet('marketLoan', '/market/data/loans/{loan_id}', { query: Nothing, cost: 6 }, async (call) => {
  const view = await viewedIn(call);
  return cached(call, tagOf(view, 'loan'), async () => {
    const money = moneyFor(call);
    const months = (await view.performance()).map((month) => monthShown(month, money));
    const head = `"loanId":"${view.loanId}","isSample":${view.isSample},"asOf":"${view.found.view.loan.on}"`;
    const rest = `"performance":${JSON.stringify(months)},"value":${JSON.stringify(valueShown(view.value(), money))}`;
    return {
      text: `{"message":"ok","data":{${head},"loanDetails":${publicDetails(view.found, formOf(call))},${rest}}}`,
    };
  });
});

function monthShown(
  { month: n, date, expectedBalance, expected, balance, received, daysPastDue }: MarketMonth,
  money: Money,
) {
  return {
    ...{ month: n, date, daysPastDue },
    expectedBalance: money(expectedBalance),
    expected: money(expected),
    balance: money(balance),
    received: money(received),
  };
}

function valueShown(value: MarketValue | null, money: Money) {
  return value && { ...value, balance: money(value.balance), fairValue: money(value.fairValue) };
}

const readRecord = marketGet(
  'marketRecord',
  '/market/data/loans/{loan_id}/record',
  { query: Nothing, cost: 2 },
  async (call) => {
    const view = await viewedIn(call);
    return cached(call, tagOf(view, 'record'), () => ({ chunks: publicRecord(view.found, formOf(call)) }));
  },
);

const listTransactions = marketGet(
  'marketTransactions',
  '/market/data/loans/{loan_id}/transactions',
  { query: Nothing, cost: 2 },
  async (call) => {
    const loanId = idIn(call.params.loan_id);
    const entries = loanId === null ? null : await call.services.loans.market.transactions(call.actor, loanId);
    if (entries === null) throw new Problem('not_found', NOT_THERE);
    const money = moneyFor(call);
    return cachedData(call, { items: entries.map((entry) => ({ ...entry, amount: money(entry.amount) })) });
  },
);

const readProof = marketGet(
  'marketProof',
  '/market/data/loans/{loan_id}/proof',
  { query: closed({ transaction: Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' }) }), cost: 3 },
  async (call) => {
    const loanId = idIn(call.params.loan_id);
    const hash = call.query.transaction.toLowerCase();
    const found = loanId === null ? null : await call.services.loans.market.proof(call.actor, loanId, hash);
    if (found === null) throw new Problem('not_found', `${NOT_THERE} Or it has no such transaction.`);
    return cachedData(call, { loanId, ...found, amount: moneyFor(call)(found.amount) });
  },
);

export const marketRequests: readonly Operation[] = [
  listLoans,
  summary,
  readLoan,
  readRecord,
  listTransactions,
  readProof,
];
