/** Doing something: fields, then what will happen, then one button that does it. */
import { useQueryClient } from '@tanstack/react-query';
import { ProblemError } from 'daybook-sdk';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { words } from '../../format.ts';
import { useCan } from '../../shell/session.tsx';
import { Field as Labelled } from '../basics.tsx';
import { OpenStipulations } from '../open-stipulations.tsx';
import { ErrorState, Loading } from '../states.tsx';
import type { Operation } from './catalogue.ts';
import { FormContext } from './controls.tsx';
import { type Draft, differences, placed, pointersOf, REQUIRED, requestOf } from './draft.ts';
import type { DrawerRequest, Holds } from './drawer-request.ts';
import type { Facts } from './facts.ts';
import { Fields } from './fields.tsx';
import { begin, type Form, formOf, labelsOf, sent } from './form.ts';
import { type Done, Outcome } from './outcome.tsx';
import type { Values } from './own-form.ts';
import { type Outlook, Preview } from './preview.tsx';
import { type Go, Refusal } from './refusal.tsx';
import { detailOf, inFormWords, possible, type RefusalFacts, refusalTitle } from './refusals.ts';
import { secretsOf } from './secrets.ts';
import type { Shape } from './shape.ts';
import { isUnknown, useDoing } from './use-doing.ts';
import { useFacts } from './use-facts.ts';

export type Doing = {
  operation: Operation;
  operations: readonly Operation[];
  request: DrawerRequest;
  go: Go;
  close: () => void;
  hold: (what: Holds) => void;
};

export function Write(doing: Doing) {
  const { operation, request } = doing;
  const can = useCan();
  const form = useMemo(() => formOf(operation, request), [operation, request]);
  const { facts, error } = useFacts(request.loanId ?? null, form.needs);
  if (!can(...operation.scopes) || !can(...operation.also)) return <NotAllowed operation={operation} />;
  if (error) return <ErrorState error={error} />;
  if (facts === undefined) return <Loading rows={6} />;
  return <Filling {...doing} form={form} facts={facts} />;
}

function NotAllowed({ operation }: { operation: Operation }) {
  return (
    <div className="notice late">
      <p className="state-title">Your roles do not include this</p>
      <p>
        It needs the scope{' '}
        <span className="mono">{[operation.scopes.join(' or '), ...operation.also].join(' and ')}</span>. An
        administrator of your organization can give you a role that has it.
      </p>
    </div>
  );
}

function Filling(doing: Doing & { form: Form; facts: Facts }) {
  const { operation, operations, request, form, facts, go, close } = doing;
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Draft>(() => begin(form, facts, request));
  const [begun] = useState(draft);
  const [purpose, setPurpose] = useState('');
  const [tried, setTried] = useState(false);
  /** A field was left: unreadable input is reported then, not while the user types. */
  const [left, setLeft] = useState(false);
  const [done, setDone] = useState<Done | null>(null);
  const at = useRef<HTMLFormElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const goesOn = useRef(false);

  const { shape, values, mistakes } = useMemo(() => filledIn(form, draft, facts), [form, draft, facts]);
  const args = sent(operation, values, request.loanId);
  const {
    preview,
    doIt,
    go: send,
    error,
    ask,
    stale,
  } = useDoing(operation, args, {
    complete: mistakes.length === 0 && (!operation.purpose || purpose.trim() !== ''),
    version: facts.summary?.version,
    purpose: purpose.trim(),
    onDone: ({ status, data }) => {
      setDone({ status, data, values, facts });
      const { loanId } = request;
      void queries.invalidateQueries({
        predicate: ({ queryKey: [kind, id] }) =>
          kind === 'book' || (kind === 'loan' && (loanId === undefined || id === loanId)),
      });
      request.onDone?.();
    },
  });

  useEffect(() => {
    at.current?.querySelector<HTMLElement>('input:not([readonly]), select, textarea')?.focus();
  }, []);
  const holds = holdsOf(done, doIt, differences(begun, draft) >= MUCH);
  const { hold } = doing;
  // Before anything is shown of it: a key may come at once.
  useLayoutEffect(() => hold(holds), [hold, holds]);
  useEffect(() => () => hold('nothing'), [hold]);
  const focusedAt = useRef(0);
  const toButton = () => {
    focusedAt.current = performance.now();
    button.current?.focus();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it is shown.
  useEffect(() => {
    if (!preview.isSuccess || !goesOn.current) return;
    goesOn.current = false;
    toButton();
  }, [preview.isSuccess]);

  if (done !== null) return <Outcome {...{ done, form, operation, operations, go, close }} />;

  const say = (detail: string) => inFormWords(detail, labelsOf(form), { path: operation.path, title: form.title });
  const refused =
    error instanceof ProblemError ? error.errors.map(({ pointer, detail }) => ({ pointer, detail: say(detail) })) : [];
  const unreadable = left ? mistakes.filter(({ detail }) => detail !== REQUIRED) : [];
  const problems = [...(tried ? mistakes : unreadable), ...refused];
  const { at: wrong, rest } = placed(problems, new Set(pointersOf(shape, draft)));
  const outlook = operation.dryRun && preview.isSuccess && !stale ? (preview.data.data as Outlook) : null;
  const ready = mistakes.length === 0 && (operation.dryRun ? outlook !== null : true) && !doIt.isPending;
  const amount = typeof values.amount === 'string' ? values.amount : undefined;

  /** Enter in a field shows the preview and moves to the button; it never submits. */
  const goOn = () => {
    setTried(true);
    if (mistakes.length > 0) return focusFirst(at.current);
    goesOn.current = true;
    if (outlook !== null || !operation.dryRun) toButton();
    else ask();
  };

  return (
    <form
      ref={at}
      className="doing"
      noValidate
      onBlur={() => setLeft(true)}
      onChange={() => setLeft(false)}
      onSubmit={(event) => {
        event.preventDefault();
        goOn();
      }}
    >
      {facts.summary && (
        <p className="quiet small">
          {facts.summary.loanDetails.applicationId} · {words(facts.summary.loanStatus)}
        </p>
      )}
      {form.about !== '' && <p className="quiet">{form.about}</p>}
      {error === null && <NotNow {...{ facts, operation, say, close }} />}
      {operation.purpose && (
        <Labelled label="Purpose *" hint="Your reason for viewing personal data. It is recorded.">
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
      <FormContext value={{ wrong, clears: /^update/.test(operation.id) }}>
        <Fields {...{ form, facts, values, draft, setDraft }} example={operation.example} />
      </FormContext>
      {rest.length > 0 && (
        <ul className="notice bad plain-list">
          {rest.map(({ pointer, detail }) => (
            <li key={pointer}>
              {pointer.slice(1)} {detail}
            </li>
          ))}
        </ul>
      )}
      <div aria-live="polite">
        {outlook !== null && <Preview {...{ outlook, facts, operation, amount }} />}
        {operation.dryRun && outlook === null && error === null && (
          <div className="outlook waiting">
            {preview.isFetching ? (
              <Loading rows={4} label="Loading the preview" />
            ) : (
              <Waiting auto={operation.cost <= 5} />
            )}
          </div>
        )}
      </div>
      {error !== null && (
        <Refusal
          {...{ error, say, operations, close }}
          loanId={facts.loanId}
          isOfWrite={doIt.error !== null}
          isOnce={operation.key}
          go={request.loanId === undefined ? null : go}
        />
      )}
      {/* So that Enter goes on also while no such button is shown. */}
      <button type="submit" className="hidden-visually" tabIndex={-1} aria-hidden="true" />
      <div className="doing-foot">
        <button
          ref={button}
          type="button"
          className={`button primary${form.grave ? ' grave' : ''}`}
          disabled={operation.dryRun ? !ready : doIt.isPending}
          // Without a preview, the button shows the missing fields.
          onClick={ready ? send : goOn}
          onKeyDown={(event) => {
            // Enter that is held, or pressed once more while the focus came here, has not read the preview.
            if (event.key !== 'Enter' || (!event.repeat && performance.now() - focusedAt.current > READ_MS)) return;
            event.preventDefault();
          }}
        >
          {doIt.isPending ? 'Working…' : outlook?.approval === true ? 'Request approval' : form.does(values, facts)}
        </button>
        {operation.dryRun && outlook === null && doIt.error === null && (
          <button type="submit" className="button">
            Preview
          </button>
        )}
        <button type="button" className="button plain" disabled={doIt.isPending} onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function holdsOf(done: Done | null, doIt: { isPending: boolean; error: unknown }, much: boolean): Holds {
  if (done !== null) return secretsOf(done.data).length > 0 ? 'secret' : 'nothing';
  if (doIt.isPending) return 'sending';
  if (isUnknown(doIt.error)) return 'unknown';
  return much ? 'typed' : 'nothing';
}

const READ_MS = 400;
/** From so many changed fields on, nobody wants to lose them by a key. */
const MUCH = 3;

/** Refusal that applies whatever is filled in, shown before the form. */
function NotNow(props: { facts: Facts; operation: Operation; say: (detail: string) => string; close: () => void }) {
  const { facts, operation, say, close } = props;
  const found = facts.summary?.notAllowed.find((one) => one.operation === operation.path);
  if (found === undefined) return null;
  const { code, detail } = found.reason;
  return (
    <div className="notice late">
      <p className="state-title">{refusalTitle(code, 'This is not possible now')}</p>
      <p>{detailOf(code, say(detail))}</p>
      {possible(found.reason as RefusalFacts).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {facts.loanId !== null && found.reason.stipulations !== undefined && (
        <OpenStipulations loanId={facts.loanId} ids={found.reason.stipulations} onLeave={close} />
      )}
    </div>
  );
}

const Waiting = ({ auto }: { auto: boolean }) => (
  <p className="quiet">
    {auto ? 'Fill in the fields to see a preview here.' : 'Press “Preview” to see the outcome first.'}
  </p>
);

/** Values and mistakes of the visible fields. */
function filledIn(
  { main, more }: Form,
  draft: Draft,
  facts: Facts,
): { shape: Shape; values: Values; mistakes: { pointer: string; detail: string }[] } {
  const all = [...main, ...more];
  const first = requestOf({ kind: 'object', fields: all }, draft).value as Values;
  const fields = all
    .filter(({ when }) => when === undefined || when(first, facts))
    .map((field) => (field.needed?.(first) ? { ...field, required: true } : field));
  const shape: Shape = { kind: 'object', fields };
  const { value, mistakes } = requestOf(shape, draft);
  return { shape, values: (value ?? {}) as Values, mistakes };
}

function focusFirst(form: HTMLFormElement | null): void {
  // After the mistakes are shown.
  setTimeout(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
