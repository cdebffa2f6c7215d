/** The simulator as a bureau. Its reports are made on worker threads; only those load the PDF library and the fonts. */
import type { Workers } from '../../workers/workers.ts';
import type { Bureau } from '../bureau.ts';
import { THREAD_LIMIT_MS, threadFailure } from '../on-thread.ts';
import type * as Work from './report-work.ts';

export function openSimulator(workers: Workers): Bureau {
  const address = new URL('./report-work.ts', import.meta.url);
  const work = workers.module<typeof Work>(address, { limitMs: THREAD_LIMIT_MS });
  return {
    name: 'simulator',
    simulated: true,
    pull: (subject, pull) => work.run('makeReport', pull.organizationId, { subject, pull }).catch(threadFailure),
  };
}
