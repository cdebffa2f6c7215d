/** Whether the user is active. Requests that the page makes by itself do not keep a session alive: the service ends unused ones. */

const AWAY_MS = 60_000;
let touchedAt = Date.now();

// A screen reader or a voice makes no key and no pointer move.
for (const kind of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'click', 'input', 'focusin']) {
  window.addEventListener(kind, () => (touchedAt = Date.now()), { capture: true, passive: true });
}

/** Answers are for this page alone: none is kept on the disk. */
export const fetchOfPage: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  if ((init?.method ?? 'GET') === 'GET' && Date.now() - touchedAt > AWAY_MS) headers.set('daybook-background', '1');
  return fetch(input, { ...init, headers, cache: 'no-store' });
};
