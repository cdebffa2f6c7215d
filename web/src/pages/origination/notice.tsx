/** The notice of adverse action for an applicant who was declined, written from what was stored at the assessment, and printed from here. */
import { type FormEvent, useState } from 'react';
import { daybook } from '../../api.ts';
import { Field } from '../../parts/basics.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { errorText } from '../../parts/states.tsx';

const PARTIES = [
  { key: 'creditor', title: 'Creditor' },
  { key: 'bureau', title: 'Credit bureau' },
] as const;
const MEMBERS = [
  { key: 'name', label: 'Name' },
  { key: 'address', label: 'Address' },
  { key: 'telephone', label: 'Telephone' },
] as const;
type PartyKey = (typeof PARTIES)[number]['key'];
type Member = (typeof MEMBERS)[number]['key'];
type Typed = Record<PartyKey, Record<Member, string>>;

const NOBODY = { name: '', address: '', telephone: '' };

export function NoticeDrawer({ loanId, onClose }: { loanId: string | null; onClose: () => void }) {
  return (
    <Drawer open={loanId !== null} title="Adverse action notice" onClose={onClose}>
      {loanId !== null && <NoticeForm loanId={loanId} />}
    </Drawer>
  );
}

function NoticeForm({ loanId }: { loanId: string }) {
  const [typed, setTyped] = useState<Typed>({ creditor: NOBODY, bureau: NOBODY });
  const [purpose, setPurpose] = useState('Adverse action notice');
  const [reasons, setReasons] = useState('');
  const [notice, setNotice] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [tried, setTried] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const given = [purpose, ...PARTIES.flatMap(({ key }) => MEMBERS.map((member) => typed[key][member.key]))];
    if (given.some((text) => text.trim() === '')) return;
    setBusy(true);
    setError(null);
    const own = linesOf(reasons);
    daybook
      .writeAdverseActionNotice({
        body: { loanId, ...typed, ...(own.length > 0 && { reasons: own }) },
        purpose: purpose.trim(),
      })
      .then(({ data }) => setNotice(data.notice), setError)
      .finally(() => setBusy(false));
  };
  if (notice !== null) return <Written notice={notice} />;
  const problem = error ? errorText(error) : null;
  const wrong = (text: string) => (tried && text.trim() === '' ? 'Required.' : undefined);
  return (
    <form className="stack" onSubmit={submit}>
      <p className="quiet">
        The notice states the principal reasons, the score and the applicant’s rights. It is not sent: print it or copy
        it.
      </p>
      <Field
        label="Principal reasons (optional)"
        hint="One per line, at most four. Default: the reasons of the assessment. Required if the assessment approved the application or there was no assessment."
      >
        {(ids) => (
          <textarea
            {...ids}
            className="input"
            rows={3}
            maxLength={800}
            value={reasons}
            onChange={({ target }) => setReasons(target.value)}
          />
        )}
      </Field>
      {PARTIES.map((party) => (
        <fieldset key={party.key} className="stack notice-party">
          <legend>{party.title}</legend>
          {MEMBERS.map((member) => (
            <Field key={member.key} label={member.label} wrong={wrong(typed[party.key][member.key])}>
              {(ids) => (
                <input
                  {...ids}
                  className="input"
                  value={typed[party.key][member.key]}
                  onChange={({ target }) =>
                    setTyped({ ...typed, [party.key]: { ...typed[party.key], [member.key]: target.value } })
                  }
                />
              )}
            </Field>
          ))}
        </fieldset>
      ))}
      <Field label="Purpose" hint="The notice contains personal data. Your purpose is recorded." wrong={wrong(purpose)}>
        {(ids) => (
          <input
            {...ids}
            className="input"
            maxLength={200}
            value={purpose}
            onChange={({ target }) => setPurpose(target.value)}
          />
        )}
      </Field>
      {problem && (
        <p className="notice bad" role="alert">
          {problem.title}: {problem.detail}
        </p>
      )}
      <div>
        <button type="submit" className="button primary" disabled={busy}>
          {busy ? 'Writing…' : 'Write notice'}
        </button>
      </div>
    </form>
  );
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function Written({ notice }: { notice: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <div className="stack">
      <div className="line no-print">
        <button
          type="button"
          className="button"
          onClick={() => void navigator.clipboard.writeText(notice).then(() => setCopied(true))}
        >
          {copied ? 'Copied' : 'Copy'}
        </button>
        <button type="button" className="button" onClick={() => window.print()}>
          Print
        </button>
      </div>
      <pre className="notice-text">{notice}</pre>
    </div>
  );
}
