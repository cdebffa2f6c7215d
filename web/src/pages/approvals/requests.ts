/** Contents of a request for approval, and the actions that the user may take on it. */
import type { Schemas } from 'daybook-sdk';

export type Request = Schemas['Approval'];
type Me = { userId: string; scopes: readonly string[] };

export type Standing =
  /** May approve and reject. */
  | 'decide'
  /** Made the request: may withdraw it. */
  | 'own'
  /** Lacks the scope of the operation. */
  | 'noRight'
  | 'over';

/** `scopes`: one of them is needed for the requested operation. */
export function standingOf(request: Request, me: Me, scopes: readonly string[]): Standing {
  if (request.state !== 'pending') return 'over';
  if (!scopes.some((scope) => me.scopes.includes(scope))) return 'noRight';
  return request.requestedBy.userId === me.userId ? 'own' : 'decide';
}

/** Splits the request into values to show and names of hidden values. */
export function requestValues(body: Readonly<Record<string, unknown>> | null): {
  visible: Record<string, unknown>;
  hidden: string[];
} {
  const members = Object.entries(body ?? {});
  return {
    visible: Object.fromEntries(members.filter(([, value]) => value !== null)),
    hidden: members.filter(([, value]) => value === null).map(([name]) => name),
  };
}

/** The new outcome, where an approval was refused because it differs from what the request showed. */
export function changedOutcome(problem: { code?: unknown; preview?: unknown; previewHash?: unknown }): {
  preview: object;
  previewHash: string;
} | null {
  const { code, preview, previewHash } = problem;
  if (code !== 'outcome_changed' || typeof preview !== 'object' || preview === null) return null;
  return typeof previewHash === 'string' ? { preview, previewHash } : null;
}

/** "in 3 days", "today": beside the exact date. */
export function daysLeft(lapsesOn: string, today: string | null): string | null {
  if (today === null) return null;
  const days = Math.round((Date.parse(lapsesOn) - Date.parse(today)) / 86_400_000);
  if (days < 0) return null;
  return days === 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${days} days`;
}
