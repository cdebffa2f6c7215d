/** What the organization calls its accounts in its own general ledger. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { daybook, read } from '../../api.ts';
import { Panel, Table } from '../../parts/basics.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { said } from '../../parts/states.tsx';
import { useCan } from '../../shell/session.tsx';
import { ACCOUNTS, type Account, accountName } from './sums.ts';

type Codes = Record<string, string | undefined>;

export function AccountCodes() {
  const query = useQuery(read('readAccountCodes'));
  return (
    <Panel title="Account codes" flush>
      <Loaded query={query} rows={16}>
        {({ codes }) => <Form key={JSON.stringify(codes)} saved={codes} />}
      </Loaded>
    </Panel>
  );
}

function Form({ saved }: { saved: Codes }) {
  const may = useCan()('books:write');
  const queries = useQueryClient();
  const [typed, setTyped] = useState<Codes>({});
  // A code can be changed, not taken away.
  const changed = Object.fromEntries(
    Object.entries(typed).flatMap(([account, code]) => {
      const given = code?.trim() ?? '';
      return given === '' || given === saved[account] ? [] : [[account, given]];
    }),
  );
  const save = useMutation({
    mutationFn: () => daybook.setAccountCodes({ body: { codes: changed } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['book', 'readAccountCodes'] }),
  });
  const count = Object.keys(changed).length;
  const missing = ACCOUNTS.filter(({ account }) => (saved[account] ?? '') === '').length;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (count > 0) save.mutate();
      }}
    >
      <Table
        label="Account codes"
        rows={ACCOUNTS}
        rowKey={({ account }) => account}
        columns={[
          { key: 'account', title: 'Account', cell: ({ account }) => accountName(account) },
          { key: 'kind', title: 'Kind', cell: ({ kind }) => <span className="quiet">{kind}</span> },
          { key: 'about', title: 'Holds', cell: ({ about }) => <span className="quiet">{about}</span> },
          {
            key: 'code',
            title: 'Code in your general ledger',
            cell: ({ account }: { account: Account }) =>
              may ? (
                <input
                  className="input code-input"
                  aria-label={`Code of ${accountName(account)}`}
                  maxLength={64}
                  pattern="[A-Za-z0-9]([A-Za-z0-9._:\/ \-]{0,62}[A-Za-z0-9._:\/\-])?"
                  title="Letters, digits, spaces and . _ : / -, beginning with a letter or digit"
                  value={typed[account] ?? saved[account] ?? ''}
                  onChange={({ target: { value } }) => setTyped({ ...typed, [account]: value })}
                />
              ) : (
                (saved[account] ?? '—')
              ),
          },
        ]}
      />
      <div className="panel-body line spread">
        <span className="quiet small">
          {missing === 0
            ? 'Every account has a code.'
            : `${missing} accounts have no code: a month in which they have entries cannot be exported.`}
        </span>
        {may && (
          <span className="line">
            {save.error !== null && (
              <span role="alert" className="small wrong-text">
                {said(save.error).detail}
              </span>
            )}
            {save.isSuccess && count === 0 && (
              <span role="status" className="small">
                Saved.
              </span>
            )}
            <button type="submit" className="button primary" disabled={count === 0 || save.isPending}>
              {save.isPending ? 'Saving…' : count === 0 ? 'Save codes' : `Save ${count} code${count === 1 ? '' : 's'}`}
            </button>
          </span>
        )}
      </div>
    </form>
  );
}
