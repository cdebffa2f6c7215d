/** The menu of a loan, and why an operation in it cannot be used. */
import groups from 'virtual:menu';
import type { OperationId } from 'daybook-sdk';

export type Action = {
  /** As the API names it in `allowed`: its path. */
  readonly name: string;
  readonly operation: OperationId;
  readonly label: string;
  /** One of these is needed. */
  readonly scopes: readonly string[];
};
export type Group = { readonly title: string; readonly actions: readonly Action[] };

export const GROUPS: readonly Group[] = groups;

const BY_NAME = new Map(GROUPS.flatMap(({ actions }) => actions).map((action) => [action.name, action]));
export const actionNamed = (name: string): Action | null => BY_NAME.get(name) ?? null;
export const labelOf = (name: string): string => actionNamed(name)?.label ?? name.replaceAll('-', ' ');

/** Reason why an operation is unavailable now; null: it is available. */
export function whyNot(
  action: Action,
  facts: {
    readonly allowed: readonly string[];
    readonly notAllowed: readonly {
      readonly operation: string;
      readonly reason: { readonly code?: string; readonly detail: string };
    }[];
    readonly can: (...scopes: string[]) => boolean;
  },
): string | null {
  if (!facts.can(...action.scopes)) {
    return `Your roles do not include ${action.scopes.join(' or ')}.`;
  }
  if (facts.allowed.includes(action.name)) return null;
  const reason = facts.notAllowed.find(({ operation }) => operation === action.name)?.reason;
  if (reason === undefined) return 'Not available for this loan now.';
  return reason.code === 'stipulations_open' ? STIPULATIONS_OPEN : inWords(reason.detail, action);
}

/** The service names them by their ids. */
const STIPULATIONS_OPEN = 'Stipulations that come before funding are open: the Underwriting tab has them.';

/** The reason names the operation by its path; people know it by its label. A status is written apart. */
function inWords(reason: string, { name, label }: Action): string {
  const named = reason.startsWith(`${name} `) ? `“${label}”${reason.slice(name.length)}` : reason;
  return named.replace(
    /\b([A-Z][a-z]+)([A-Z][a-z]+)\b/g,
    (_, one: string, two: string) => `${one} ${two.toLowerCase()}`,
  );
}
