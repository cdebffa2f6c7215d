/** The line of an event on the timeline, as its definition in the engine says (`TimelineLine` in `src/core/events/definition.ts`). */
export const LINE_GROUPS = ['money', 'servicing', 'application'] as const;
export type LineGroup = (typeof LINE_GROUPS)[number];

export type EventLine = {
  readonly says: string;
  readonly more?: string;
  readonly group?: LineGroup;
  readonly tone?: 'info' | 'good' | 'late' | 'bad';
  readonly explains?: string;
  /** The kind of its row in the statement. */
  readonly row?: string;
  /** The scopes that undoing it takes, all of them; null: it cannot be undone. */
  readonly undoScopes: readonly string[] | null;
};

/** Values by name; null: not known. A value that is known and has no text decides between alternatives. */
export type LineValues = Readonly<Record<string, string | null>>;

/** The text with its values. Of `[one|another]` the first alternative is taken whose values are all known, otherwise nothing. */
export function filled(text: string, values: LineValues): string {
  const chosen = text.replaceAll(/\[([^[\]]*)\]/g, (_, inner: string) => {
    const fits = (part: string) => namesIn(part).every((name) => (values[name] ?? null) !== null);
    return inner.split('|').find(fits) ?? '';
  });
  return chosen.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** The values that a text names. */
export const namesIn = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
