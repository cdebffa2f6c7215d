/** The organization's own day: a sandbox has its own clock, and the reader may be in another time zone. */
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import { read } from '../api.ts';
import { Loaded } from '../parts/loaded.tsx';

const Context = createContext<string | null>(null);

/** Shows what depends on the day once the day is known. `wait`: in its place until then, instead of the usual rows. */
export function Today({ wait, children }: { wait?: ReactNode; children: ReactNode }) {
  const clock = useQuery(read('readClock'));
  if (clock.data === undefined && wait !== undefined) return wait;
  return <Loaded query={clock}>{({ today }) => <Context value={today}>{children}</Context>}</Loaded>;
}

export function useToday(): string {
  const today = useContext(Context);
  if (today === null) throw new Error('useToday is used outside of Today.');
  return today;
}
