/** Tabs by links: each has an address of its own. */
import { Link } from '@tanstack/react-router';
import './tabs.css';

export type Tab = { to: string; label: string; count?: number | undefined };

/** `keepSearch`: what stands behind the `?` of the address, such as a date, goes along to the other tab. */
export function Tabs(props: { label: string; tabs: readonly Tab[]; keepSearch?: boolean }) {
  const { label, tabs, keepSearch = false } = props;
  return (
    <nav className="tabs no-print" aria-label={label}>
      {tabs.map(({ to, label: text, count }) => (
        <Link
          key={to}
          to={to}
          search={keepSearch as never}
          className="tab"
          activeProps={{ 'aria-current': 'page' }}
          activeOptions={{ exact: true, includeSearch: false }}
        >
          {text}
          {count !== undefined && count > 0 && <span className="tab-count">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
