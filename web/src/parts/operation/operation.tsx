/** Doing something: `useOperation()` opens the drawer of an operation beside the page. */
import type { OperationId } from 'daybook-sdk';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { words } from '../../format.ts';
import { Drawer } from '../drawer.tsx';

export type Asked = {
  operation: OperationId;
  /** The loan it is about; its field is not shown. */
  loanId?: string;
  /** Values to begin with, by member of the body. */
  initial?: Readonly<Record<string, unknown>>;
  title?: string;
  onDone?: () => void;
};
export type Operate = (operation: OperationId, options?: Omit<Asked, 'operation'>) => void;

const Context = createContext<Operate>(() => {});
export const useOperation = (): Operate => useContext(Context);

export function OperationProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  return (
    <Context value={(operation, options) => setAsked({ operation, ...options })}>
      {children}
      <Drawer
        open={asked !== null}
        title={asked?.title ?? words(asked?.operation ?? '')}
        onClose={() => setAsked(null)}
      >
        {asked?.operation}
      </Drawer>
    </Context>
  );
}
