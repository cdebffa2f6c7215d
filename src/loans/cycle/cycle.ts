/** The nightly cycle: what follows from the end of a day, its log, and test clocks, which run the cycle of each day that they leave. */
import type { PlainDate } from '../../core/calendar.ts';
import type { Refusal } from '../../core/refusal.ts';
import type { Accrue } from '../books/accrual.ts';
import type { ClockView } from '../door/clocks.ts';
import type { Door } from '../door/door.ts';
import type { Unavailable } from '../door/write.ts';
import { openAdvances } from './advance.ts';
import { openCycleLog } from './log.ts';
import { type Behind, openNights } from './nights.ts';

export type CycleOptions = Door & {
  accrue: Accrue;
  /** The time that a caller waits for a test clock to reach its day; 20 seconds when absent. */
  patienceMs?: number | undefined;
  /** Called once a test clock has moved as far as its caller waits. */
  afterAdvance: (organizationId: string) => Promise<unknown>;
};

export function openCycle({ accrue, patienceMs, afterAdvance, ...door }: CycleOptions) {
  const { cycleDb, unavailable } = door;
  const nights = openNights({ ...door, db: cycleDb, accrue });
  const advances = openAdvances({
    ...door,
    runCyclesThrough: nights.runCyclesThrough,
    mayWrite: () => unavailable() === null,
    ...(patienceMs === undefined ? {} : { patienceMs }),
  });
  return {
    ...openCycleLog(door),
    ...nights,
    /** While the clock is wrong no day counts as over. */
    behind: async (): Promise<Behind[]> => (unavailable() === null ? nights.behind() : []),
    /**
     * Moves a test clock forward, and runs the cycle of each day that ends. Answers when the date is reached, or after 20 seconds with the date
     * that it has reached, while it continues.
     */
    async advanceClock(organizationId: string, to: PlainDate): Promise<ClockView | Refusal | Unavailable> {
      const moved = unavailable() ?? (await advances.advance(organizationId, to));
      await afterAdvance(organizationId);
      return moved;
    },
    /** Moves the test clocks that are being advanced and that no process is moving, until they are there; returns those that could not be moved on. */
    goOnAdvancing: advances.goOn,
    /** Stops advancing test clocks in this process, and answers the callers that wait for one. */
    stopAdvancing: advances.stop,
    async close(): Promise<void> {
      await Promise.all([nights.close(), advances.stop()]);
    },
  };
}
