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
import type { DrawerRequest, Holds } from './drawer-request.ts';

export type Operate = (operation: OperationId, options?: Omit<DrawerRequest, 'operation'>) => void;

const Context = createContext<Operate>(() => {});
export const useOperation = (): Operate => useContext(Context);

const Panel = lazy(() => import('./panel.tsx'));

export function OperationProvider({ children }: { children: ReactNode }) {
  const [request, setRequest] = useState<DrawerRequest | null>(null);
  /** Counts what was opened, so that each form begins anew. */
  const [opened, setOpened] = useState(0);
  const [holds, setHolds] = useState<Holds>('nothing');
  const [confirming, setConfirming] = useState(false);
  const page = useLocation({ select: ({ pathname }) => pathname });

  const openRequest = useCallback((next: DrawerRequest) => {
    setRequest(withLoan(next));
    setOpened((before) => before + 1);
    setHolds('nothing');
    setConfirming(false);
  }, []);
  const operate = useCallback<Operate>((operation, options) => openRequest({ operation, ...options }), [openRequest]);
  const leave = useCallback(() => {
    setRequest(null);
    setHolds('nothing');
    setConfirming(false);
  }, []);
  const close = () => {
    // A request on its way cannot be called back.
    if (holds === 'sending') return;
    if (holds === 'nothing') leave();
    else setConfirming(true);
  };
  // The question is about the state at that time.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it changes.
  useEffect(() => setConfirming(false), [holds]);
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
      <Drawer open={request !== null} title={request?.title ?? words(request?.operation ?? '')} onClose={close}>
        {confirming && <Keep holds={holds} back={() => setConfirming(false)} leave={leave} />}
        {request !== null && (
          // A failure in the drawer leaves the page behind it as it is.
          <CatchBoundary
            getResetKey={() => opened}
            onCatch={() => setHolds('nothing')}
            errorComponent={({ error }) => <ErrorState error={error} />}
          >
            <Suspense fallback={<Loading rows={6} />}>
              <Panel key={opened} request={request} openRequest={openRequest} close={close} hold={setHolds} />
            </Suspense>
          </CatchBoundary>
        )}
      </Drawer>
    </Context>
  );
}

/** The loan may also come with the values. */
function withLoan(request: DrawerRequest): DrawerRequest {
  const { loanId, ...initial } = request.initial ?? {};
  return request.loanId === undefined && typeof loanId === 'string' ? { ...request, loanId, initial } : request;
}

const KEEP: Readonly<Record<Holds, readonly [title: string, detail: string, button: string]>> = {
  nothing: ['', '', ''],
  sending: ['', '', ''],
  typed: ['Discard your entries?', 'Nothing has been sent.', 'Discard'],
  secret: ['Have you saved it?', 'It will not be shown again.', 'Close anyway'],
  unknown: [
    'The operation may have been carried out',
    'Press the button again to find out; nothing is done twice. If you close this, check the loan before you enter it again.',
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
