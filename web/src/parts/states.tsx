/** Loading, empty, error and no right: every page and panel uses these. */
import { ConnectionError, ProblemError } from 'daybook-sdk';
import type { ReactNode } from 'react';
import './states.css';

/** Grey bars where the content will be; `rows` as many as will come. */
export function Loading({ rows = 6, label = 'Loading' }: { rows?: number; label?: string }) {
  return (
    <div className="loading" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars never change.
        <div key={n} className="loading-row" />
      ))}
    </div>
  );
}

export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="state">
      <p className="state-title">{title}</p>
      {children && <div className="quiet">{children}</div>}
      {action}
    </div>
  );
}

/** Error with advice, and the request id for support. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const { title, detail, requestId } = errorText(error);
  return (
    <div className="state state-bad" role="alert">
      <p className="state-title">{title}</p>
      <p>{detail}</p>
      {requestId && (
        <p className="quiet small">
          Request <span className="mono">{requestId}</span>
        </p>
      )}
      {isNotLoaded(error) ? (
        <button type="button" className="button" onClick={() => window.location.reload()}>
          Reload
        </button>
      ) : (
        retry && (
          <button type="button" className="button" onClick={retry}>
            Try again
          </button>
        )
      )}
    </div>
  );
}

export function NoRight({ what, scope }: { what: string; scope: string }) {
  return (
    <div className="state">
      <p className="state-title">You cannot see {what}</p>
      <p className="quiet">
        You need a role with the scope <span className="mono">{scope}</span>. An administrator of your organization can
        give you one.
      </p>
    </div>
  );
}

/** A part of the page that is loaded when it is needed: after an update its file has another name. In the words of each browser. */
const isNotLoaded = (error: unknown): boolean =>
  error instanceof TypeError && /imported module|module script/.test(error.message);

/** An error in words for people. */
export function errorText(error: unknown): { title: string; detail: string; requestId: string | null } {
  if (error instanceof ProblemError) return { title: error.title, detail: error.detail, requestId: error.requestId };
  if (error instanceof ConnectionError) {
    return {
      title: 'The service cannot be reached',
      detail: 'Check your connection. This page may be out of date, and your entries were not saved.',
      requestId: null,
    };
  }
  if (isNotLoaded(error)) {
    const detail = 'The service was updated, or the connection was lost. Reload the page to go on.';
    return { title: 'A part of the page could not be loaded', detail, requestId: null };
  }
  return { title: 'Something went wrong on this page', detail: 'Reload the page and try again.', requestId: null };
}
