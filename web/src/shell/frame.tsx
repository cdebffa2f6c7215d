/** The frame of the console: where one is, where one can go, who one is, and whether it is live. */
import { Menu, useMantineColorScheme } from '@mantine/core';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { OperationProvider } from '../parts/operation/operation.tsx';
import { useCurrentInView } from '../parts/tabs.tsx';
import { useKeyboardHelp, useShortcuts } from './keyboard.tsx';
import { useLive, useOnline } from './live.tsx';
import { signOut, useCan, useSession } from './session.tsx';
import './frame.css';

/** The places of the console, for whom, and their keys. */
export const PLACES = [
  { to: '/', label: 'Home', keys: 'g h', scopes: [] },
  { to: '/loans', label: 'Loans', keys: 'g l', scopes: ['loans:read'] },
  { to: '/underwriting', label: 'Underwriting', keys: 'g u', scopes: ['loans:read'] },
  { to: '/portfolio', label: 'Portfolio', keys: 'g p', scopes: ['reports:read'] },
  { to: '/books', label: 'Books', keys: 'g b', scopes: ['reports:read'] },
  { to: '/approvals', label: 'Approvals', keys: 'g a', scopes: ['loans:read', 'admin'] },
  { to: '/administration', label: 'Administration', keys: 'g s', scopes: ['admin', 'audit:read'] },
] as const;

export function Frame() {
  const can = useCan();
  const navigate = useNavigate();
  const places = PLACES.filter(({ scopes }) => can(...scopes));
  const nav = useCurrentInView();
  useShortcuts(
    [
      ...places.map(({ to, label, keys }) => ({ keys, does: label, run: () => void navigate({ to }) })),
      { keys: '/', does: 'Search loans', run: () => void navigate({ to: '/loans', hash: 'search' }) },
    ],
    { everywhere: true },
  );
  return (
    <div className="frame">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="frame-top no-print">
        <Link to="/" className="brand">
          <img src="/pages/icon.svg" alt="" width={24} height={24} />
          Daybook
        </Link>
        <nav ref={nav} className="places" aria-label="Console">
          {places.map(({ to, label }) => (
            <Link
              key={to}
              to={to}
              className="place"
              activeProps={{ 'aria-current': 'page' }}
              activeOptions={{ exact: to === '/' }}
            >
              {label}
            </Link>
          ))}
        </nav>
        <Standing />
        <Person />
      </header>
      <main id="content" tabIndex={-1} className="content">
        <OperationProvider>
          <Outlet />
        </OperationProvider>
      </main>
    </div>
  );
}

/** Badge that shows whether the page is current. */
function Standing() {
  const live = useLive();
  const online = useOnline();
  const [tone, text, title] = !online
    ? (['bad', 'Offline', 'No network connection. The page shows the data loaded last.'] as const)
    : live === 'live'
      ? (['good', 'Live', 'Changes made elsewhere appear here immediately.'] as const)
      : live === 'connecting'
        ? (['late', 'Connecting', 'Changes made elsewhere will appear when the connection is restored.'] as const)
        : (['quiet', 'Not live', 'Your roles do not include events. Reload to see changes made elsewhere.'] as const);
  return (
    <span className={`standing ${tone}`} role="status" title={title}>
      <span aria-hidden="true" className="standing-mark" />
      <span className="standing-text">{text}</span>
    </span>
  );
}

function Person() {
  const session = useSession();
  const help = useKeyboardHelp();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <button type="button" className="person" aria-label={`${session.name}: account and settings`}>
          {session.name}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{session.organization.name}</Menu.Label>
        <Menu.Item component="a" href="/account">
          Account
        </Menu.Item>
        <Menu.Item component="a" href="/docs/">
          API playground
        </Menu.Item>
        <Menu.Item onClick={help}>Keyboard shortcuts</Menu.Item>
        <Menu.Divider />
        {(['auto', 'light', 'dark'] as const).map((scheme) => (
          <Menu.Item key={scheme} onClick={() => setColorScheme(scheme)} aria-current={colorScheme === scheme}>
            {{ auto: 'System', light: 'Light', dark: 'Dark' }[scheme]}
            {colorScheme === scheme && ' ✓'}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
