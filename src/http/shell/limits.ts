/**
 * Quotas: cost units a minute, of a client and of its organization, counted in the memory of this process and reported in the headers of
 * the IETF draft "RateLimit header fields for HTTP": `RateLimit-Policy` is the quota, `RateLimit` the rest of it.
 *
 * A budget lasts a minute from its first call. A call is let through if what is left of every budget pays for it. One that costs more than
 * a whole minute's budget is let through while that budget is untouched, and the minutes that follow pay for the rest: otherwise a client
 * with a small quota could never make it.
 */
export type Budget = {
  /** Its name in the headers: `default` is the client's own. */
  name: 'default' | 'organization';
  /** The id of the client or organization. */
  of: string;
  perMinute: number;
};

/** Where a budget stands: what is left, and in how many seconds there is more. */
type BudgetState = { budget: Budget; remaining: number; resetSeconds: number };

export type Taken = {
  /** Each budget, after the call. */
  states: readonly BudgetState[];
  /** The budget that cannot pay, what is left of it, and in how many seconds it can. Null: the call is let through and paid for. */
  refused: { budget: Budget; remaining: number; retryAfterSeconds: number } | null;
  /** Returns what the call was charged too much, and says where the budgets stand then. */
  giveBack(cost: number): readonly BudgetState[];
};

export type RateLimiter = { take(budgets: readonly Budget[], cost: number): Taken };

const WINDOW_MS = 60_000;
/** Windows that have ended are removed when there are this many; a window is three numbers. */
const SWEEP_AT = 10_000;

type Window = { used: number; endsAt: number; perMinute: number };

export function openRateLimiter(clock: () => number): RateLimiter {
  const windows = new Map<string, Window>();

  function windowOf({ name, of, perMinute }: Budget, now: number): Window {
    const id = `${name} ${of}`;
    const known = windows.get(id);
    if (known !== undefined && now < known.endsAt && known.endsAt - now <= WINDOW_MS) return known;
    if (windows.size >= SWEEP_AT) {
      for (const [other, old] of windows) if (now >= endOf(old, windowsUntil(0, old))) windows.delete(other);
    }
    const window = known === undefined ? undefined : carriedOver({ ...known, perMinute }, now);
    const current = window ?? { used: 0, endsAt: now + WINDOW_MS, perMinute };
    windows.set(id, current);
    return current;
  }

  return {
    take(budgets, cost) {
      const now = clock();
      const held = budgets.map((budget) => ({ budget, window: windowOf(budget, now) }));
      for (const { budget, window } of held) window.perMinute = budget.perMinute;
      const short = held.find(({ budget, window }) => window.used > 0 && window.used + cost > budget.perMinute);
      if (short === undefined) for (const { window } of held) window.used += cost;
      const seconds = (window: Window, windowsAhead: number) =>
        Math.max(1, Math.ceil((endOf(window, windowsAhead) - now) / 1000));
      const states = () =>
        held.map(({ budget, window }) => ({
          budget,
          remaining: remainingOf(window),
          resetSeconds: seconds(window, windowsUntil(budget.perMinute - 1, window)),
        }));
      return {
        states: states(),
        refused: short === undefined ? null : refusal(short),
        giveBack(units) {
          for (const { window } of held) window.used = Math.max(0, window.used - units);
          return states();
        },
      };

      function refusal({ budget, window }: { budget: Budget; window: Window }) {
        const usedAtMost = Math.max(0, budget.perMinute - cost);
        const retryAfterSeconds = seconds(window, windowsUntil(usedAtMost, window));
        return { budget, remaining: remainingOf(window), retryAfterSeconds };
      }
    },
  };
}

const remainingOf = ({ used, perMinute }: Window): number => Math.max(0, perMinute - used);

/** How many windows must end before at most this much of the budget is used. */
const windowsUntil = (usedAtMost: number, { used, perMinute }: Window): number =>
  Math.max(1, Math.ceil((used - usedAtMost) / perMinute));

const endOf = ({ endsAt }: Window, windowsAhead: number): number => endsAt + (windowsAhead - 1) * WINDOW_MS;

/** The window after one that has ended, while there is still something to pay off. A clock that was set back starts anew. */
function carriedOver({ used, endsAt, perMinute }: Window, now: number): Window | undefined {
  if (now < endsAt) return undefined;
  const ended = Math.floor((now - endsAt) / WINDOW_MS) + 1;
  const owed = used - perMinute * ended;
  return owed > 0 ? { used: owed, endsAt: endsAt + ended * WINDOW_MS, perMinute } : undefined;
}

export function rateLimitHeaders(states: readonly BudgetState[]): Record<string, string> {
  return {
    'RateLimit-Policy': states.map(({ budget: { name, perMinute } }) => `"${name}";q=${perMinute};w=60`).join(', '),
    RateLimit: states
      .map(({ budget: { name }, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
  };
}
