/** A refusal in the drawer: in plain words, with what would be possible. */
import { ProblemError } from 'daybook-sdk';
import { OpenStipulations } from '../open-stipulations.tsx';
import { errorText } from '../states.tsx';
import type { Operation } from './catalogue.ts';
import { FORMS } from './forms.ts';
import { detailOf, possible, type RefusalFacts, refusalTitle } from './refusals.ts';
import { isUnknown } from './use-doing.ts';

export type Go = (operation: Operation, initial?: Readonly<Record<string, unknown>>) => void;

export function Refusal(props: {
  error: unknown;
  /** Says a message in the words of the form. */
  say: (detail: string) => string;
  operations: readonly Operation[];
  go: Go | null;
  loanId: string | null;
  close: () => void;
  /** The write was refused, not its preview. */
  isOfWrite: boolean;
  /** Repeating it does it once. */
  isOnce: boolean;
}) {
  const { error, say, operations, go } = props;
  if (!(error instanceof ProblemError) || isUnknown(error))
    return <Failed error={error} isOfWrite={props.isOfWrite} isOnce={props.isOnce} />;
  const facts = error.problem as RefusalFacts & { allowed?: readonly string[] };
  const offered = (facts.allowed ?? [])
    .map((path) => operations.find((one) => one.path === path))
    .filter((one) => one !== undefined && FORMS[one.id] !== undefined) as Operation[];
  const release = operations.find(({ id }) => id === 'releaseHold');
  const [hold] = facts.holds ?? [];
  return (
    <div className="notice bad refusal" role="alert">
      <p className="state-title">{refusalTitle(error.code, error.title)}</p>
      {error.errors.length === 0 || error.code !== 'invalid_request' ? (
        <p>{detailOf(error.code, say(error.detail))}</p>
      ) : null}
      {possible(facts).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {props.loanId !== null && facts.stipulations !== undefined && (
        <OpenStipulations loanId={props.loanId} ids={facts.stipulations} onLeave={props.close} />
      )}
      {go !== null && offered.length > 0 && (
        <div>
          <p className="small">Possible now:</p>
          <div className="line">
            {offered.slice(0, 8).map((one) => (
              <button key={one.id} type="button" className="link" onClick={() => go(one)}>
                {FORMS[one.id]?.title ?? one.summary}
              </button>
            ))}
          </div>
        </div>
      )}
      {go !== null && hold !== undefined && release !== undefined && (
        <div>
          <button type="button" className="link" onClick={() => go(release, { holdId: hold.holdId })}>
            Release the hold
          </button>
        </div>
      )}
      {error.code === 'proof_required' && (
        <p>
          <a href="/sign-in?next=/account&again" target="_blank" rel="noopener">
            Sign in again
          </a>
          , then return to this tab and repeat it.
        </p>
      )}
      {error.retryAfterSeconds !== null && <p>Try again in {error.retryAfterSeconds} seconds.</p>}
      {error.requestId && (
        <p className="small quiet-here">
          Request <span className="mono">{error.requestId}</span>
        </p>
      )}
    </div>
  );
}

function Failed({ error, isOfWrite, isOnce }: { error: unknown; isOfWrite: boolean; isOnce: boolean }) {
  const { title, detail, requestId } = errorText(error);
  const unknown = isUnknown(error);
  return (
    <div className="notice bad refusal" role="alert">
      <p className="state-title">{title}</p>
      <p>
        {!unknown
          ? detail
          : isOfWrite && !isOnce
            ? 'The outcome is unknown. Check it before you press the button again.'
            : isOfWrite
              ? 'The outcome is unknown. Press the button again in a moment; nothing is done twice.'
              : 'The preview could not be loaded, and nothing was done. Press “Preview” to try again.'}
      </p>
      {requestId !== null && (
        <p className="small quiet-here">
          Request <span className="mono">{requestId}</span>
        </p>
      )}
    </div>
  );
}
