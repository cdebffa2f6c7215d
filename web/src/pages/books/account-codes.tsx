/** Codes of the accounts in the organization's own general ledger. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { daybook, read } from '../../api.ts';
import { Panel, Table } from '../../parts/basics.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { errorText } from '../../parts/states.tsx';
import { useCan } from '../../shell/session.tsx';
import { useWork } from '../../shell/work.ts';
import { type Codes, changedCodes, codesOf, isCleared, withoutSaved } from './codes.ts';
import { ACCOUNTS, type Account, accountName } from './sums.ts';

export function AccountCodes() {
  const query = useQuery(read('readAccountCodes'));
  return (
    <Panel title="Account codes" flush>
      <Loaded query={query} rows={16}>
        {({ items, proposed }) => <Form saved={codesOf(items)} proposed={codesOf(proposed)} />}
      </Loaded>
    </Panel>
  );
}

function Form({ saved, proposed }: { saved: Codes; proposed: Codes }) {
  const may = useCan()('books:write');
  const queries = useQueryClient();
  const [typed, setTyped] = useState<Codes>({});
  const hint = useId();
  const changed = changedCodes(typed, saved);
  const count = Object.keys(changed).length;
  useWork(count > 0);
  const save = useMutation({
    mutationFn: (codes: Record<string, string>) => daybook.setAccountCodes({ body: { codes } }),
    onSuccess: async (_, sent) => {
      await queries.invalidateQueries({ queryKey: ['book', 'readAccountCodes'] });
      setTyped((now) => withoutSaved(now, sent));
    },
  });
  const idle = count === 0 || save.isPending;
  const missing = ACCOUNTS.filter(({ account }) => (saved[account] ?? '') === '').length;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!idle) save.mutate(changed);
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
                <>
                  <input
                    className="input code-input"
                    aria-label={`Code for ${accountName(account)}`}
                    aria-describedby={`${hint}-${account}`}
                    maxLength={64}
                    pattern="[A-Za-z0-9]([A-Za-z0-9._:\/ \-]{0,62}[A-Za-z0-9._:\/\-])?"
                    title="Letters, digits, spaces and . _ : / -, beginning with a letter or digit"
                    value={typed[account] ?? saved[account] ?? ''}
                    onChange={({ target: { value } }) => setTyped({ ...typed, [account]: value })}
                  />
                  <div id={`${hint}-${account}`} className="small wrapping" aria-live="polite">
                    {isCleared(typed, saved, account) &&
                      `A saved code can be changed but not removed: ${saved[account]} stays.`}
                  </div>
                </>
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
                {errorText(save.error).detail}
              </span>
            )}
            {save.isSuccess && count === 0 && (
              <span role="status" className="small">
                Saved.
              </span>
            )}
            {missing > 0 && (
              <button
                type="button"
                className="button"
                onClick={() => setTyped({ ...proposed, ...withValues(saved), ...withValues(typed) })}
              >
                Fill in a common chart
              </button>
            )}
            <button type="submit" className="button primary" aria-disabled={idle}>
              {save.isPending ? 'Saving…' : count === 0 ? 'Save codes' : `Save ${count} code${count === 1 ? '' : 's'}`}
            </button>
          </span>
        )}
      </div>
    </form>
  );
}

const withValues = (codes: Codes): Codes => Object.fromEntries(Object.entries(codes).filter(([, code]) => code !== ''));
