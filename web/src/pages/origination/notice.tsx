/** The notice that is owed to an applicant, written from what was stored at the assessment, and printed from here. */
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { daybook, loanPath, read } from '../../api.ts';
import { Field } from '../../parts/basics.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { errorText } from '../../parts/states.tsx';
import { KINDS, membersOf, NOTHING_TYPED, type NoticeKind, type NoticeParty, type Typed } from './notice-kinds.ts';

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
type Companies = Record<PartyKey, Record<Member, string>>;

const NOBODY = { name: '', address: '', telephone: '' };

export function NoticeDrawer(props: { notice: { loanId: string; kind: NoticeKind } | null; onClose: () => void }) {
  const { notice, onClose } = props;
  return (
    <Drawer open={notice !== null} title="Notice to an applicant" onClose={onClose}>
      {notice !== null && <NoticeForm {...notice} />}
    </Drawer>
  );
}

function NoticeForm({ loanId, kind: usual }: { loanId: string; kind: NoticeKind }) {
  const identity = useQuery(read('readIdentity', loanPath(loanId)));
  const [kind, setKind] = useState(usual);
  const [party, setParty] = useState<NoticeParty>('applicant');
  const [companies, setCompanies] = useState<Companies>({ creditor: NOBODY, bureau: NOBODY });
  const [typed, setTyped] = useState(NOTHING_TYPED);
  const [purpose, setPurpose] = useState('Notice to an applicant');
  const [notice, setNotice] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [tried, setTried] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const given = [purpose, ...PARTIES.flatMap(({ key }) => MEMBERS.map((member) => companies[key][member.key]))];
    if (given.some((text) => text.trim() === '')) return;
    setBusy(true);
    setError(null);
    daybook
      .writeAdverseActionNotice({
        body: { loanId, kind, party, ...companies, ...membersOf(kind, typed) },
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
        It is made once for each person, kind and assessment: the same notice is shown again later, whatever is entered
        then. It is not sent: print it or copy it.
      </p>
      <Field label="Kind of notice" hint={KINDS[kind].about}>
        {(ids) => (
          <select
            {...ids}
            className="input"
            value={kind}
            onChange={({ target }) => setKind(target.value as NoticeKind)}
          >
            {Object.entries(KINDS).map(([value, { title }]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        )}
      </Field>
      {identity.data?.data.coBorrower != null && (
        <Field label="For" hint="Each person on the application has a notice of their own.">
          {(ids) => (
            <select
              {...ids}
              className="input"
              value={party}
              onChange={({ target }) => setParty(target.value as NoticeParty)}
            >
              <option value="applicant">Applicant</option>
              <option value="coApplicant">Co-applicant</option>
            </select>
          )}
        </Field>
      )}
      <OfKind kind={kind} typed={typed} setTyped={setTyped} />
      {PARTIES.map((party) => (
        <fieldset key={party.key} className="stack notice-party">
          <legend>{party.title}</legend>
          {MEMBERS.map((member) => (
            <Field key={member.key} label={member.label} wrong={wrong(companies[party.key][member.key])}>
              {(ids) => (
                <input
                  {...ids}
                  className="input"
                  value={companies[party.key][member.key]}
                  onChange={({ target }) =>
                    setCompanies({
                      ...companies,
                      [party.key]: { ...companies[party.key], [member.key]: target.value },
                    })
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

/** Fields of this kind alone, beside what is stored. */
function OfKind(props: { kind: NoticeKind; typed: Typed; setTyped: (typed: Typed) => void }) {
  const { kind, typed, setTyped } = props;
  const set = (name: keyof Typed) => (event: { target: { value: string } }) =>
    setTyped({ ...typed, [name]: event.target.value });
  if (kind === 'adverseAction') {
    return (
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
            value={typed.reasons}
            onChange={set('reasons')}
          />
        )}
      </Field>
    );
  }
  if (kind === 'scoreDisclosure') {
    return (
      <Field
        label="Rank of the score (optional)"
        hint="The percentage of consumers with lower scores, as the bureau gives it. Default: the distribution of scores is shown."
      >
        {(ids) => (
          <input
            {...ids}
            type="number"
            className="input"
            min={0}
            max={100}
            step={1}
            value={typed.scoreRank}
            onChange={set('scoreRank')}
          />
        )}
      </Field>
    );
  }
  return (
    <>
      <Field
        label="What is missing (optional)"
        hint="One per line. Default: what the application cannot be assessed without, and the documents that were requested."
      >
        {(ids) => (
          <textarea
            {...ids}
            className="input"
            rows={3}
            maxLength={4000}
            value={typed.missing}
            onChange={set('missing')}
          />
        )}
      </Field>
      <Field label="Needed by (optional)" hint="At most 90 days ahead. Default: in 30 days.">
        {(ids) => <input {...ids} type="date" className="input" value={typed.respondBy} onChange={set('respondBy')} />}
      </Field>
    </>
  );
}

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
