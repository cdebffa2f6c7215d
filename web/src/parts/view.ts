/** Choices on a page, kept in the query of its address: they can be bookmarked and shared, and survive a reload. */
import { useNavigate, useSearch } from '@tanstack/react-router';

export type Search = Readonly<Record<string, unknown>>;

/** The choices, and how to change some of them; null takes one away. */
export function useView(): [Search, (change: Readonly<Record<string, string | null>>) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const change = (given: Readonly<Record<string, string | null>>) => {
    const next = Object.fromEntries(Object.entries({ ...search, ...given }).filter(([, value]) => value !== null));
    void navigate({ to: '.', search: next as never, replace: true });
  };
  return [search, change];
}
