import { byId, call, doing, listItem, prefix, say } from './page.js';

let session = null;
try {
  session = await call('GET', `${prefix}/session`);
  byId('person').textContent = `Signed in as ${session.name}`;
  byId('organization').textContent = session.organization.name;
  byId('roles').textContent = session.roles.join(', ');
  byId('scopes').replaceChildren(...session.scopes.map((scope) => listItem(scope)));
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
