/** Everything that can be done and looked up, by subject. Each opens its drawer. */
import operations from 'virtual:operations';
import type { OperationId } from 'daybook-sdk';
import { useMemo, useState } from 'react';
import { Badge, PageHead, Panel } from '../../parts/basics.tsx';
import { useOperation } from '../../parts/operation/operation.tsx';
import { Empty } from '../../parts/states.tsx';
import { useCan } from '../../shell/session.tsx';
import { type Listed, listed } from './list.ts';
import './operations.css';

export function Operations() {
  const [search, setSearch] = useState('');
  const [mine, setMine] = useState(false);
  const can = useCan();
  const groups = useMemo(() => listed(operations, search), [search]);
  const shown = groups
    .map(({ tag, items }) => ({ tag, items: mine ? items.filter(({ scopes }) => can(...scopes)) : items }))
    .filter(({ items }) => items.length > 0);
  return (
    <>
      <PageHead title="Operations" note="All operations of the service, including those with their own page." />
      <div className="line">
        <input
          type="search"
          className="input operations-search"
          aria-label="Search operations"
          placeholder="Search, such as “refund” or “waive”"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <label className="line">
          <input type="checkbox" checked={mine} onChange={() => setMine(!mine)} />
          Only operations I can use
        </label>
      </div>
      {shown.length === 0 && <Empty title="No operations found">Try another search term.</Empty>}
      {shown.map(({ tag, items }) => (
        <Panel key={tag} title={tag} flush>
          <ul className="operations">
            {items.map((item) => (
              <Row key={item.id} item={item} allowed={can(...item.scopes)} />
            ))}
          </ul>
        </Panel>
      ))}
    </>
  );
}

function Row({ item: { id, title, note, scopes, reads }, allowed }: { item: Listed; allowed: boolean }) {
  const operate = useOperation();
  return (
    <li>
      <button
        type="button"
        className="operation"
        disabled={!allowed}
        onClick={() => operate(id as OperationId, { title })}
      >
        <span className="operation-title">{title}</span>
        <span className="quiet small">{note}</span>
      </button>
      <span className="line">
        {!allowed && (
          <span className="small quiet">
            needs <span className="mono">{scopes.join(' or ')}</span>
          </span>
        )}
        {reads && <Badge>Reads</Badge>}
      </span>
    </li>
  );
}
