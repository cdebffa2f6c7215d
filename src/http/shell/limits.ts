/**
 * Quotas: cost units a minute, of a client and of its organization, counted in memory and reported in the headers of the IETF draft
 * "RateLimit header fields for HTTP": `RateLimit-Policy` is the quota, `RateLimit` the rest of it.
 *
 * A budget lasts a minute from its first call. A call is let through if what is left of every budget pays for it. One that costs more than
 * a whole minute's budget is let through while that budget is untouched, and the minutes that follow pay for the rest: otherwise a client
 * with a small quota could never make it.
 *
 * Calls that other processes have let through are added within a second (access/usage-reports.ts). All processes share one minute: a process
 * that hears of a call adopts the end of its minute. If two have begun one, the later end counts for both. Minutes that were not aligned would
 * give a caller who goes from process to process a new budget each time one of them begins. What got through beyond the quota, before the
 * others had heard of it, is paid by the next minute.
 */
import type { Tally } from '../../access/usage-reports.ts';

export type Budget = {
  /** Its name in the headers: `default` is the client's own. */
  name: 'default' | 'organization';
  /** The id of the client or organization. */
  of: string;
  perMinute: number;
};

/** The state of a budget: what is left, and in how many seconds there is more. */
type BudgetState = { budget: Budget; remaining: number; resetSeconds: number };

export type Taken = {
  /** Each budget, after the call. */
  states: readonly BudgetState[];
  /** The budget that cannot pay, what is left of it, and in how many seconds it can. Null: the call is let through and paid for. */
  refused: { budget: Budget; remaining: number; retryAfterSeconds: number } | null;
  /** Returns what the call was charged too much, and says where the budgets stand then. */
  giveBack(cost: number): readonly BudgetState[];
};

export type RateLimiter = {
  take(budgets: readonly Budget[], cost: number): Taken;
  /** Epoch milliseconds, by the clock that it counts with. */
  now(): number;
  /** Lines of budget, units, milliseconds until its minute ends, and units a minute. */
  tally: Tally;
};

const WINDOW_MS = 60_000;
/** Windows that have ended are removed when there are this many, and twice as many as the last removal left; a window is four numbers. */
const SWEEP_AT = 10_000;

/** A minute that another process began so shortly before this one's is over is the one after it: ages are true to some milliseconds only. */
const NEXT_MS = 2_000;

/** `unreported`: of `used`, what was let through here and the other processes do not know. */
type Window = { used: number; unreported: number; endsAt: number; perMinute: number };

/** `reports`: whether other processes are told; what nobody takes from the tally would be kept for ever. */
export function openRateLimiter(
  clock: () => number,
  { reports }: { reports: boolean } = { reports: true },
): RateLimiter {
  const windows = new Map<string, Window>();
  /** Budgets of which something is unreported. */
  const moved = new Set<string>();
  let sweepAt = SWEEP_AT;

  /** The minute of this budget that is running, or that pays off what was used in the ones before. */
  function runningWindow(id: string, perMinute: number, now: number): Window | undefined {
    const known = windows.get(id);
    if (known === undefined || isRunning(known, now)) return known;
    const window = carriedOver({ ...known, perMinute }, now);
    if (window !== undefined) windows.set(id, window);
    return window;
  }

  function begin(id: string, window: Window, now: number): Window {
    if (windows.size >= sweepAt) {
      for (const [other, old] of windows) if (now >= endOf(old, windowsUntil(0, old))) windows.delete(other);
      sweepAt = Math.max(SWEEP_AT, 2 * windows.size);
    }
    windows.set(id, window);
    return window;
  }

  function spend(id: string, window: Window, units: number): void {
    const used = Math.max(0, window.used + units);
    window.unreported += used - window.used;
    window.used = used;
    if (reports) moved.add(id);
  }

  return {
    now: clock,
    take(budgets, cost) {
      const now = clock();
      const held = budgets.map((budget) => {
        const { perMinute } = budget;
        const id = `${budget.name} ${budget.of}`;
        const running = runningWindow(id, perMinute, now);
        const window = running ?? begin(id, { used: 0, unreported: 0, endsAt: now + WINDOW_MS, perMinute }, now);
        return { id, budget, window };
      });
      for (const { budget, window } of held) window.perMinute = budget.perMinute;
      const short = held.find(({ budget, window }) => window.used > 0 && window.used + cost > budget.perMinute);
      if (short === undefined) for (const { id, window } of held) spend(id, window, cost);
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
          for (const { id, window } of held) spend(id, window, -units);
          return states();
        },
      };

      function refusal({ budget, window }: { budget: Budget; window: Window }) {
        const usedAtMost = Math.max(0, budget.perMinute - cost);
        const retryAfterSeconds = seconds(window, windowsUntil(usedAtMost, window));
        return { budget, remaining: remainingOf(window), retryAfterSeconds };
      }
    },
    tally: {
      takeUnreported(most) {
        const now = clock();
        const found: { id: string; window: Window }[] = [];
        for (const id of moved) {
          const window = runningWindow(id, windows.get(id)?.perMinute ?? 0, now);
          // Usage of a past minute is no longer relevant.
          if (window === undefined || window.unreported === 0) moved.delete(id);
          else found.push({ id, window });
        }
        if (found.length > most) {
          found.sort((a, b) => Math.abs(b.window.unreported) - Math.abs(a.window.unreported));
        }
        return found.slice(0, most).map(({ id, window }) => {
          const { unreported, endsAt, perMinute } = window;
          window.unreported = 0;
          moved.delete(id);
          return [id, unreported, Math.round(endsAt - now), perMinute];
        });
      },
      addReported(lines, ageMs) {
        const now = clock();
        for (const [id, units = 0, endsInMs = 0, perMinute = 0] of lines) {
          const endsAt = now + Math.min(endsInMs, WINDOW_MS) - ageMs;
          if (endsAt <= now || perMinute <= 0) continue;
          const running = runningWindow(id, perMinute, now);
          const isNext = running !== undefined && endsAt - WINDOW_MS >= running.endsAt - NEXT_MS;
          const window = isNext ? carriedOver({ ...running, perMinute }, running.endsAt) : running;
          const current = window ?? { used: 0, unreported: 0, endsAt, perMinute };
          current.used = Math.max(0, current.used + units);
          current.endsAt = Math.min(now + WINDOW_MS, Math.max(current.endsAt, endsAt));
          if (current !== running) begin(id, current, now);
        }
      },
    },
  };
}

/** Not one whose end is more than a minute away: the clock was set back. */
const isRunning = ({ endsAt }: Window, now: number): boolean => now < endsAt && endsAt - now <= WINDOW_MS;

const remainingOf = ({ used, perMinute }: Window): number => Math.max(0, perMinute - used);

/** The number of windows that must end before at most this much of the budget is used. */
const windowsUntil = (usedAtMost: number, { used, perMinute }: Window): number =>
  Math.max(1, Math.ceil((used - usedAtMost) / perMinute));

const endOf = ({ endsAt }: Window, windowsAhead: number): number => endsAt + (windowsAhead - 1) * WINDOW_MS;

/** The window after one that has ended, while there is still something to pay off. A clock that was set back starts anew. */
function carriedOver({ used, unreported, endsAt, perMinute }: Window, now: number): Window | undefined {
  if (now < endsAt) return undefined;
  const ended = Math.floor((now - endsAt) / WINDOW_MS) + 1;
  const owed = used - perMinute * ended;
  if (owed <= 0) return undefined;
  // Units that past minutes have paid for are no longer relevant.
  return { used: owed, unreported: Math.min(unreported, owed), endsAt: endsAt + ended * WINDOW_MS, perMinute };
}

export function rateLimitHeaders(states: readonly BudgetState[]): Record<string, string> {
  return {
    'RateLimit-Policy': states.map(({ budget: { name, perMinute } }) => `"${name}";q=${perMinute};w=60`).join(', '),
    RateLimit: states
      .map(({ budget: { name }, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
  };
}
