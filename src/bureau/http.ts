/** A bureau over HTTP: one POST for each pull, whose JSON `docs/bureau.md` describes. The same pull can be retried. */
import type { Workers } from '../workers/workers.ts';
import type * as Answer from './answer.ts';
import type { Bureau, BureauPull, BureauSubject } from './bureau.ts';
import { type CallSettings, openCalls, type Surroundings } from './calls.ts';
import { THREAD_LIMIT_MS, threadFailure } from './on-thread.ts';

export type HttpBureauSettings = CallSettings;

/** Everything except the URL and the key. */
export const HTTP_BUREAU_DEFAULTS: Omit<HttpBureauSettings, 'url' | 'apiKey'> = {
  connectMs: 3_000,
  attemptMs: 8_000,
  totalMs: 20_000,
  attempts: 3,
  maxBytes: 8 * 1024 * 1024,
  connections: 16,
  breaker: { failures: 5, coolingMs: 30_000 },
};

export function openHttpBureau(
  settings: HttpBureauSettings,
  { workers, ...surroundings }: Surroundings & { readonly workers: Workers },
): Bureau & { close(): void } {
  // Answers can be large, so they are read on a thread.
  const reading = workers.module<typeof Answer>(new URL('./answer.ts', import.meta.url), { limitMs: THREAD_LIMIT_MS });
  const calls = openCalls('bureau', settings, surroundings);
  return {
    name: 'http',
    close: calls.close,
    pull: (subject, pull) =>
      calls.ask({
        id: pull.pullId,
        body: questionOf(subject, pull),
        read: (answer) => reading.run('readAnswer', pull.organizationId, answer).catch(threadFailure),
      }),
  };
}

/** The same pull is always the same bytes: a bureau may compare them, and refuse an idempotency key that comes with another body. */
export function questionOf(subject: BureauSubject, { pullId }: Pick<BureauPull, 'pullId'>): Buffer {
  const { role, firstName, lastName, middleInitial, dateOfBirth, address, city, state, zip } = subject;
  const ssn = subject.ssn.replace(/[\s-]/g, '');
  const person = { role, firstName, lastName, middleInitial, ssn, dateOfBirth, address, city, state, zip };
  return Buffer.from(JSON.stringify({ pullId, subject: person }));
}
