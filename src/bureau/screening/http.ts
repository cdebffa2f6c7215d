/** A screening over HTTP: one POST for each person, in the form of a pull of the bureau. Its answer is small, and read where it arrives. */
import { type CallSettings, openCalls, type Surroundings } from '../calls.ts';
import { questionOf } from '../http.ts';
import { readScreening } from './answer.ts';
import type { Screening } from './screening.ts';

/** Everything except the URL and the key. */
export const HTTP_SCREENING_DEFAULTS: Omit<CallSettings, 'url' | 'apiKey'> = {
  connectMs: 3_000,
  attemptMs: 8_000,
  totalMs: 20_000,
  attempts: 3,
  maxBytes: 64 * 1024,
  connections: 16,
  breaker: { failures: 5, coolingMs: 30_000 },
};

export function openHttpScreening(settings: CallSettings, surroundings: Surroundings): Screening & { close(): void } {
  const calls = openCalls('screening service', settings, surroundings);
  return {
    name: 'http',
    close: calls.close,
    screen: (person, { pullId }) =>
      calls.ask({
        id: pullId,
        body: questionOf(person, { pullId }),
        read: async (answer) => readScreening(answer),
      }),
  };
}
