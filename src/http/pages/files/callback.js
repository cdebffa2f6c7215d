import { byId, call, rememberSession, say } from './page.js';

const query = location.search.slice(1);
// The code is used once, and is not left in the history.
history.replaceState(null, '', location.pathname);

try {
  await call('POST', location.pathname, { query });
  await rememberSession();
  const next = sessionStorage.getItem('daybook-next');
  sessionStorage.removeItem('daybook-next');
  location.replace(next === '/account' ? next : '/console');
} catch (error) {
  byId('waiting').hidden = true;
  byId('back').hidden = false;
  say(error.message);
}
