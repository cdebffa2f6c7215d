/** The stipulations for which funding waits, in their words, and the way to their list on the loan's page. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { loanPath, read } from '../api.ts';
import { named } from './stipulations.ts';

/** The panel of the Underwriting tab, by its anchor. */
export const STIPULATIONS_ANCHOR = 'stipulations';

export function OpenStipulations(props: { loanId: string; ids: readonly string[]; onLeave?: () => void }) {
  const { loanId, ids, onLeave } = props;
  const query = useQuery(read('listStipulations', loanPath(loanId)));
  const shown = named(ids, query.data?.data.items ?? []);
  return (
    <div>
      {query.isPending ? (
        <p>Loading them…</p>
      ) : (
        <ul className="open-list">
          {shown.map(({ id, text }) => (
            <li key={id} title={id}>
              {text}
            </li>
          ))}
        </ul>
      )}
      <p>
        <Link
          to="/loans/$loanId/$tab"
          params={{ loanId, tab: 'underwriting' }}
          hash={STIPULATIONS_ANCHOR}
          {...(onLeave && { onClick: onLeave })}
        >
          Show the stipulations
        </Link>
      </p>
    </div>
  );
}
