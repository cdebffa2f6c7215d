/** The bureau from the settings. Without one, applications wait: none is decided on a simulated report. */
import type { Bureau } from './bureau.ts';
import type { openHttpBureau as OpenHttpBureau } from './http.ts';
import { openSimulator } from './simulator/open.ts';

type Named = { readonly url: string; readonly apiKey: string; readonly timeoutMs: number };

export async function openBureau(
  named: Named | 'simulator' | null,
  tools: Parameters<typeof OpenHttpBureau>[1],
): Promise<Bureau> {
  if (named === 'simulator') return openSimulator(tools.workers);
  if (named === null) {
    const detail = 'No credit bureau is configured; the operator must set BUREAU_URL.';
    return { name: 'none', pull: async () => ({ failed: 'unavailable', detail, retryable: false }) };
  }
  const { url, apiKey, timeoutMs } = named;
  // Loaded where it is needed: the HTTP client is a part of the start that shows.
  const { HTTP_BUREAU_DEFAULTS, openHttpBureau } = await import('./http.ts');
  return openHttpBureau({ ...HTTP_BUREAU_DEFAULTS, url, apiKey, totalMs: timeoutMs }, tools);
}
