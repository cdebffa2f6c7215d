/** Looking something up: the answer of any reading operation, as a table or as a file. */

import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useMemo, useState } from 'react';
import { useCan } from '../../shell/session.tsx';
import { Field as Labelled } from '../basics.tsx';
import { SHOWN_MS } from '../purpose.ts';
import { ErrorState, Loading } from '../states.tsx';
import { AnswerView, AsJson } from './answer.tsx';
import { callAny } from './call.ts';
import { FormContext } from './controls.tsx';
import { type Draft, placed, pointersOf, requestOf } from './draft.ts';
import type { Facts } from './facts.ts';
import { Fields } from './fields.tsx';
import { begin, formOf, sent, shapeOfForm } from './form.ts';
import type { Doing } from './write.tsx';

const FILES: Readonly<Record<string, { label: string; ending: string; format?: string }>> = {
  'text/csv': { label: 'Download CSV', ending: 'csv', format: 'csv' },
  'application/x-ndjson': { label: 'Download JSON lines', ending: 'ndjson', format: 'ndjson' },
  'application/pdf': { label: 'Download PDF', ending: 'pdf' },
};
/** Parameters set by the response itself or by a button. */
const OWN = new Set(['cursor', 'format', 'after']);
const NO_FACTS: Facts = {
  today: '',
  loanId: null,
  summary: null,
  payoff: null,
  upcoming: null,
  policy: null,
  fees: [],
  holds: [],
  stipulations: [],
  timeline: [],
};

export function Read({ operation, request, close }: Doing) {
  const { id } = operation;
  const can = useCan();
  const form = useMemo(() => {
    const { main, more, ...rest } = formOf(operation, request);
    const own = ({ name }: { name: string }) => !OWN.has(name);
    return { ...rest, main: main.filter(own), more: more.filter(own) };
  }, [operation, request]);
  const [draft, setDraft] = useState<Draft>(() => begin(form, NO_FACTS, request));
  const [purpose, setPurpose] = useState('');
  const [cursor, setCursor] = useState<string | null>(null);
  const [tried, setTried] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const shape = shapeOfForm(form);
  const { value, mistakes } = requestOf(shape, draft);
  const values = (value ?? {}) as Record<string, unknown>;
  const args = {
    ...sent(operation, values, request.loanId),
    ...(purpose.trim() !== '' && { purpose: purpose.trim() }),
  };
  const text = JSON.stringify({ ...args, cursor });
  // An operation that needs no input runs at once.
  const [wanted, setWanted] = useState(mistakes.length === 0 && operation.cost <= 5 && !operation.purpose ? text : '');
  const files = operation.answers.filter((media) => FILES[media] !== undefined);
  const isJson = operation.answers.includes('application/json');
  const answer = useQuery({
    // Personal data is read once for a purpose: no event reads it again, and no cache keeps it.
    queryKey: [operation.purpose ? 'personal' : 'book', 'answer', id, wanted],
    ...(operation.purpose && { gcTime: 0, staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false }),
    queryFn: ({ signal }) => {
      const { cursor: from, query, ...rest } = JSON.parse(wanted);
      const all = from === null ? query : { ...query, cursor: from };
      return callAny(id, { ...rest, ...(all && { query: all }), signal });
    },
    enabled: wanted !== '' && isJson,
  });
  // After a minute it is taken away, as everywhere.
  const { isSuccess } = answer;
  const isPersonal = wanted !== '' && (JSON.parse(wanted) as { purpose?: string }).purpose !== undefined;
  useEffect(() => {
    if (!isPersonal || !isSuccess) return;
    const timer = setTimeout(() => setWanted(''), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isPersonal, isSuccess]);
  const next = (answer.data?.data as { nextCursor?: string | null } | undefined)?.nextCursor ?? null;
  const { at: wrong } = placed(tried ? mistakes : [], new Set(pointersOf(shape, draft)));

  const show = (event?: FormEvent) => {
    event?.preventDefault();
    setTried(true);
    setCursor(null);
    if (mistakes.length === 0) setWanted(JSON.stringify({ ...args, cursor: null }));
  };
  const download = async (media: string) => {
    setTried(true);
    if (mistakes.length > 0) return;
    setFailure(null);
    const { format, ending } = FILES[media] ?? { ending: 'txt' };
    const takesFormat = operation.query.some(({ name }) => name === 'format');
    const query = { ...args.query, ...(takesFormat && format !== undefined && { format }) };
    try {
      const { data } = await callAny(id, { ...args, query, accept: media });
      save(data as string | Blob, media, `${operation.id}.${ending}`);
    } catch (error) {
      setFailure(error);
    }
  };

  if (!can(...operation.scopes)) {
    return (
      <div className="notice late">
        It needs the scope <span className="mono">{operation.scopes.join(' or ')}</span>.
      </div>
    );
  }
  return (
    <form className="doing" noValidate onSubmit={show}>
      {form.about !== '' && <p className="quiet">{form.about}</p>}
      {operation.purpose && (
        <Labelled label="Purpose" hint="Your reason for viewing personal data. It is recorded.">
          {(ids) => (
            <input
              {...ids}
              className="input"
              value={purpose}
              maxLength={200}
              onChange={(event) => setPurpose(event.target.value)}
            />
          )}
        </Labelled>
      )}
      <FormContext value={{ wrong, clears: false }}>
        <Fields form={form} facts={NO_FACTS} values={values} draft={draft} setDraft={setDraft} />
      </FormContext>
      <div className="line">
        {isJson && (
          <button type="submit" className="button primary">
            Show
          </button>
        )}
        {files.map((media) => (
          <button key={media} type="button" className="button" onClick={() => void download(media)}>
            {FILES[media]?.label}
          </button>
        ))}
        <button type="button" className="button plain" onClick={close}>
          Close
        </button>
      </div>
      {failure !== null && <ErrorState error={failure} />}
      {answer.isError && <ErrorState error={answer.error} retry={() => void answer.refetch()} />}
      {answer.isLoading && <Loading rows={5} />}
      {answer.isSuccess && wanted !== '' && (
        <section aria-label="Answer" className="stack">
          {isPersonal && <p className="small quiet">Shown for one minute. This disclosure was recorded.</p>}
          <AnswerView data={answer.data.data} />
          {next !== null && (
            <div>
              <button
                type="button"
                className="button"
                onClick={() => {
                  setCursor(next);
                  setWanted(JSON.stringify({ ...args, cursor: next }));
                }}
              >
                Next page
              </button>
            </div>
          )}
          <AsJson data={answer.data.body} />
        </section>
      )}
    </form>
  );
}

function save(data: string | Blob, type: string, name: string): void {
  const url = URL.createObjectURL(typeof data === 'string' ? new Blob([data], { type }) : data);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
