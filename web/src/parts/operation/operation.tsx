/** Doing something: `useOperation()` opens the drawer of an operation beside the page. */
import { CatchBoundary, useLocation } from '@tanstack/react-router';
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
import { useWork } from '../../shell/work.ts';
import { Drawer } from '../drawer.tsx';
import { ErrorState, Loading } from '../states.tsx';
import type { Asked, Holds } from './asked.ts';

export type Operate = (operation: OperationId, options?: Omit<Asked, 'operation'>) => void;

const Context = createContext<Operate>(() => {});
export const useOperation = (): Operate => useContext(Context);

const Panel = lazy(() => import('./panel.tsx'));

export function OperationProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  /** Counts what was opened, so that each form begins anew. */
  const [opened, setOpened] = useState(0);
  const [holds, setHolds] = useState<Holds>('nothing');
  const [asking, setAsking] = useState(false);
  const page = useLocation({ select: ({ pathname }) => pathname });

  const ask = useCallback((next: Asked) => {
    setAsked(withLoan(next));
    setOpened((before) => before + 1);
    setHolds('nothing');
    setAsking(false);
  }, []);
  const operate = useCallback<Operate>((operation, options) => ask({ operation, ...options }), [ask]);
  const leave = useCallback(() => {
    setAsked(null);
    setHolds('nothing');
    setAsking(false);
  }, []);
  const close = () => {
    // What is on its way cannot be called back.
    if (holds === 'sending') return;
    if (holds === 'nothing') leave();
    else setAsking(true);
  };
  // What is asked is about what was held then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it changes.
  useEffect(() => setAsking(false), [holds]);
  // Back and forward leave the drawer too, unless something would be lost.
  const shownOn = useRef(page);
  useEffect(() => {
    if (shownOn.current === page) return;
    shownOn.current = page;
    if (holds === 'nothing') leave();
  }, [page, holds, leave]);
  useWork(holds !== 'nothing');

  return (
    <Context value={operate}>
      {children}
      <Drawer open={asked !== null} title={asked?.title ?? words(asked?.operation ?? '')} onClose={close}>
        {asking && <Keep holds={holds} back={() => setAsking(false)} leave={leave} />}
        {asked !== null && (
          // What fails in the drawer leaves the page behind it as it is.
          <CatchBoundary
            getResetKey={() => opened}
            onCatch={() => setHolds('nothing')}
            errorComponent={({ error }) => <ErrorState error={error} />}
          >
            <Suspense fallback={<Loading rows={6} />}>
              <Panel key={opened} asked={asked} ask={ask} close={close} hold={setHolds} />
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

const KEEP: Readonly<Record<Holds, readonly [title: string, detail: string, button: string]>> = {
  nothing: ['', '', ''],
  sending: ['', '', ''],
  typed: ['Discard what you have entered?', 'Nothing of it was sent.', 'Discard'],
  secret: ['Have you kept it?', 'What is shown here is not shown again.', 'Close for good'],
  unknown: [
    'It may have been done',
    'Press the button again to find out: it is done once. If you close this, look at the loan before you enter it again.',
    'Close',
  ],
};

function Keep({ holds, back, leave }: { holds: Holds; back: () => void; leave: () => void }) {
  const [title, detail, button] = KEEP[holds];
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <div className="notice late keep" role="alert">
      <p className="state-title">{title}</p>
      <p>{detail}</p>
      <div className="line">
        <button ref={first} type="button" className="button" onClick={back}>
          Back
        </button>
        <button type="button" className="button primary" onClick={leave}>
          {button}
        </button>
      </div>
    </div>
  );
}
