/** The operations by subject, and those that a search finds. */
import type { Operation } from '../../parts/operation/catalogue.ts';
import { formOf } from '../../parts/operation/form.ts';

export type Listed = {
  id: string;
  title: string;
  note: string;
  tag: string;
  scopes: readonly string[];
  /** It changes nothing. */
  reads: boolean;
};

/** In the order in which people look for them. */
const ORDER = [
  'Servicing',
  'Loans',
  'Approvals',
  'Reading',
  'Portfolio',
  'Ledger',
  'Exports',
  'Policies',
  'Administration',
  'Access',
  'Events',
  'Calculators',
  'Service',
];

export function listed(operations: readonly Operation[], search: string): { tag: string; items: Listed[] }[] {
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
  const items = operations.map((operation): Listed => {
    const { id, note, tag, scopes, method } = operation;
    const reads = method === 'GET' || tag === 'Calculators' || id === 'searchLoans';
    return { id, title: formOf(operation).title, note, tag, scopes, reads };
  });
  const found = items.filter(({ id, title, note, tag }) => {
    const text = `${id} ${title} ${note} ${tag}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  // A match in the title comes before a match in the text.
  const isNamed = ({ title }: Listed) =>
    wanted.length > 0 && wanted.every((word) => title.toLowerCase().includes(word));
  const named = found.filter(isNamed);
  const others = found.filter((one) => !isNamed(one));
  const place = (tag: string) => (ORDER.includes(tag) ? ORDER.indexOf(tag) : ORDER.length);
  return [...new Set(found.map(({ tag }) => tag))]
    .sort((a, b) => place(a) - place(b))
    .map((tag) => ({ tag, items: [...named, ...others].filter((one) => one.tag === tag) }));
}
