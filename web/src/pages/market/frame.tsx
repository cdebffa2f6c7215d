/** The frame of the market: where one is, the look, and what the data is. */
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { useKeyboardHelp, useShortcuts } from '../../shell/keyboard.tsx';
import '../../shell/frame.css';
import './market.css';

export function Frame() {
  const navigate = useNavigate();
  const help = useKeyboardHelp();
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme() === 'dark' ? 'light' : 'dark';
  useShortcuts([{ keys: 'g l', does: 'Loans', run: () => void navigate({ to: '/' }) }]);
  return (
    <div className="frame">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="frame-top no-print">
        <Link to="/" className="brand">
          <img src="/pages/icon.svg" alt="" width={24} height={24} />
          Daybook Market
        </Link>
        <nav className="places" aria-label="Market">
          <Link
            to="/"
            className="place"
            activeProps={{ 'aria-current': 'page' }}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            Loans
          </Link>
          <a className="place" href="/docs/">
            API
          </a>
        </nav>
        <button type="button" className="button plain market-keys" onClick={help}>
          Keyboard
        </button>
        <button type="button" className="button plain" onClick={() => setColorScheme(other)}>
          {other === 'dark' ? 'Dark' : 'Light'}
        </button>
      </header>
      <main id="content" tabIndex={-1} className="content">
        <Outlet />
      </main>
      <footer className="market-foot small quiet">
        <p>
          Public data of published loans, without personal data. Programs can read the same record with{' '}
          <span className="mono">GET /loan-data/{'{loan_id}'}</span> using a client with the scope{' '}
          <span className="mono">public:read</span>: see the <a href="/docs/">API documentation</a>.
        </p>
        <p>
          Forecasts and prices are computed by a model. They are not an offer or advice, and they do not guarantee how a
          loan will perform.
        </p>
      </footer>
    </div>
  );
}
