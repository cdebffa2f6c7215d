/** Tabs by links: each has an address of its own. */
import { Link } from '@tanstack/react-router';
import './tabs.css';

export type Tab = { to: string; label: string; count?: number | undefined };

/** `keepsView`: what is chosen in the address after `?` stays when one goes to another tab. */
export function Tabs({ label, tabs, keepsView }: { label: string; tabs: readonly Tab[]; keepsView?: boolean }) {
  return (
    <nav className="tabs no-print" aria-label={label}>
      {tabs.map(({ to, label: text, count }) => (
        <Link
          key={to}
          to={to}
          {...(keepsView ? { search: true } : {})}
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
