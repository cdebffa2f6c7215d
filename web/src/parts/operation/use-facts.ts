/** Reads the facts of the loan for a form. */
import { useQuery } from '@tanstack/react-query';
import { loanPath, read } from '../../api.ts';
import { type Facts, type Need, nextDueIn, openFees } from './facts.ts';

/** Undefined while they are read; an error only where nothing can be done without them. */
export function useFacts(loanId: string | null, needs: readonly Need[]) {
  const path = loanPath(loanId ?? '');
  const wants = (need: Need) => loanId !== null && needs.includes(need);
  const clock = useQuery({ ...read('readClock'), enabled: loanId === null });
  const summary = useQuery({ ...read('readSummary', path), enabled: loanId !== null });
  // A loan that is not funded has none of these; the form then begins without them.
  const payoff = useQuery({ ...read('readPayoff', path), enabled: loanId !== null });
  const schedule = useQuery({ ...read('readSchedule', path), enabled: loanId !== null });
  const policy = useQuery({ ...read('readLoanPolicy', path), enabled: wants('policy') });
  const history = useQuery({ ...read('readHistory', path), enabled: wants('fees') });
  const fees = useQuery({
    ...read('explainFigure', { path: { loan_id: loanId ?? '', figure: 'fees' } }),
    enabled: wants('fees'),
  });
  const holds = useQuery({ ...read('listHolds', path), enabled: wants('holds') });
  const stipulations = useQuery({ ...read('listStipulations', path), enabled: wants('stipulations') });
  const timeline = useQuery({ ...read('readTimeline', path), enabled: wants('timeline') });

  const upcoming = nextDueIn(schedule.data?.data, summary.data?.data.asOf ?? '');
  const loading = [clock, summary, payoff, schedule, policy, history, fees, holds, stipulations, timeline].filter(
    ({ fetchStatus, isPending }) => (isPending ? fetchStatus !== 'idle' : false),
  );
  const today = loanId === null ? clock.data?.data.today : summary.data?.data.asOf;
  const error = loanId === null ? clock.error : summary.error;
  if (loading.length > 0 || today === undefined) return { facts: undefined, error };
  const facts: Facts = {
    today,
    loanId,
    summary: summary.data?.data ?? null,
    payoff: payoff.data?.data ?? null,
    // Before funding there is only a plan.
    upcoming: (payoff.data && upcoming?.dueDate) ?? null,
    policy: policy.data?.data.values ?? null,
    fees: openFees(history.data?.data.rows ?? [], fees.data?.data.steps ?? []),
    holds: holds.data?.data.items ?? [],
    stipulations: stipulations.data?.data.items ?? [],
    timeline: timeline.data?.data.items ?? [],
  };
  return { facts, error: null };
}
