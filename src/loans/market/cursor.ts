/** The end of a page of the market: the last loan, and the order that it belongs to. Opaque to callers. */
import { parseDate } from '../../core/calendar.ts';
import { hexOf } from '../../store/db/bytes.ts';
import type { MarketPage, MarketRow } from '../../store/market/market.ts';

export const MARKET_SORTS = ['createdAt', 'balance', 'rate', 'daysPastDue'] as const;

export type MarketSort = (typeof MARKET_SORTS)[number] | `-${(typeof MARKET_SORTS)[number]}`;

/** No installment is left to pay, or there is none yet. */
const NO_DATE = 'infinity';

export function marketCursorOf(row: MarketRow, sort: MarketSort): string {
  const keys = {
    createdAt: () => String(row.created_at.getTime()),
    balance: () => String(row.principal),
    rate: () => row.rate,
    daysPastDue: () => row.next_due,
  };
  const name = sort.replace(/^-/, '') as keyof typeof keys;
  const text = `${sort} ${keys[name]()} ${Buffer.from(row.loan_id).toString('base64url')}`;
  return Buffer.from(text).toString('base64url');
}

/** Undefined: what no page gave, and the database may not even be able to compare. */
export function readMarketCursor(cursor: string, sort: MarketSort): MarketPage['after'] | undefined {
  const [order, key = '', id = '', ...more] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  const loan = Buffer.from(id, 'base64url');
  if (order !== sort || loan.length !== 32 || more.length > 0) return undefined;
  const value = keyOf(key, sort.replace(/^-/, ''));
  return value === null ? undefined : { key: value, loanId: hexOf(loan) };
}

/** The beginning of the year 1 and the end of the year 9999: the demonstration may stand before 1970. */
const [EARLIEST_TIME, LATEST_TIME] = [-62_135_596_800_000, 253_402_300_799_999];

function keyOf(key: string, sort: string): string | null {
  switch (sort) {
    case 'createdAt': {
      const time = Number(key);
      if (!/^-?\d{1,15}$/.test(key) || time < EARLIEST_TIME || time > LATEST_TIME) return null;
      return new Date(time).toISOString();
    }
    case 'balance':
      return /^\d{1,16}$/.test(key) ? key : null;
    case 'rate':
      return /^\d{1,4}(\.\d{1,12})?$/.test(key) ? key : null;
    default:
      return key === NO_DATE || parseDate(key) !== null ? key : null;
  }
}
