/**
 * Personal data for one minute. It is read with a purpose, which the service records, and lives in this component alone: no cache, no
 * storage, no address has it. After the minute, or when one leaves, it is dropped.
 */

import { Modal } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { daybook, loanPath } from '../../../api.ts';
import { Panel } from '../../../parts/basics.tsx';
import { SHOWN_MS } from '../../../parts/purpose.ts';
import { PurposeForm } from '../../../parts/purpose-form.tsx';
import { customIn, PURPOSES, type Revealed, revealedIn } from './revealed.ts';

export type RevealState = { readonly people: readonly Revealed[]; readonly purpose: string; readonly until: number };

export function useReveal(loanId: string) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [shown, setShown] = useState<RevealState | null>(null);
  const pending = useRef<AbortController | null>(null);
  useEffect(() => () => pending.current?.abort(), []);

  async function reveal(purpose: string): Promise<void> {
    const aborts = new AbortController();
    pending.current = aborts;
    setBusy(true);
    setError(null);
    try {
      const asked = { ...loanPath(loanId), purpose, signal: aborts.signal };
      const [{ data }, custom] = await Promise.all([daybook.readLoan(asked), daybook.readCustomData(asked)]);
      if (aborts.signal.aborted) return;
      const people = [...revealedIn(data), ...customIn(custom.data)];
      setShown({ people, purpose, until: Date.now() + SHOWN_MS });
      setAsking(false);
    } catch (failed) {
      if (!aborts.signal.aborted) setError(failed);
    } finally {
      if (!aborts.signal.aborted) setBusy(false);
    }
  }

  return {
    shown,
    ask: () => {
      setError(null);
      setAsking(true);
    },
    hide: () => setShown(null),
    dialog: (
      <Modal opened={asking} onClose={() => setAsking(false)} title="Reveal personal data" size="md">
        <PurposeForm
          hint="Names, address, phones, e-mail, date of birth, SSN and custom data are shown for one minute. Your name, the time and the purpose are recorded."
          purposes={PURPOSES}
          button="Reveal for one minute"
          {...{ busy, error }}
          onPurpose={(purpose) => void reveal(purpose)}
        />
      </Modal>
    ),
  };
}

export function RevealedPanel({
  shown,
  onHide,
  onChangeCustom,
}: {
  shown: RevealState;
  onHide: () => void;
  /** Null: the person may not. */
  onChangeCustom: (() => void) | null;
}) {
  const left = useSecondsLeft(shown.until, onHide);
  return (
    <div className="no-print">
      <Panel
        title="Personal data"
        actions={
          <>
            <span className="quiet small" role="timer">
              Hidden again in {left} s
            </span>
            {onChangeCustom !== null && (
              <button type="button" className="button" onClick={onChangeCustom}>
                Change custom data
              </button>
            )}
            <button type="button" className="button" onClick={onHide}>
              Hide now
            </button>
          </>
        }
      >
        <div className="stack">
          {shown.people.length === 0 && <p>The personal data of this loan was erased.</p>}
          <div className="revealed">
            {shown.people.map(({ title, facts }) => (
              <section key={title} aria-label={title}>
                <h3>{title}</h3>
                <dl className="facts">
                  {facts.map(({ label, value }) => (
                    <div key={label} className="facts-row">
                      <dt>{label}</dt>
                      <dd>{value}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
          </div>
          <p className="quiet small" role="status">
            This disclosure was recorded with the purpose “{shown.purpose}”.
          </p>
        </div>
      </Panel>
    </div>
  );
}

const TICK_MS = 250;

/** Whole seconds until a moment; `ended` is called once when it is reached. */
function useSecondsLeft(until: number, ended: () => void): number {
  const [now, setNow] = useState(() => Date.now());
  const atEnd = useRef(ended);
  atEnd.current = ended;
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= until) atEnd.current();
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [until]);
  return Math.max(0, Math.ceil((until - now) / 1_000));
}
