/** The screening from the settings; null: nobody is screened, and every run of underwriting says so. */
import type { Surroundings } from '../calls.ts';
import type { Screening } from './screening.ts';
import { SIMULATED_SCREENING } from './simulator.ts';

type Named = { readonly url: string; readonly apiKey: string; readonly timeoutMs: number };

export async function openScreening(
  named: Named | 'simulator' | null,
  surroundings: Surroundings,
): Promise<Screening | null> {
  if (named === 'simulator') return SIMULATED_SCREENING;
  if (named === null) return null;
  const { url, apiKey, timeoutMs } = named;
  // Loaded where it is needed, like the bureau's.
  const { HTTP_SCREENING_DEFAULTS, openHttpScreening } = await import('./http.ts');
  return openHttpScreening({ ...HTTP_SCREENING_DEFAULTS, url, apiKey, totalMs: timeoutMs }, surroundings);
}
