import { byId, call, doing, listItem, prefix, say } from './page.js';

let session = null;
try {
  const account = await call('GET', '/account/means');
  session = await call('GET', `${prefix}/session`);
  byId('person').textContent = `Signed in as ${account.name}`;
  byId('organization').textContent = account.organizationName;
  byId('roles').textContent = account.roles.join(', ');
  byId('scopes').replaceChildren(...account.scopes.map((scope) => listItem(scope)));
  byId('console').hidden = false;
} catch (error) {
  if (error.status === 401) location.replace('/sign-in');
  else say(error.message);
}

const button = byId('sign-out');
button.addEventListener(
  'click',
  doing(button, async () => {
    await call('POST', '/sign-out', {}, { 'X-CSRF-Token': session.csrfToken });
    location.replace('/sign-in');
  }),
);
