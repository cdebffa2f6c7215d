/**
 * Makes `virtual:events` of the engine's definitions while the pages are built: how the timeline tells each event, and whether it can be
 * undone. The pages ship these texts and nothing else of the engine.
 */
import type { Plugin } from 'vite';
import { DEFINITIONS } from '../src/core/event.ts';
import type { EventLine } from './src/pages/loans/loan/event-line.ts';

const NAME = 'virtual:events';
const RESOLVED = `\0${NAME}`;

export const events = (): Plugin => ({
  name: NAME,
  resolveId: (id) => (id === NAME ? RESOLVED : null),
  load: (id) => (id === RESOLVED ? `export default ${JSON.stringify(lines())};` : null),
});

function lines(): Readonly<Record<string, EventLine>> {
  const entries = Object.entries(DEFINITIONS).map(([type, { line, undo }]): [string, EventLine] => {
    if ('refused' in undo) return [type, { ...line, undoScopes: null }];
    // A step of the application is undone with the scope of that step too.
    return [type, { ...line, undoScopes: ['servicing:write', ...(undo.scope === undefined ? [] : [undo.scope])] }];
  });
  return Object.fromEntries(entries);
}
