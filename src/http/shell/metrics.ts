/** The Prometheus metrics at `/metrics`: latency by route, the database pool, writes between processes, and the process (event loop lag, memory). */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export type Metrics = {
  observe(method: string, route: string, status: number, seconds: number): void;
  text(): Promise<string>;
};

/** The latencies of a route's answers with one status, counted by bucket. */
type Series = { method: string; status: number; labels: string; counts: number[]; sum: number };

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const LATENCY = 'http_request_duration_seconds';

export function openMetrics(options: {
  pool: () => { total: number; idle: number; waiting: number };
  /** Writes that were forwarded, by their outcome, and those that were carried out for other processes (`served`). */
  forwarded?: () => Readonly<Record<string, number>>;
  /** Counters of the nightly cycles of this process, and how far behind the slowest organization is. */
  cycles?: () => Readonly<
    Record<'daysBehind' | 'organizationsBehind' | 'days' | 'loans' | 'exceptions' | 'failures', number>
  >;
  /** Attempts to deliver webhooks, endpoints that this process delivers to, paused ones, and how far the slowest is behind. */
  webhooks?: () => Readonly<Partial<Record<string, number>>>;
  /** With process-wide figures (event loop lag, memory, garbage collection): once per process. */
  process: boolean;
}): Metrics {
  const registry = new Registry();
  if (options.process) collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'database_pool_connections',
    help: 'Database connections, and requests waiting for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { total, idle, waiting } = options.pool();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  new Counter({
    name: 'forwarded_writes_total',
    help: 'Writes forwarded to the process that owns the loan, by outcome, and writes carried out for other processes (served).',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(options.forwarded?.() ?? {})) this.inc({ outcome }, count);
    },
  });
  new Gauge({
    name: 'nightly_cycle_behind',
    help: 'Past days whose nightly cycle has not run, for the organization that is furthest behind (days), and number of organizations that are behind.',
    labelNames: ['what'],
    registers: [registry],
    collect() {
      const { daysBehind = 0, organizationsBehind = 0 } = options.cycles?.() ?? {};
      this.set({ what: 'days' }, daysBehind);
      this.set({ what: 'organizations' }, organizationsBehind);
    },
  });
  new Counter({
    name: 'nightly_cycle_total',
    help: 'Nightly cycles of this process: days run, loans written, loans that failed (exceptions), runs that failed.',
    labelNames: ['what'],
    registers: [registry],
    collect() {
      const { days = 0, loans = 0, exceptions = 0, failures = 0 } = options.cycles?.() ?? {};
      this.reset();
      for (const [what, count] of Object.entries({ days, loans, exceptions, failures })) this.inc({ what }, count);
    },
  });
  new Counter({
    name: 'webhook_deliveries_total',
    help: 'Attempts of this process to deliver webhooks, by outcome: delivered, failed (tried again), dead (given up).',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      const { delivered = 0, failed = 0, dead = 0 } = options.webhooks?.() ?? {};
      this.reset();
      for (const [outcome, count] of Object.entries({ delivered, failed, dead })) this.inc({ outcome }, count);
    },
  });
  new Gauge({
    name: 'webhook_endpoints',
    help: 'Webhook endpoints that this process delivers to (working), and paused ones of the whole database.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { working = 0, paused = 0 } = options.webhooks?.() ?? {};
      this.set({ state: 'working' }, working);
      this.set({ state: 'paused' }, paused);
    },
  });
  new Gauge({
    name: 'webhook_lag_seconds',
    help: 'Age of the oldest event that waits to be delivered, of all endpoints that this process delivers to.',
    registers: [registry],
    collect() {
      this.set(options.webhooks?.().lagSeconds ?? 0);
    },
  });
  // The histogram is written by hand: every request passes it, and the library's labels and hashing cost 3 % of a small read.
  const series = new Map<string, Series[]>();

  function seriesOf(method: string, route: string, status: number): Series {
    let ofRoute = series.get(route);
    if (ofRoute === undefined) {
      ofRoute = [];
      series.set(route, ofRoute);
    }
    // A route has a few; a name made of all three for every request would cost more.
    const known = ofRoute.find((one) => one.status === status && one.method === method);
    if (known !== undefined) return known;
    const labels = `method="${method}",route="${route}",status="${status}"`;
    const counts = Array.from({ length: BUCKETS.length + 1 }, () => 0);
    const one: Series = { method, status, labels, counts, sum: 0 };
    ofRoute.push(one);
    return one;
  }

  return {
    observe(method, route, status, seconds) {
      const one = seriesOf(method, route, status);
      let bucket = 0;
      while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] as number)) bucket += 1;
      one.counts[bucket] = (one.counts[bucket] as number) + 1;
      one.sum += seconds;
    },
    async text() {
      const lines = [`# HELP ${LATENCY} Time from a request's headers to its response.`, `# TYPE ${LATENCY} histogram`];
      for (const { labels, counts, sum } of [...series.values()].flat()) {
        let total = 0;
        counts.forEach((count, i) => {
          total += count;
          lines.push(`${LATENCY}_bucket{le="${BUCKETS[i] ?? '+Inf'}",${labels}} ${total}`);
        });
        lines.push(`${LATENCY}_sum{${labels}} ${sum}`, `${LATENCY}_count{${labels}} ${total}`);
      }
      return `${lines.join('\n')}\n\n${await registry.metrics()}`;
    },
  };
}
