/** The books of the organization: that they balance, that they tie to the loans, and closing a month. */
import { useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { PageHead } from '../../parts/basics.tsx';
import { Empty, NoRight } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useCan, useSession } from '../../shell/session.tsx';
import { Today } from '../../shell/today.tsx';
import { AccountCodes } from './account-codes.tsx';
import { Allowance } from './allowance.tsx';
import './books.css';
import { ByHand } from './by-hand.tsx';
import { Cycles } from './cycles.tsx';
import { Entries } from './entries.tsx';
import { Export } from './export.tsx';
import { Periods } from './periods.tsx';
import { RollForward } from './roll-forward.tsx';
import { TieOut } from './tie-out.tsx';
import { TrialBalance } from './trial-balance.tsx';

const PARTS: Record<string, { label: string; shows: ComponentType }> = {
  'trial-balance': { label: 'Trial balance', shows: TrialBalance },
  'tie-out': { label: 'Tie-out', shows: TieOut },
  periods: { label: 'Periods', shows: Periods },
  'roll-forward': { label: 'Roll-forward', shows: RollForward },
  allowance: { label: 'Allowance', shows: Allowance },
  entries: { label: 'Entries', shows: Entries },
  'by-hand': { label: 'By hand', shows: ByHand },
  export: { label: 'Export', shows: Export },
  'account-codes': { label: 'Account codes', shows: AccountCodes },
  cycles: { label: 'Nightly cycles', shows: Cycles },
};

export function Books() {
  const can = useCan();
  const { organization } = useSession();
  const { part = 'trial-balance' } = useParams({ strict: false }) as { part?: string };
  if (!can('reports:read')) return <NoRight what="the books" scope="reports:read" />;
  const found = PARTS[part];
  return (
    <>
      <PageHead title="Books" note={`${organization.name} · amounts in US dollars`} />
      <Tabs
        label="Books"
        tabs={Object.entries(PARTS).map(([name, { label }], n) => ({
          to: n === 0 ? '/books' : `/books/${name}`,
          label,
        }))}
      />
      {found === undefined ? (
        <Empty title="There is no such page">Choose one above.</Empty>
      ) : (
        <Today>
          <found.shows />
        </Today>
      )}
    </>
  );
}
