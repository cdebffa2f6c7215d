/** The first start of an organization: nothing is there yet, and these are the next steps. */
import builtInRoles from 'virtual:roles';
import { Link } from '@tanstack/react-router';
import { Panel } from '../../parts/basics.tsx';
import { useCan } from '../../shell/session.tsx';

export function FirstSteps() {
  const can = useCan();
  return (
    <Panel title="There are no loans yet">
      <ol className="home-steps">
        {can('admin') && (
          <li>
            <strong>Invite the people who work here.</strong>
            <p>
              <Link to="/administration">Administration</Link> gives each a role:{' '}
              {builtInRoles.map(({ name }) => name).join(', ')}.
            </p>
          </li>
        )}
        {can('admin') && (
          <li>
            <strong>Create a client for your programs.</strong>
            <p>
              Loans are created through the API, with <span className="mono">POST /loans</span>, one at a time or from a
              file of the previous servicer. Each API client has its own scopes and key.
            </p>
          </li>
        )}
        <li>
          <strong>Create a first loan in the playground.</strong>
          <p>
            The <a href="/docs/">API playground</a> has a working example. The loan appears here as soon as it is
            created.
          </p>
        </li>
        <li>
          <strong>Or look around in a sandbox.</strong>
          <p>
            A sandbox has its own loans and a test clock: advance it to see a month pass. A new embedded database also
            has a demo organization with about a hundred made-up loans in every status.
            {can('admin') && (
              <>
                {' '}
                <Link to="/administration/$part" params={{ part: 'sandboxes' }}>
                  Sandboxes
                </Link>
              </>
            )}
          </p>
        </li>
      </ol>
    </Panel>
  );
}
