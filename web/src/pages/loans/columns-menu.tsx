/** Menu of visible columns; kept in this browser. */
import { Popover } from '@mantine/core';
import { useState } from 'react';
import { LOAN_COLUMNS } from './columns.tsx';

/** `onChange` gets an empty list for the default columns. */
export function ColumnsMenu(props: { shown: readonly string[]; onChange: (columns: readonly string[]) => void }) {
  const { shown, onChange } = props;
  const [open, setOpen] = useState(false);
  // The first column names the row and stays.
  const [first, ...others] = LOAN_COLUMNS;
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" trapFocus returnFocus withRoles={false}>
      <Popover.Target>
        <button type="button" className="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          Columns
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <fieldset className="loans-choices">
          <legend>Columns</legend>
          {others.map(({ key, title }) => (
            <label key={key}>
              <input
                type="checkbox"
                checked={shown.includes(key)}
                onChange={({ target }) =>
                  onChange(
                    LOAN_COLUMNS.map((column) => column.key).filter((one) =>
                      one === key ? target.checked : one === first?.key || shown.includes(one),
                    ),
                  )
                }
              />
              {title}
            </label>
          ))}
          <button type="button" className="link small" onClick={() => onChange([])}>
            Reset columns
          </button>
        </fieldset>
      </Popover.Dropdown>
    </Popover>
  );
}
