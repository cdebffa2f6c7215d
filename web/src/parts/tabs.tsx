/** Tabs by links: each has an address of its own. */
import { Link } from '@tanstack/react-router';
import './tabs.css';

export type Tab = { to: string; label: string; count?: number | undefined };

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav className="tabs no-print" aria-label={label}>
      {tabs.map(({ to, label: text, count }) => (
        <Link key={to} to={to} className="tab" activeProps={{ 'aria-current': 'page' }} activeOptions={{ exact: true }}>
          {text}
          {count !== undefined && count > 0 && <span className="tab-count">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
