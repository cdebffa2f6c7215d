/** Tabs by links: each has an address of its own. */
import { Link, useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import './tabs.css';

/** On a phone they are wider than the page: the chosen one is scrolled to. */
export function useCurrentInView(): RefObject<HTMLElement | null> {
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another one is shown.
  useEffect(() => {
    nav.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [pathname]);
  return nav;
}

export type Tab = { to: string; label: string; count?: number | undefined };

/** `keepsView`: what is chosen in the address after `?` stays when one goes to another tab. */
export function Tabs({ label, tabs, keepsView }: { label: string; tabs: readonly Tab[]; keepsView?: boolean }) {
  const nav = useCurrentInView();
  return (
    <nav ref={nav} className="tabs no-print" aria-label={label}>
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
