/** What `/metrics` tells a Prometheus: latency a route, the database pool, and the process (event loop lag, memory). */
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = {
  observe(method: string, route: string, status: number, seconds: number): void;
  text(): Promise<string>;
};

export function openMetrics(options: {
  pool: () => { total: number; idle: number; waiting: number };
  /** Process-wide figures (event loop lag, memory, garbage collection): once a process. */
  process: boolean;
}): Metrics {
  const registry = new Registry();
  if (options.process) collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  new Gauge({
    name: 'database_pool_connections',
    help: 'Connections to the database, and callers waiting for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { total, idle, waiting } = options.pool();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  // Looking a label set up costs more than the observation; the sets are few (routes × statuses), so they are kept.
  const kept = new Map<string, { observe(value: number): void }>();
  return {
    observe(method, route, status, seconds) {
      const name = `${method} ${status} ${route}`;
      let child = kept.get(name);
      if (child === undefined) {
        child = duration.labels(method, route, String(status));
        kept.set(name, child);
      }
      child.observe(seconds);
    },
    text: () => registry.metrics(),
  };
}
