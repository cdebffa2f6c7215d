/** Next step of an application, its missing requirements, and its buttons. */
import type { Schemas } from 'daybook-sdk';
import { useState } from 'react';
import { day } from '../../format.ts';
import { Panel } from '../../parts/basics.tsx';
import { OpenStipulations } from '../../parts/open-stipulations.tsx';
import { useOperation } from '../../parts/operation/operation.tsx';
import { detailOf } from '../../parts/operation/refusals.ts';
import { useCan } from '../../shell/session.tsx';
import { NoticeDrawer } from './notice.tsx';
import { kindFor, type NoticeKind } from './notice-kinds.ts';
import { type Action, action, isWaiting, mustBeDecided, noticeBy, type Stage, stages, stepOf } from './steps.ts';

type Summary = Schemas['LoanSummary'];

const SIGNS: Readonly<Record<Stage['state'], { sign: string; word: string }>> = {
  done: { sign: '✓', word: 'done' },
  now: { sign: '●', word: 'next' },
  skipped: { sign: '–', word: 'left out' },
  open: { sign: '', word: 'later' },
};

export function NextStep({ summary, passed }: { summary: Summary; passed: ReadonlySet<string> }) {
  const operate = useOperation();
  const can = useCan();
  const [notice, setNotice] = useState<{ loanId: string; kind: NoticeKind } | null>(null);
  const { loanId, loanStatus, allowed, assessed, notAllowed, pendingApprovals } = summary;
  const declined = loanStatus === 'Rejected';
  const kind = kindFor(loanStatus, assessed);
  const next = isWaiting(loanStatus) ? stepOf(loanStatus).next.map(action) : [];
  const cancel = action('cancelLoan');
  // The decision is taken with a deal, below, where there are deals.
  const shown = next.filter(({ operation }) => operation !== 'completeUnderwriting' || !assessed);
  // A new run, also of what was decided, until the loan is funded.
  const isAgain = passed.has('underwritingStarted') && !next.some(({ operation }) => operation === 'startUnderwriting');
  const startAgain = { ...action('startUnderwriting'), label: 'Assess again' };
  const again = isAgain && allowed.includes(startAgain.wire) ? [startAgain] : [];
  const offered = [...shown, ...again, ...(allowed.includes(cancel.wire) ? [cancel] : [])];
  const buttons = offered.filter(({ scope }) => can(scope));
  const lacking = next.find(({ scope }) => !can(scope));
  const refused = next.map((one) => refusal(one, notAllowed)).find((reason) => reason !== null);
  const start = (one: Action) => operate(one.operation, { loanId, title: one.label, ...initialOf(one, summary) });
  const write = kind !== null && can('loans:read_pii') && (
    <button
      type="button"
      className={declined ? 'button primary' : 'button'}
      onClick={() => setNotice({ loanId, kind })}
    >
      Write notice
    </button>
  );
  return (
    <Panel>
      <div className="stack">
        <ol className="stages" aria-label="Steps of the application">
          {stages(loanStatus, passed).map(({ label, state }) => (
            <li key={label} className={state}>
              <span className="stage-sign" aria-hidden="true">
                {SIGNS[state].sign}
              </span>
              {label}
              <span className="hidden-visually">: {SIGNS[state].word}</span>
            </li>
          ))}
        </ol>
        <div className="next-step">
          <div>
            <h2>{headline(summary)}</h2>
            <p className="quiet">{missing(summary)}</p>
            {lacking && (
              <p className="quiet">
                “{lacking.label}” needs a role with the scope <span className="mono">{lacking.scope}</span>.
              </p>
            )}
            {refused && (
              <div className="notice late">
                <p>{refused.text}</p>
                {refused.stipulations && <OpenStipulations loanId={loanId} ids={refused.stipulations} />}
              </div>
            )}
            {pendingApprovals > 0 && (
              <p className="notice info">A request for this application is waiting for approval.</p>
            )}
            {summary.holds.length > 0 && (
              <p className="notice late">Holds in force: {summary.holds.map(({ kind }) => kind).join(', ')}.</p>
            )}
          </div>
          <div className="line no-print">
            {declined && write}
            {buttons.map((one, n) => (
              <button
                key={one.operation}
                type="button"
                className={one === cancel ? 'button bad' : n === 0 && shown.length > 0 ? 'button primary' : 'button'}
                disabled={!allowed.includes(one.wire)}
                onClick={() => start(one)}
              >
                {one.label}
              </button>
            ))}
            {!declined && write}
          </div>
        </div>
      </div>
      <NoticeDrawer notice={notice} onClose={() => setNotice(null)} />
    </Panel>
  );
}

function headline({ loanStatus, assessed }: Summary): string {
  if (loanStatus === 'Rejected') return 'Declined';
  if (loanStatus === 'Cancelled') return 'Cancelled';
  if (!isWaiting(loanStatus)) return 'Funded: this application has become a loan';
  if (loanStatus === 'UnderwritingStarted' && !assessed) return 'Next: decide, without an assessment';
  const [first] = stepOf(loanStatus).next;
  return `Next: ${first === undefined ? '' : action(first).label.toLowerCase()}`;
}

function missing({ loanStatus, assessed, loanDetails: { createdAt } }: Summary): string {
  const by = day(noticeBy(createdAt));
  if (loanStatus === 'Rejected') {
    return `The applicant must be sent a notice of adverse action by ${by}, 30 days after the application.`;
  }
  if (!isWaiting(loanStatus)) return 'No further steps are required.';
  if (loanStatus === 'UnderwritingStarted' && !assessed) {
    return 'The application lacks data for an assessment. Decide without an assessment, or assess it again when the data is available.';
  }
  const { missing: text } = stepOf(loanStatus);
  return mustBeDecided(loanStatus) ? `${text} The applicant must be notified of the decision by ${by}.` : text;
}

/** Reason why the next step is refused although the status allows it, such as a hold. */
function refusal({ wire }: Action, notAllowed: Summary['notAllowed']) {
  const found = notAllowed.find(({ operation }) => operation === wire);
  if (found === undefined || found.reason.refusal === 'wrong_status') return null;
  const { code, detail, stipulations } = found.reason;
  return { text: detailOf(code, detail), stipulations };
}

function initialOf({ operation }: Action, { loanDetails }: Summary): { initial?: Record<string, unknown> } {
  if (operation === 'verifyDocuments') return { initial: { documentsComplete: true } };
  if (operation === 'approveCollateral') return { initial: { collateralAmount: loanDetails.collateralAmount } };
  return {};
}
