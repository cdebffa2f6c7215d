import { byId, call, doing, prefix, say } from './page.js';

/** A scope that is not here is shown by its name alone. */
const SCOPES = {
  'public:read': 'Read the public record of published loans.',
  'loans:read': 'List loans and read them without personal data; use the calculators.',
  'loans:read_pii': 'Read and search personal data, for a stated purpose.',
  'loans:write': 'Create loans; handle documents and collateral; publish and cancel.',
  'underwriting:write': 'Start and complete underwriting.',
  'loans:fund': 'Fund loans.',
  'payments:write': 'Record, acknowledge, return and reverse payments; quote payoffs.',
  'servicing:write': 'Service loans: fees, modifications, default, charge-off, recoveries, closing.',
  'servicing:override': 'Exceed a limit of the policy.',
  'reports:read': 'Read the journal, the ledger, the books and portfolio reports.',
  'books:write': 'Close months and set account codes.',
  'audit:read': 'Read the audit trail.',
  admin: 'Manage people, roles, clients, API keys, grants, sandboxes and the clock.',
};

let session = null;
try {
  session = await call('GET', `${prefix}/session`);
  byId('person').textContent = `Signed in as ${session.name}`;
  byId('organization').textContent = session.organization.name;
  byId('roles').textContent = session.roles.join(', ');
  byId('scopes').replaceChildren(...session.scopes.flatMap((scope) => row(scope, SCOPES[scope] ?? '')));
  const limits = Object.entries(session.limits);
  byId('limits').replaceChildren(...limits.flatMap(([operation, { amount }]) => row(operation, amount)));
  byId('limits-section').hidden = limits.length === 0;
  byId('console').hidden = false;
} catch (error) {
  if (error.status === 401) location.replace('/sign-in');
  else say(error.message);
}

const button = byId('sign-out');
button.addEventListener(
  'click',
  doing(button, async () => {
    await call('POST', `${prefix}/sign-out`, {}, { 'X-CSRF-Token': session.csrfToken });
    location.replace('/sign-in');
  }),
);

function row(term, text) {
  const [dt, dd] = [document.createElement('dt'), document.createElement('dd')];
  dt.textContent = term;
  dd.textContent = text;
  return [dt, dd];
}
