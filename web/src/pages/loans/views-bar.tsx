/** The views as links, and keeping one's own. */
import { Popover } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Field } from '../../parts/basics.tsx';
import '../../parts/tabs.css';
import { type Filters, sameFilters, toSearch } from './filters.ts';
import { type View, viewName } from './views.ts';

export function ViewsBar(props: {
  builtIn: readonly View[];
  own: readonly View[];
  filters: Filters;
  onKeep: (name: string) => void;
  onDrop: (name: string) => void;
}) {
  const { builtIn, own, filters } = props;
  const current = [...own, ...builtIn].find((view) => sameFilters(view.filters, filters));
  const isOwn = own.some(({ name }) => name === current?.name);
  return (
    <div className="loans-views no-print">
      <nav className="tabs" aria-label="Views">
        {[...builtIn, ...own].map((view) => (
          <Link
            key={`${own.includes(view)} ${view.name}`}
            to="/loans"
            search={toSearch(view.filters) as never}
            className="tab"
            activeOptions={{ exact: true, includeSearch: true }}
            activeProps={{}}
            aria-current={view === current ? 'page' : undefined}
          >
            {view.name}
          </Link>
        ))}
      </nav>
      {current === undefined ? (
        <SaveView taken={builtIn.map(({ name }) => name)} onKeep={props.onKeep} />
      ) : (
        isOwn && (
          <button type="button" className="button plain" onClick={() => props.onDrop(current.name)}>
            Remove view
          </button>
        )
      )}
    </div>
  );
}

function SaveView({ taken, onKeep }: { taken: readonly string[]; onKeep: (name: string) => void }) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const name = viewName(text);
  const wrong = name !== null && taken.includes(name) ? 'A built-in view already has this name.' : undefined;
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name === null || wrong !== undefined) return;
    onKeep(name);
    setOpen(false);
    setText('');
  };
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" trapFocus returnFocus withRoles={false}>
      <Popover.Target>
        <button type="button" className="button plain" aria-expanded={open} onClick={() => setOpen(!open)}>
          Save view
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <form className="stack" onSubmit={save}>
          <Field label="Name of the view" hint="Saved in this browser." wrong={wrong}>
            {(ids) => (
              <input
                {...ids}
                className="input"
                maxLength={40}
                value={text}
                autoComplete="off"
                onChange={(event) => setText(event.target.value)}
              />
            )}
          </Field>
          <button type="submit" className="button primary" disabled={name === null || wrong !== undefined}>
            Save
          </button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
