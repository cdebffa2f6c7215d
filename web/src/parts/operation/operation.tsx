/** Doing something: `useOperation()` opens the drawer of an operation beside the page. */
import { CatchBoundary } from '@tanstack/react-router';
import type { OperationId } from 'daybook-sdk';
import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { words } from '../../format.ts';
import { Drawer } from '../drawer.tsx';
import { ErrorState, Loading } from '../states.tsx';
import type { Asked } from './asked.ts';

export type Operate = (operation: OperationId, options?: Omit<Asked, 'operation'>) => void;

const Context = createContext<Operate>(() => {});
export const useOperation = (): Operate => useContext(Context);

const Panel = lazy(() => import('./panel.tsx'));

export function OperationProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  /** Counts what was opened, so that each form begins anew. */
  const [opened, setOpened] = useState(0);
  const [kept, setKept] = useState<'no' | 'kept' | 'asking'>('no');

  const ask = useCallback((next: Asked) => {
    setAsked(withLoan(next));
    setOpened((before) => before + 1);
    setKept('no');
  }, []);
  const operate = useCallback<Operate>((operation, options) => ask({ operation, ...options }), [ask]);
  const leave = () => {
    setAsked(null);
    setKept('no');
  };
  const close = () => (kept === 'kept' ? setKept('asking') : leave());

  return (
    <Context value={operate}>
      {children}
      <Drawer open={asked !== null} title={asked?.title ?? words(asked?.operation ?? '')} onClose={close}>
        {kept === 'asking' && <Keep back={() => setKept('kept')} leave={leave} />}
        {asked !== null && (
          // What fails in the drawer leaves the page behind it as it is.
          <CatchBoundary getResetKey={() => opened} errorComponent={({ error }) => <ErrorState error={error} />}>
            <Suspense fallback={<Loading rows={6} />}>
              <Panel key={opened} asked={asked} ask={ask} close={close} keepOpen={() => setKept('kept')} />
            </Suspense>
          </CatchBoundary>
        )}
      </Drawer>
    </Context>
  );
}

/** The loan may also come with the values. */
function withLoan(asked: Asked): Asked {
  const { loanId, ...initial } = asked.initial ?? {};
  return asked.loanId === undefined && typeof loanId === 'string' ? { ...asked, loanId, initial } : asked;
}

function Keep({ back, leave }: { back: () => void; leave: () => void }) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <div className="notice late keep" role="alert">
      <p className="state-title">Have you kept it?</p>
      <p>What is shown here is not shown again.</p>
      <div className="line">
        <button ref={first} type="button" className="button" onClick={back}>
          Back
        </button>
        <button type="button" className="button primary" onClick={leave}>
          Close for good
        </button>
      </div>
    </div>
  );
}
