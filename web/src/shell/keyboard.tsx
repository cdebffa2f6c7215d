/** The keys of the console. A key does nothing while somebody types; two keys in a row, such as `g l`, within a second. */
import { Modal } from '@mantine/core';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';

export type Shortcut = { keys: string; does: string; run: () => void };
type Registry = { add: (shortcuts: readonly Shortcut[], everywhere: boolean) => () => void; help: () => void };

const Context = createContext<Registry | null>(null);
const SEQUENCE_MS = 1_000;

export function KeyboardProvider({ children }: { children: ReactNode }) {
  const [sets, setSets] = useState<readonly (readonly Shortcut[])[]>([]);
  const [helping, setHelping] = useState(false);
  const current = useRef(sets);
  current.current = sets;
  const registry = useMemo<Registry>(
    () => ({
      add(shortcuts, everywhere) {
        setSets((before) => (everywhere ? [shortcuts, ...before] : [...before, shortcuts]));
        return () => setSets((before) => before.filter((one) => one !== shortcuts));
      },
      help: () => setHelping(true),
    }),
    [],
  );
  useEffect(() => {
    let first = '';
    let at = 0;
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      // An open dialog has the keys: a letter typed too early does nothing behind it.
      if (document.querySelector('[role="dialog"]') !== null) return;
      if (event.key === '?') return setHelping(true);
      const wanted = event.timeStamp - at < SEQUENCE_MS && first !== '' ? `${first} ${event.key}` : event.key;
      // Keys registered last, by a part of the page, go first.
      const all = current.current.toReversed().flat();
      const found = all.find(({ keys }) => keys === wanted) ?? all.find(({ keys }) => keys === event.key);
      first = found === undefined ? event.key : '';
      at = event.timeStamp;
      if (found === undefined) return;
      event.preventDefault();
      found.run();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
  const shown = [...new Map(sets.flat().map((shortcut) => [shortcut.keys, shortcut])).values()];
  return (
    <Context value={registry}>
      {children}
      <Modal opened={helping} onClose={() => setHelping(false)} title="Keyboard" size="md">
        <table className="keys">
          <tbody>
            {[...shown, { keys: 'Esc', does: 'Close the open panel' }, { keys: '?', does: 'Show this list' }].map(
              ({ keys, does }) => (
                <tr key={keys}>
                  <th scope="row">
                    {keys.split(' ').map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </th>
                  <td>{does}</td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </Modal>
    </Context>
  );
}

/** Keys for as long as the component is shown. Those of the frame, `everywhere`, yield to the page's, which may be there before them. */
export function useShortcuts(
  shortcuts: readonly Shortcut[],
  { active = true, everywhere = false }: { active?: boolean; everywhere?: boolean } = {},
): void {
  const registry = useContext(Context);
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const names = shortcuts.map(({ keys, does }) => `${keys}\t${does}`).join('\n');
  useEffect(() => {
    if (!active || names === '') return;
    return registry?.add(
      names.split('\n').map((line, n) => {
        const [keys = '', does = ''] = line.split('\t');
        return { keys, does, run: () => latest.current[n]?.run() };
      }),
      everywhere,
    );
  }, [registry, names, active, everywhere]);
}

export const useKeyboardHelp = (): (() => void) => useContext(Context)?.help ?? (() => {});

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('input:not([type=checkbox], [type=radio], [type=range]), textarea, select'))
  );
}
