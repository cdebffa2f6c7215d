/** Actions on the loan. The usual ones are buttons with keys, the rest is in a menu; unavailable ones are listed with their reasons. */
import { Menu, Modal } from '@mantine/core';
import { useState } from 'react';
import { cents, plainAmount } from '../../../format.ts';
import { useOperation } from '../../../parts/operation/operation.tsx';
import { useShortcuts } from '../../../shell/keyboard.tsx';
import { useCan } from '../../../shell/session.tsx';
import { type Action, actionNamed, GROUPS, whyNot } from './actions.ts';
import { servicingOf } from './figures.tsx';
import type { Summary } from './head.tsx';

const USUAL = [
  { name: 'loan-repay', label: 'Take payment', keys: 'p' },
  { name: 'payoff-quotes', label: 'Quote payoff', keys: 'q' },
  { name: 'extend', label: 'Extend', keys: 'e' },
  { name: 'assess-fee', label: 'Fee', keys: 'f' },
  { name: 'place-hold', label: 'Hold', keys: 'h' },
] as const;

export function ActionBar({ loanId, summary }: { loanId: string; summary: Summary }) {
  const operate = useOperation();
  const can = useCan();
  const [explaining, setExplaining] = useState(false);
  const { allowed, notAllowed } = summary;
  const reasonFor = (action: Action) => whyNot(action, { allowed, notAllowed, can });
  const open = (action: Action) => {
    const initial = action.name === 'loan-repay' ? dueNow(summary) : undefined;
    operate(action.operation, { loanId, title: action.label, ...(initial && { initial }) });
  };
  const possible = (name: string) => {
    const action = actionNamed(name);
    return action !== null && reasonFor(action) === null ? action : null;
  };
  const usual = USUAL.flatMap(({ name, label, keys }) => {
    const action = possible(name);
    return action === null ? [] : [{ action, label, keys: keys as string }];
  });
  // An application has its own next steps.
  const steps = usual.some(({ action }) => action.name === 'loan-repay')
    ? []
    : (GROUPS.find(({ title }) => title === 'Application')?.actions ?? []).filter(
        (action) => action.name !== 'cancel' && reasonFor(action) === null,
      );
  const buttons = [...steps.map((action) => ({ action, label: action.label, keys: '' })), ...usual];
  useShortcuts(usual.map(({ action, label, keys }) => ({ keys, does: label, run: () => open(action) })));
  const groups = GROUPS.map(({ title, actions }) => ({
    title,
    possible: actions.filter((action) => reasonFor(action) === null),
    impossible: actions.flatMap((action) => {
      const reason = reasonFor(action);
      return reason === null ? [] : [{ action, reason }];
    }),
  }));
  return (
    <div className="loan-actions no-print">
      {buttons.map(({ action, label, keys }, n) => (
        <button
          key={action.name}
          type="button"
          className={`button ${n === 0 ? 'primary' : ''}`}
          aria-keyshortcuts={keys || undefined}
          onClick={() => open(action)}
        >
          {label}
          {keys && (
            <span className="key" aria-hidden="true">
              {keys}
            </span>
          )}
        </button>
      ))}
      <Menu position="bottom-start" width={280} shadow="md" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <button type="button" className="button">
            More <span aria-hidden="true">▾</span>
          </button>
        </Menu.Target>
        <Menu.Dropdown className="loan-menu">
          {groups
            .filter((group) => group.possible.length > 0)
            .map((group) => (
              <div key={group.title}>
                <Menu.Label>{group.title}</Menu.Label>
                {group.possible.map((action) => (
                  <Menu.Item key={action.name} onClick={() => open(action)}>
                    {action.label}
                  </Menu.Item>
                ))}
              </div>
            ))}
          <Menu.Divider />
          <Menu.Item onClick={() => setExplaining(true)}>Unavailable actions</Menu.Item>
          <Menu.Item onClick={() => window.print()}>Print</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={explaining} onClose={() => setExplaining(false)} title="Unavailable actions" size="lg">
        <dl className="impossible">
          {groups
            .flatMap(({ impossible }) => impossible)
            .map(({ action, reason }) => (
              <div key={action.name}>
                <dt>{action.label}</dt>
                <dd className="quiet">{reason}</dd>
              </div>
            ))}
        </dl>
      </Modal>
    </div>
  );
}

/** A payment begins with what is due. */
function dueNow(summary: Summary): { amount: string } | undefined {
  const due = cents(servicingOf(summary)?.currentPaymentDue);
  return due === null || due <= 0n ? undefined : { amount: plainAmount(due) };
}
